"""z_i = y_i (w.x_i + b); row i is an error where z_i <= 0.  Rows with the same x and the same y are one point.

A point weighs what its rows weigh.  Weights that are all multiples of one number make every sum of errors a multiple
of it, so that a bound may be rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.data.rows import Rows
from widemargin.data.source import ArraySource
from widemargin.separation.signed import Signed

LARGEST = 2.0**53
SLACK = 1e-6  # a sum is rounded up unless it lies above a multiple by less than this part of it


@dataclass(frozen=True, eq=False)
class Points:
    """The different rows of A = y (x, 1), what each weighs, and where it stands in the data."""

    A: Signed
    s: F64
    first: I64  # the first row of each point
    group: I64  # the point of each row; -1 for a row that weighs nothing
    unit: float  # all weights are multiples of it; 0: of nothing

    @property
    def n(self) -> int:
        """Points."""
        return len(self.s)

    def roughly(self, w: F64) -> Array:
        """Where z <= 0, to rounding."""
        return ~(self.A.margins(w) > 0)

    def misjudged(self, w: F64) -> Array:
        """Where z > 0 is not certain: on the wrong side, on the hyperplane, or nearer to it than rounding can tell."""
        return ~(self.A.margins(w) > self.A.error(w))

    def part(self, index: I64) -> Signed:
        """Some of the points."""
        return Signed(self.A.X.take(index), self.A.y[index], self.A.intercept)

    def up(self, bound: float) -> float:
        """The smallest sum of weights that is not below a bound, which carries rounding."""
        if not self.unit:
            return bound * (1 - 1e-9)
        ratio = bound / self.unit
        return math.ceil(ratio - SLACK * max(1.0, ratio)) * self.unit

    def weight(self, chosen: Array) -> float:
        """Sum of s over some points, rounded once."""
        return math.fsum(self.s[chosen].tolist())


def points(source: ArraySource, intercept: bool) -> Points:
    """The points of rows with y = -1/+1; rows without weight are left out."""
    s = np.ones(source.n) if source.s is None else source.s
    there = np.flatnonzero(s > 0).astype(np.int64)
    key = 2 * _same(source.X)[there] + (source.y[there] > 0)
    _, place, inverse = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(place, kind="stable")  # points in the order in which they come
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    first, of_row = there[place[order]], rank[inverse]
    group = np.full(source.n, -1, dtype=np.int64)
    group[there] = of_row
    total = np.bincount(of_row, weights=s[there]).astype(np.float64)
    X = source.X if len(first) == source.n else source.X.take(first)
    return Points(Signed(X, source.y[first], intercept), total, first, group, _unit(total))


def vanishing(points: Points) -> list[I64]:
    """The pairs of points with a_i + a_k = 0, and the points with a_i = 0."""
    A = points.A
    b = A.y if A.intercept else np.zeros(points.n)
    here = list(zip(_keys(A.X, A.y), b.tolist(), strict=True))
    there = list(zip(_keys(A.X, -A.y), (-b).tolist(), strict=True))
    place = {key: i for i, key in enumerate(here)}
    found = ((i, place.get(key, -1)) for i, key in enumerate(there))
    return [np.unique([k, i]).astype(np.int64) for i, k in found if 0 <= k <= i]


def _same(X: Rows) -> I64:
    """A number for each row, the same for rows with the same entries."""
    known: dict[bytes, int] = {}
    numbers = (known.setdefault(key, len(known)) for key in _keys(X, np.ones(X.n)))
    return np.fromiter(numbers, dtype=np.int64, count=X.n)


def _keys(X: Rows, y: F64) -> list[bytes]:
    """The entries of y x, row by row: equal bytes where they are equal."""
    matrix: Any = X.matrix
    if isinstance(matrix, np.ndarray):
        whole = np.ascontiguousarray(matrix * y.astype(matrix.dtype)[:, None] + 0)  # -0.0 becomes 0.0
        return [row.tobytes() for row in whole]
    tidy = matrix.copy()
    tidy.data = tidy.data * np.repeat(y, np.diff(tidy.indptr))
    tidy.sort_indices()
    tidy.eliminate_zeros()
    ends, indices, data = tidy.indptr.tolist(), tidy.indices, tidy.data
    return [indices[i:j].tobytes() + data[i:j].tobytes() for i, j in pairwise(ends)]


def _unit(s: F64) -> float:
    """The largest number found of which all weights are multiples; 0 if none is."""
    least = float(s.min())
    ratio = s / least
    if (ratio == np.floor(ratio)).all() and (ratio * least == s).all() and ratio.max() < LARGEST:
        return least
    if (s == np.floor(s)).all() and s.max() < LARGEST:
        return float(math.gcd(*s.astype(np.int64).tolist()))
    return 0.0
