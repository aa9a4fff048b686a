"""A set of rows a_i = y_i (x_i, 1) that no w can have on its side, all of them needed; or a w that has them there.

    min |A' lambda|_1  over  lambda >= 0, sum lambda = 1;   its dual:  max t  over  A w >= t, -1 <= w <= 1

The optimum is 0 exactly where a combination vanishes (Gordan 1873).  Of a basic optimum the rows with lambda > 0 are
linearly independent but for that one combination, so that no smaller set conflicts (Gleeson, Ryan 1990).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.separation.scaling import Scaled, scaled

TOLERANCE = 1e-9
NOTHING = 1e-12  # a weight below is that of a row that is not needed


class Conflict(NamedTuple):
    """sum weights_k A[rows_k] = 0 to rounding, weights > 0, sum 1: no w has A[rows] w > 0, and no row can be spared."""

    rows: I64  # sorted
    weights: F64


class Separating(NamedTuple):
    """A w > 0."""

    w: F64


def conflict(A: Any, *, tolerance: float = TOLERANCE, costs: F64 | None = None) -> Conflict | Separating:
    """One minimal infeasible subset of the rows of A, or a w with A w > 0.  A: (m, d) float64 array, or CSR.

    Rows and columns may have any scale.  `tolerance` is on the scale of rows whose largest entry is 1: what comes
    closer to 0 is taken for a conflict.  With `costs` >= 0, (m,), the conflict is one that minimises costs.lambda:
    other costs, other conflicts (Parker, Ryan 1996).
    """
    m, d = A.shape
    if m == 0:
        return Separating(np.zeros(d))
    even = scaled(A)
    if costs is not None:
        weights = _cheapest(even.matrix, costs)
        if weights is not None:
            return _conflict(even, weights)
    weights, w = _nearest(even.matrix)
    margins = even.matrix @ w
    if margins.min() > tolerance:
        return Separating(even.direction(w))
    return _conflict(even, weights)


def nearest(A: Any) -> Conflict:
    """The rows and weights whose combination comes nearest to 0, conflict or not; each row on a scale of its own."""
    even = scaled(A)
    return _conflict(even, _nearest(even.matrix)[0])


def _nearest(M: Any) -> tuple[F64, F64]:
    """The basic optimum of the programme above: lambda, and w from its dual."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array, eye_array, hstack, vstack

    m, d = M.shape
    one = csc_array(np.concatenate([np.ones(m), np.zeros(2 * d)])[None, :])
    body = hstack([csc_array(M).T, eye_array(d), -eye_array(d)])
    found = linprog(
        np.concatenate([np.zeros(m), np.ones(2 * d)]), A_eq=vstack([body, one], format="csc"),
        b_eq=np.append(np.zeros(d), 1.0), bounds=(0, None), method="highs-ds", options=_OPTIONS,
    )  # fmt: skip
    assert found.x is not None, found.message  # feasible and bounded, whatever A is
    w = -np.asarray(found.eqlin.marginals[:d], dtype=float)
    return np.asarray(found.x[:m], dtype=float), w


def _cheapest(M: Any, costs: F64) -> F64 | None:
    """The basic lambda of least cost among those that vanish; None where none does."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array, vstack

    m, d = M.shape
    body = vstack([csc_array(M).T, csc_array(np.ones((1, m)))], format="csc")
    found = linprog(
        costs, A_eq=body, b_eq=np.append(np.zeros(d), 1.0), bounds=(0, None), method="highs-ds", options=_OPTIONS
    )
    return np.asarray(found.x, dtype=float) if found.status == 0 else None


_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def _conflict(even: Scaled, weights: F64) -> Conflict:
    """The support, its weights to rounding, for the rows as they came."""
    rows = np.flatnonzero(weights > NOTHING)
    lam = even.weights(_polished(even.matrix[rows], weights[rows]), rows)
    return Conflict(rows.astype(np.int64), np.asarray(lam / lam.sum()))


def _polished(M: Any, weights: F64) -> F64:
    """The vector that M' sends nearest to 0, if it is positive: the same weights with their last digits."""
    dense: Array = M if isinstance(M, np.ndarray) else M[:, np.unique(M.indices)].toarray()
    if dense.shape[1] == 0:
        return weights
    last = np.linalg.svd(dense.T, full_matrices=True)[2][-1]
    last = last * np.sign(last[np.argmax(np.abs(last))])
    return np.asarray(last / last.sum()) if last.min() > 0 else weights
