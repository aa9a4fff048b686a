"""What differs from column to column: alpha R(m w) with a strength m_j of each column, and low <= w <= high.

Dividing column j by its standard deviation sd_j is such a strength: with u = sd w, X w = (X / sd) u and R(u) = R(sd w).
So nothing is ever scaled but the penalty; centring changes nothing as long as the intercept is free.
Penalties that are sums over columns are kept as g_j(w) = l1_j |w| + l2_j w^2 / 2 on [low_j, high_j]:
m_j = f_j sd_j for the absolute part, f_j sd_j^2 for the squared one, with penalty factors f (Friedman et al. 2010).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin._types import F64, Array


@dataclass(frozen=True, eq=False)
class Terms:
    """Factors, standard deviations and a box; a column that is left out has the box [0, 0]."""

    factor: F64  # (d, 1) >= 0, finite
    sd: F64  # (d, 1) > 0; 1 where columns are not scaled
    low: F64  # (d, 1) or (d, K)
    high: F64
    scaled: bool = False

    @cached_property
    def size(self) -> F64:
        """m (d, 1): what a weight is multiplied by before a norm sees it."""
        return self.factor * self.sd

    @cached_property
    def excluded(self) -> Array:
        """(d,) columns whose weight is 0 whatever the data say."""
        return np.asarray(((self.low == 0) & (self.high == 0)).all(axis=1))

    @cached_property
    def boxed(self) -> bool:
        """Whether any weight has an end."""
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())

    @cached_property
    def only_excludes(self) -> bool:
        """The box does nothing but leave columns out."""
        endless = np.isinf(self.low).all(axis=1) & np.isinf(self.high).all(axis=1)
        return bool(np.all(self.excluded | endless))

    def inside(self, W: F64) -> F64:
        """The nearest point of the box."""
        return np.clip(W, self.low, self.high) if self.boxed else W

    @property
    def text(self) -> str:
        """What there is, in a few words."""
        said = {
            "scaled columns": self.scaled,
            "penalty factors": bool(np.any(self.factor != 1)),
            "bounds": self.boxed,
        }
        return ", ".join(name for name, holds in said.items() if holds)


@dataclass(frozen=True, eq=False)
class Separable:
    """sum_j g_j(w_j), g_j(w) = l1_j |w| + l2_j w^2 / 2 on [low_j, high_j]; entries broadcast over columns of W."""

    l1: F64
    l2: F64
    low: F64
    high: F64

    def value(self, W: F64) -> F64:
        """Per entry, inside the box."""
        size = np.abs(W)
        return np.asarray(size * (self.l1 + 0.5 * self.l2 * size))

    def slope(self, W: F64) -> F64:
        """One subgradient, 0 at the kink."""
        return np.asarray(self.l1 * np.sign(W) + self.l2 * W)

    def prox(self, W: F64, t: F64) -> F64:
        """argmin_x t g(x) + (x - w)^2 / 2: a function of one variable is least at its clipped free minimiser."""
        shrunk = np.sign(W) * np.maximum(np.abs(W) - t * self.l1, 0.0) / (1.0 + t * self.l2)
        return np.clip(shrunk, self.low, self.high)

    def limits(self) -> tuple[F64, F64]:
        """Where the conjugate is finite: [lo, hi] of v per entry."""
        lo = np.where((self.l2 > 0) | np.isfinite(self.low), -np.inf, -self.l1)
        hi = np.where((self.l2 > 0) | np.isfinite(self.high), np.inf, self.l1)
        return lo, hi

    def conjugate(self, V: F64) -> F64:
        """sup v w - g(w) over the box, for v within the limits."""
        beyond = np.sign(V) * np.maximum(np.abs(V) - self.l1, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            best = np.where(beyond == 0, 0.0, beyond / self.l2)  # without curvature: as far as the box goes
        w = np.clip(best, self.low, self.high)
        w = np.where(np.isinf(w), 0.0, w)  # rounding beyond a limit
        return np.asarray(w * V - self.value(w))

    def distance(self, G: F64, W: F64) -> F64:
        """From -g to the subdifferential of g_j + indicator of the box, per entry."""
        slope = self.slope(W)
        at_0 = np.where(W == 0, self.l1, 0.0)
        above = np.where(self.low >= W, 0.0, np.maximum(slope - at_0 + G, 0.0))  # -g below the interval
        below = np.where(self.high <= W, 0.0, np.maximum(-(slope + at_0) - G, 0.0))
        return np.maximum(above, below)
