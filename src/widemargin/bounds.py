"""Lower bounds on the optimum, from any dual point (Fenchel 1949; Rockafellar 1970).

D(a) = T(a) - (alpha R)*(V),  T(a) = -sum p l*(-a) - sum p a y o,  V = sum p a y (x, 1),
subject to V_b = 0 for a free intercept.  A point that misses the equality is mixed with an anchor, a point that
misses it the other way; one whose V is outside a norm's dual ball is scaled.  T is concave, so both keep a bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.data.source import ArraySource
from widemargin.loss import CallableLoss
from widemargin.objective import Objective, Theta, every
from widemargin.shift import best_shift


class Products(Protocol):
    """Who can multiply by X and X' over all rows."""

    @property
    def threads(self) -> int:
        """How many threads may be used."""

    def scores(self, source: ArraySource, theta: Theta) -> F64:
        """X W + b + o."""

    def products(self, source: ArraySource, R: F64) -> F64:
        """X' R."""

    def class_sums(self, source: ArraySource) -> F64:
        """(d, C) sum of p x over each class."""

    def reach(self, source: ArraySource, R: F64) -> F64:
        """|X|' |R|."""


def negative_conjugate(objective: Objective, a: F64) -> F64:
    """-l*(-a) per row and head; for softmax the entropy of the probabilities a."""
    if objective.multiclass == "softmax":
        safe = np.where(a > 0, a, 1.0)
        return np.asarray(-(a * np.log(safe)).sum(axis=1, keepdims=True))
    if objective.loss.conjugate is None:
        return np.full_like(a, -np.inf)
    return np.asarray(-np.asarray(objective.loss.conjugate(a)))


def has_bound(objective: Objective) -> bool:
    """Whether any lower bound above 0 can be computed."""
    loss, penalty = objective.loss, objective.penalty
    known = not isinstance(loss, CallableLoss) or loss.conjugate is not None
    known = known and (objective.alpha == 0 or getattr(penalty, "conjugate", None) is not None)
    return objective.convex and known


class Corner(NamedTuple):
    """A dual point that is 1 on some classes: their mass, T there, and V there."""

    mass: float
    T: float
    V: F64


@dataclass(frozen=True)
class Anchors:
    """Sums over each class: where a dual point can be moved to balance a free intercept."""

    objective: Objective
    source: ArraySource
    products: Products

    @cached_property
    def _facts(self) -> F64:
        """(C, 1 + columns of o): p, and p o, added up over each class."""
        source, o = self.source, self.source.o
        out = np.empty((source.classes, 1 + (0 if o is None else o.size // source.n)))
        _core.class_facts(source.y, source.s, o, 1.0 / source.total_weight, out)
        return out

    @property
    def mass(self) -> F64:
        """(C,) share of weight of each class."""
        return self._facts[:, 0]

    @cached_property
    def sums(self) -> F64:
        """(d, C) sum of p x over each class; one pass."""
        return self.products.class_sums(self.source)

    @property
    def offsets(self) -> F64 | None:
        """(C, K) sum of p o over each class."""
        return None if self.source.o is None else self._facts[:, 1:]

    @cached_property
    def bounded(self) -> bool:
        """Whether the objective has any bound."""
        return has_bound(self.objective)

    def of_side(self, head: int, positive: bool) -> F64:
        """(C,) 1 for the classes that are positive (negative) for a head."""
        own = 1 if self.source.classes == 2 else head
        chosen = np.arange(len(self.mass)) == own
        return np.asarray(chosen if positive else ~chosen, dtype=float)

    @cached_property
    def corners(self) -> dict[tuple[int, bool], Corner]:
        """The two anchors of every head: a = 1 on all rows of one side, 0 on the other."""
        peak = float(negative_conjugate(self.objective, np.ones((1, 1)))[0, 0])
        return {(k, side): self._corner(k, side, peak) for k in range(self.objective.K) for side in (False, True)}

    def _corner(self, k: int, positive: bool, peak: float) -> Corner:
        chosen, sign = self.of_side(k, positive), 1.0 if positive else -1.0
        mass = float(self.mass @ chosen)
        T = mass * peak - (0.0 if self.offsets is None else sign * float(chosen @ self.offsets[:, k]))
        return Corner(mass, T, sign * (self.sums @ chosen))

    @cached_property
    def shifts(self) -> F64:
        """(K,) the best intercepts at w = 0 without offsets: one row stands for each side of a head."""
        positive = self.mass[1:] if self.source.classes == 2 else self.mass
        loss, two = self.objective.loss, np.array([1.0, -1.0])
        return np.array([best_shift(loss, np.zeros(2), two, np.array([q, 1.0 - q])) for q in positive])

    def share(self, excess: F64) -> tuple[list[float], list[bool]]:
        """theta with (1 - theta) excess + theta anchor = 0 per head, and which side the anchor is on."""
        sides = [bool(e < 0) for e in excess]  # too little of the positive side: anchor there
        masses = [self.corners[k, side].mass for k, side in enumerate(sides)]
        return [abs(e) / (abs(e) + m) for e, m in zip(excess.tolist(), masses, strict=True)], sides


def free_bound(objective: Objective, value: F64, gradient: Theta, theta: Theta, anchors: Anchors) -> F64:
    """A lower bound from one gradient pass, no further pass over the rows.

    At a = -l'(z), Fenchel-Young is an equality: T(a) = sum p l(z) + V.theta with V = -gradient.
    """
    if objective.unpenalised or not anchors.bounded or not every(np.isfinite(value)):
        return np.zeros(objective.heads)
    if objective.multiclass == "crammer_singer":  # its anchors are not sums over classes
        return np.zeros(objective.heads)
    V = Theta(-gradient.W, -gradient.b)
    return bound_of(objective, value + objective.dot(V, theta), V, anchors)


def bound_of(objective: Objective, T: F64, V: Theta, anchors: Anchors) -> F64:
    """D of a point with these sums, mixed with an anchor and scaled where it has to be."""
    if objective.intercept == "free":
        V, T = (_mix_softmax if objective.joint else mix_sides)(V, T, anchors)
    scale = objective.fits(V)
    columns = objective.columns(scale)
    if not every(scale == 1.0):
        V, T = Theta(V.W * columns, V.b * columns), scale * T
    return np.fmax(T - objective.conjugate(V), 0.0)  # NaN proves nothing


def mix_sides(V: Theta, T: F64, anchors: Anchors) -> tuple[Theta, F64]:
    """The dual point moved towards an anchor until a free intercept is balanced."""
    if every(V.b == 0):
        return V, T
    shares, sides = anchors.share(V.b)
    found = [anchors.corners[k, side] for k, side in enumerate(sides)]
    if len(found) == 1:
        share, corner = shares[0], found[0]
        return Theta((1 - share) * V.W + share * corner.V[:, None], np.zeros(1)), (1 - share) * T + share * corner.T
    theta = np.array(shares)
    W = (1 - theta) * V.W + theta * np.stack([c.V for c in found], axis=1)
    return Theta(W, np.zeros_like(V.b)), (1 - theta) * T + theta * np.array([c.T for c in found])


def softmax_share(excess: F64, mass: F64) -> tuple[float, F64]:
    """theta and the constant row distribution rho that balance every class: predicted + theta (rho - predicted)."""
    predicted = mass - excess
    share = float(np.max(np.where(excess < 0, -excess / np.maximum(predicted, 1e-300), 0.0)))
    share = min(1.0, share * (1 + 1e-12))
    rho = mass if share == 0 else np.maximum(predicted + excess / share, 0.0)
    return share, rho / rho.sum()


def _mix_softmax(V: Theta, T: F64, anchors: Anchors) -> tuple[Theta, F64]:
    share, rho = softmax_share(V.b, anchors.mass)
    if share == 0:
        return V, T
    safe = np.where(rho > 0, rho, 1.0)
    at = -float(rho @ np.log(safe))
    if anchors.offsets is not None:
        at -= float(np.trace(anchors.offsets)) - float(anchors.offsets.sum(axis=0) @ rho)
    W = (1 - share) * V.W + share * (anchors.sums - np.outer(anchors.sums.sum(axis=1), rho))
    return Theta(W, np.zeros_like(V.b)), (1 - share) * T + share * at
