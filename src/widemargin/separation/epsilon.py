"""No hyperplane has a geometric margin above |p - q| / 2, p and q being points of the hulls of the two classes.

For sum_i lambda_i y_i = 0, sum_i lambda_i = 1, |w| = 1:  min_i y_i (w.x_i + b) <= w . sum_i lambda_i y_i x_i.
Without intercept the first condition falls away.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from widemargin._types import F64, I64
from widemargin.separation.integers import combined, power, primitive
from widemargin.separation.signed import Signed


def epsilon(A: Signed, rows: I64, weights: F64) -> float:
    """The bound for these weights > 0, rounded up; the weights of the two classes are balanced first, exactly."""
    counts = list(primitive(Fraction(x) for x in weights.tolist()))
    if A.intercept:
        plus = sum(c for c, y in zip(counts, A.y[rows], strict=True) if y > 0)
        minus = sum(counts) - plus
        if not plus or not minus:
            return float("inf")
        counts = [c * (minus if y > 0 else plus) for c, y in zip(counts, A.y[rows], strict=True)]
    total = sum(counts)
    sums, low = combined(A.entries(rows), counts, A.d)
    return _norm_above([Fraction(s, total) * power(int(e)) for s, e in zip(sums[: A.X.d], low, strict=False)])


def _norm_above(v: Sequence[Fraction]) -> float:
    """|v|, rounded up."""
    top = max((abs(x) for x in v), default=Fraction(0))
    if not top:
        return 0.0
    ratio = np.array([float(x / top) for x in v])  # each to half a unit, the largest is 1
    size = Fraction(float(np.sqrt(ratio @ ratio) * (1 + (len(v) + 8) * 2.0**-52)))
    try:
        return float(np.nextafter(float(size * top), np.inf))
    except OverflowError:
        return float("inf")
