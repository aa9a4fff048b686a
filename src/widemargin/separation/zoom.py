"""Rows that nearly lie in a subspace, seen in coordinates that are 0 on it: exact products with the data, scaled up.

    A w > 0, w = T v  <=>  (A T) v > 0   and   A' lambda = 0  <=>  (A T)' lambda = 0,   T regular

Where rows seem to conflict and are not proved to, the columns of T along which they are nearly 0 are new coordinates,
which whole numbers give with all their digits; the rows are then as far apart as these coordinates tell.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.separation.conflict import Separating, conflict
from widemargin.separation.integers import power, primitive, whole_rows
from widemargin.separation.scaling import restored, scaled
from widemargin.separation.signed import Signed, entries
from widemargin.separation.vanishing import Vanishing, vanishing

NEAR = 1e-6  # a singular value below this part of the first belongs to a direction that is nearly 0
STEPS = 25  # each brings up to 50 bits; float64 has about 2,100
LARGEST = 500_000  # numbers to be multiplied in whole numbers
DIGITS = 53  # of the coordinates


def zoom(A: Signed, rows: I64) -> Vanishing | tuple[int, ...] | None:
    """Rows whose combination vanishes exactly, or whole numbers w with a_i.w > 0 for all the rows; None if neither."""
    if len(rows) * A.d > LARGEST:
        return None
    N, e = whole_rows(entries(A.rows(rows)), (len(rows), A.d))
    T = np.array([[int(j == k) for k in range(A.d)] for j in range(A.d)], dtype=object)
    close: Array = np.arange(len(rows))
    for _ in range(STEPS):
        M, columns, widest = _seen(N @ T, close)
        found = conflict(M)
        if isinstance(found, Separating):
            w = T @ np.array(_whole(found.w, columns), dtype=object)
            return primitive(Fraction(int(x)) * power(-int(f)) for x, f in zip(w, e, strict=True))
        close = found.rows
        some = vanishing(A, rows[close], restored(found.weights, -widest[close]))
        if some is not None:
            return some
        T = _turned(T, M[close], columns)
    return None


def _whole(v: F64, exponents: Array) -> tuple[int, ...]:
    """The proportions of v_j 2^exponents_j, in whole numbers."""
    return primitive(Fraction(x) * power(int(c)) for x, c in zip(v.tolist(), exponents, strict=True))


def _seen(N: Array, close: Array) -> tuple[F64, Array, Array]:
    """2^-rows N 2^columns in float64, and columns, rows: columns near 1 on the close rows, then rows near 1."""
    fraction, exponent = _parts(N)
    low = np.iinfo(np.int64).min // 4
    exponent = np.where(fraction != 0, exponent, low)
    top = exponent[close].max(axis=0)
    top = np.where(top > low, top, exponent.max(axis=0))
    even = np.where(fraction != 0, exponent - np.where(top > low, top, 0), low)
    widest = even.max(axis=1)
    widest = np.where(widest > low, widest, 0)
    M = np.ldexp(fraction, np.clip(even - widest[:, None], -2000, 0))
    return M, -np.where(top > low, top, 0), widest


def _parts(N: Array) -> tuple[F64, Array]:
    """N = fraction 2^exponent, 1/2 <= |fraction| <= 1, for whole numbers of any size."""
    exponent = np.array([int(n).bit_length() for n in N.flat], dtype=np.int64)
    fraction = np.array([int(n) / (1 << int(k)) for n, k in zip(N.flat, exponent, strict=True)])
    return fraction.reshape(N.shape), exponent.reshape(N.shape)


def _turned(T: Array, close: F64, columns: Array) -> Array:
    """T with some columns replaced by combinations that are nearly 0 on the close rows."""
    even = scaled(close)
    _, size, Vt = np.linalg.svd(even.matrix, full_matrices=True)
    size = np.append(size, np.zeros(len(Vt) - len(size)))
    free = Vt[min(int((size > NEAR * size[0]).sum()), len(Vt) - 1) :].copy()  # at least the least of them
    out = T.copy()
    for k, v in enumerate(free):  # as in Gauss's elimination, so that the columns stay independent
        j = int(np.argmax(np.abs(v)))
        free[k + 1 :] -= np.outer(free[k + 1 :, j] / v[j], v)
        out[:, j] = T @ np.array(_whole(np.round(np.ldexp(v, DIGITS)), columns + even.columns), dtype=object)
    return out
