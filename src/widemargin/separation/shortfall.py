"""min 1/2 |s|^2 over w,  s = (1 - A w)+: at the optimum A's = 0.  Either s = 0, and w separates, or s proves overlap.

Newton's method ends after finitely many steps (Mangasarian 2002; Keerthi, DeCoste 2005).  Once s hardly changes it is
balanced: the delta of least sum delta_i^2 / s_i with A'(s + delta) = 0 is

    delta_i = -s_i a_i.q,   (sum_i s_i a_i a_i') q = A's,

by conjugate gradients (Hestenes, Stiefel 1952), each time from what rounding left.  Rows that would get a negative
weight leave.  With many columns nothing of order d^2 is kept: this is the way where programmes are too large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from widemargin._types import F64
from widemargin.separation.cheap import ROW, states
from widemargin.separation.conflict import Conflict, Separating
from widemargin.separation.signed import Signed
from widemargin.separation.signs import signs
from widemargin.separation.vanishing import WIDEST

PASSES = 100
TOUCHED = 1e10  # stored values that Newton's method may read: 15 seconds
STILL = 0.02  # a step that lowers the sum by a smaller share is one of the last
APART = 5  # Newton steps between two tries to balance
ROUNDS = 12
ROUGH, FINE = 1e-3, 1e-8  # residuals of conjugate gradients: while rows leave, and once none does
PRODUCTS = 1000
DIRECT = 2000  # columns up to which a matrix of them is factored
LIFT = 1e-14  # of its unit diagonal: columns may depend on each other
MANY = 0.2  # a share of rows that leave together, after which nothing is near to balance
WORTH = 0.1  # what is left must shrink by this much for another round


def separating(A: Signed) -> Separating | None:
    """A w > 0, if Newton's method meets one before two short steps."""
    before = False
    for w, still in _points(A):
        if _apart(A, w, A.margins(w)):
            return Separating(w)
        if still and before:
            break
        before = still
    return None


def verdict(A: Signed) -> Separating | Conflict:
    """A w > 0, or a combination of rows as near to 0 as can be had."""
    nearest, waited, w = None, APART, np.zeros(A.d)
    for w, still in _points(A):
        z = A.margins(w)
        if _apart(A, w, z):
            return Separating(w)
        nearest, waited = np.maximum(1.0 - z, 0.0), waited + 1
        if still and waited > APART:
            found, waited = balanced(A, nearest), 0
            if found is not None:
                return found
    s = np.maximum(1.0 - A.margins(w), 0.0)
    found = balanced(A, s) if waited else None  # the last step was tried already
    return found or _conflict(s if s.any() else np.ones(A.n))


def _apart(A: Signed, w: F64, z: F64) -> bool:
    """A w > 0, whatever rounding did to z."""
    return bool((z > 0).all()) and signs(A, w).complete


def effort(A: Signed) -> float:
    """Stored values that Newton's method reads before its steps become short, about."""
    return PASSES * float(A.X.nnz + ROW * A.n)


def _points(A: Signed) -> Iterator[tuple[F64, bool]]:
    """w after each step of Newton's method, and whether the step was short."""
    last = np.inf
    for w, state in states(A, "newton_cg", "squared_hinge", 0.0, 1 + TOUCHED / (A.X.nnz + ROW * A.n)):
        assert state.value is not None
        value = float(state.value[0])
        yield w, value > (1.0 - STILL) * last
        last = value


def balanced(A: Signed, s: F64) -> Conflict | None:
    """Weights near the proportions of s >= 0 whose combination vanishes to rounding; None if they do not stay >= 0."""
    rows = np.flatnonzero(s > 0)
    if not len(rows):
        return None
    weights, part, left, positive = s[rows], A.part(rows), np.inf, False
    for _ in range(ROUNDS):
        total = part.combination(weights)
        before, left = left, float(np.abs(total).max()) / float(weights.sum())
        if positive and not left < WORTH * before:
            return Conflict(rows, weights / weights.sum())
        changed = weights * (1.0 - part.margins(_solved(part, weights, total, FINE if positive else ROUGH)))
        positive = bool((changed > 0).all())
        weights = changed
        if not positive:
            rows, weights = rows[changed > 0], changed[changed > 0]
            if len(rows) < (1.0 - MANY) * len(changed):
                return None
            part = A.part(rows)
    return Conflict(rows, weights / weights.sum()) if positive else None


def _solved(A: Signed, weights: F64, right: F64, residual: float) -> F64:
    """q with (sum_i weights_i a_i a_i') q = right, nearly."""
    from scipy.sparse.linalg import LinearOperator, cg

    shape, inverse = (A.d, A.d), _inverse(A, weights)
    H = LinearOperator(shape, matvec=lambda q: A.combination(weights * A.margins(q)), dtype=float)
    return np.asarray(cg(H, right, rtol=residual, maxiter=PRODUCTS, M=LinearOperator(shape, inverse, dtype=float))[0])


def _inverse(A: Signed, weights: F64) -> Callable[[F64], F64]:
    """Nearly H^-1: by a triangular factor where columns are few, else by the diagonal."""
    diagonal = A.squares(weights)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    if A.d > DIRECT or float(A.n) * A.d > WIDEST:
        return lambda q: scale**2 * q
    from scipy.linalg import cho_factor, cho_solve
    from scipy.sparse import diags_array

    M = A.rows(np.arange(A.n))
    root = np.sqrt(weights)
    B = M * root[:, None] * scale if isinstance(M, np.ndarray) else diags_array(root) @ M @ diags_array(scale)
    gram, lift = B.T @ B, LIFT
    gram = gram if isinstance(gram, np.ndarray) else gram.toarray()
    while True:
        try:
            factor = cho_factor(gram + lift * np.eye(A.d))
            break
        except np.linalg.LinAlgError:
            lift *= 100.0
    return lambda q: scale * cho_solve(factor, scale * q)


def _conflict(s: F64) -> Conflict:
    rows = np.flatnonzero(s > 0)
    return Conflict(rows, s[rows] / s.sum())
