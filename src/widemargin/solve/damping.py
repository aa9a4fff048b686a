"""h + lambda c p: curvature lent to rows that have none, so that a Newton model is bounded below.  Levenberg 1944.

c is the loss's largest curvature (the mean one where there is no largest).  The damping grows when a step had to be cut
and fades when it was taken whole.
"""

from __future__ import annotations

import numpy as np

from widemargin._types import F64
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.solve.protocol import Problem

FLOOR = 1e-8  # for losses with flat pieces, whose curvature may vanish on every row at once


def floor(problem: Problem) -> float:
    """The least damping: none for losses that are curved everywhere."""
    loss = problem.objective.loss
    return FLOOR if loss.joints or isinstance(loss, CallableLoss) else 0.0


def adapted(damping: F64, t: F64, least: float) -> F64:
    """The next damping per head, after steps of t."""
    grown, faded = np.maximum(10 * damping, 1e-3), np.where(damping > 1e-9, 0.1 * damping, 0.0)
    return np.maximum(np.where(t < 1, grown, faded), least)


def typical_curvature(problem: Problem, h: F64) -> F64:
    """What damping is measured in, per head."""
    curvature = problem.objective.loss.curvature
    if np.isfinite(curvature):
        return np.full(h.shape[1], curvature)
    mean = h.sum(axis=0)
    return np.where(mean > 0, mean, 1.0)


def damped(problem: Problem, h: F64, damping: F64) -> F64:
    """The curvature of every row and head, damped."""
    if problem.objective.joint or not np.any(damping > 0):
        return h
    return np.asarray(h + damping * typical_curvature(problem, h) * problem.source.p[:, None])


def plain_diagonal(problem: Problem) -> F64:
    """sum p x^2 per column, 1 for the intercept: what the diagonal of H is where every row has curvature 1."""
    source = problem.source
    kept = {"curvature": np.repeat(source.p[:, None], problem.objective.K, axis=1)}
    zero = problem.objective.zero(source.d)
    found = problem.fold("diagonal", Theta(zero.W, zero.b), kept).gradient
    assert found is not None
    return np.append(found.W[:, 0], 1.0)


def lent(problem: Problem, gram: F64) -> F64:
    """Gram sums with the floor's curvature on their diagonal, where no row with some column has any of its own.

    Without it such a column would be taken in the user's unit, and the step along it could be of any length.
    """
    least = floor(problem)
    if least == 0 or problem.objective.joint or np.diagonal(gram, axis1=1, axis2=2).all():
        return gram
    curvature = problem.objective.loss.curvature
    plain = least * (curvature if np.isfinite(curvature) else 1.0) * plain_diagonal(problem)
    missing = np.where(np.diagonal(gram, axis1=1, axis2=2) > 0, 0.0, plain)
    return np.asarray(gram + missing[:, :, None] * np.eye(len(plain)))
