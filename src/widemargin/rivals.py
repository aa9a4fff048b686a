"""Dual points of Crammer and Singer's loss l(min_k m_k), m_k = f_y - f_k, k the other classes; l falls everywhere.

l(min m) = max over a_k >= 0 of -l*(-t) - sum a_k m_k, t = sum a_k.  A dual point is kept as A (n, K): t in a row's own
column, -a_k in the others, so that V = sum p A x.  Crammer, Singer 2001 (JMLR 2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from widemargin._types import F64, Array
from widemargin.data.source import ArraySource
from widemargin.loss import CallableLoss, Loss

STEPS = 60
EPS = float(np.finfo(float).eps)


class Nearest(NamedTuple):
    """The maximiser of the smoothed loss, rivals only (0 in the own column), and how it answers to a change."""

    a: F64  # (n, K)
    z: F64  # (n,) the margin at which t = -l'(z)
    share: F64  # (n,) dz is this times the sum of the changes of the margins that count


def margins(scores: F64, own: Array) -> F64:
    """f_y - f_k; infinite in the own column."""
    found: F64 = np.take_along_axis(scores, own, axis=1) - scores
    np.put_along_axis(found, own, np.inf, axis=1)
    return found


def nearest(loss: Loss | CallableLoss, M: F64, centre: F64, width: float) -> Nearest:
    """argmax over a >= 0 of -l*(-t) - sum a_k m_k - width / 2 ||a - centre||^2, row by row."""
    V = centre - M / width
    z = _by_sorting(loss, V, width) if loss.piecewise_linear else _by_newton(loss, V, width)
    a = np.maximum(V + (z / width)[:, None], 0.0)
    count = np.maximum((a > 0).sum(axis=1), 1)
    if loss.piecewise_linear:
        return Nearest(a, z, np.where(z < loss.threshold, 1.0 / count, 0.0))
    assert loss.d2 is not None
    return Nearest(a, z, 1.0 / (count + width * np.asarray(loss.d2(z))))


def _by_sorting(loss: Loss | CallableLoss, V: F64, width: float) -> F64:
    """z at the kink where t <= 1 there; else where t = 1: a projection on the simplex."""
    at = loss.threshold / width
    z = np.full(len(V), loss.threshold)
    over = np.flatnonzero(np.maximum(V + at, 0.0).sum(axis=1) > 1.0)
    U = -np.sort(-V[over], axis=1)[:, :-1]  # the own column is last
    shift = (1.0 - np.cumsum(U, axis=1)) / np.arange(1, U.shape[1] + 1)
    last = np.count_nonzero(U + shift > 0, axis=1) - 1
    z[over] = width * shift[np.arange(len(over)), last]
    return z


def _by_newton(loss: Loss | CallableLoss, V: F64, width: float) -> F64:
    """The root of sum max(0, v + z / width) + l'(z), which rises: Newton's steps inside a bracket."""
    assert loss.d2 is not None
    low = -width * V.max(axis=1)
    high = low - width * np.asarray(loss.d1(low))
    z = low.copy()
    for _ in range(STEPS):
        a = np.maximum(V + (z / width)[:, None], 0.0)
        f = a.sum(axis=1) + np.asarray(loss.d1(z))
        low, high = np.where(f < 0, z, low), np.where(f > 0, z, high)
        trial = z - f / np.maximum((a > 0).sum(axis=1) / width + np.asarray(loss.d2(z)), 1e-300)
        trial = np.where((f == 0) | ((trial > low) & (trial < high)), trial, 0.5 * (low + high))
        if np.all(np.abs(trial - z) <= 4 * EPS * np.abs(z)):
            break
        z = trial
    return np.asarray(z)


def kept(a: F64, own: Array) -> F64:
    """A from the rivals' shares."""
    A = -a
    np.put_along_axis(A, own, a.sum(axis=1, keepdims=True), axis=1)
    return A


def own_classes(source: ArraySource) -> Array:
    """(n, 1) the column of each row's class."""
    return source.y.astype(np.intp)[:, None]


def gains(loss: Loss | CallableLoss, A: F64, own: Array) -> F64:
    """-l*(-t) per row."""
    low, high = loss.dual_domain
    t = np.take_along_axis(A, own, axis=1)[:, 0]
    t = np.where((t > high) & (t <= high * (1 + 1e-12)), high, t)  # a sum of shares rounds
    if loss.conjugate is None:
        return np.full(len(t), -np.inf)
    return np.asarray(-np.asarray(loss.conjugate(np.maximum(t, low))))


def balanced(source: ArraySource, A: F64) -> F64:
    """Mixed with a point on the rows of the classes that have too little, against those that have too much."""
    own = own_classes(source)
    for _ in range(3):
        excess = source.p @ A
        if np.all(np.abs(excess) <= EPS * (source.p @ np.abs(A))):
            break
        lack, over = np.maximum(-excess, 0.0), np.maximum(excess, 0.0)
        mass = np.bincount(own[:, 0], source.p, minlength=len(excess))
        t = np.divide(lack, mass, out=np.zeros_like(lack), where=mass > 0)
        scale = 1.0 / max(float(t.max()), 1e-300)  # the anchor's t is at most 1
        share = 1.0 / (1.0 + scale)
        target = -np.outer(scale * t[own[:, 0]], over / max(float(over.sum()), 1e-300))
        np.put_along_axis(target, own, scale * t[own], axis=1)
        A = (1.0 - share) * A + share * target
    return A
