"""argmin_b sum_i p_i l(y_i (s_i + b)): the best intercept for given scores; the midpoint where it is an interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.loss import CallableLoss, Loss

LIMIT = 200


class Slopes(NamedTuple):
    """At a shift b: sum p y l', sum p l'', sum |p l'|."""

    slope: float
    curvature: float
    size: float


def weighted_sum(p: F64, values: F64) -> F64:
    """sum_i p_i v_i per column, where a row of weight 0 counts nothing even if its value overflows."""
    if not (p > 0).all():
        values = np.where((p > 0).reshape(-1, *[1] * (values.ndim - 1)), values, 0.0)
    if values.size > len(p):
        return _core.transposed_scores(_core.dense(np.ascontiguousarray(values, dtype=np.float64)), p[:, None])
    return np.full(values.shape[1:], _core.inner(p, values))


def best_shift(loss: Loss | CallableLoss, s: F64, y: F64, p: F64) -> float:
    """The minimiser over b; any convex loss."""
    keep = p > 0
    if not keep.all():
        s, y, p = s[keep], y[keep], p[keep]
    return _at_kinks(loss, s, y, p) if loss.piecewise_linear else _by_newton(loss, s, y, p)


def _at_kinks(loss: Loss | CallableLoss, s: F64, y: F64, p: F64) -> float:
    """Piecewise linear with slope -1 left of the threshold: sort the kinks, find where the slope changes sign."""
    kinks = loss.threshold * y - s  # y (s + b) = threshold
    order = np.argsort(kinks, kind="stable")
    slope = -float(p[y > 0].sum()) + np.cumsum(p[order])  # right of each kink: positive rows end, negative rows begin
    tolerance = 4 * np.finfo(float).eps
    first = int(np.searchsorted(slope, -tolerance))
    first = min(first, len(order) - 1)
    low = float(kinks[order[first]])
    if abs(slope[first]) <= tolerance and first + 1 < len(order):
        return 0.5 * (low + float(kinks[order[first + 1]]))
    return low


def _by_newton(loss: Loss | CallableLoss, s: F64, y: F64, p: F64) -> float:
    py = p * y

    def at(b: float) -> Slopes:
        z = y * (s + b)
        d1 = np.asarray(loss.d1(z))
        curve = float("nan") if loss.d2 is None else _core.inner(p, np.asarray(loss.d2(z)))
        return Slopes(_core.inner(py, d1), curve, _core.inner(np.abs(py), np.abs(d1)))

    return newton_shift(at)


def newton_shift(at: Callable[[float], Slopes]) -> float:
    """The root of the slope in b, from b = 0: Newton steps, halved where they leave the bracket."""
    b, (f, h, size) = 0.0, at(0.0)
    noise = 4 * np.finfo(float).eps * size
    if not np.isfinite(f) or abs(f) <= noise:
        return 0.0
    low, high = -np.inf, np.inf
    reach = 1.0
    for _ in range(LIMIT):
        low, high = (b, high) if f < 0 else (low, b)
        trial = b - f / h if h > 0 else float("nan")
        if not low < trial < high or not np.isfinite(trial):
            reach *= 2
            trial = 0.5 * (low + high) if np.isfinite(low + high) else b - np.sign(f) * reach
        if trial == b or abs(trial) > 1e9:
            break
        b, (f, h, _) = trial, at(trial)
        if abs(f) <= noise:
            break
    return b


def null_objective(loss: Loss | CallableLoss, s: F64 | None, y: F64, p: F64, free: bool) -> float:
    """P_0: the loss at w = 0, with the best intercept if it is free; s are the offsets (None: no offsets)."""
    if s is None:  # only two margins occur, +b and -b
        positive = float(p[y > 0].sum())
        s, y, p = np.zeros(2), np.array([1.0, -1.0]), np.array([positive, float(p.sum()) - positive])
    b = best_shift(loss, s, y, p) if free else 0.0
    return float(weighted_sum(p, np.asarray(loss.value(y * (s + b)))))
