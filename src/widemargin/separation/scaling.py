"""A -> 2^r A 2^c, entry by entry: largest entries near 1, and no digit changes, for the scales are powers of two.

Neither sign of A w >= 0 nor zero of A' lambda = 0 depends on positive scales of rows and columns of A.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, Array
from widemargin.separation.integers import power, primitive


class Scaled(NamedTuple):
    """`matrix` is 2^rows A 2^columns; dense or CSR as A was."""

    matrix: Any
    rows: Array  # int exponents
    columns: Array

    def direction(self, w: F64) -> F64:
        """w of the scaled rows, for A; divided by a power of two where it would leave float64."""
        return restored(w, self.columns)

    def weights(self, weights: F64, chosen: Array) -> F64:
        """Weights of some scaled rows, for the rows of A."""
        return restored(weights, self.rows[chosen])


def restored(values: F64, exponents: Array) -> F64:
    """values * 2^exponents * 2^k, k as near to 0 as float64 lets it be."""
    nonzero = values != 0
    if not nonzero.any():
        return values
    reach = np.frexp(values[nonzero])[1] + exponents[nonzero]
    k = min(0, 1000 - int(reach.max())) or max(0, min(-1000 - int(reach.min()), 1000 - int(reach.max())))
    return np.asarray(np.ldexp(values, exponents + k))


def scaled(A: Any) -> Scaled:
    """Columns first, then rows: the largest entry of each that is not zero gets an exponent of 0."""
    if isinstance(A, np.ndarray):
        columns = -exponents(np.abs(A).max(axis=0, initial=0.0))
        half = np.ldexp(A, columns)
        rows = -exponents(np.abs(half).max(axis=1, initial=0.0))
        return Scaled(np.ldexp(half, rows[:, None]), rows, columns)
    from scipy.sparse import csr_array

    size = np.abs(A.data)
    top = np.zeros(A.shape[1])
    np.maximum.at(top, A.indices, size)
    columns = -exponents(top)
    data = np.ldexp(A.data, columns[A.indices])
    owner = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    widest = np.zeros(A.shape[0])
    np.maximum.at(widest, owner, np.abs(data))
    rows = -exponents(widest)
    data = np.ldexp(data, rows[owner])
    return Scaled(csr_array((data, A.indices, A.indptr), shape=A.shape), rows, columns)


def exponents(sizes: F64) -> Array:
    """e with 2^(e-1) <= size < 2^e; 0 for a size of 0."""
    return np.frexp(sizes)[1]


def unscaled(w: F64 | Sequence[int], columns: Array) -> tuple[F64, tuple[int, ...] | None]:
    """w_j 2^columns_j in float64; and in whole numbers, up to a positive factor, where float64 rounds it."""
    if isinstance(w, np.ndarray):
        out = restored(w, columns)
        if not np.any((w != 0) & (np.abs(out) < np.finfo(float).tiny)):
            return out, None
    whole = primitive(Fraction(x) * power(int(c)) for x, c in zip(list(w), columns.tolist(), strict=True))
    return rounded(whole)


def rounded(whole: tuple[int, ...]) -> tuple[F64, tuple[int, ...] | None]:
    """The proportions of whole numbers in float64, each correctly rounded; and the numbers, where that rounds."""
    unit = 1 << max(abs(n) for n in whole).bit_length()
    out = np.array([n / unit for n in whole])
    return out, None if all(Fraction(x) * unit == n for x, n in zip(out.tolist(), whole, strict=True)) else whole
