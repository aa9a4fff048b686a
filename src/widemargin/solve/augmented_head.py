"""One head of the augmented Lagrangian: its slopes at a point, its Newton step, how far along it to go.

  Phi(beta) = sum p phi(z) + l2/2 ||beta||^2 + M(unit beta) + rho/2 ||beta - k||^2 in units of the columns' spread,
M the smoothed penalty (envelope.py) and phi the loss, or for one with a kink its ramp of width t about a centre c:
phi(z) = max_a a (h - z) - t/2 (a - c)^2 over a in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widemargin._types import F64
from widemargin.data.source import ArraySource
from widemargin.solve.envelope import Scaled
from widemargin.solve.interior_design import Design
from widemargin.solve.interior_system import newton_system
from widemargin.solve.line_search import where_flat
from widemargin.solve.protocol import Problem

HELD = 1e-3  # rho beside the level
DAMPED = 0.1  # of the slope, added to the Hessian: far from the minimum it says little
LEAST = 1e-12


@dataclass(eq=False)
class Head:
    """One column of the problem at one level of smoothing; arrays are views of the state's."""

    problem: Problem
    design: Design
    scaled: Scaled
    spread: F64
    y: F64
    h: F64  # t - y o: the margin that is asked; for a smooth loss -y o, which is added to the margin
    level: float
    beta: F64
    kept: F64  # beta at the last multiplier
    r: F64  # multiplier of the penalty
    centre: F64  # multiplier of the kink
    scores: F64  # X beta

    def __post_init__(self) -> None:
        self.loss, self.p = self.problem.objective.loss, self.problem.source.p
        self.kinked = self.loss.piecewise_linear
        self.step, self.rho = self.scaled.first * self.level, HELD * self.level * self.spread**2

    def duals(self, scores: F64) -> F64:
        """a where the scores are these."""
        short = self.h - self.y * scores
        if self.kinked:
            return np.asarray(np.clip(self.centre + short / self.level, 0.0, 1.0))
        return -np.asarray(self.loss.d1(-short))

    def smoothed(self, beta: F64) -> tuple[F64, F64, F64]:
        """u, x and q of the penalty."""
        u = self.scaled.unit * beta + self.step * self.r
        x = self.scaled.part.prox(u, self.step)
        return u, x, (u - x) / self.step

    def weights(self) -> F64:
        """Where the penalty is finite, in units of the columns as they are stored; b last, if there is one."""
        inverse = np.append(self.design.inverse, 1.0)[: len(self.beta)]
        _, x, _ = self.smoothed(self.beta)
        back = self.scaled.back
        return np.where(np.isnan(back), inverse * self.beta, x * np.where(np.isnan(back), 1.0, back))

    def slope(self, V: F64, excess: float) -> F64:
        """The gradient of Phi, from V = sum p a y x."""
        moved = (V - self.design.shift * excess) * self.design.inverse
        if self.design.ones:
            moved = np.append(moved, excess)
        _, _, self.q = self.smoothed(self.beta)
        away = self.scaled.l2 * self.beta + self.rho * (self.beta - self.kept)
        self.g = self.scaled.unit * self.q + away - moved
        self.size = float(np.linalg.norm(self.g / np.where(self.spread > 0, self.spread, 1.0)))
        return self.g

    def left(self, a: F64) -> float:
        """How far the slopes of what is to be minimised are from 0, smoothing and all."""
        drag = self.rho * (self.beta - self.kept) / np.where(self.spread > 0, self.spread, 1.0)
        return max(self.missing(a), self.size, float(np.linalg.norm(drag)))

    def missing(self, a: F64) -> float:
        """How far the multipliers still move, in margins."""
        on = self.scaled.unit > 0
        move = self.step * (self.q - self.r)[on] * self.spread[on] / self.scaled.unit[on]
        far = float(np.linalg.norm(move))
        return max(far, self.level * float(np.sqrt(self.p @ (a - self.centre) ** 2))) if self.kinked else far

    def newton(self, a: F64) -> F64:
        """-H^-1 g."""
        scaled, weight = self.scaled, self._curvature(a)
        u, x, _ = self.smoothed(self.beta)
        e, v = scaled.part.curvature(u, x)
        damping = DAMPED * self.size + LEAST
        E = scaled.unit**2 * e / self.step + scaled.l2 + self.rho + damping * self.spread**2
        on = np.flatnonzero(weight > 0)
        if not len(on):
            return np.clip(-self.g / np.where(E > 0, E, 1.0), -1.0, 1.0)
        rows = ArraySource(self.design.X if len(on) == len(a) else self.design.X.take(on), self.y[on])
        part = Design(rows, self.design.reducer, self.design.shift, self.design.inverse, self.design.ones)
        none = np.zeros(len(on))
        system = newton_system(part, weight[on], E, self.spread + LEAST)
        step = system.solve(none, self.g)[0]
        if v is not None:
            v = scaled.unit * v / np.sqrt(self.step)
            along = system.solve(none, -v)[0]
            step = step + along * (float(v @ step) / max(1.0 - float(v @ along), LEAST))
        return step

    def _curvature(self, a: F64) -> F64:
        if self.kinked:
            return np.asarray(np.where((a > 0) & (a < 1), self.p / self.level, 0.0))
        assert self.loss.d2 is not None
        return np.asarray(self.p * self.loss.d2(self.y * self.scores - self.h))

    def search(self, step: F64, along: F64) -> float:
        """t in (0, 1] where the slope of Phi has nearly vanished, or 1 where it is still downhill; 0: not downhill."""
        py = self.p * self.y * along
        unit = self.scaled.unit * step
        bent = float(step @ ((self.scaled.l2 + self.rho) * step))
        fixed = float(step @ (self.scaled.l2 * self.beta + self.rho * (self.beta - self.kept)))

        def slope(t: float) -> float:
            q = self.smoothed(self.beta + t * step)[2]
            return fixed + t * bent + float(unit @ q) - float(py @ self.duals(self.scores + t * along))

        return where_flat(slope)
