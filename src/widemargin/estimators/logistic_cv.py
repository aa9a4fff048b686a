"""LogisticRegression with C (and the share of L1) chosen by cross-validation: scikit-learn's LogisticRegressionCV.

Each fold follows all strengths on the same arrays, from the strongest penalty down, with weight 0 on what it holds out;
folds run in threads.  Every point is solved to the gap that a single fit would be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from widemargin._threads import available_threads
from widemargin._types import F64, I64, Array
from widemargin.data.intake import Dataset, intake
from widemargin.errors import InputError, OptionError
from widemargin.estimators.base import as_expected, gap_for, penalised
from widemargin.estimators.logistic import SOLVERS, LogisticRegression, named
from widemargin.estimators.parameters import choice, number, whole
from widemargin.estimators.workers import threads
from widemargin.fitting import assemble
from widemargin.loss import losses
from widemargin.model import Model
from widemargin.paths.selection import RULES, one_se_of, standard_error_of
from widemargin.solve.follow import follow
from widemargin.solve.start import null_values
from widemargin.spec import spec

LOGISTIC = losses["logistic"]


class Point(NamedTuple):
    """One strength of one fold: weights (K, d), intercepts (K,), outer steps, relative gap."""

    coef: F64
    intercept: F64
    steps: int
    gap: float


class LogisticRegressionCV(LogisticRegression):
    """Logistic regression whose C and l1_ratio predict best on rows that were held out; every point certified.

    rule="one_se" takes the smallest C whose mean score is within one standard error of the best.
    """

    def __init__(
        self, *, Cs: Any = 10, l1_ratios: Any = "warn", fit_intercept: bool = True, cv: Any = None, dual: bool = False,
        penalty: str | None = "deprecated", scoring: Any = "warn", solver: str = "lbfgs", tol: float = 1e-4,
        max_iter: int = 100, class_weight: Any = None, n_jobs: int | None = None, verbose: int = 0, refit: bool = True,
        intercept_scaling: float = 1.0, multi_class: str = "deprecated", random_state: Any = None,
        use_legacy_attributes: bool | str = "warn", rule: str = "best",
    ) -> None:  # fmt: skip
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.multi_class = multi_class
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes
        self.rule = rule

    def _check_parameters(self) -> None:
        number(self, "tol", low=0.0)
        number(self, "intercept_scaling", above=0.0)
        choice(self, "penalty", ("deprecated", "l1", "l2", "elasticnet"))
        choice(self, "solver", SOLVERS)
        choice(self, "refit", (True, False))
        choice(self, "use_legacy_attributes", (True, False, "warn"))
        choice(self, "rule", tuple(RULES))
        whole(self, "max_iter", low=0)

    def fit(  # type: ignore[override]
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None
    ) -> Self:
        """Follow all strengths in every fold, choose, and fit with the choice to all rows; `groups` are for `cv`."""
        self._check_parameters()
        X, y = validate_data(self, X, y, accept_sparse="csr", ensure_all_finite=False)
        check_classification_targets(y)
        weight = self._row_weights(X, y, sample_weight)
        try:
            data = intake(X, y, sample_weight=weight)
        except InputError as error:
            raise as_expected(error, X) from None
        self.Cs_, ratios = self._strengths(), self._ratios()
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y, groups))
        self.classes_ = data.classes
        points = self._all(data, [train for train, _ in folds], ratios)
        scores = np.array(
            [
                self._scores(fold, X[test], y[test], sample_weight, test)
                for fold, (_, test) in zip(points, folds, strict=True)
            ]
        )  # (folds, ratios, Cs)
        self._choose(X, y, sample_weight, points, scores, ratios)
        self._tell(points, scores, ratios)
        return self

    def _intercept(self) -> bool | str:
        return ("penalised" if self.solver == "liblinear" else True) if self.fit_intercept else False

    def _strengths(self) -> F64:
        if isinstance(self.Cs, int | np.integer) and not isinstance(self.Cs, bool):
            whole(self, "Cs", low=1)
            return np.logspace(-4, 4, int(self.Cs))
        found = np.asarray(self.Cs, dtype=float).reshape(-1)
        if len(found) == 0 or not (found > 0).all():
            raise OptionError(f"Cs = {self.Cs!r}; expected a whole number, or numbers above 0")
        return found

    def _ratios(self) -> list[float]:
        if self.penalty in ("l1", "l2"):
            return [1.0 if self.penalty == "l1" else 0.0]
        if self.l1_ratios is None or (isinstance(self.l1_ratios, str) and self.l1_ratios == "warn"):
            return [0.0]
        found = [float(ratio) for ratio in self.l1_ratios]
        if not found or not all(0 <= ratio <= 1 for ratio in found):
            raise OptionError(f"l1_ratios = {self.l1_ratios!r}; expected numbers from 0 to 1")
        return found

    def _all(self, data: Dataset, trains: Sequence[I64], ratios: list[float]) -> list[list[list[Point]]]:
        """points[fold][ratio][C]; jobs share the rows, and the threads among them."""
        total = threads(self.n_jobs) or available_threads()
        jobs = [(train, ratio) for train in trains for ratio in ratios]
        own = max(1, total // len(jobs))
        if data.source.X.sparse and any(ratios):
            _ = data.source.X.transposed  # made once, before the folds ask for it
        with ThreadPoolExecutor(min(total, len(jobs))) as pool:
            found = list(pool.map(lambda job: self._one(data, job[0], job[1], own), jobs))
        return [found[k : k + len(ratios)] for k in range(0, len(found), len(ratios))]

    def _one(self, data: Dataset, train: I64, ratio: float, own: int) -> list[Point]:
        s = np.zeros(data.source.n)
        s[train] = 1.0 if data.source.s is None else data.source.s[train]
        part = Dataset(replace(data.source, s=s), data.classes, None)
        told = penalised(1.0, self._intercept(), self.intercept_scaling, 1 if ratio == 1.0 else 2, data.source.d)
        wanted = spec(
            loss="logistic", penalty=named(ratio), solver="auto", **told,
            multiclass="ovr" if self.solver == "liblinear" else "auto", tol=gap_for(self.tol), schedule=None,
        )  # fmt: skip
        problem, _ = assemble(wanted, part, shuffle=True, threads=own, trace="passes")
        order = np.argsort(self.Cs_)
        with np.errstate(divide="ignore"):
            alphas = told["alpha"] / (self.Cs_[order] * s.sum())
        points: list[Point | None] = [None] * len(order)
        for k, reached in zip(order, follow(problem, alphas, null_values(problem)), strict=True):
            theta = reached.outcome.theta
            b = theta.b - theta.b.mean() if reached.problem.objective.joint else theta.b
            points[k] = Point(theta.W.T.copy(), b.copy(), reached.iterations, reached.gap)
        return [point for point in points if point is not None]

    def _scores(self, points: Any, X: Any, y: Array, sample_weight: Any, test: I64) -> list[list[float]]:
        """(ratios, Cs) of one fold, on the rows that it holds out."""
        return [[self._score(point, X, y, sample_weight, test) for point in row] for row in points]

    def _score(self, point: Point, X: Any, y: Array, sample_weight: Any, test: I64) -> float:
        held = LogisticRegression(solver=self.solver)
        held.classes_, held.coef_, held.intercept_ = self.classes_, point.coef, point.intercept
        held.n_features_in_ = self.n_features_in_
        multiclass = "binary" if len(self.classes_) == 2 else ("ovr" if self.solver == "liblinear" else "softmax")
        held.model_ = Model(self.classes_, point.coef.T, point.intercept, LOGISTIC, multiclass)
        told = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)[test]}
        if self.scoring is None or self.scoring == "warn":
            return float(held.score(X, y, **told))
        return float(get_scorer(self.scoring)(held, X, y, **told))

    def _choose(self, X: Any, y: Any, sample_weight: Any, points: Any, scores: F64, ratios: list[float]) -> None:
        by_C = scores.transpose(0, 2, 1)  # (folds, Cs, ratios): ties go to the first C
        best = np.unravel_index(int(np.argmax(by_C.sum(axis=0))), by_C.shape[1:])
        ordered = np.argsort(self.Cs_, kind="stable")  # from the strongest penalty on
        losses = -by_C[:, ordered, best[1]]
        at = best[0] if self.rule == "best" else ordered[one_se_of(losses.mean(axis=0), standard_error_of(losses))]
        C, ratio = float(self.Cs_[at]), ratios[best[1]]
        final = LogisticRegression(
            C=C, l1_ratio=ratio, tol=self.tol, fit_intercept=self.fit_intercept, solver=self.solver,
            intercept_scaling=self.intercept_scaling, class_weight=self.class_weight, max_iter=max(self.max_iter, 1),
            n_jobs=self.n_jobs, verbose=max(0, self.verbose - 1),
        )  # fmt: skip
        if "_skl_callbacks" in self.__dict__:
            final.set_callbacks(*self._skl_callbacks)  # they hear the fit to all rows
        final.fit(X, y, sample_weight)
        own = ("coef_", "intercept_", "model_", "certificate_", "trace_", "verdict_")
        self.__dict__.update({name: final.__dict__[name] for name in own})
        self._best: tuple[float, float] = (C, ratio)
        if not self.refit:
            each = [np.unravel_index(int(np.argmax(fold)), fold.shape) for fold in by_C]
            chosen = [fold[k][c] for fold, (c, k) in zip(points, each, strict=True)]
            self.coef_ = np.mean([point.coef for point in chosen], axis=0)
            self.intercept_ = np.mean([point.intercept for point in chosen], axis=0)
            self.model_ = replace(
                final.model_, W=np.ascontiguousarray(self.coef_.T), b=np.asarray(self.intercept_, dtype=float)
            )
            self._best = (
                float(np.mean([self.Cs_[c] for c, _ in each])), float(np.mean([ratios[k] for _, k in each])),
            )  # fmt: skip

    def _tell(self, points: Any, scores: F64, ratios: list[float]) -> None:
        """The attributes, in scikit-learn's older shapes unless use_legacy_attributes=False."""
        with_b = [
            [[np.column_stack([p.coef, p.intercept]) if self.fit_intercept else p.coef for p in row] for row in fold]
            for fold in points
        ]
        paths = np.array(with_b)  # (folds, ratios, Cs, K, dof)
        steps = np.array([[[p.steps for p in row] for row in fold] for fold in points])
        self.relative_gaps_ = np.array([[[p.gap for p in row] for row in fold] for fold in points])
        self.l1_ratios_: Any = np.array(ratios)
        (C, ratio), K = self._best, paths.shape[3]
        if self.use_legacy_attributes is False:
            self.C_: Any = C
            self.l1_ratio_: Any = ratio
            self.coefs_paths_: Any = paths
            self.scores_: Any = scores
            self.n_iter_ = steps
            return
        plain = self.l1_ratios is None or (isinstance(self.l1_ratios, str) and self.l1_ratios == "warn")
        names = self.classes_[1:] if K == 1 else self.classes_
        by_C, turned = scores.transpose(0, 2, 1), paths.transpose(3, 0, 2, 1, 4)
        self.C_, self.l1_ratio_ = np.full(K, C), np.full(K, ratio)
        self.scores_ = dict.fromkeys(names, by_C[:, :, 0] if plain else by_C)
        self.coefs_paths_ = {name: turned[k, :, :, 0] if plain else turned[k] for k, name in enumerate(names)}
        counts = steps.transpose(0, 2, 1)[None]
        self.n_iter_ = counts[..., 0] if plain else counts

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # type: ignore[override]
        """By `scoring`; accuracy unless it was given."""
        if self.scoring is None or self.scoring == "warn":
            return float(super().score(X, y, sample_weight))
        told: Mapping[str, Any] = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(get_scorer(self.scoring)(self, X, y, **told))
