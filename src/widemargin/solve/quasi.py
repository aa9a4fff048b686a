"""w <- w - t B g: L-BFGS whose initial matrix is M^-1, for a given metric M near the Hessian.

Nocedal 1980; Morales, Nocedal 2000.  Where M is near the Hessian t = 1 is right, and one pass over the rows a step
gives value, gradient and bound at once: as many passes as conjugate gradients with that preconditioner, none besides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widemargin._types import F64
from widemargin.objective import Theta, every
from widemargin.solve.line_search import ROUNDING, Step, backtrack
from widemargin.solve.metric import Metric
from widemargin.solve.protocol import Problem, Sums

MEMORY = 12  # pairs that are remembered


@dataclass(frozen=True)
class Place:
    """A point, what a gradient fold says there, and the steps that led to it."""

    theta: Theta
    value: F64  # (H,) objective
    g: Theta
    sums: Sums
    steps: tuple[Theta, ...] = ()
    changes: tuple[Theta, ...] = ()  # of the gradient along each step


def place(problem: Problem, theta: Theta, kind: str = "gradient") -> Place:
    """One pass."""
    return _seen(problem, theta, problem.fold(kind, theta))


def _seen(problem: Problem, theta: Theta, sums: Sums) -> Place:
    assert sums.gradient is not None
    g = sums.gradient.plus(1.0, problem.objective.penalty_gradient(theta))
    return Place(theta, sums.value + problem.objective.penalty_value(theta), g, sums)


def direction(problem: Problem, at: Place, metric: Metric) -> tuple[Theta, F64]:
    """-B g by two loops over the pairs, and its slope; heads whose pairs mislead fall back on the metric alone."""
    dot, columns = problem.objective.dot, problem.objective.columns
    q, told = at.g, []
    for s, y in zip(reversed(at.steps), reversed(at.changes), strict=True):
        sy = dot(s, y)
        rho = np.where(sy > 0, 1 / np.where(sy > 0, sy, 1.0), 0.0)
        a = rho * dot(s, q)
        q = q.plus(-columns(a), y)
        told.append((s, y, rho, a))
    z = metric.solve(q)
    for s, y, rho, a in reversed(told):
        z = z.plus(columns(a - rho * dot(y, z)), s)
    slope = -dot(at.g, z)
    if not every(slope < 0) and at.steps:
        plain = metric.solve(at.g)
        bad = columns(np.where(slope < 0, 0.0, 1.0))
        z = Theta(np.where(bad > 0, plain.W, z.W), np.where(bad > 0, plain.b, z.b))
        slope = -dot(at.g, z)
    return Theta(-z.W, -z.b), slope


def walk(problem: Problem, at: Place, step: Theta, slope: F64, kind: str = "gradient") -> tuple[Place, Step] | None:
    """Along the step, as far as it helps; None where nothing does."""
    found = backtrack(problem, at.theta, step, at.value, slope, kind)
    if found is None:
        return None
    new = _seen(problem, found.theta, found.sums)
    s, y = found.theta.plus(-1.0, at.theta), new.g.plus(-1.0, at.g)
    pairs = ((*at.steps, s)[-MEMORY:], (*at.changes, y)[-MEMORY:])
    return Place(new.theta, new.value, new.g, new.sums, *pairs), found


def settled(at: Place, slope: F64) -> bool:
    """No head's step promises more than rounding."""
    return every(-slope <= ROUNDING * np.abs(at.value))
