"""The end of a fit: the exact intercept, the best dual point, the certificate, the verdict."""

from __future__ import annotations

import warnings
from functools import reduce
from typing import NamedTuple

import numpy as np

from widemargin._types import F64, Array
from widemargin.bounds import has_bound
from widemargin.certificate import (
    WIDTHS,
    Certificate,
    DualPoint,
    better,
    haze,
    kink_duals,
    prove,
    relative_gap,
    rounding,
)
from widemargin.data.source import ArraySource
from widemargin.duals import dual_points, scored_sums
from widemargin.errors import NotConverged, Verdict
from widemargin.loss import CallableLoss
from widemargin.objective import Objective, Theta
from widemargin.repair import unpenalised_duals
from widemargin.rivals import kept, margins, nearest, own_classes
from widemargin.solve.loop import Outcome
from widemargin.solve.protocol import Problem, Solver
from widemargin.solve.start import best_intercepts


class End(NamedTuple):
    """A point, and what is known there."""

    theta: Theta
    values: F64  # (H,)
    kkt: float
    point: DualPoint | None


def certify(problem: Problem, solver: Solver, outcome: Outcome, null: F64, classes: Array) -> Certificate:
    """What can be proved about the best point, with the intercept made exact where the solver minimises."""
    objective = problem.objective
    differentiable = objective.loss.smooth and objective.multiclass != "crammer_singer"
    end = (_smooth_end if differentiable else _kinked_end)(problem, solver, outcome, null)
    theta, values, kkt, point = end
    if objective.joint and objective.intercept == "free":
        theta = theta.centred()
    bounds = _bounds(objective, end)
    gap = relative_gap(values, bounds, null)
    kind = _kind(problem, solver, point)
    verdict = _verdict(problem, solver, outcome, theta, values, bounds, float(gap.max()), kind)
    if (
        point is not None
        and verdict in (Verdict.stalled, Verdict.passes)
        and haze(objective, point.a, problem.source, problem.anchors) > problem.tol
    ):
        verdict = Verdict.scales
    if kind != "duality gap":
        gap = np.full_like(gap, np.nan)
    return Certificate(
        objective=float(values.sum()), lower_bound=float(bounds.sum()), gap=float((values - bounds).sum()),
        relative_gap=float(gap.max()), kkt=kkt, kind=kind, verdict=verdict, problem=objective,
        theta=theta, dual=None if point is None else point.a, values=values, bounds=bounds, null=null, classes=classes,
    )  # fmt: skip


def _bounds(objective: Objective, end: End) -> F64:
    """What is proved, never above the objective by rounding alone."""
    bounds = np.zeros(objective.heads) if end.point is None else end.point.bounds
    noise = rounding(objective, end.values, end.theta)
    return np.where((bounds > end.values) & (bounds - end.values <= noise), end.values, bounds)


def _exact_intercept(problem: Problem, solver: Solver) -> bool:
    """Whether the best b is found at the end, whatever the solver left."""
    objective = problem.objective
    return solver.certifies and objective.convex and objective.intercept == "free" and not objective.joint


def _smooth_end(problem: Problem, solver: Solver, outcome: Outcome, null: F64) -> End:
    """One gradient fold says all, and the solver's last one is used where it was at the same point.

    The intercept moves only where the gap is not closed yet and the slope in b says that something can be gained.
    """
    objective, theta = problem.objective, outcome.theta
    if objective.joint and objective.intercept == "free":
        centred = theta.centred()
        far = abs(theta.b[0] - centred.b[0]) > 1 + np.abs(centred.b).max()
        theta = centred if far else theta  # so far out that scores have lost digits
    end = _measured(problem, solver, outcome, theta)
    theirs = _own(problem, solver, outcome) is not None
    if end.point is not None and not theirs and np.any(end.point.bounds < outcome.bounds):
        # a better bound was proved on the way, at another point: its dual point may be proved as well
        other = _measured(problem, solver, outcome, outcome.bound_at)
        if other.point is not None:
            end = end._replace(point=better(objective, end.point, other.point))
    if not _exact_intercept(problem, solver) or not np.isfinite(end.values).all():
        return end
    if end.point is not None and relative_gap(end.values, _bounds(objective, end), null).max() <= problem.tol:
        return end
    sums, scores = problem.measured(end.theta)
    assert sums.gradient is not None
    if not sums.gradient.b.any():
        return end
    shift = best_intercepts(problem, scores)
    if not shift.any():
        return end
    moved = _measured(problem, solver, outcome, Theta(end.theta.W, end.theta.b + shift))
    if end.point is not None and moved.point is not None:
        moved = moved._replace(point=better(objective, moved.point, end.point))
    return moved


def _own(problem: Problem, solver: Solver, outcome: Outcome) -> F64 | None:
    """The solver's own dual point; a = 0 proves 0 where it had nothing to do."""
    if outcome.verdict is Verdict.trivial:
        return np.zeros((problem.source.n, problem.objective.K))
    return solver.dual(problem, outcome.state) if outcome.began else None


def _measured(problem: Problem, solver: Solver, outcome: Outcome, theta: Theta) -> End:
    """Objective, distance from stationarity and dual point at theta."""
    objective, source, threads = problem.objective, problem.source, problem.reducer.threads
    sums, scores = problem.measured(theta)
    gradient = sums.gradient
    assert gradient is not None
    values = sums.value + objective.penalty_value(theta)
    kkt = float(np.max(objective.distance(gradient, theta))) if solver.certifies else float("nan")
    finite = np.isfinite(values).all() and np.isfinite(gradient.W).all() and np.isfinite(gradient.b).all()
    if not solver.minimises or not has_bound(objective) or not finite:
        return End(theta, values, kkt, None)
    own = _own(problem, solver, outcome)
    if own is not None and not objective.unpenalised:
        return End(theta, values, kkt, prove(objective, own, source, problem.anchors))
    a = dual_points(objective, source, scores, threads) if own is None else own
    if objective.unpenalised:
        return End(theta, values, kkt, prove(objective, unpenalised_duals(problem, a, theta), source, problem.anchors))
    return End(theta, values, kkt, prove(objective, a, source, problem.anchors, Theta(-gradient.W, -gradient.b)))


def _kinked_end(problem: Problem, solver: Solver, outcome: Outcome, null: F64) -> End:
    """Scores, the best b for them, the objective there, and the solver's own dual point or one of a rounded kink."""
    objective, source, theta = problem.objective, problem.source, outcome.theta
    scores = problem.scores(theta)
    if _exact_intercept(problem, solver):
        shift = best_intercepts(problem, scores)
        theta, scores = Theta(theta.W, theta.b + shift), scores + shift
    values = _values(problem, theta, scores)
    if not solver.minimises or not has_bound(objective) or not np.isfinite(scores).all():
        return End(theta, values, float("nan"), None)
    own = _own(problem, solver, outcome)
    found = [_ramped(objective, scores, source, width) for width in WIDTHS] if own is None else [own]
    points = [prove(objective, a, source, problem.anchors) for a in found]
    return End(theta, values, float("nan"), reduce(lambda one, other: better(objective, one, other), points))


def _ramped(objective: Objective, scores: F64, source: ArraySource, width: float) -> F64:
    """A dual point from scores alone: kinks as ramps."""
    if objective.multiclass != "crammer_singer":
        return kink_duals(objective, scores, source, width)
    own = own_classes(source)
    found = nearest(objective.loss, margins(scores, own), np.zeros_like(scores), width)
    return kept(found.a, own)


def _values(problem: Problem, theta: Theta, scores: F64) -> F64:
    """The objective per head, from scores where heads have nothing to do with each other."""
    objective = problem.objective
    if objective.joint or isinstance(objective.loss, CallableLoss):
        return problem.fold("value", theta).value + objective.penalty_value(theta)
    value, _ = scored_sums(objective, problem.source, scores, problem.reducer.threads)
    return value + objective.penalty_value(theta)


def _kind(problem: Problem, solver: Solver, point: DualPoint | None) -> str:
    if not solver.minimises:
        return "mistakes"
    if point is not None:
        return "duality gap"
    return "none" if problem.objective.convex else "gradient norm"


def _verdict(
    problem: Problem, solver: Solver, outcome: Outcome, theta: Theta, values: F64, bounds: F64, gap: float, kind: str
) -> Verdict:
    """What is proved at the end decides; the loop's own verdict speaks where nothing is proved."""
    if kind == "duality gap" and outcome.verdict not in (Verdict.stopped, Verdict.trivial):
        if gap <= problem.tol:
            return Verdict.tolerance
        if np.all(np.abs(values - bounds) <= rounding(problem.objective, values, theta)):
            return Verdict.rounding
        if outcome.verdict in (Verdict.tolerance, Verdict.rounding):
            return Verdict.stalled
    if kind == "none" and outcome.verdict in (Verdict.stalled, Verdict.passes):
        return Verdict.no_bound
    return outcome.verdict


def warn(certificate: Certificate, solver: str) -> None:
    """One warning when what was asked for does not hold: what happened, how far it is, what to do."""
    verdict = certificate.verdict
    if verdict.success:
        return
    far = "" if np.isnan(certificate.relative_gap) else f" (relative gap {certificate.relative_gap:.2g})"
    warnings.warn(f"{solver}: {verdict.text}{far}; {verdict.remedy}.", NotConverged, stacklevel=3)
