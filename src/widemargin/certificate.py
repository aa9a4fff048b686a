"""How far from the optimum, proved: a dual point a, the bound D(a) <= min P, and the gap between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64, Array
from widemargin.bounds import Anchors, softmax_share
from widemargin.data.source import ArraySource
from widemargin.duals import DualSums, dual_sums, mixed, shrunk, signed_duals
from widemargin.errors import Verdict
from widemargin.objective import Objective, Theta
from widemargin.penalty import Penalty
from widemargin.rivals import balanced

if TYPE_CHECKING:
    from widemargin.verify import Verification

EPS = float(np.finfo(float).eps)
ROUNDS = 6
NEGLIGIBLE = 1e-9  # relative loss of a bound that is not worth a pass
LARGE = 1 << 20  # stored values from which a pass is worth saving
WIDTHS = (1.0, 0.2, 0.04)  # of the smoothed kink, when a solver has no dual point of its own


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is proved about a fit.  Sums are over the independent problems; the gap is the worst of them."""

    objective: float
    lower_bound: float
    gap: float
    relative_gap: float
    kkt: float  # distance of the loss's gradient from cancelling a subgradient of the penalty (NaN: not smooth)
    kind: str  # "duality gap", or what is held instead: "gradient norm", "mistakes", "none"
    verdict: Verdict
    problem: Objective
    theta: Theta
    dual: F64 | None
    values: F64  # (H,)
    bounds: F64  # (H,)
    null: F64  # (H,) P_0
    classes: Array | None = None

    def verify(self, X: Any, y: Any = None, *, sample_weight: Any = None, class_weight: Any = None,
               offset: Any = None) -> Verification:  # fmt: skip
        """Recompute objective and bound in plain NumPy from the stored point, and compare."""
        from widemargin.verify import verify

        return verify(self, X, y, sample_weight=sample_weight, class_weight=class_weight, offset=offset)

    def __repr__(self) -> str:
        return (
            f"Certificate({self.kind}: objective {self.objective:.9g}, at least {self.lower_bound:.9g}, "
            f"relative gap {self.relative_gap:.2g}; {self.verdict.name})"
        )


def relative_gap(values: F64, bounds: F64, null: F64) -> F64:
    """|P - D| / max(|P|, 1e-8 P_0) per head; 0 where both vanish.

    A bound above the objective shows by how much rounding has spoilt one of them: nothing closer is known.
    """
    gap = np.abs(values - bounds)
    scale = np.maximum(np.abs(values), 1e-8 * null)
    scale[scale == 0] = 1.0  # both vanish, or the gap is infinite in any unit
    scale[np.isinf(scale)] = 1.0
    return np.asarray(gap / scale)


@dataclass(frozen=True)
class DualPoint:
    """A repaired dual point and the bounds that it proves."""

    a: F64
    bounds: F64


def kink_duals(objective: Objective, scores: F64, source: ArraySource, width: float) -> F64:
    """The kink replaced by a ramp of some width, and the intercept moved until both classes balance."""
    z, y, p = source.signs * scores, source.signs, source.p[:, None]
    t = objective.loss.threshold

    def ramp(b: F64) -> F64:
        return np.clip((t - (z + y * b)) / width + 0.5, 0.0, 1.0)

    if objective.intercept != "free":
        return ramp(np.zeros(objective.K))
    b = np.zeros(objective.K)
    for _ in range(ROUNDS):  # Newton on the balance; what is left an anchor takes
        a = ramp(b)
        inside = (p * ((a > 0) & (a < 1))).sum(axis=0) / width
        if not inside.all():
            break
        b = b + np.clip((p * y * a).sum(axis=0) / inside, -width, width)
    return ramp(b)


def prove(objective: Objective, a: F64, source: ArraySource, anchors: Anchors, V: Theta | None = None) -> DualPoint:
    """Repair a dual point and evaluate its bound exactly.

    V = sum p a y (x, 1) costs a pass over X unless it is given: it is minus the gradient where a = -l'(z).
    """
    threads = anchors.products.threads
    rivals = objective.multiclass == "crammer_singer"
    if rivals and objective.intercept == "free":
        a, V = balanced(source, a), None
    if V is None and objective.multiclass not in ("softmax", "crammer_singer"):
        a = np.clip(a, *objective.loss.dual_domain)
    sums = dual_sums(objective, source, a, threads)
    if objective.intercept == "free" and not rivals:
        a, V, sums = _balanced(objective, a, V, sums, source, anchors)
    reach = Reach(objective, a, float(sums.mass.sum()), source, anchors)
    if V is None:
        V = Theta(anchors.products.products(source, reach.signed), sums.excess)
    V = _snapped(objective, V, reach)
    scale = objective.fits(V)
    columns = objective.columns(scale)
    scale = scale * _caution(objective, Theta(V.W * columns, V.b * columns), reach)
    if np.any(scale < 1):
        columns = objective.columns(scale)
        a, V = shrunk(objective, source, a, columns), Theta(V.W * columns, V.b * columns)
        sums = dual_sums(objective, source, a, threads)
    bounds = sums.T - objective.conjugate(V)
    return DualPoint(a, np.maximum(np.where(np.isnan(bounds), 0.0, bounds), 0.0))


def _balanced(
    objective: Objective, a: F64, V: Theta | None, sums: DualSums, source: ArraySource, anchors: Anchors
) -> tuple[F64, Theta | None, DualSums]:
    """Mixed with an anchor until sum p a y = 0 in every head: once, and again for what rounding left."""
    threads = anchors.products.threads
    for _ in range(3):
        if (np.abs(sums.excess) <= EPS * sums.mass).all():
            break
        if objective.multiclass == "softmax":
            share, side = softmax_share(sums.excess, anchors.mass)
            shares = np.full(objective.K, share)
            target = None if V is None else anchors.sums - np.outer(anchors.sums.sum(axis=1), side)
        else:
            found, sides = anchors.share(sums.excess)
            shares, side = np.array(found), np.where(sides, 1.0, -1.0)
            target = None if V is None else np.stack([anchors.corners[key].V for key in enumerate(sides)], axis=1)
        a = mixed(objective, source, a, shares, side, threads)
        if V is not None and target is not None:
            V = Theta((1 - shares) * V.W + shares * target, np.zeros_like(V.b))
        sums = dual_sums(objective, source, a, threads)
    return a, V, sums


class Reach:
    """sum |p a y x|, what the rounding of V is measured by: a pass that is made only where it matters."""

    def __init__(self, objective: Objective, a: F64, mass: float, source: ArraySource, anchors: Anchors) -> None:
        self._of = objective, source, a, anchors.products.threads
        self._source, self._products = source, anchors.products
        self.mass, self.stored = mass, source.nnz

    @cached_property
    def largest(self) -> float:
        """The largest |x|."""
        return self._source.largest(self._products.threads)

    @cached_property
    def signed(self) -> F64:
        """(n, K) numbers whose X'-product is V."""
        return signed_duals(*self._of)

    @cached_property
    def sums(self) -> F64:
        """(d, K)."""
        return self._products.reach(self._source, self.signed)


def _snapped(objective: Objective, V: Theta, reach: Reach) -> Theta:
    """V, exactly 0 where it must not be on one side (or both) of 0 and only rounding has put it there."""
    if not objective.unpenalised:
        return V
    lo, hi = (end[: len(V.W)] for end in objective.limits)
    beyond = ((lo == 0) & (V.W < 0)) | ((hi == 0) & (V.W > 0))
    if not beyond.any():
        return V
    return Theta(np.where(beyond & (np.abs(V.W) <= 64 * EPS * reach.sums), 0.0, V.W), V.b)


def _caution(objective: Objective, V: Theta, reach: Reach) -> F64:
    """The factor with which |V| and its rounding are within an L1 strength: inside in any order of summation.

    What has been shrunk by it is not shrunk again.
    """
    if objective.separable is None:
        return _caution_of_norm(objective, V, reach)
    if not objective.l1 > 0:
        return np.ones(objective.heads)
    lo, hi = (end[: len(V.W)] for end in objective.limits)
    ends = np.where(V.W > 0, hi, -lo)
    if not np.isfinite(ends).any():
        return np.ones(objective.heads)
    held = ends > 0
    least = float(ends[held].min(initial=np.inf))
    if reach.stored > LARGE:  # the largest value stands for all, where that costs next to nothing of the bound
        most = 8 * EPS * reach.largest * reach.mass / least
        if most <= NEGLIGIBLE:
            return np.full(objective.heads, 1.0 - most)
    size = np.abs(V.W) + 8 * EPS * reach.sums
    near = (size > ends) & held
    factor = np.where(near, ends / np.where(near, size, 1.0), 1.0).min(axis=0, initial=1.0)
    return np.asarray(np.maximum(0.5, np.array([factor.min()]) if objective.joint else factor))


def haze(objective: Objective, a: F64, source: ArraySource, anchors: Anchors) -> float:
    """How large the rounding of V may be beside an L1 strength, at worst: no gap much below it can be proved."""
    if objective.separable is None or not objective.l1 > 0:
        return 0.0
    sums = Reach(objective, a, 1.0, source, anchors).sums
    lo, hi = (end[: len(sums)] for end in objective.limits)
    ends = np.minimum(-lo, hi)
    return float(np.max(np.where(ends > 0, 8 * EPS * sums / np.where(ends > 0, ends, 1.0), 0.0), initial=0.0))


def _caution_of_norm(objective: Objective, V: Theta, reach: Reach) -> F64:
    """The same beside a dual ball: (dual norm of V + that of its rounding) times the factor is inside."""
    penalty, fits = objective.penalty, objective.fits(V)
    if not isinstance(penalty, Penalty) or not penalty.norm:
        return np.ones(objective.heads)
    if reach.stored > LARGE:
        rough = _rounded(objective, penalty, np.full(V.W.shape, reach.largest * reach.mass), reach)
        if (rough <= NEGLIGIBLE * objective.alpha).all():
            return np.asarray(1.0 - rough / objective.alpha)
    size = np.array([penalty.dual_norm(v) for v in objective.dual_vectors(V)])
    size = size + _rounded(objective, penalty, reach.sums, reach)
    whole = np.where(size > objective.alpha, objective.alpha / np.where(size > 0, size, 1.0), 1.0)
    return np.minimum(1.0, np.divide(whole, fits, out=np.ones_like(fits), where=fits > 0))


def _rounded(objective: Objective, penalty: Penalty, sums: F64, reach: Reach) -> F64:
    """The dual norm of what rounding may have done to V, per head."""
    most = Theta(8 * EPS * sums, np.full(objective.K, 8 * EPS * reach.mass))
    return np.array([penalty.dual_norm(v) for v in objective.dual_vectors(most)])


def rounding(objective: Objective, values: F64, theta: Theta) -> F64:
    """What float64 cannot tell apart: 32 eps times the sum of absolute terms, per head."""
    return 32 * EPS * (2 * np.abs(values) + 2 * objective.penalty_value(theta))


def better(objective: Objective, one: DualPoint, other: DualPoint) -> DualPoint:
    """The better bound per head of two dual points."""
    if objective.joint:
        return other if other.bounds[0] > one.bounds[0] else one
    higher = other.bounds > one.bounds
    if higher.all():
        return other
    return DualPoint(np.where(higher, other.a, one.a), np.maximum(one.bounds, other.bounds)) if higher.any() else one
