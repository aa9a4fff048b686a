"""The margin programmes and their duals, evaluated at any point.

  min 1/2 ||w||^2 + sum_i u_i xi_i   s.t.  y_i (w.x_i + b) >= 1 - xi_i,  xi_i >= 0       (hard: u = inf, xi = 0)
  max sum_i lambda_i - 1/2 ||v||^2,  v = sum_i lambda_i y_i x_i,   0 <= lambda_i <= u_i,  sum_i lambda_i y_i = 0

Cortes, Vapnik 1995 (Machine Learning 20).  Without an intercept the last equality falls away; a penalised intercept is
one more weight whose feature is 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from widemargin._types import F64, I64
from widemargin.data.source import ArraySource
from widemargin.objective import Intercept, Theta
from widemargin.run.local import Local

EPS = float(np.finfo(float).eps)


class Primal(NamedTuple):
    """A feasible hyperplane of the hard margin."""

    w: F64
    b: float
    value: float


class Dual(NamedTuple):
    """A feasible lambda, and the bound that it proves."""

    duals: F64
    w: F64  # v
    b: float  # sum lambda y, where the intercept is penalised; else 0
    value: float


@dataclass(frozen=True, eq=False)
class Programme:
    """Rows, signs, and the upper bounds u of the duals."""

    source: ArraySource
    upper: F64  # (n,) C s, or inf
    intercept: Intercept
    reducer: Local

    @property
    def y(self) -> F64:
        """-1 / +1."""
        return self.source.y

    @cached_property
    def sqnorms(self) -> F64:
        """||x_i||^2, and 1 more for a penalised intercept."""
        from widemargin import _core

        found = np.empty(self.source.n)
        _core.sqnorms(self.source.X.core, found)
        return found + (1.0 if self.intercept == "penalised" else 0.0)

    def of(self, rows: I64) -> Programme:
        """The same programme on some of the rows."""
        source = ArraySource(self.source.X.take(rows), self.y[rows])
        return Programme(source, self.upper[rows], self.intercept, self.reducer)

    def margins(self, w: F64, b: float) -> F64:
        """y (w.x + b)."""
        return self.y * self.reducer.scores(self.source, Theta(w[:, None], np.array([b])))[:, 0]

    def combination(self, duals: F64) -> tuple[F64, float]:
        """sum lambda y x, and sum lambda y where it is a weight too."""
        signed = duals * self.y
        w = self.reducer.products(self.source, signed[:, None])[:, 0]
        return w, float(signed.sum()) if self.intercept == "penalised" else 0.0

    def size(self, w: F64, b: float) -> float:
        """||w||^2, with b^2 where b is penalised."""
        return float(w @ w) + (b * b if self.intercept == "penalised" else 0.0)

    def value(self, w: F64, b: float, slacks: F64) -> float:
        """The objective of the programme; sum u xi is 0 where there is no slack."""
        lost = slacks > 0
        return 0.5 * self.size(w, b) + float(self.upper[lost] @ slacks[lost])

    def feasible(self, w: F64, b: float) -> Primal | None:
        """The hard margin's feasible point on the ray of (w, b), b moved to the middle if free; None: none there."""
        z = self.margins(w, b)
        if self.intercept == "free":
            plus, minus = float(z[self.y > 0].min()), float(z[self.y < 0].min())
            b, least = b + 0.5 * (minus - plus), 0.5 * (plus + minus)
        else:
            least = float(z.min())
        if not least > 0:
            return None
        w, b = w / least, b / least
        short = float(self.margins(w, b).min())  # rounding of the division
        if 0 < short < 1:
            w, b = w / short, b / short
        return Primal(w, b, 0.5 * self.size(w, b))

    def bounded(self, duals: F64) -> Dual:
        """Lambda made feasible: into the box, the heavier class scaled down, then scaled to the best bound.

        What is within rounding of the price is the price, and what is balanced to rounding is balanced.
        """
        duals = np.clip(duals, 0.0, self.upper)
        duals = np.where(duals >= self.upper * (1 - 8 * EPS), self.upper, duals)
        if self.intercept == "free":
            plus, minus = float(duals[self.y > 0].sum()), float(duals[self.y < 0].sum())
            less = min(plus, minus)
            if abs(plus - minus) > 8 * EPS * (plus + minus):
                duals = duals * np.where(self.y > 0, _share(less, plus), _share(less, minus))
        w, b = self.combination(duals)
        total, size = float(duals.sum()), self.size(w, b)
        if size == 0 and total > 0 and not np.isfinite(self.upper).any():
            return Dual(duals, w, b, np.inf)  # the rows' combination vanishes: nothing separates them
        t = total / size if size > 0 else 1.0
        positive = duals > 0
        if np.isfinite(self.upper).any():
            t = min(t, float((self.upper[positive] / duals[positive]).min(initial=np.inf)))
            t = t if np.isfinite(t) else 1.0
        return Dual(t * duals, t * w, t * b, t * (total - 0.5 * (t * size)))


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0
