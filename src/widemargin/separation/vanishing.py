"""A combination that nearly vanishes, or a w that is nearly 0 on some rows, made to be so: exactly.

All weights but those of a basis stay as they are; those of the basis are solved for over the rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.separation import rational
from widemargin.separation.integers import column_sums, combined, power, primitive, whole_rows
from widemargin.separation.scaling import restored, scaled
from widemargin.separation.signed import Signed, absolute, entries

RANK = 1e-10  # a diagonal of QR below this part of its first is taken for 0
WIDEST = 3e7  # entries of a dense matrix to be factored
EFFORT = 1.2e10  # bits times unknowns^3: about 10 seconds


class Vanishing(NamedTuple):
    """sum_i counts_i a_i = 0 over some rows, counts > 0; and a basis of these rows, with columns that tell it apart."""

    rows: I64
    counts: tuple[int, ...]
    chosen: list[int]
    columns: list[int]


class Spread(NamedTuple):
    """sum_i counts_i a_i + other sum over all other rows a_i = 0."""

    counts: tuple[int, ...]
    other: int


def vanishing(A: Signed, rows: I64, weights: F64) -> Vanishing | None:
    """Whole counts near the proportions of weights > 0 whose combination vanishes to rounding; None if not found."""
    part = A.rows(rows)
    basis = _basis(part, weights)
    if basis is None:
        return None
    chosen, columns = basis
    fixed = np.setdiff1d(np.arange(len(rows)), chosen)
    held = [Fraction(x) for x in weights[fixed].tolist()]
    common = lcm(*(x.denominator for x in held))
    sums, low = combined(entries(part[fixed]), [int(x * common) for x in held], A.d)
    found = _carried(
        part, chosen, columns, [Fraction(s, common) * power(int(e)) for s, e in zip(sums, low, strict=True)]
    )
    if found is None or min(found, default=Fraction(1)) <= 0:
        return None
    every = [Fraction(0)] * len(rows)
    for i, x in zip([*chosen, *fixed.tolist()], [*found, *held], strict=True):
        every[i] = x
    counts = primitive(every)
    return Vanishing(rows, counts, chosen, columns) if not any(combined(entries(part), counts, A.d)[0]) else None


def spread(A: Signed, some: Vanishing) -> Spread | None:
    """Every other row takes part as well, if the rows span it: so little that the basis takes it up, positive still."""
    if len(some.rows) == A.n:
        return Spread(some.counts, 0)
    part, total = A.rows(some.rows), column_sums((block for _, block in A.blocks()), A.d)
    listed, low = combined(entries(part), [1] * len(some.rows), A.d)
    rest = [t - n * power(int(e)) for t, n, e in zip(total, listed, low, strict=True)]
    change = _carried(part, some.chosen, some.columns, rest)
    if change is None:
        return None
    room = [Fraction(some.counts[i]) / -x for i, x in zip(some.chosen, change, strict=True) if x < 0]
    other = _power_below(min(room) / 2) if room else Fraction(1)
    every = [Fraction(n) for n in some.counts]
    for i, x in zip(some.chosen, change, strict=True):
        every[i] += other * x
    *counts, count = primitive([*every, other])
    sums, low = combined(entries(part), counts, A.d)
    gone = all(n * power(int(e)) + count * r == 0 for n, e, r in zip(sums, low, rest, strict=True))
    return Spread(tuple(counts), count) if gone else None


def _power_below(x: Fraction) -> Fraction:
    """A power of two, x / 4 < 2^e <= x."""
    return power(x.numerator.bit_length() - x.denominator.bit_length() - 1)


def _basis(part: Any, weights: F64) -> tuple[list[int], list[int]] | None:
    """Rows, of large weight and far from dependent, that span the others, and columns that tell them apart."""
    from scipy.linalg import qr

    even = scaled(part)
    M, used = used_columns(even.matrix)
    if M.size > WIDEST:
        return None
    if not M.size:
        return [], []
    size = restored(weights, -even.rows)
    R, order = qr((M * (size / size.max())[:, None]).T, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int((diagonal > RANK * diagonal[0]).sum())
    if rank > rational.LARGEST:
        return None
    order = order[: rank + 20]
    whole, _ = whole_rows(entries(part[order]), (len(order), part.shape[1]))
    kept, columns = rational.independent(whole[:, used], rank + 20)
    return [int(order[k]) for k in kept], [int(used[j]) for j in columns]


def used_columns(M: Any) -> tuple[F64, I64]:
    """The columns that are not all 0, dense, and which they are; none of them where they would be too many."""
    used = np.flatnonzero(absolute(M).sum(axis=0) > 0)
    if isinstance(M, np.ndarray):
        return M[:, used], used
    if M.shape[0] * len(used) > WIDEST:
        return np.broadcast_to(0.0, (M.shape[0], len(used))), used
    return np.asarray(M[:, used].toarray()), used


def _carried(part: Any, chosen: list[int], columns: list[int], load: Sequence[Fraction]) -> list[Fraction] | None:
    """Weights of the basis that add up to minus the load, in these columns."""
    some = part[chosen]
    dense = some if isinstance(some, np.ndarray) else some.toarray()
    N, e = whole_rows(entries(np.ascontiguousarray(dense[:, columns])), (len(chosen), len(columns)))
    return rational_solution(N.T, [-load[j] / power(int(f)) for j, f in zip(columns, e, strict=True)])


def rational_solution(G: Array, h: Sequence[Fraction]) -> list[Fraction] | None:
    """G u = h, if that is within reach."""
    bits = max((abs(int(g)).bit_length() for g in G.flat), default=1)
    if len(G) ** 3 * bits > EFFORT or len(G) > rational.LARGEST:
        return None
    common = lcm(*(x.denominator for x in h))
    whole = np.array([x.numerator * (common // x.denominator) for x in h], dtype=object)
    u = rational.solve(G, whole)
    return None if u is None else [x / common for x in u]
