"""cross_validate: which strength predicts best on rows that were held out.

Each fold follows the same strengths on the same arrays, with weight 0 on the rows that it holds out: nothing is copied,
and the scores of those rows come with the fit.  Folds run in threads of their own.  The one-standard-error rule takes
the largest strength whose mean is within one standard error of the least: Breiman, Friedman, Olshen, Stone 1984.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from widemargin._threads import available_threads
from widemargin._types import F64, I64, Array
from widemargin.data.intake import Dataset, intake
from widemargin.errors import unknown
from widemargin.fitting import Fit, assemble, fit
from widemargin.objective import Theta
from widemargin.paths.crossed import CrossFit
from widemargin.paths.folds import Split, numbers_of, splits_of
from widemargin.paths.narrow import narrowed
from widemargin.paths.scoring import Judge, judge, truth_of
from widemargin.paths.strengths import grid
from widemargin.solve.follow import follow
from widemargin.solve.protocol import Problem
from widemargin.solve.start import null_values
from widemargin.spec import Spec, spec


def standard_error_of(scores: F64) -> F64:
    """Of the mean over folds, from how they differ; infinite for a single fold."""
    if len(scores) < 2:
        return np.full(scores.shape[1], np.inf)
    return np.asarray(scores.std(axis=0, ddof=1) / np.sqrt(len(scores)))


def best_of(mean: F64, _: F64 | None = None) -> int:
    """The number of the strength with the least mean; of equal ones the first, which is the largest strength."""
    return int(np.argmin(mean))


def one_se_of(mean: F64, standard_error: F64) -> int:
    """The number of the first strength within one standard error of the best."""
    best = best_of(mean)
    return int(np.argmax(mean <= mean[best] + standard_error[best]))


RULES: dict[str, Callable[[F64, F64], int]] = {"best": best_of, "one_se": one_se_of}


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Held-out scores per strength (smaller is better), and the fit at the strength that was chosen."""

    alphas: F64
    scores: F64  # (folds, strengths)
    relative_gaps: F64  # (folds, strengths): how far each fit was from its optimum, at most
    metric: str
    rule: str
    crossed: CrossFit  # at the strength that was chosen: the fit to all rows, and each row's scores without it

    @property
    def fit(self) -> Fit:
        """The fit to all rows at the strength that was chosen."""
        return self.crossed.fit

    @property
    def folds(self) -> I64:
        """(n,) the fold that held each row out; -1: none did."""
        return self.crossed.folds

    @property
    def mean(self) -> F64:
        """(strengths,) over the folds."""
        return np.asarray(self.scores.mean(axis=0))

    @property
    def standard_error(self) -> F64:
        """(strengths,) of the mean, from how the folds differ."""
        return standard_error_of(self.scores)

    @property
    def best(self) -> int:
        """The number of the strength with the least mean; of equal ones the largest strength."""
        return best_of(self.mean)

    @property
    def one_se(self) -> int:
        """The number of the largest strength within one standard error of the best."""
        return one_se_of(self.mean, self.standard_error)

    @property
    def chosen(self) -> int:
        """The number of the strength that the rule takes."""
        return RULES[self.rule](self.mean, self.standard_error)

    @property
    def alpha(self) -> float:
        """The strength that the rule takes."""
        return float(self.alphas[self.chosen])

    def __repr__(self) -> str:
        k = self.chosen
        return (
            f"CrossValidation({len(self.alphas)} strengths, {len(self.scores)} folds; {self.rule}: "
            f"alpha {self.alpha:.3g} with {self.metric} {self.mean[k]:.4g} ± {self.standard_error[k]:.2g})"
        )


def cross_validate(
    X: Any, y: Any, *, loss: Any = None, penalty: Any = "l1", alphas: Any = None, n_alphas: int = 100,
    ratio: float | None = None, folds: Any = 5, groups: Any = None, time: Any = None, metric: Any = "loss",
    rule: str = "best", solver: Any = "auto", tol: float = 1e-6, intercept: bool | str = True,
    sample_weight: Any = None, class_weight: Any = None, offset: Any = None, multiclass: str = "auto",
    penalty_factor: Any = None, bounds: Any = None, scale: bool = False, seed: int = 0, threads: int | None = None,
) -> CrossValidation:  # fmt: skip
    """Held-out scores of every strength, and a fit on all rows at the strength that `rule` takes.

    metric: "loss" (that of the fit), "error", "log_loss", a function of (true classes, scores) whose mean counts, or a
    scorer of scikit-learn or its name, whose negative counts.  Every fit of every fold reaches the gap `tol`.
    folds: how many (`groups` keeps rows of one group together, `time` learns from what came before), the fold of each
    row, a splitter of scikit-learn, or pairs of row numbers.
    """
    options: dict[str, Any] = {
        "loss": loss, "penalty": penalty, "intercept": intercept, "multiclass": multiclass, "solver": solver,
        "tol": tol, "penalty_factor": penalty_factor, "bounds": bounds, "scale": scale,
    }  # fmt: skip
    if rule not in RULES:
        raise unknown("rule", rule, RULES)
    wanted = spec(alpha=1.0, schedule=None, **options)
    data = intake(X, y, sample_weight=sample_weight, class_weight=class_weight, offset=offset)
    name, judged = judge(metric, data)
    total = available_threads() if threads is None else threads
    problem, _ = assemble(wanted, data, shuffle=True, threads=total, trace="passes")
    alphas, splits = (
        grid(problem, alphas, n_alphas, ratio),
        splits_of(folds, data.source.y, seed, groups=groups, time=time),
    )
    found = _all_folds(wanted, data, problem, alphas, splits, judged, total)
    scores = np.array([fold.scores for fold in found])
    chosen = RULES[rule](scores.mean(axis=0), standard_error_of(scores))
    given = {"sample_weight": sample_weight, "class_weight": class_weight, "offset": offset, "threads": threads}
    whole = fit(X, y, alpha=float(alphas[chosen]), **options, **given)
    plain = data if class_weight is None else intake(X, y, sample_weight=sample_weight)
    crossed = CrossFit(
        whole, _held_scores(found, splits, chosen, whole.model.W.shape[1]), truth_of(data), plain.source.s,
        numbers_of(splits), np.array([fold.gaps[chosen] for fold in found]),
    )  # fmt: skip
    return CrossValidation(alphas, scores, np.array([fold.gaps for fold in found]), name, rule, crossed)


@dataclass(frozen=True, eq=False)
class Fold:
    """What one fold found along the strengths: worth on rows held out, gaps, and how to have their scores again."""

    scores: list[float]
    gaps: list[float]
    again: list[Callable[[], F64]]  # the scores of the rows held out


def _all_folds(
    wanted: Spec, data: Dataset, problem: Problem, alphas: F64, splits: list[Split], judged: Judge, threads: int
) -> list[Fold]:
    """Folds share the rows, and the threads among them."""
    source = narrowed(problem)
    if source.X.sparse and problem.objective.l1 > 0:
        _ = source.X.transposed  # made once, before the folds ask for it
    own = max(1, threads // len(splits))

    def one(split: Split) -> Fold:
        s = np.where(split.learn, 1.0 if source.s is None else source.s, 0.0)
        part = Dataset(replace(source, s=s), data.classes, None)
        here, solver = assemble(wanted, part, shuffle=True, threads=own, trace="passes")
        found = Fold([], [], [])
        for reached in follow(here, alphas, null_values(here), solver if wanted.solver is not None else None):
            theta = reached.outcome.theta
            scores = here.reducer.scores(here.source, theta)
            found.scores.append(judged(reached.problem, theta, scores, split.held))
            found.gaps.append(reached.gap)
            found.again.append(_again(here, theta, scores[split.held], split.held))
        return found

    with ThreadPoolExecutor(min(threads, len(splits))) as pool:
        return list(pool.map(one, splits))


def _again(problem: Problem, theta: Theta, held_scores: F64, held: Array) -> Callable[[], F64]:
    """Keeps the scores or the weights, whichever is less: one pass over the rows gives the one from the other."""
    if held_scores.size <= theta.W.size:
        return lambda: held_scores
    return lambda: problem.reducer.scores(problem.source, theta)[held]


def _held_scores(found: list[Fold], splits: list[Split], chosen: int, K: int) -> F64:
    """(n, K) at the strength that was chosen; NaN where no fold held a row out."""
    scores = np.full((len(splits[0].held), K), np.nan)
    for fold, split in zip(found, splits, strict=True):
        scores[split.held] = fold.again[chosen]()
    return scores
