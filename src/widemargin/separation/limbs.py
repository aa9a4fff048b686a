"""sum_i c_i a_ij over many rows, c_i whole: exact, in float64.

a = m 2^e with |m| < 2^53, and every factor in limbs of 18 bits: products of two have 36 bits, and sums of them over
2^16 rows 52.  Sums of one column and one e are kept apart until the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.separation.integers import combined
from widemargin.separation.signed import Signed

LIMB, LIMBS = 18, 3
PIECE = LIMB * LIMBS  # bits of c that are taken at a time
ROWS = 1 << 16
ENTRIES = 1 << 18  # numbers at a time, so that they stay in the cache
CELLS = 1 << 24  # columns times exponents that are kept


def weighted_sums(A: Signed, rows: I64, counts: Sequence[int]) -> tuple[list[int], int]:
    """N, e with sum_i counts_i a_i = N 2^e; a row takes part once at most."""
    low, span = _exponents(A)
    if A.d * span > CELLS or not len(rows):
        sums, each = combined(A.entries(rows), counts, A.d)
        base = int(each.min(initial=0))
        return [n << int(e) - base for n, e in zip(sums, each, strict=True)], base
    total = np.zeros(A.d, dtype=object)
    left: Array = np.array(counts, dtype=object)
    for piece in range(-(-max(counts).bit_length() // PIECE)):
        part = (left >> PIECE * piece) & ((1 << PIECE) - 1)
        total += _one(A, rows, part.astype(np.int64), low, span) << PIECE * piece
    return total.tolist(), low - 53


def _exponents(A: Signed) -> tuple[int, int]:
    """The least e of all numbers, and how many there are up to the largest."""
    M = A.X.matrix
    numbers = (M if isinstance(M, np.ndarray) else M.data).reshape(-1)
    least = most = 1.0  # that of the intercept
    for start in range(0, len(numbers), ENTRIES):
        size = np.abs(numbers[start : start + ENTRIES])
        least = min(least, float(size.min(where=size > 0, initial=1.0)))
        most = max(most, float(size.max(initial=0.0)))
    low, high = np.frexp([least, most])[1].tolist()
    return low, high - low + 1


def _one(A: Signed, rows: I64, counts: I64, low: int, span: int) -> Array:
    """The sums for counts below 2^54, in units of 2^(low - 53)."""
    cells = A.d * span
    sums = np.zeros((2 * LIMBS - 1, cells), dtype=np.int64)
    step = int(max(1, min(ROWS, max(ENTRIES, cells) * A.n // max(1, A.X.nnz))))
    for start in range(0, len(rows), step):
        row, column, value = A.entries(rows[start : start + step])
        fraction, e = np.frexp(value)
        m, c = _limbs(np.ldexp(fraction, 53).astype(np.int64)), _limbs(counts[start : start + step])
        cell = column * span + (e - low)
        for a in range(LIMBS):
            for b in range(LIMBS):
                total = np.bincount(cell, weights=m[a] * c[b][row], minlength=cells)
                sums[a + b] += total.astype(np.int64)
    every = np.zeros((A.d, span), dtype=object)
    for s, at in enumerate(sums):
        every += at.astype(object).reshape(A.d, span) << LIMB * s
    return np.asarray((every << np.arange(span).astype(object)).sum(axis=1))


def _limbs(m: I64) -> list[F64]:
    """m = m_0 + m_1 2^18 + m_2 2^36; the last one has the sign."""
    mask = (1 << LIMB) - 1
    parts = [m & mask, m >> LIMB & mask, m >> 2 * LIMB]
    return [part.astype(np.float64) for part in parts]
