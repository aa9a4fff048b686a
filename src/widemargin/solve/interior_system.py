"""The Newton system of an interior point:  X dbeta + D^-1 deta = r,   X' deta - E dbeta = c.

Eliminating deta leaves X'DX + E (columns), eliminating dbeta leaves D^-1 + X E^-1 X' (rows); the smaller is
factored.  A free intercept is a last column of ones with E = 0: in the columns it is the last pivot, in the
rows a border.  Ferris, Munson 2002 (SIAM J. Optim. 13); Fine, Scheinberg 2001 (JMLR 2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin._types import F64
from widemargin.solve.interior_design import Design
from widemargin.solve.symmetric import factored, solved

REFINEMENTS = 3
FINE = 1e-9  # relative residual at which refinement ends

Solve = Callable[[F64], F64]


def cholesky(H: F64, threads: int = 1) -> Solve:
    """r -> H^-1 r for symmetric H >= 0, scaled to a unit diagonal and lifted by the least pivot that factors."""
    diagonal = np.diagonal(H).copy()
    unit = np.divide(1.0, np.sqrt(diagonal), out=np.ones(len(H)), where=diagonal > 0)
    H *= unit
    H *= unit[:, None]
    lift, L = 1e-15, None
    while L is None:
        if lift > 100.0:
            raise np.linalg.LinAlgError("the matrix holds numbers that are not finite")
        np.fill_diagonal(H, 1.0 + lift)
        L = factored(H.copy(), threads)
        lift *= 100.0
    found = L

    def solve(r: F64) -> F64:
        columns = r.reshape(len(r), -1).T
        return np.stack([solved(found, column * unit) * unit for column in columns], axis=1).reshape(r.shape)

    return solve


@dataclass(eq=False)
class NewtonSystem:
    """Solves for (dbeta, deta) with refinement of both blocks of equations."""

    design: Design
    D: F64  # (n,) > 0
    E: F64  # (width,) >= 0
    strength: F64  # (width,) L1 strengths: what the columns' residual is measured by
    solve_once: Callable[[F64, F64], tuple[F64, F64]]

    def solve(self, r: F64, c: F64) -> tuple[F64, F64]:
        """(dbeta, deta); keeps a correction only where it shrinks the residual."""
        beta, eta = self.solve_once(r, c)
        rows, columns, size = self._residual(beta, eta, r, c)
        for _ in range(REFINEMENTS):
            if size <= 1.0:
                break
            more = self.solve_once(rows, columns)
            trial = beta + more[0], eta + more[1]
            rows, columns, smaller = self._residual(*trial, r, c)
            if not smaller < 0.5 * size:
                break
            (beta, eta), size = trial, smaller
        return beta, eta

    def _residual(self, beta: F64, eta: F64, r: F64, c: F64) -> tuple[F64, F64, float]:
        """What is left of both equations, and its size in units of what is allowed."""
        rows = r - self.design.times(beta) - eta / self.D
        columns = c - self.design.transposed_times(eta) + self.E * beta
        allowed = FINE * (self.strength + np.abs(c)) + 1e-15 * float(np.abs(eta).sum())
        on_rows = _top(self.D * rows) / max(FINE * _top(eta), 1e-300)
        return rows, columns, max(on_rows, _top(columns / np.maximum(allowed, 1e-300)))


def _top(v: F64) -> float:
    return float(np.abs(v).max(initial=0.0))


def newton_system(design: Design, D: F64, E: F64, strength: F64) -> NewtonSystem:
    """Factor whichever side is smaller."""
    once = _by_columns(design, D, E) if design.width <= len(D) else _by_rows(design, D, E)
    return NewtonSystem(design, D, E, strength, once)


def _by_columns(design: Design, D: F64, E: F64) -> Callable[[F64, F64], tuple[F64, F64]]:
    H = design.column_gram(D)
    H[np.diag_indices(len(H))] += E
    solve = cholesky(H, design.reducer.threads)

    def once(r: F64, c: F64) -> tuple[F64, F64]:
        beta = solve(design.transposed_times(D * r) - c)
        return beta, D * (r - design.times(beta))

    return once


def _by_rows(design: Design, D: F64, E: F64) -> Callable[[F64, F64], tuple[F64, F64]]:
    """With eta = D^1/2 k:  (I + D^1/2 X E^-1 X' D^1/2) k = D^1/2 (r + X E^-1 c), bordered by a free intercept."""
    root = np.sqrt(D)
    bordered = design.ones and E[-1] == 0.0
    inverse = np.divide(1.0, E, out=np.zeros(len(E)), where=E > 0)
    S = design.row_gram(inverse)
    S *= root
    S *= root[:, None]
    S[np.diag_indices(len(S))] += 1.0
    solve = cholesky(S, design.reducer.threads)
    border = solve(root)

    def once(r: F64, c: F64) -> tuple[F64, F64]:
        k = solve(root * (r + design.times(inverse * c)))
        b = 0.0
        if bordered:
            b = (float(root @ k) - c[-1]) / float(root @ border)
            k -= b * border
        eta = root * k
        beta = inverse * (design.transposed_times(eta) - c)
        if bordered:
            beta[-1] = b
        return beta, eta

    return once
