"""P(w, b) = sum_i p_i l(z_i) + alpha R(w), z_i = y_i (w.x_i + b + o_i), p_i = s_i / sum s.

R may weigh columns differently and weights may be held in a box: see terms.py.
One objective holds H independent problems ("heads"): one per column of W for one-vs-rest, one in all for softmax and
Crammer-Singer, whose columns are coupled.  Penalised intercepts count as one more weight whose feature is 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from widemargin._types import F64
from widemargin.loss import CallableLoss, Loss
from widemargin.penalty import CallablePenalty, Penalty
from widemargin.terms import Separable, Terms
from widemargin.theta import Theta, dot, every, total

__all__ = ["Intercept", "Multiclass", "Objective", "Theta", "every", "total"]

Intercept = Literal["free", "none", "penalised"]
Multiclass = Literal["binary", "ovr", "softmax", "crammer_singer"]


@dataclass(frozen=True)
class Objective:
    """What is minimised."""

    loss: Loss | CallableLoss
    penalty: Penalty | CallablePenalty
    alpha: float
    intercept: Intercept = "free"
    multiclass: Multiclass = "binary"
    K: int = 1
    terms: Terms | None = None

    @cached_property
    def joint(self) -> bool:
        """True when the K columns form one problem."""
        return self.multiclass in ("softmax", "crammer_singer")

    @cached_property
    def heads(self) -> int:
        """Number of independent problems H."""
        return 1 if self.joint else self.K

    @cached_property
    def convex(self) -> bool:
        """Whether a lower bound can exist."""
        if self.multiclass == "crammer_singer" and self.loss.dual_domain[0] < 0:
            return False  # l(min m) is convex where l falls
        return self.loss.convex and (self.penalty.convex or self.alpha == 0)

    @cached_property
    def shares(self) -> tuple[float, float] | None:
        """(l1, l2) strengths when alpha R = l1 |w|_1 + l2 |w|^2 / 2; else None."""
        if self.alpha == 0:
            return (0.0, 0.0)
        found = self.penalty.shares
        return None if found is None else (self.alpha * found[0], self.alpha * found[1])

    @property
    def plain(self) -> bool:
        """The same penalty on every column and no bounds: what solvers with one strength for all can take."""
        return self.terms is None

    @property
    def boxed(self) -> bool:
        """Whether some weight has an end, or is left out."""
        return self.terms is not None and self.terms.boxed

    @property
    def l1(self) -> float:
        """Strength of the absolute part where the factor is 1; NaN if the penalty is not of that form."""
        return self.shares[0] if self.shares else float("nan")

    @property
    def l2(self) -> float:
        """Strength of the squared part where the factor is 1; NaN if the penalty is not of that form."""
        return self.shares[1] if self.shares else float("nan")

    @cached_property
    def strengths(self) -> tuple[F64, F64]:
        """(l1, l2) of each column, (d, 1); (1, 1) where all are alike."""
        if self.terms is None:
            return np.full((1, 1), self.l1), np.full((1, 1), self.l2)
        return self.l1 * self.terms.size, self.l2 * self.terms.size * self.terms.sd

    @cached_property
    def separable(self) -> Separable | None:
        """The penalty and the box as a sum over rows of W (and b, if it is penalised); None for norms."""
        if self.shares is None:
            return None
        l1, l2 = self.strengths
        ends = (np.full((1, 1), -np.inf), np.full((1, 1), np.inf))
        low, high = ends if self.terms is None else (self.terms.low, self.terms.high)
        if self.terms is None or self.intercept != "penalised":
            return Separable(l1, l2, low, high)
        last = (self.l1, self.l2, -np.inf, np.inf)
        rows = zip((l1, l2, low, high), last, strict=True)
        return Separable(*(np.vstack([A, np.full((1, A.shape[1]), x)]) for A, x in rows))

    @property
    def smooth_penalty(self) -> bool:
        """alpha R is differentiable, and nothing ends."""
        return (self.alpha == 0 or self.penalty.smooth) and not self.boxed

    @property
    def smooth(self) -> bool:
        """Differentiable in (w, b)."""
        return self.loss.smooth and self.multiclass != "crammer_singer" and self.smooth_penalty

    @cached_property
    def unpenalised(self) -> bool:
        """Whether nothing holds some weight back, in one direction at least: a dual point must vanish there."""
        if self.alpha == 0 and self.terms is None:
            return True
        if self.terms is None:
            return False
        lo, hi = self.limits
        return bool(np.any(lo == 0) or np.any(hi == 0))

    @cached_property
    def limits(self) -> tuple[F64, F64]:
        """[lo, hi] per row of W (and b, if it is penalised) outside which (alpha R)* is infinite whatever the rest."""
        if self.separable is not None:
            return self.separable.limits()
        assert self.terms is not None
        end = np.where((self.terms.size == 0) & ~self.terms.excluded[:, None], 0.0, np.inf)
        if self.intercept == "penalised":
            end = np.vstack([end, [[np.inf]]])
        return -end, end

    def zero(self, d: int) -> Theta:
        """The origin."""
        return Theta(np.zeros((d, self.K)), np.zeros(self.K))

    def dot(self, A: Theta, B: Theta) -> F64:
        """Inner product per head, intercepts included."""
        return dot(A.W, B.W, self.joint) + dot(A.b, B.b, self.joint)

    def columns(self, per_head: F64) -> F64:
        """One number per head, repeated for each column it owns."""
        return np.repeat(per_head, self.K) if self.joint else per_head

    def inside(self, theta: Theta) -> Theta:
        """The nearest point of the box."""
        return theta if self.terms is None else Theta(self.terms.inside(theta.W), theta.b)

    def _stacked(self, theta: Theta) -> F64:
        """What the penalty sees, row by row."""
        return np.vstack([theta.W, theta.b]) if self.intercept == "penalised" else theta.W

    def _unstacked(self, W: F64, b: F64) -> Theta:
        return Theta(W[:-1], W[-1]) if self.intercept == "penalised" else Theta(W, b)

    def _per_head(self, entries: F64) -> F64:
        """Sums over each head's entries."""
        return np.array([entries.sum()]) if self.joint else np.asarray(entries.sum(axis=0))

    @cached_property
    def _sizes(self) -> F64:
        """m of each row that a norm sees; 1 where the penalty is the same for all."""
        if self.terms is None:
            return np.ones((1, 1))
        return np.vstack([self.terms.size, [[1.0]]]) if self.intercept == "penalised" else self.terms.size

    def _vectors(self, W: F64) -> list[F64]:
        return [W.ravel()] if self.joint else [np.ascontiguousarray(W[:, k]) for k in range(self.K)]

    def vectors(self, theta: Theta) -> list[F64]:
        """m w, one vector per head: what a norm sees."""
        W = self._stacked(theta)
        return self._vectors(W if self.terms is None else self._sizes * W)

    def dual_vectors(self, V: Theta) -> list[F64]:
        """v / m, one vector per head: what a dual norm sees; rows that no norm sees are left out."""
        W = self._stacked(V)
        if self.terms is None:
            return self._vectors(W)
        seen = self._sizes > 0
        seen[: len(V.W)] &= ~self.terms.excluded[:, None]
        return self._vectors(np.where(seen, W / np.where(seen, self._sizes, 1.0), 0.0))

    def _from_vectors(self, vectors: list[F64], theta: Theta) -> Theta:
        """W from m w; rows with m = 0 as they are in theta."""
        W = vectors[0].reshape(-1, self.K) if self.joint else np.stack(vectors, axis=1)
        if self.terms is not None:
            W = np.where(self._sizes > 0, W / np.where(self._sizes > 0, self._sizes, 1.0), self._stacked(theta))
        return self.inside(self._unstacked(W, theta.b))

    def penalty_value(self, theta: Theta) -> F64:
        """alpha R per head."""
        if self.alpha == 0:
            return np.zeros(self.heads)
        if self.terms is None and self.penalty.shares == (0.0, 1.0):
            squares = dot(theta.W, theta.W, self.joint)
            if self.intercept == "penalised":
                squares = squares + dot(theta.b, theta.b, self.joint)
            return 0.5 * self.alpha * squares
        if self.terms is not None and self.separable is not None:
            return self._per_head(self.separable.value(self._stacked(theta)))
        return np.array([self.alpha * self.penalty.value(v) for v in self.vectors(theta)])

    def metric(self, wanted: F64 | float = 1.0) -> F64 | float:
        """The squared lengths in which a prox is known: any for sums over columns, m^2 for a norm of m w."""
        if self.separable is not None:
            return wanted
        return 1.0 if self.terms is None else np.where(self.terms.size > 0, self.terms.size**2, wanted)

    def prox(self, theta: Theta, step: F64, metric: F64 | float = 1.0) -> Theta:
        """argmin_x step (alpha R(x) + indicator of the box) + sum_j metric_j (x_j - theta_j)^2 / 2, per head."""
        if (self.alpha == 0 or self.penalty.shares == (0.0, 0.0)) and not self.boxed:
            return theta
        if self.separable is not None and (self.terms is not None or np.ndim(metric) > 0):
            lengths = self._stacked(Theta(np.broadcast_to(metric, theta.W.shape), np.ones_like(theta.b)))
            return self._unstacked(self.separable.prox(self._stacked(theta), self.columns(step) / lengths), theta.b)
        if self.penalty.prox is None:
            raise ValueError("this penalty has no prox")
        theta = self.inside(theta)  # columns left out count for nothing
        pairs = zip(self.vectors(theta), step, strict=True)
        return self._from_vectors([self.penalty.prox(v, self.alpha * float(t)) for v, t in pairs], theta)

    def penalty_gradient(self, theta: Theta) -> Theta:
        """alpha R'(w) for a smooth penalty; for others one subgradient (0 at a kink)."""
        zero = np.zeros_like(theta.b)
        if self.alpha == 0:
            return Theta(np.zeros_like(theta.W), zero)
        if self.separable is not None:
            return self._unstacked(self.separable.slope(self._stacked(theta)), zero)
        if isinstance(self.penalty, CallablePenalty) and self.penalty.gradient is not None:
            parts = [self.alpha * self.penalty.gradient(v) for v in self.vectors(theta)]
            return self._from_vectors(parts, Theta(theta.W, zero))
        raise ValueError("this penalty has no gradient")

    def conjugate(self, V: Theta) -> F64:
        """(alpha R + indicator of the box)*(V) per head, for V within the limits."""
        if self.terms is not None and self.separable is not None:
            return self._per_head(self.separable.conjugate(self._stacked(V)))
        if self.alpha == 0:
            return np.zeros(self.heads)
        if self.penalty.shares == (0.0, 1.0):
            squares = dot(V.W, V.W, self.joint)
            if self.intercept == "penalised":
                squares = squares + dot(V.b, V.b, self.joint)
            return squares / (2 * self.alpha)
        conjugate = self.penalty.conjugate
        if conjugate is None:
            return np.full(self.heads, np.inf)
        return np.array([self.alpha * conjugate(v / self.alpha) for v in self.dual_vectors(V)])

    def fits(self, V: Theta) -> F64:
        """The largest factor c <= 1, per head, for which (alpha R)*(c V) is finite."""
        scale = np.ones(self.heads)
        if self.terms is not None or self.alpha == 0:
            W = self._stacked(V)
            nearest = np.clip(W, *self.limits)
            room = np.where(nearest == W, 1.0, nearest / np.where(W == 0, 1.0, W) * (1 - 1e-15))
            scale = np.array([room.min(initial=1.0)]) if self.joint else room.min(axis=0, initial=1.0)
            if self.separable is not None:
                return np.asarray(scale)
        is_norm = isinstance(self.penalty, Penalty) and (self.penalty.norm or self.penalty.shares == (1.0, 0.0))
        if not is_norm:
            return np.asarray(scale)
        assert isinstance(self.penalty, Penalty)
        dual = [
            float(np.max(np.abs(v), initial=0.0)) if self.penalty.shares == (1.0, 0.0) else self.penalty.dual_norm(v)
            for v in self.dual_vectors(V)
        ]
        return np.minimum(scale, [1.0 if n <= self.alpha else self.alpha / n * (1 - 1e-15) for n in dual])

    def distance(self, gradient: Theta, theta: Theta) -> F64:
        """How far the loss's gradient is from cancelling a subgradient of alpha R: 0 at a stationary point."""
        free = gradient.b if self.intercept == "free" else np.zeros_like(gradient.b)
        on_b = dot(free, free, self.joint)
        if self.alpha > 0 and isinstance(self.penalty, CallablePenalty) and self.penalty.gradient is None:
            moved = self.prox(theta.plus(-1.0, gradient), np.ones(self.heads))
            return np.sqrt(dot(theta.W - moved.W, theta.W - moved.W, self.joint) + on_b)
        if self.terms is not None and self.separable is not None:
            beyond = self.separable.distance(self._stacked(gradient), self._stacked(theta))
            return np.sqrt(self._per_head(beyond**2) + on_b)
        if self.alpha == 0 or isinstance(self.penalty, CallablePenalty):
            total = gradient.plus(1.0, self.penalty_gradient(theta)) if self.alpha else gradient
            return np.sqrt(dot(total.W, total.W, self.joint) + on_b)
        if self.penalty.shares == (0.0, 1.0) and self.intercept != "penalised":
            total_W = self.alpha * theta.W
            total_W += gradient.W
            return np.sqrt(dot(total_W, total_W, self.joint) + on_b)
        pairs = zip(self.dual_vectors(gradient), self.vectors(theta), strict=True)
        on_w = np.array([self.alpha * self.penalty.distance(g / self.alpha, w) for g, w in pairs])
        if self.terms is not None:  # rows that the norm does not see
            unseen = np.where((self.terms.size == 0) & ~self.terms.excluded[:, None], gradient.W, 0.0)
            on_b = on_b + dot(unseen, unseen, self.joint)
        return np.sqrt(on_w**2 + on_b)
