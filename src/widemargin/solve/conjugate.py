"""H p = -g by preconditioned conjugate gradients, all heads in the same passes.  Hestenes, Stiefel 1952.

M is the diagonal of H mixed with its mean (Hsia, Chiang, Lin 2018).  It ends where the residual is a fraction of g, or
where a step lowers the model by little beside the average step before it (Nash, Sofer 1990).

Where a row has few of the columns, a product that scatters into X' u writes whole vectors of columns for every leaf of
rows; there X' u reads the columns of X one after the other, from one copy of X.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.objective import Objective, Theta
from widemargin.solve.protocol import Kept, Problem

FLAT = 1e-14  # of the curvature that the diagonal promises
RESIDUAL = 0.1  # of g
LITTLE = 0.1  # of the average decrease of the model
WIDE = 32  # values a column below which partial sums over all columns cost as much as the values themselves

Product = Callable[[F64, F64], None]  # (p, q): q = H p without the penalty, both (d + 1, K)


def packed(theta: Theta) -> F64:
    """W with b as its last row."""
    return np.vstack([theta.W, theta.b])


def unpacked(full: F64) -> Theta:
    """Views of what `packed` made."""
    return Theta(full[:-1], full[-1])


def by_columns(problem: Problem) -> bool:
    """Whether X' u is read off a copy of X in columns."""
    objective, source = problem.objective, problem.source
    return (
        source.in_memory
        and source.X.sparse
        and not objective.joint
        and objective.plain
        and source.nnz < WIDE * source.d
    )


def product(problem: Problem, theta: Theta, kept: Kept) -> Product:
    """q = sum p l''(z) (x, 1) <(x, 1), p>."""
    source, threads, h = problem.source, problem.reducer.threads, kept["curvature"]
    free = problem.objective.intercept != "none"

    def of_rows(p: F64, q: F64) -> None:
        found = problem.fold("product", theta, kept, direction=unpacked(p)).gradient
        assert found is not None
        q[:-1], q[-1] = found.W, found.b if free else 0.0

    if not by_columns(problem):
        return of_rows
    turned, u = source.X.transposed.core, np.empty(h.shape)

    def of_columns(p: F64, q: F64) -> None:
        problem.poll()
        _core.scores(source.X.core, p[:-1], u, threads)
        np.multiply(u + p[-1] if free else u, h, out=u)
        _core.scores(turned, u, q[:-1], threads)
        q[-1] = u.sum(axis=0) if free else 0.0

    return of_columns


@dataclass(frozen=True)
class Solved:
    """Where conjugate gradients ended."""

    x: Theta
    products: int


def solve(heads: Heads, multiply: Product, g: Theta, limit: int) -> Solved:
    """-H^-1 g, nearly."""
    r = -packed(g)
    x, q, p = np.zeros_like(r), np.empty_like(r), heads.first(r)
    rr, rz = heads.per_head(np.einsum("jk,jk->k", r, r)), heads.per_head(np.einsum("jk,jk->k", r, p))
    goal = np.sqrt(rr) * np.maximum(np.minimum(RESIDUAL, np.sqrt(rz)), 1e-14)
    lowered, count = np.zeros_like(rz), 0
    while count < limit:
        count += 1
        multiply(p, q)
        curve, promised = heads.curve(p, q)
        # along collinear columns only rounding is curved, and a step there would be as long as rounding is small
        active = (rz > 0) & (curve > FLAT * promised)
        a = np.where(active, rz / np.where(active, curve, 1.0), 0.0)
        rr, following = heads.step(x, r, p, q, a)
        decrease = 0.5 * a * rz
        lowered = lowered + decrease
        if np.all((np.sqrt(rr) <= goal) | (count * decrease <= LITTLE * lowered) | ~active):
            break
        heads.turn(p, r, np.where(active, following / np.where(rz > 0, rz, 1.0), 0.0))
        rz = following
    return Solved(unpacked(x), count)


class Heads:
    """The core's vector work: a number per column there, a number per head here.

    M (d + 1, K) is the diagonal, which is the preconditioner; l2 (d + 1,) the strengths.
    """

    def __init__(self, objective: Objective, M: F64, l2: F64, threads: int) -> None:
        self.objective, self.M, self.l2, self.threads = objective, M, l2, threads
        self.one, self.two = np.empty(M.shape[1]), np.empty(M.shape[1])

    def first(self, r: F64) -> F64:
        """r / M."""
        return r / self.M

    def per_head(self, columns: F64) -> F64:
        """Sums over each head's columns."""
        return np.array([columns.sum()]) if self.objective.joint else columns.copy()

    def curve(self, p: F64, q: F64) -> tuple[F64, F64]:
        """q += l2 p; <p, q>, <p, M p>."""
        _core.cg_curve(p, q, self.M, self.l2, self.one, self.two, self.threads)
        return self.per_head(self.one), self.per_head(self.two)

    def step(self, x: F64, r: F64, p: F64, q: F64, a: F64) -> tuple[F64, F64]:
        """x += a p, r -= a q; <r, r>, <r, r / M>."""
        _core.cg_step(x, r, p, q, self.M, self.objective.columns(a), self.one, self.two, self.threads)
        return self.per_head(self.one), self.per_head(self.two)

    def turn(self, p: F64, r: F64, beta: F64) -> None:
        """p = r / M + beta p."""
        _core.cg_turn(p, r, self.M, self.objective.columns(beta), self.threads)
