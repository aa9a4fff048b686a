"""Every float64 is m 2^e with whole m: sums and products of rows in whole numbers of Python, without rounding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

import numpy as np

from widemargin._types import F64, I64, Array

LOW_BITS = 26  # of a mantissa of 53: sums of either part over 2^26 rows are exact in float64


class Entries(NamedTuple):
    """The entries of some rows that are not zero: row by row."""

    row: Array
    column: Array
    value: F64


def mantissas(values: F64) -> tuple[I64, Array]:
    """values = m 2^e, m odd; m = e = 0 where the value is 0."""
    fraction, e = np.frexp(values)
    m = np.ldexp(fraction, 53).astype(np.int64)
    zeros = np.where(m != 0, np.frexp((m & -m).astype(np.float64))[1] - 1, 0)
    return m >> zeros, np.where(m != 0, e.astype(np.int64) - 53 + zeros, 0)


def shifted(m: Array, by: Array) -> Array:
    """m 2^by as Python's integers."""
    if len(by) == 0 or by.max() <= 9:  # 53 + 9 bits
        return np.asarray((m << by).astype(object))
    return np.asarray(m.astype(object) << by.astype(object))


def least(index: Array, e: Array, size: int) -> Array:
    """The least e of each index; 0 for an index that does not occur."""
    out = np.full(size, np.iinfo(np.int64).max)
    np.minimum.at(out, index, e)
    return np.where(out == np.iinfo(np.int64).max, 0, out)


def whole_rows(entries: Entries, shape: tuple[int, int]) -> tuple[Array, Array]:
    """N, e with A[:, j] = N[:, j] 2^e_j; N dense, of Python's integers."""
    m, e = mantissas(entries.value)
    low = least(entries.column, e, shape[1])
    N = np.zeros(shape, dtype=object)
    N[entries.row, entries.column] = shifted(m, e - low[entries.column])
    return N, low


def combined(entries: Entries, counts: Sequence[int], d: int) -> tuple[list[int], Array]:
    """sum_i counts_i a_i = N 2^e, column by column."""
    m, e = mantissas(entries.value)
    low = least(entries.column, e, d)
    weights = np.array(counts, dtype=object)
    terms = shifted(m, e - low[entries.column]) * weights[entries.row]
    order = np.argsort(entries.column, kind="stable")
    return segments(terms[order], entries.column[order], d), low


def products(entries: Entries, w: Sequence[int], n: int) -> tuple[list[int], int]:
    """N, e with A w = N 2^e, for whole w."""
    m, e = mantissas(entries.value)
    low = least(entries.column, e, len(w))
    used = np.unique(entries.column)
    base = int(low[used].min()) if len(used) else 0
    lifted = np.zeros(len(w), dtype=object)
    for j in used:
        lifted[j] = w[j] << int(low[j]) - base
    terms = shifted(m, e - low[entries.column]) * lifted[entries.column]
    return segments(terms, entries.row, n), base


def segments(terms: Array, index: Array, size: int) -> list[int]:
    """The sums of the terms of each index; index is sorted."""
    out = [0] * size
    if len(terms):
        starts = np.flatnonzero(np.append(True, index[1:] != index[:-1]))
        for k, total in zip(index[starts].tolist(), np.add.reduceat(terms, starts), strict=True):
            out[k] = int(total)
    return out


def column_sums(blocks: Iterable[Entries], d: int) -> list[Fraction]:
    """The sum of each column over many rows."""
    span = 2200  # exponents of odd mantissas lie in -1074 .. 1023
    totals: dict[int, int] = {}
    for _, column, value in blocks:
        m, e = mantissas(value)
        keys, place = np.unique(column.astype(np.int64) * span + (e + 1100), return_inverse=True)
        high = np.bincount(place, weights=(m >> LOW_BITS).astype(np.float64), minlength=len(keys))
        low = np.bincount(place, weights=(m & (1 << LOW_BITS) - 1).astype(np.float64), minlength=len(keys))
        for key, h, l in zip(keys.tolist(), high.tolist(), low.tolist(), strict=True):
            totals[key] = totals.get(key, 0) + (int(h) << LOW_BITS) + int(l)
    sums = [Fraction(0)] * d
    for key, total in totals.items():
        j, exponent = divmod(key, span)
        sums[j] += Fraction(total) * power(exponent - 1100)
    return sums


def power(e: int) -> Fraction:
    """2^e."""
    return Fraction(1 << e) if e >= 0 else Fraction(1, 1 << -e)


def primitive(numbers: Iterable[Fraction]) -> tuple[int, ...]:
    """Whole numbers in the same proportions, without a common divisor."""
    given = list(numbers)
    denominator = lcm(*(x.denominator for x in given))
    whole = [x.numerator * (denominator // x.denominator) for x in given]
    common = gcd(*whole) or 1
    return tuple(x // common for x in whole)
