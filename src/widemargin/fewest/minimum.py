"""fewest_errors: data -> points -> search -> FewestErrors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from widemargin.data.intake import Dataset, intake
from widemargin.errors import InputError, OptionError, Refusal, Verdict
from widemargin.fewest import cover, surrogates
from widemargin.fewest.incumbent import Progress
from widemargin.fewest.points import points
from widemargin.fewest.result import Curve, FewestErrors
from widemargin.fewest.search import Search
from widemargin.loss import CallableLoss, Loss, as_loss, losses
from widemargin.model import Model
from widemargin.separation.conflict import Conflict
from widemargin.spec import number
from widemargin.stops import Budget

SECONDS = 60.0
ALPHAS = (1e-1, 1e-3, 1e-5)


def fewest_errors(
    X: Any, y: Any, *, intercept: bool = True, sample_weight: Any = None, class_weight: Any = None,
    surrogates: Iterable[str | Loss | CallableLoss] | None = None, alphas: Iterable[float] = ALPHAS,
    budget: Budget | None = None, seed: int = 0, on_event: Callable[[Progress], object] | None = None,
) -> FewestErrors:  # fmt: skip
    """The fewest rows that any hyperplane misjudges (z = y (w.x + b) <= 0), or the least that they can weigh.

    Ends when that is proved, or after the budget: budget(seconds=60) unless given.  `surrogates` are the losses whose
    errors are compared with the fewest, by default all convex ones, each at its best of `alphas`.  Ctrl-C returns
    what is known.  Two classes only.
    """
    started = time.perf_counter()
    chosen, grid = _losses(surrogates), _alphas(alphas)
    seconds = _check(intercept, budget, seed, on_event)
    data = checked(X, y, sample_weight, class_weight)
    found = Search(points(data.source, intercept), intercept, seed, seconds, started, on_event)
    verdict = found.run(chosen, grid)
    return _result(found, data, verdict)


def checked(X: Any, y: Any, sample_weight: Any, class_weight: Any) -> Dataset:
    """Data of two classes, each row with one label."""
    data = intake(X, y, sample_weight=sample_weight, class_weight=class_weight)
    if data.source.classes > 2:
        shown = ", ".join(map(repr, data.classes[:5].tolist()))
        raise Refusal(
            f"y has {data.source.classes} classes ({shown} ...); a hyperplane has two sides. Ask about one class "
            f"against the others, for example y == {data.classes[:1].tolist()[0]!r}, or about the rows of two classes."
        )
    if data.source.n != len(y):
        raise InputError(
            "y has probabilities between 0 and 1; expected one of two labels in each row, of which an error can be "
            "counted. Pass y > 0.5, or each row twice with a sample_weight."
        )
    return data


def _losses(given: Iterable[str | Loss | CallableLoss] | None) -> list[Loss | CallableLoss]:
    if given is None:
        return list(surrogates.defaults())
    if isinstance(given, str | Loss | CallableLoss):
        raise OptionError(f"surrogates = {given!r}; expected several losses, as in surrogates=['hinge', 'logistic']")
    try:
        chosen = [as_loss(loss) for loss in given]
    except TypeError:
        raise OptionError(f"surrogates = {given!r}; expected names of losses, or () for none") from None
    for loss in chosen:
        if not loss.convex:
            names = ", ".join(name for name in losses if losses[name].convex)
            raise OptionError(f"surrogates: {loss.name!r} is not convex; expected some of: {names}")
    return chosen


def _alphas(given: Iterable[float]) -> list[float]:
    try:
        grid = [number("alphas", alpha, strict=True) for alpha in given]
    except TypeError:
        raise OptionError(f"alphas = {given!r}; expected several strengths, as in alphas=(0.1, 1e-3)") from None
    if not grid:
        raise OptionError("alphas is empty; expected at least one strength. For no surrogates pass surrogates=().")
    return grid


def _check(intercept: Any, budget: Any, seed: Any, on_event: Any) -> float:
    """The seconds of the budget."""
    if not isinstance(intercept, bool):
        raise OptionError(f"intercept = {intercept!r}; expected True or False")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"seed = {seed!r}; expected a whole number of at least 0")
    if on_event is not None and not callable(on_event):
        raise OptionError(f"on_event = {on_event!r}; expected a function of one Progress")
    if budget is None:
        return SECONDS
    if not isinstance(budget, Budget) or budget.seconds is None or budget.passes is not None:
        raise OptionError(f"budget = {budget!r}; expected seconds, as in budget=wm.budget(seconds=60)")
    return budget.seconds


def _result(found: Search, data: Dataset, verdict: Verdict) -> FewestErrors:
    known, cloud, pool = found.known, found.points, found.pool
    wrong = np.flatnonzero((cloud.group >= 0) & known.wrong[cloud.group])
    total = float(cloud.s.sum())
    u = cover.packing(pool.matrix, cloud.s)
    disjoint = pool.disjoint(cloud.s, u)
    known.prove(max(float(u.sum()), sum(float(cloud.s[pool.conflicts[k].rows].min()) for k in disjoint)))
    curve = Curve(*(np.array([getattr(event, name) for event in found.trace]) for name in Curve._fields))
    conflicts = tuple(Conflict(*_in_order(cloud.first[rows], weights)) for rows, weights in pool.conflicts)
    return FewestErrors(
        errors=len(wrong), weight=known.weight, share=known.weight / total, bound=known.bound, optimal=known.closed,
        verdict=Verdict.tolerance if known.closed else verdict, model=_model(found, data), wrong=wrong,
        conflicts=conflicts, disjoint=disjoint, packing=u, trace=curve,
        surrogates=tuple(row._replace(above=row.weight - known.bound) for row in found.table),
    )  # fmt: skip


def _in_order(rows: Any, weights: Any) -> tuple[Any, Any]:
    order = np.argsort(rows)
    return rows[order], weights[order]


def _model(found: Search, data: Dataset) -> Model:
    known = found.known
    d = data.source.d
    w, b = known.w[:d], known.w[d:] if len(known.w) > d else np.zeros(1)
    size = float(np.abs(known.w).max(initial=0.0))
    scale = np.ldexp(1.0, -int(np.frexp(size)[1])) if size > 0 else 1.0
    about = {
        "loss": "zero_one", "solver": "fewest_errors", "objective": known.weight, "lower_bound": known.bound,
        "intercept": "free" if len(known.w) > d else "none",
    }  # fmt: skip
    loss = losses["zero_one"]
    return Model(data.classes, w[:, None] * scale, b * scale, loss, "binary", data.feature_names, about)
