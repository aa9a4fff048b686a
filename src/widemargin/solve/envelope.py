"""M(v) = min_x h(x) + ||v + s r - x||^2 / (2 s) - s ||r||^2 / 2: the penalty h, smoothed about a multiplier r.

With u = v + s r the minimum is at x = prox_sh(u); M has the slope q = (u - x) / s, which h* prices, and the generalised
curvature (I - J) / s, J the derivative of the prox: a diagonal less one outer product for every penalty here.
Moreau 1965; Rockafellar 1976.  Derivatives of projections on norm balls: Liu, Ye 2010; Held, Wolfe, Crowder 1974.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from widemargin._types import F64
from widemargin.objective import Objective
from widemargin.penalty import Penalty

EVEN = 0.1  # of the smoothing at which a typical weight would move as far as a typical slope


class Curvature(NamedTuple):
    """I - J = diag(e) - v v'."""

    e: F64
    v: F64 | None


class Part(Protocol):
    """What is smoothed, as a function of one head's scaled weights."""

    def prox(self, u: F64, t: float) -> F64:
        """argmin_x t h(x) + ||x - u||^2 / 2."""

    def value(self, x: F64) -> float:
        """h where it is finite."""

    def curvature(self, u: F64, x: F64) -> Curvature:
        """I - J at u, x the prox there."""


@dataclass(frozen=True, eq=False)
class Columns:
    """sum_j l1_j |x_j| on a box."""

    l1: F64
    low: F64
    high: F64

    def prox(self, u: F64, t: float) -> F64:
        """Shrunk, then clipped."""
        shrunk = np.sign(u) * np.maximum(np.abs(u) - t * self.l1, 0.0)
        return np.asarray(np.clip(shrunk, self.low, self.high))

    def value(self, x: F64) -> float:
        """Inside the box."""
        return float(self.l1 @ np.abs(x))

    def curvature(self, u: F64, x: F64) -> Curvature:
        """1 at the kink and at an end, 0 elsewhere."""
        held = ((x == 0) & (self.l1 > 0)) | (x <= self.low) | (x >= self.high)
        return Curvature(held.astype(float), None)


@dataclass(frozen=True, eq=False)
class Norm:
    """alpha ||x||_p, p > 1: u - prox is the projection of u on the dual ball, that of the exponent q = p / (p - 1)."""

    penalty: Penalty
    alpha: float

    def prox(self, u: F64, t: float) -> F64:
        """Moreau's decomposition."""
        return self.penalty.prox(u, t * self.alpha)

    def value(self, x: F64) -> float:
        """alpha R."""
        return self.alpha * self.penalty.value(x)

    def curvature(self, u: F64, x: F64) -> Curvature:
        """The derivative of the projection y: y + l phi(y) = u and ||y||_q = radius, phi the slope of the norm at y."""
        p, y = self.penalty.exponent, u - x
        if not x.any():
            return Curvature(np.ones_like(u), None)
        assert p is not None
        if np.isinf(p):
            on = np.sign(y)
            return Curvature(np.abs(on), on / np.sqrt(max(1.0, float(np.abs(on).sum()))))
        q = p / (p - 1)
        size = self.penalty.dual_norm(y)
        share = np.abs(y) / size
        phi = np.sign(y) * share ** (q - 1)
        bend = float(x @ phi) / float(phi @ phi) * (q - 1) / size
        e = _ratio(share ** (2 - q), bend) if q < 2 else 1.0 / (1.0 + bend * share ** (q - 2))
        n = e * phi
        return Curvature(e, n / np.sqrt(float(phi @ n)))


def _ratio(top: F64, bend: float) -> F64:
    return np.asarray(top / (top + bend)) if bend > 0 else np.ones_like(top)


class Scaled(NamedTuple):
    """One head's penalty in units of its own: v = unit * beta, beta the weights of the equilibrated columns."""

    part: Part
    unit: F64
    first: float  # the first s
    l2: F64  # strengths of the squared part, of beta
    back: F64  # w = back * v; NaN where the penalty sees nothing of a weight


def scaled(objective: Objective, head: int, inverse: F64, spread: F64, ones: bool) -> Scaled:
    """`spread` is the root mean square of each equilibrated column, a last one for b if `ones`."""
    if objective.separable is not None:
        return _columns(objective, head, inverse, spread)
    assert isinstance(objective.penalty, Penalty)
    size = np.broadcast_to(1.0 if objective.terms is None else objective.terms.size[:, 0], inverse.shape)
    unit = size * inverse
    if ones:
        unit = np.append(unit, 1.0 if objective.intercept == "penalised" else 0.0)
    on = unit > 0
    typical = float(np.mean((spread[on] / unit[on]) ** 2)) if on.any() else 1.0
    back = np.where(size > 0, 1.0 / np.where(size > 0, size, 1.0), np.nan)
    if ones:
        back = np.append(back, 1.0 if objective.intercept == "penalised" else np.nan)
    part = Norm(objective.penalty, objective.alpha)
    # a typical v beside a typical q: margins of 1 from so many columns, and a dual vector of even entries
    columns = max(1, int(on.sum()))
    even = objective.penalty.dual_norm(np.ones(columns)) / objective.alpha
    typical = max(typical, 1e-300)
    first = max(1.0 / typical, EVEN * even / np.sqrt(columns * typical))
    return Scaled(part, unit, first, np.zeros_like(unit), back)


def _columns(objective: Objective, head: int, inverse: F64, spread: F64) -> Scaled:
    g = objective.separable
    assert g is not None
    width = len(inverse) + (objective.intercept == "penalised")
    facts = []
    for A, beyond in ((g.l1, 0.0), (g.l2, 0.0), (g.low, -np.inf), (g.high, np.inf)):
        column = np.append(np.broadcast_to(A[:, min(head, A.shape[1] - 1)], width), beyond)
        facts.append(column[: len(spread)])  # a free intercept is the last, where there is one
    l1, l2, low, high = facts
    to_w = np.append(inverse, 1.0)[: len(spread)]
    seen = (spread > 0) & (to_w > 0)
    unit = np.where(seen, spread, 1.0)
    grow = np.where(seen, unit / np.where(to_w > 0, to_w, 1.0), 1.0)  # v = grow w
    return Scaled(Columns(l1 / grow, low * grow, high * grow), unit, 1.0, l2 * to_w**2, 1.0 / grow)
