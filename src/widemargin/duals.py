"""What scores alone say of rows, X not read: dual points a = -l'(z), and the sums that a bound needs.

T = -sum p l*(-a),  excess = sum p a y,  mass = sum |p a y|,  tilt = sum p a y o.  Losses of the registry run in the
core by threads (core/duals.hpp); a NumPy callable takes the same steps in NumPy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.data.source import ArraySource
from widemargin.loss import CallableLoss
from widemargin.objective import Objective
from widemargin.rivals import gains, own_classes
from widemargin.shift import weighted_sum


class DualSums(NamedTuple):
    """Of a dual point: the concave part per problem, and per column how far it is from balanced."""

    T: F64  # (H,) offsets included
    excess: F64  # (K,)
    mass: F64  # (K,)


def dual_points(objective: Objective, source: ArraySource, scores: F64, threads: int) -> F64:
    """a = -l'(z), or the probabilities for softmax; (n, K)."""
    loss = objective.loss
    if isinstance(loss, CallableLoss):
        return -np.asarray(loss.d1(source.signs * scores))
    a = np.empty(scores.shape)
    _core.dual_points(loss.index, objective.multiclass, source.y, _c(scores), a, threads)
    return a


def dual_sums(objective: Objective, source: ArraySource, a: F64, threads: int) -> DualSums:
    """T, excess and mass of a dual point."""
    loss = objective.loss
    if objective.multiclass == "crammer_singer":
        signed = signed_duals(objective, source, a, threads)
        T = weighted_sum(source.p, gains(loss, a, own_classes(source)))
        T = T - (0.0 if source.o is None else float((signed * source.o.reshape(source.n, -1)).sum()))
        return DualSums(np.array([float(T)]), signed.sum(axis=0), np.abs(signed).sum(axis=0))
    if isinstance(loss, CallableLoss):
        return _in_numpy(objective, loss, source, a)
    out, inverse = np.empty((4, a.shape[1])), 1.0 / source.total_weight
    _core.dual_sums(loss.index, objective.multiclass, source.y, source.s, source.o, inverse, _c(a), out, threads)
    T, tilt = out[0], out[3]
    return DualSums(T[:1] - tilt.sum() if objective.joint else T - tilt, out[1], out[2])


def _in_numpy(objective: Objective, loss: CallableLoss, source: ArraySource, a: F64) -> DualSums:
    signed = signed_duals(objective, source, a, 1)
    gains = np.full_like(a, -np.inf) if loss.conjugate is None else -np.asarray(loss.conjugate(a))
    T = weighted_sum(source.p, gains)
    if source.o is not None:
        T = T - (signed * source.o.reshape(source.n, -1)).sum(axis=0)
    return DualSums(np.asarray(T), signed.sum(axis=0), np.abs(signed).sum(axis=0))


def scored_sums(objective: Objective, source: ArraySource, scores: F64, threads: int) -> tuple[F64, F64]:
    """(K,) each, heads apart: sum p l(z), sum of p where z <= 0."""
    loss, inverse = objective.loss, 1.0 / source.total_weight
    assert not isinstance(loss, CallableLoss)
    found = [
        _core.shifted_sums(loss.index, source.y, source.s, inverse, scores, objective.K, k, 0.0, threads)
        for k in range(objective.K)
    ]
    value, *_, errors = np.array(found).T
    return value, errors


def signed_duals(objective: Objective, source: ArraySource, a: F64, threads: int) -> F64:
    """(n, K) numbers whose X'-product is V: p a y; softmax: p (own class - probabilities); rivals: p a."""
    if objective.multiclass == "crammer_singer":
        return np.asarray(source.p[:, None] * a)
    out = np.empty(a.shape)
    _core.signed_duals(objective.multiclass, source.y, source.s, 1.0 / source.total_weight, _c(a), out, threads)
    return out


def mixed(objective: Objective, source: ArraySource, a: F64, shares: F64, side: F64, threads: int) -> F64:
    """(1 - share) a + share target: 1 on the rows whose sign in a head is `side`, else 0; softmax: `side` itself."""
    out = a.copy(order="C")
    _core.mix_duals(objective.multiclass, source.y, shares, side, out, threads)
    return out


def shrunk(objective: Objective, source: ArraySource, a: F64, columns: F64) -> F64:
    """Each column's part in V made smaller by a factor: towards 0, or for softmax towards the row's own class."""
    out = a * columns
    if objective.multiclass == "softmax":
        out[np.arange(source.n), source.y.astype(np.intp)] += 1 - columns[0]
    return out


def _c(A: F64) -> F64:
    return np.ascontiguousarray(A)
