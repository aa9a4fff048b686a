"""The signs of A w, proved: by float64 and a bound on its error; in whole numbers where the bound does not decide."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from widemargin._types import F64
from widemargin.separation.integers import power, primitive, products
from widemargin.separation.signed import Signed

TINY = float(np.finfo(float).tiny)


class Signs(NamedTuple):
    """What is true of A w."""

    least: F64  # lower bounds of A w, row by row, with its exact signs
    exactly: int  # rows that were multiplied in whole numbers

    @property
    def complete(self) -> bool:
        """A w > 0."""
        return bool((self.least > 0).all())

    @property
    def quasi(self) -> bool:
        """A w >= 0 and not A w = 0."""
        return bool((self.least >= 0).all() and (self.least > 0).any())


def signs(A: Signed, w: F64, exact: Sequence[int] | None = None) -> Signs:
    """The signs of A w; `exact` are whole numbers that w is a rounding of, up to a positive factor."""
    z, error = A.margins(w), A.error(w)
    with np.errstate(invalid="ignore", over="ignore"):
        sure = (np.abs(z) > error) & np.isfinite(error)
        if exact is not None and any(n and abs(x) < TINY for n, x in zip(exact, w.tolist(), strict=True)):
            sure[:] = False  # there w is not a rounding of the exact numbers
        least = np.where(sure, z - error, 0.0)
    unsure = np.flatnonzero(~sure)
    if not len(unsure):
        return Signs(least, 0)
    whole = integers_of(w) if exact is None else exact
    largest = int(np.argmax(np.abs(w)))
    unit = Fraction(float(w[largest])) / whole[largest] if whole[largest] else Fraction(1)
    for start in range(0, len(unsure), 4096):
        index = unsure[start : start + 4096]
        values, e = products(A.entries(index), whole, len(index))
        factor = unit * power(e)
        least[index] = [_below(value * factor) for value in values]
    return Signs(least, len(unsure))


def _below(x: Fraction) -> float:
    """A float64 not above x, of the same sign."""
    if x <= 0:
        return 0.0 if x == 0 else -1.0
    try:
        return max(float(x) * (1 - 2.0**-48), 2.0**-1074)
    except OverflowError:
        return 1e300


def integers_of(w: F64) -> tuple[int, ...]:
    """Whole numbers in the proportions of w."""
    return primitive(Fraction(x) for x in w.tolist())


def margin_of(A: Signed, w: F64, seen: Signs) -> float:
    """min A w / |w|, rounded down: what is proved of the geometric margin."""
    size = np.abs(w[: A.X.d])
    top = float(size.max(initial=0.0))
    if top == 0 or not np.isfinite(top):
        return 0.0
    norm = np.linalg.norm(size / top) * (1 + (A.d + 16) * 2.0**-52)
    return float(np.nextafter(seen.least.min() / top / norm, 0.0))
