"""Softmax with L2 by truncated Newton steps whose conjugate gradients share one Cholesky factor among all classes.

The Hessian is sum p (diag pi - pi pi') (x) x x'.  Boehning's bound 1/2 (I - 11'/K) (x) X'PX has the same factor for
every class and iteration (Boehning 1992, Ann. Inst. Stat. Math. 44), but is loose where rows are sure of their class:
M = sum p omega x x' + alpha with omega = (1 - sum pi^2) / (K - 1), the mean curvature of a row over the K - 1
directions that it has, is as cheap, from a sample of the rows, and follows the point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin._types import F64
from widemargin.data.source import ArraySource
from widemargin.errors import Verdict
from widemargin.loss import losses
from widemargin.objective import Objective, Theta
from widemargin.penalty import penalties
from widemargin.solve.conjugate import Heads, product, solve
from widemargin.solve.interior_system import Solve, cholesky
from widemargin.solve.kink_ramp import thinned
from widemargin.solve.newton_cg import NewtonCG
from widemargin.solve.protocol import Problem, State, Task

LARGEST = 3000  # columns of the factor
ROWS = 8  # of the sample, for every column


@dataclass(frozen=True)
class SoftmaxCG(NewtonCG):
    """Newton steps for softmax on rows of up to some thousand columns."""

    name: ClassVar[str] = "softmax_cg"
    blockwise: ClassVar[bool] = False  # the preconditioner samples rows
    cite: ClassVar[str] = "Boehning 1992; Dembo, Steihaug 1983"
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """Softmax, L2 or nothing, few columns."""
        reason = super().refuses(problem)
        if reason is None and problem.objective.multiclass != "softmax":
            reason = "softmax_cg is for multiclass='softmax': use solver='newton_cg'"
        if reason is None and problem.source.d > LARGEST:
            reason = f"softmax_cg would factor {problem.source.d} columns: use solver='newton_cg'"
        return reason

    def _direction(self, problem: Problem, state: State, g: Theta) -> tuple[Theta, int]:
        """Conjugate gradients until they are good enough for a step."""
        objective, d = problem.objective, problem.source.d
        l2 = np.append(np.broadcast_to(objective.strengths[1][:, 0], d), 0.0)
        if objective.intercept == "penalised":
            l2[-1] = objective.l2
        pi = state.kept["curvature"]
        gram = shared(problem, (1.0 - np.einsum("ik,ik->i", pi, pi)) / (objective.K - 1))
        if objective.intercept == "none":
            gram[d] = gram[:, d] = 0.0
        gram[np.diag_indices(d + 1)] += l2
        M = np.repeat(np.maximum(gram.diagonal(), 1e-300)[:, None], objective.K, axis=1)
        heads = Together(objective, M, l2, problem.reducer.threads, cholesky(gram))
        multiply = product(problem, state.theta, state.kept)
        found = solve(heads, multiply, g, min(2000, 10 + 4 * (d + 1)))
        return found.x, found.products


def shared(problem: Problem, omega: F64) -> F64:
    """sum p omega (x, 1)(x, 1)' over a sample of the rows, which stands for all of them."""
    source = problem.source
    step = max(1, source.n // (ROWS * (source.d + 1)))
    part = thinned(source, step)
    squared = losses["squared"]
    weighted = ArraySource(part.X, np.ones(part.n), part.p * np.maximum(omega[::step], 1e-12))
    task = Task("rough_gram", Theta(np.zeros((source.d, 1)), np.zeros(1)))
    gram = problem.reducer.fold(weighted, Objective(squared, penalties["none"], 0.0), task).gram
    assert gram is not None
    return np.asarray(gram[0] * (weighted.total_weight / squared.curvature))


class Together(Heads):
    """The vector work of conjugate gradients where M is one factor for every column."""

    def __init__(self, objective: Objective, M: F64, l2: F64, threads: int, factor: Solve) -> None:
        super().__init__(objective, M, l2, threads)
        self.factor, self.z = factor, np.empty_like(M)

    def first(self, r: F64) -> F64:
        """M^-1 r."""
        self.z = self.factor(r)
        return self.z.copy()

    def step(self, x: F64, r: F64, p: F64, q: F64, a: F64) -> tuple[F64, F64]:
        """x += a p, r -= a q; <r, r>, <r, M^-1 r>."""
        x += a * p
        r -= a * q
        self.z = self.factor(r)
        return np.array([np.vdot(r, r)]), np.array([np.vdot(r, self.z)])

    def turn(self, p: F64, r: F64, beta: F64) -> None:
        """p = M^-1 r + beta p."""
        p *= beta
        p += self.z
