"""No hyperplane has a geometric margin above |p - q| / 2, p and q being points of the hulls of the two classes.

For sum_i lambda_i y_i = 0, sum_i lambda_i = 1, |w| = 1:  min_i y_i (w.x_i + b) <= w . sum_i lambda_i y_i x_i.
Without intercept the first condition falls away.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from widemargin._types import F64, I64
from widemargin.separation.integers import power, primitive
from widemargin.separation.limbs import weighted_sums
from widemargin.separation.signed import Signed


def epsilon(A: Signed, rows: I64, weights: F64) -> float:
    """The bound for these weights > 0, rounded up; the weights of the two classes are balanced first, exactly."""
    counts = np.array(primitive(Fraction(x) for x in weights.tolist()), dtype=object)
    plus = A.y[rows] > 0
    if not A.intercept:
        sums, e = weighted_sums(A, rows, counts.tolist())
        return _norm_above([Fraction(s, int(counts.sum())) * power(e) for s in sums])
    of_plus, of_minus = int(counts[plus].sum()), int(counts[~plus].sum())
    if not of_plus or not of_minus:
        return float("inf")
    (p, e), (q, f) = (weighted_sums(A, rows[side], counts[side].tolist()) for side in (plus, ~plus))
    return _norm_above(
        [
            Fraction(a, 2 * of_plus) * power(e) + Fraction(b, 2 * of_minus) * power(f)
            for a, b in zip(p[: A.X.d], q[: A.X.d], strict=True)
        ]
    )


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
