"""The penalty with terms of its own per column, once more: plain NumPy, for verify alone.

The conjugate of g(w) = l1 |w| + l2 w^2 / 2 on [low, high] is taken as the largest v w - g(w) over the points where the
maximum can lie: the ends, 0, and the stationary points of both branches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._types import F64
from widemargin.objective import Objective
from widemargin.penalty import Penalty
from widemargin.terms import Terms
from widemargin.theta import Theta

SLACK = 1e-9


def penalty(objective: Objective, theta: Theta) -> F64:
    """alpha R per head."""
    terms = objective.terms
    if terms is None or objective.alpha == 0:
        return objective.penalty_value(theta)
    return np.array([_value(objective, w, m, s) for w, m, s in _heads(objective, terms, theta)])


def _heads(objective: Objective, terms: Terms, theta: Theta) -> list[tuple[F64, F64, F64]]:
    """Per head: the entries that the penalty sees, their factors and their standard deviations."""
    W, f, s = theta.W, terms.factor, terms.sd
    if objective.intercept == "penalised":
        W, f, s = np.vstack([W, theta.b]), np.vstack([f, [[1.0]]]), np.vstack([s, [[1.0]]])
    f, s = np.broadcast_to(f, W.shape), np.broadcast_to(s, W.shape)
    if objective.joint:
        return [(W.ravel(), f.ravel(), s.ravel())]
    return [(W[:, k], f[:, k], s[:, k]) for k in range(W.shape[1])]


def _value(objective: Objective, w: F64, f: F64, s: F64) -> float:
    if objective.penalty.shares is None:
        return objective.alpha * objective.penalty.value(f * s * w)
    l1, l2 = (objective.alpha * share for share in objective.penalty.shares)
    return float(np.sum(f * (l1 * np.abs(s * w) + 0.5 * l2 * (s * w) ** 2)))


def price_of(objective: Objective, V: Theta, reach: F64) -> tuple[F64, list[str]]:
    """(alpha R + box)*(V) per head, and what V has no finite price for."""
    terms = objective.terms
    assert terms is not None
    reach = np.vstack([reach, np.abs(V.b)]) if objective.intercept == "penalised" else reach
    shape = reach.shape
    low, high = (np.broadcast_to(end, V.W.shape) for end in (terms.low, terms.high))
    if objective.intercept == "penalised":
        low, high = np.vstack([low, np.full(shape[1], -np.inf)]), np.vstack([high, np.full(shape[1], np.inf)])
    parts = ([A.ravel()] if objective.joint else list(A.T) for A in (low, high, reach))
    prices, problems = [], []
    for (v, f, s), lo, hi, r in zip(_heads(objective, terms, V), *parts, strict=True):
        if objective.penalty.shares is None and objective.alpha > 0:
            price, outside = _of_norm(objective, v, f * s, (lo == 0) & (hi == 0), r)
        else:
            a1, a2 = (objective.alpha * share for share in objective.penalty.shares or (0.0, 0.0))
            price, outside = _of_sum(v, a1 * f * s, a2 * f * s * s, lo, hi, r)
        prices.append(price)
        if outside:
            problems.append("sum p a y x lies where the penalty and the bounds give no finite bound")
    return np.array(prices), problems


def _of_sum(v: F64, l1: F64, l2: F64, low: F64, high: F64, reach: F64) -> tuple[float, bool]:
    rounding = 1e-12 * reach + SLACK * l1
    outside = (l2 == 0) & (((v > l1 + rounding) & np.isinf(high)) | ((v < -l1 - rounding) & np.isinf(low)))
    divisor = np.where(l2 > 0, l2, 1.0)
    branches = [np.where(l2 > 0, (v - l1) / divisor, 0.0), np.where(l2 > 0, (v + l1) / divisor, 0.0)]
    ends = [np.where(np.isfinite(end), end, 0.0) for end in (low, high)]
    points = [np.clip(w, low, high) for w in (np.zeros_like(v), *ends, *branches)]
    gains = np.max([v * w - l1 * np.abs(w) - 0.5 * l2 * w * w for w in points], axis=0)
    return float(gains.sum()), bool(outside.any())


def _of_norm(objective: Objective, v: F64, m: F64, excluded: Any, reach: F64) -> tuple[float, bool]:
    assert isinstance(objective.penalty, Penalty)
    seen = (m > 0) & ~excluded
    wild = (m == 0) & ~excluded & (np.abs(v) > 1e-12 * reach)
    size = objective.penalty.dual_norm(v[seen] / m[seen]) if seen.any() else 0.0
    return 0.0, bool(wild.any() or size > objective.alpha * (1 + SLACK))


def _squares(M: Any, mean: F64, p: F64) -> F64:
    """sum p (x - mean)^2 per column."""
    if isinstance(M, np.ndarray):
        return np.asarray(p @ (M - mean) ** 2)
    A = M.tocoo()
    stored = np.bincount(A.col, p[A.row], len(mean))
    away = p[A.row] * (A.data - mean[A.col]) ** 2
    empty = np.bincount(A.col, minlength=len(mean)) < len(p)
    return np.bincount(A.col, away, len(mean)) + np.where(empty, p.sum() - stored, 0.0) * mean**2


def wrong_terms(objective: Objective, theta: Theta, M: Any, p: F64) -> list[str]:
    """Weights outside their bounds; standard deviations that are not those of the columns."""
    terms, problems = objective.terms, []
    if terms is None:
        return []
    if not np.array_equal(np.clip(theta.W, terms.low, terms.high), theta.W):
        problems.append("a weight lies outside its bounds")
    if terms.scaled:
        mean = np.asarray(M.T @ p)
        parts = M.parts() if hasattr(M, "parts") else [(0, M)]  # rows on disk come in parts
        variance = np.sum([_squares(part, mean, p[start : start + part.shape[0]]) for start, part in parts], axis=0)
        found, kept = np.sqrt(np.maximum(variance, 0.0)), ~terms.excluded
        if not np.allclose(found[kept], terms.sd[kept, 0], rtol=1e-6, atol=0):
            problems.append("the columns have other standard deviations than those that they were scaled by")
    return problems
