"""A w that is nearly 0 on some rows, made to be 0 there: exactly.  All entries of w but a few stay as they are."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from widemargin._types import F64, I64
from widemargin.separation import rational
from widemargin.separation.integers import combined, power, primitive, whole_rows
from widemargin.separation.scaling import scaled
from widemargin.separation.signed import Signed, entries
from widemargin.separation.vanishing import RANK, WIDEST, rational_solution, used_columns

DIGITS = 24  # bits of w that are kept: fewer bits, smaller whole numbers


def aligned(A: Signed, rows: I64, w: F64) -> tuple[int, ...] | None:
    """Whole numbers near the proportions of w, with a_i.w = 0 on the rows, exactly; None if not found."""
    from scipy.linalg import qr

    part = A.rows(rows)
    even = scaled(part)
    w = _rounded(w, even.columns)
    M, used = used_columns(even.matrix)
    if M.size > WIDEST:
        return None
    exact = [Fraction(x) for x in w.tolist()]
    if M.size:
        R, order = qr(M, mode="r", pivoting=True)
        diagonal = np.abs(np.diag(R))
        rank = int((diagonal > RANK * diagonal[0]).sum())
        if rank > rational.LARGEST:
            return None
        dense = part[:, used] if isinstance(part, np.ndarray) else part[:, used].toarray()
        N, e = whole_rows(entries(dense), dense.shape)
        order = order[: rank + 20]
        chosen, kept = rational.independent(N[:, order].T, rank + 20)
        equations = np.array(kept, dtype=np.int64)
        solved = order[chosen]
        held = np.setdiff1d(np.arange(len(used)), solved)
        h = _load(dense[np.ix_(equations, held)], [exact[used[j]] for j in held])
        found = rational_solution(N[np.ix_(equations, solved)], h)
        if found is None:
            return None
        for j, x in zip(solved.tolist(), found, strict=True):
            exact[used[j]] = x / power(int(e[j]))
    return primitive(exact)


def _rounded(w: F64, columns: I64) -> F64:
    """w with few digits, each column on its own scale."""
    even = np.ldexp(w, -columns)
    top = np.abs(even).max(initial=0.0)
    if not 0 < top < np.inf:
        return w
    unit = int(np.frexp(top)[1]) - DIGITS
    return np.asarray(np.ldexp(np.round(np.ldexp(even, -unit)), unit + columns))


def _load(part: F64, w: list[Fraction]) -> list[Fraction]:
    """-A w, row by row."""
    common = lcm(*(x.denominator for x in w))
    counts = [x.numerator * (common // x.denominator) for x in w]
    sums, low = combined(entries(np.ascontiguousarray(part.T)), counts, len(part))
    return [-Fraction(s, common) * power(int(e)) for s, e in zip(sums, low, strict=True)]
