"""Which rows can lie strictly on their side when all lie on it: one linear programme, over few rows at a time.

    max sum_i min(1, (A w)_i)  over  A w >= 0;   its dual:  min sum_i (1 - lambda_i)+  over  A' lambda = 0, lambda >= 0

At the optimum every row is of one kind: (A w)_i >= 1, or lambda_i >= 1 and (A w)_i = 0 (Goldman, Tucker 1956; Konis
2007).  No row of the second kind: complete separation; none of the first: overlap.

Many rows: solve for some, look at all, add those that lie on the wrong side, again.  A combination that vanishes over
some rows vanishes over all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.separation.conflict import Conflict, conflict
from widemargin.separation.scaling import scaled
from widemargin.separation.signed import Signed
from widemargin.separation.vanishing import RANK, WIDEST

WRONG = 1e-9  # a margin below minus this part of its terms is on the wrong side
ROUNDS = 200
MIXTURES = 4  # directions along which rows outside are sought at a time
OUTSIDE = 1e-7  # a product above this part of its terms is not 0
EFFORT = 2e9  # steps of the simplex method times numbers: about 20 seconds
LEAST_STEPS = 500
FEW = 300  # rows that the first programme may have anyway
REACH = 8e8  # steps times numbers of a basis and of the rows, beyond which no programme is begun: about 10 seconds


class Parts(NamedTuple):
    """The optimum: w, lambda, and which rows no w with A w >= 0 has strictly on their side."""

    w: F64
    weights: F64
    bound: Array  # lambda_i >= 1


def parts(A: Any) -> Parts | None:
    """The programme above over all rows of A, dense or CSR; None if it is too large to be solved."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array, hstack

    even = scaled(A)
    m, d = A.shape
    body = csc_array(even.matrix).T
    top = np.concatenate([np.ones(m), np.full(m, np.inf)])
    found = linprog(
        np.concatenate([-np.ones(m), np.zeros(m)]), A_eq=hstack([body, body], format="csc"), b_eq=np.zeros(d),
        bounds=np.column_stack([np.zeros(2 * m), top]), method="highs-ds",
        options={
            "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10,
            "maxiter": max(LEAST_STEPS, int(EFFORT / max(1, body.nnz))),
        },
    )  # fmt: skip
    if found.status != 0:
        return None
    weights = np.asarray(found.x[:m] + found.x[m:], dtype=float)
    w = -np.asarray(found.eqlin.marginals, dtype=float)
    return Parts(even.direction(w), even.weights(weights, np.arange(m)), weights >= 0.5)


class Found(NamedTuple):
    """What the rounds ended with: rows looked at, and either a w with A w >= 0 or all of them bound."""

    rows: I64
    parts: Parts | None
    wrong: int  # rows that still lie on the wrong side of w: 0 unless the rounds ran out


def effort(A: Signed) -> float:
    """What the simplex method does: about as many steps as the basis has rows, each over the basis and the numbers."""
    m = min(A.n, 2 * _many(A))
    basis = float(min(m, A.d))
    return basis * (basis**2 + A.X.nnz * m / A.n)


def _many(A: Signed) -> int:
    """Rows of each label that a programme begins with."""
    return max(FEW, 2 * A.d + 2)


def first_rows(A: Signed, w: F64, pairs: I64) -> I64:
    """Contradictions, and of each label the rows that lie farthest on the wrong side of w; all rows if they are few."""
    many = _many(A)
    if 2 * many >= A.n:
        return np.arange(A.n)
    z = A.margins(w)
    chosen = [pairs[: 2 * A.d].ravel()]
    for label in (-1.0, 1.0):
        rows = np.flatnonzero(A.y == label)
        chosen.append(rows[np.argsort(z[rows], kind="stable")[:many]])
    return np.unique(np.concatenate(chosen)).astype(np.int64)


def clash(A: Signed, rows: I64) -> tuple[I64, Conflict | None, F64]:
    """Rows added until some conflict, or a w has all rows of A on its side: then None and w."""
    w = np.zeros(A.d)
    for _ in range(ROUNDS):
        found = conflict(A.rows(rows))
        if isinstance(found, Conflict):
            return rows, Conflict(rows[found.rows], found.weights), w
        w = found.w
        more = _wrong(A, w, rows, strict=True)
        if not len(more):
            return rows, None, w
        rows = np.union1d(rows, more)
    return rows, None, w


def divide(A: Signed, rows: I64) -> Found:
    """Rows added until no row of A lies on the wrong side of the w that is best for those."""
    for _ in range(ROUNDS):
        found = parts(A.rows(rows))
        if found is None:
            return Found(rows, None, A.n)
        more = _outside(A, rows) if found.bound.all() else _wrong(A, found.w, rows, strict=False)
        if not len(more):
            return Found(rows, found, 0)
        rows = np.union1d(rows, more)
    return Found(rows, found, len(more))


def _outside(A: Signed, rows: I64) -> I64:
    """Other rows that the rows do not span: there a w is free that the programme over the rows cannot see."""
    M = scaled(A.rows(rows))
    if len(rows) == A.n or M.matrix.shape[0] * A.d > WIDEST:
        return np.zeros(0, dtype=np.int64)
    dense = M.matrix if isinstance(M.matrix, np.ndarray) else M.matrix.toarray()
    _, size, Vt = np.linalg.svd(dense, full_matrices=True)
    free = Vt[int((size > RANK * size[0]).sum()) :]
    more: list[I64] = []
    for k in range(min(len(free), MIXTURES)):
        w = M.direction(np.random.default_rng(k).standard_normal(len(free)) @ free)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.nan_to_num(np.abs(A.margins(w)) / A.reach(w))
        ratio[rows] = 0.0
        far = np.flatnonzero(ratio > OUTSIDE)
        more.append(far[np.argsort(-ratio[far], kind="stable")[:FEW]])
    return np.unique(np.concatenate(more)) if more else np.zeros(0, dtype=np.int64)


def _wrong(A: Signed, w: F64, rows: I64, *, strict: bool) -> I64:
    """Other rows on the wrong side of w, those farthest from theirs first, not too many."""
    z, reach = A.margins(w), A.reach(w)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(reach > 0, z / reach, 0.0)
    ratio[rows] = np.inf
    wrong = np.flatnonzero(ratio <= 0) if strict else np.flatnonzero(ratio < -WRONG)
    return wrong[np.argsort(ratio[wrong], kind="stable")[: max(FEW, A.d)]]
