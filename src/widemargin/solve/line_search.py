"""theta + t step with the first t = 1, 1/2, 1/4 ... that keeps a part of what the step promises.  Armijo 1966.

Near the optimum what a step gains is lost in the rounding of the objective; there the slope along the step decides,
where the fold at the trial tells it: half of it must be gone.  Approximate Wolfe conditions: Hager, Zhang 2005.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin._types import F64, Array
from widemargin.objective import Theta, every
from widemargin.solve.protocol import Problem, Sums

SHARE = 1e-4  # of the promised decrease
HALVINGS = 60
ROUNDING = 16 * float(np.finfo(float).eps)  # relative change of an objective that says nothing
NEARLY = 1e-10  # relative change of an objective that rounding of scores may make
FLATTER = 0.5
BISECTIONS = 30
ENOUGH = 0.3  # of the slope may be left where a search along a convex function ends


@dataclass(frozen=True)
class Step:
    """Where the search ended."""

    theta: Theta
    value: F64  # (H,) objective there
    sums: Sums  # of the fold there
    t: F64  # (H,)
    halvings: int

    @property
    def note(self) -> str:
        """What to tell about it."""
        return f"step halved {self.halvings} times" if self.halvings else ""


def backtrack(problem: Problem, theta: Theta, step: Theta, value: F64, promised: F64, fold: str) -> Step | None:
    """One fold per trial; None when even the smallest step does not help.  Every head has a t of its own."""
    objective = problem.objective
    noise = ROUNDING * np.abs(value)
    t = np.ones(objective.heads)
    for halvings in range(HALVINGS):
        trial = objective.inside(theta.plus(objective.columns(t), step))
        sums = problem.fold(fold, trial)
        reached = sums.value + objective.penalty_value(trial)
        fine = reached <= value + SHARE * t * promised + noise  # also rejects inf and NaN
        if fold != "value" and not every(fine):
            fine |= (reached <= value + NEARLY * np.abs(value)) & _flatter(problem, sums, trial, step, promised)
        if every(fine):
            return Step(trial, reached, sums, t, halvings)
        t = np.where(fine, t, 0.5 * t)
    return None


def _flatter(problem: Problem, sums: Sums, trial: Theta, step: Theta, promised: F64) -> Array:
    """Whether the objective is much flatter along the step at the trial than where the step began."""
    assert sums.gradient is not None
    g = sums.gradient.plus(1.0, problem.objective.penalty_gradient(trial))
    return np.asarray(np.abs(problem.objective.dot(g, step)) <= FLATTER * np.abs(promised))


def where_flat(slope: Callable[[float], float]) -> float:
    """t in (0, 1] where a convex function has become nearly flat, or 1 where it still falls; 0 where it never did."""
    start = slope(0.0)
    if not start < 0:
        return 0.0
    low, high, t = 0.0, 1.0, 1.0
    for _ in range(BISECTIONS):
        found = slope(t)
        if abs(found) <= ENOUGH * abs(start) or (found < 0 and t == 1.0):
            break
        low, high = (low, t) if not found < 0 else (t, high)
        t = 0.5 * (low + high)
    return t
