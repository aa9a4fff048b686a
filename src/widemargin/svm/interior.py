"""The central path of the hard margin: lambda_i s_i = mu,  s_i = y_i (w.x_i + b) - 1,  w = sum lambda y x.

It is the path of the hinge with the box on the duals removed, so its Newton systems are those of
solve/interior_system.  Mehrotra 1992 (SIAM J. Optim. 2); Ferris, Munson 2002 (SIAM J. Optim. 13).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from widemargin._types import F64
from widemargin.solve.interior_design import Design, equilibrate
from widemargin.solve.interior_system import newton_system
from widemargin.svm.programme import Dual, Primal, Programme

ITERATIONS = 100
BACK_OFF = 0.995  # share of the way to the boundary
FINE = 1e-11  # relative gap at which the path ends
PATIENCE = 8  # iterations that may pass without a better gap
THIN = 1e-13  # of the largest ||x||: a margin proved to be below this is not worth a longer path


class Iterate(NamedTuple):
    """Equilibrated weights (the intercept last), duals, slacks of the constraints."""

    beta: F64
    duals: F64
    s: F64


class Found(NamedTuple):
    """The best feasible pair on the path; primal is None where none was met."""

    primal: Primal | None
    dual: Dual

    @property
    def gap(self) -> float:
        """(P - D) / P."""
        if self.primal is None:
            return np.inf
        return max(0.0, self.primal.value - self.dual.value) / max(self.primal.value, 1e-300)


def follow(programme: Programme, tol: float = FINE) -> Found:
    """The hard margin's optimum, or a lambda that shows how thin any margin would have to be."""
    design, E, unit = _design(programme)
    x = _start(programme, E, unit)
    best = Found(None, programme.bounded(x.duals))
    largest = float(programme.sqnorms.max(initial=0.0))
    idle, thin = 0, 0.5 / THIN**2 / max(largest, 1e-200)
    for _ in range(ITERATIONS):
        x, step = _advanced(programme.y, design, E, x)
        found = _measured(programme, design, x)
        better = found.gap < 0.9 * best.gap or found.dual.value > 1.1 * best.dual.value
        idle = 0 if better else idle + 1
        best = best_of(best, found)
        if best.gap <= tol or idle >= PATIENCE or step < 1e-12 or (best.primal is None and best.dual.value > thin):
            break
    return best


def _design(programme: Programme) -> tuple[Design, F64, float]:
    """Columns of like size, ||w||^2 in their units as multiples of a unit, and the unit: duals are told in it too."""
    shift, inverse = equilibrate(programme.source.X, centre=programme.intercept == "free")
    design = Design(programme.source, programme.reducer, shift, inverse, programme.intercept != "none")
    on_b = 1.0 if programme.intercept == "penalised" else 0.0
    E = np.append(inverse**2, on_b) if design.ones else inverse**2
    unit = float(E.max(initial=0.0)) or 1.0
    return design, E / unit, unit


def _start(programme: Programme, E: F64, unit: float) -> Iterate:
    """w = 0; duals of the two centres of mass, scaled to the best bound."""
    y = programme.y
    even = np.where(y > 0, 1.0 / max((y > 0).sum(), 1), 1.0 / max((y < 0).sum(), 1))
    found = programme.bounded(even)
    duals = found.duals / unit if 0 < found.value < np.inf and np.isfinite(found.duals).all() else even
    return Iterate(np.zeros(len(E)), np.maximum(duals, 1e-300), np.ones(len(y)))


def _advanced(y: F64, design: Design, E: F64, x: Iterate) -> tuple[Iterate, float]:
    """Mehrotra's predictor and corrector; one step length, for the quadratic term couples both."""
    system = newton_system(design, x.duals / x.s, E.copy(), np.zeros(len(E)))
    primal = 1.0 - y * design.times(x.beta) + x.s
    dual = design.transposed_times(y * x.duals) - E * x.beta

    def direction(change: F64) -> Iterate:
        beta, eta = system.solve(y * (primal + change / x.duals), -dual)
        duals = y * eta
        return Iterate(beta, duals, (change - x.s * duals) / x.duals)

    now = x.duals * x.s
    mu = float(now.mean())
    d = direction(-now)
    t = _longest(x, d)
    reached = float(((x.duals + t * d.duals) * (x.s + t * d.s)).mean())
    target = max(min(1.0, reached / mu) ** 3, 1e-5) * mu
    d = direction(target - now - d.duals * d.s)
    t = BACK_OFF * _longest(x, d)
    moved = Iterate(x.beta + t * d.beta, x.duals + t * d.duals, x.s + t * d.s)
    return Iterate(moved.beta, np.maximum(moved.duals, 1e-300), np.maximum(moved.s, 1e-300)), t


def _longest(x: Iterate, d: Iterate) -> float:
    """The longest step up to 1 that stays inside."""
    most = max(float(np.max(-d.duals / x.duals, initial=0.0)), float(np.max(-d.s / x.s, initial=0.0)))
    return 1.0 / max(1.0, most) if np.isfinite(most) else 0.0


def _measured(programme: Programme, design: Design, x: Iterate) -> Found:
    """The feasible pair that a point of the path gives."""
    w = x.beta[: programme.source.d] * design.inverse
    b = (float(x.beta[-1]) if design.ones else 0.0) - float(design.shift @ w)
    dual = programme.bounded(x.duals)
    candidates = [programme.feasible(w, b), programme.feasible(dual.w, dual.b)]
    primal = min((p for p in candidates if p is not None), key=lambda p: p.value, default=None)
    return Found(primal, dual)


def best_of(old: Found, new: Found) -> Found:
    """The better half of each."""
    primal = old.primal
    if new.primal is not None and (primal is None or new.primal.value < primal.value):
        primal = new.primal
    return Found(primal, new.dual if new.dual.value > old.dual.value else old.dual)
