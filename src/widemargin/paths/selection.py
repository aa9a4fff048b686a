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

from widemargin._held_out import METRICS
from widemargin._threads import available_threads
from widemargin._types import F64, I64
from widemargin.data.intake import Dataset, intake
from widemargin.errors import OptionError, unknown
from widemargin.fitting import Fit, assemble, fit
from widemargin.paths.folds import folds_of
from widemargin.paths.narrow import narrowed
from widemargin.paths.strengths import grid
from widemargin.solve.follow import follow
from widemargin.solve.protocol import Problem
from widemargin.solve.start import null_values
from widemargin.spec import Spec, spec

RULES = ("best", "one_se")
Metric = Callable[[I64, F64], F64]  # (numbers of the true classes, scores) -> one number a row, or one in all


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Held-out scores per strength (smaller is better), and the fit at the strength that was chosen."""

    alphas: F64
    scores: F64  # (folds, strengths)
    relative_gaps: F64  # (folds, strengths): how far each fit was from its optimum, at most
    folds: I64  # (n,) the fold that held each row out
    metric: str
    rule: str
    fit: Fit

    @property
    def mean(self) -> F64:
        """(strengths,) over the folds."""
        return np.asarray(self.scores.mean(axis=0))

    @property
    def standard_error(self) -> F64:
        """(strengths,) of the mean, from how the folds differ."""
        return np.asarray(self.scores.std(axis=0, ddof=1) / np.sqrt(len(self.scores)))

    @property
    def best(self) -> int:
        """The number of the strength with the least mean; of equal ones the largest strength."""
        return int(np.argmin(self.mean))

    @property
    def one_se(self) -> int:
        """The number of the largest strength within one standard error of the best."""
        return int(np.argmax(self.mean <= self.mean[self.best] + self.standard_error[self.best]))

    @property
    def chosen(self) -> int:
        """The number of the strength that the rule takes."""
        return self.best if self.rule == "best" else self.one_se

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
    ratio: float | None = None, folds: Any = 5, metric: str | Metric = "loss", rule: str = "best", solver: Any = "auto",
    tol: float = 1e-6, intercept: bool | str = True, sample_weight: Any = None, class_weight: Any = None,
    offset: Any = None, multiclass: str = "auto", penalty_factor: Any = None, bounds: Any = None, scale: bool = False,
    seed: int = 0, threads: int | None = None,
) -> CrossValidation:  # fmt: skip
    """Held-out scores of every strength, and a fit on all rows at the strength that `rule` takes.

    metric: "loss" (that of the fit), "error", "log_loss", or a function of (true classes, scores) whose mean counts.
    folds: how many, or the fold of each row.  Every fit of every fold reaches the gap `tol`.
    """
    options: dict[str, Any] = {
        "loss": loss, "penalty": penalty, "intercept": intercept, "multiclass": multiclass, "solver": solver,
        "tol": tol, "penalty_factor": penalty_factor, "bounds": bounds, "scale": scale,
    }  # fmt: skip
    wanted = spec(alpha=1.0, schedule=None, **options)
    _check(metric, rule)
    data = intake(X, y, sample_weight=sample_weight, class_weight=class_weight, offset=offset)
    total = available_threads() if threads is None else threads
    problem, _ = assemble(wanted, data, shuffle=True, threads=total, trace="passes")
    chosen, numbers = grid(problem, alphas, n_alphas, ratio), folds_of(folds, data.source.y, seed)
    scores, gaps = _all_folds(wanted, data, problem, chosen, numbers, metric, total)
    given = {"sample_weight": sample_weight, "class_weight": class_weight, "offset": offset, "threads": threads}
    found = CrossValidation(chosen, scores, gaps, numbers, _name(metric), rule, None)  # type: ignore[arg-type]
    return replace(found, fit=fit(X, y, alpha=found.alpha, **options, **given))


def _check(metric: Any, rule: Any) -> None:
    if rule not in RULES:
        raise unknown("rule", rule, RULES)
    if not callable(metric) and metric not in ("loss", *METRICS):
        raise unknown("metric", metric, ("loss", *METRICS))


def _name(metric: str | Metric) -> str:
    return metric if isinstance(metric, str) else getattr(metric, "__name__", "metric")


def _all_folds(
    wanted: Spec, data: Dataset, problem: Problem, alphas: F64, numbers: I64, metric: str | Metric, threads: int
) -> tuple[F64, F64]:
    """(folds, strengths) held-out scores and gaps; folds share the rows, and the threads among them."""
    count = int(numbers.max()) + 1
    source = narrowed(problem)
    if source.X.sparse and problem.objective.l1 > 0:
        _ = source.X.transposed  # made once, before the folds ask for it
    own = max(1, threads // count)

    def one(fold: int) -> tuple[list[float], list[float]]:
        s = np.where(numbers == fold, 0.0, 1.0 if source.s is None else source.s)
        part = Dataset(replace(source, s=s), data.classes, None)
        here, solver = assemble(wanted, part, shuffle=True, threads=own, trace="passes")
        null, held = null_values(here), numbers == fold
        found = [
            (_score(metric, data, reached.problem, reached.outcome.theta, held), reached.gap)
            for reached in follow(here, alphas, null, solver if wanted.solver is not None else None)
        ]
        return [score for score, _ in found], [gap for _, gap in found]

    with ThreadPoolExecutor(min(threads, count)) as pool:
        results = list(pool.map(one, range(count)))
    return np.array([scores for scores, _ in results]), np.array([gaps for _, gaps in results])


def _score(metric: str | Metric, data: Dataset, problem: Problem, theta: Any, held: Any) -> float:
    """The weighted mean over the rows held out."""
    source, objective = problem.source, problem.objective
    scores = problem.reducer.scores(source, theta)[held]
    s = None if data.source.s is None else data.source.s[held]
    if metric == "loss" and not objective.joint:
        signs = source.signs[held]
        values = np.asarray(objective.loss.value(signs * scores)).sum(axis=1)
        return float(np.average(values, weights=s))
    labels = data.source.y[held]
    truth = (labels > 0 if source.classes == 2 else labels).astype(np.int64)
    scores = scores[:, 0] if scores.shape[1] == 1 else scores
    if callable(metric):
        per_row = np.asarray(metric(truth, scores), dtype=float)
        if per_row.ndim > 1 or (per_row.ndim == 1 and len(per_row) != len(truth)):
            raise OptionError(
                f"metric gave shape {per_row.shape}; expected one number, or one for each of {len(truth)} rows"
            )
        return float(np.average(per_row, weights=s)) if per_row.ndim else float(per_row)
    return float(np.average(METRICS["log_loss" if metric == "loss" else metric](truth, scores), weights=s))
