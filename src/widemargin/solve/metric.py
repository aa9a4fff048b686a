"""M^-1 g for a fixed M near the Hessian: its Cholesky factor, or its diagonal.

Columns are scaled to a unit diagonal first, and what does not factor gets the least ridge with which it does: a metric
need not be the Hessian, it must be positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from widemargin._types import F64
from widemargin.objective import Objective, Theta
from widemargin.solve import symmetric
from widemargin.solve.damping import lent
from widemargin.solve.protocol import Problem

LEAST = 1e-14  # the first ridge that is tried, of a unit diagonal


class Metric(Protocol):
    """A positive matrix that can be solved with."""

    def solve(self, g: Theta) -> Theta:
        """M^-1 g."""


@dataclass(frozen=True)
class Diagonal:
    """diag H + alpha."""

    at: Theta

    def solve(self, g: Theta) -> Theta:
        """Entry by entry."""
        return Theta(g.W / self.at.W, g.b / self.at.b)


@dataclass(frozen=True)
class Factored:
    """L L' = S H S per head, S the scale of the columns; the intercept is the last unknown of each column."""

    objective: Objective
    scale: F64  # (H, used)
    L: F64  # (H, used, used)

    def solve(self, g: Theta) -> Theta:
        """Two triangular systems a head."""
        d, K = g.W.shape
        full = np.concatenate([g.W, g.b[None]])
        right = full.reshape(1, -1) if self.objective.joint else full.T
        steps, used = np.zeros(right.shape), self.scale.shape[1]
        for h, (L, scale) in enumerate(zip(self.L, self.scale, strict=True)):
            x = right[h, :used] * scale
            steps[h, :used] = symmetric.solved(L, x) * scale
        full = steps.reshape(d + 1, K) if self.objective.joint else steps.T
        return Theta(np.ascontiguousarray(full[:-1]), full[-1])


def diagonal(problem: Problem, theta: Theta) -> Diagonal:
    """From two passes over the rows: curvature, then squares."""
    objective = problem.objective
    kept = {"curvature": np.empty((problem.source.n, objective.K))}
    problem.fold("value", theta, kept)
    found = problem.fold("diagonal", theta, kept).gradient
    assert found is not None
    W, b = found.W + objective.strengths[1], found.b + (objective.l2 if objective.intercept == "penalised" else 0.0)
    return Diagonal(Theta(*(np.where(A > 0, A, 1.0) for A in (W, b))))


def hessian(problem: Problem, theta: Theta) -> Factored:
    """H at a point, from products in single precision."""
    gram = problem.fold("rough_gram", theta).gram
    assert gram is not None
    return factored(problem, lent(problem, gram))


def factored(problem: Problem, gram: F64) -> Factored:
    """H = gram + alpha, factored per head."""
    objective, d = problem.objective, problem.source.d
    width = objective.K if objective.joint else 1
    used = (d + (objective.intercept != "none")) * width
    ridge = np.zeros(used)
    ridge[: d * width] = np.repeat(np.broadcast_to(objective.strengths[1][:, 0], d), width)
    if objective.intercept == "penalised":
        ridge[d * width :] = objective.l2
    pairs = [_factor(H[:used, :used], ridge, problem.reducer.threads) for H in gram]
    return Factored(objective, np.stack([s for s, _ in pairs]), np.stack([L for _, L in pairs]))


def _factor(H: F64, ridge: F64, threads: int) -> tuple[F64, F64]:
    size = H.diagonal() + ridge
    scale = 1 / np.sqrt(np.where((size > 0) & np.isfinite(size), size, 1.0))
    H = H * scale[:, None] * scale
    H.reshape(-1)[:: len(H) + 1] += ridge * scale**2
    lifted = 0.0
    for _ in range(16):
        L = symmetric.factored(H.copy(), threads)
        if L is not None:
            return scale, L
        more = max(LEAST, 10 * lifted)
        H.reshape(-1)[:: len(H) + 1] += more - lifted
        lifted = more
    return scale, np.eye(len(H))
