"""max_lambda c.lambda - lambda' G lambda  over lambda >= 0, sum lambda = 1, exactly, from a feasible start.

On the rows with weight the maximum solves linear equations; the way there is walked until a weight reaches 0, which
leaves; then the row with the largest slope joins.  Wolfe 1976 (Math. Programming 11); Lawson, Hanson 1974.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin._types import F64

FINE = 1e-14  # of the largest coefficient: a smaller gain in slope is none
LIFT = 1e-13  # of the diagonal: rows may depend on each other


def concave_maximum(G: F64, c: F64, start: F64) -> F64:
    """The weights; every step raises the objective, so it ends.

    Half of the rows that would gain join at once; only the best one where that many brought nothing.
    """
    x, scale = start.copy(), float(np.abs(c).max(initial=0.0)) or 1.0
    on, value, many = x > 0, -np.inf, True
    for _ in range(20 * len(x) + 100):
        x, on = _settled(G, c, x, on)
        image = G @ x
        before, value = value, float(c @ x - x @ image)
        slope = c - 2 * image
        gain = np.where(on, -np.inf, slope - float(slope[on] @ x[on]))  # slopes of rows with weight are all equal
        order = np.argsort(-gain, kind="stable")[: int((gain > FINE * scale).sum())]
        if len(order) == 0 or not (value > before or many):
            break
        many = value > before
        on = on.copy()
        on[order[: (len(order) + 1) // 2] if many else order[:1]] = True
    return np.asarray(x / x.sum())


def _settled(G: F64, c: F64, x: F64, on: NDArray[np.bool_]) -> tuple[F64, NDArray[np.bool_]]:
    """The maximum over the rows that are on; those whose weight reaches 0 on the way are taken off."""
    for _ in range(len(x)):
        target = np.zeros(len(x))
        target[on] = _stationary(G[np.ix_(on, on)], c[on], x[on])
        down = on & (target <= 0)
        if not down.any():
            return target, on
        rates = x[down] / np.maximum(x[down] - target[down], 1e-300)
        t = float(rates.min())
        x = x + t * (target - x)
        leaving = np.flatnonzero(down)[rates <= t * (1 + 1e-12)]
        x[leaving] = 0.0
        on = on.copy()
        on[leaving] = False
    return x, on


def _stationary(G: F64, c: F64, x: F64) -> F64:
    """Where c - 2 G x is the same for all rows and sum x = 1; of several, one near to x."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    scale = float(np.diagonal(G).max(initial=0.0)) or 1.0
    H = 2 * G / scale + 1.0  # on sum x = 1 the added constant changes nothing, and takes one null direction away
    right = np.column_stack([(c - 2 * (G @ x)) / scale + (1.0 - x.sum()), np.ones(len(c))])
    try:
        factor = cho_factor(H + LIFT * np.eye(len(c)), check_finite=False)
        found = cho_solve(factor, right, check_finite=False)
        found += cho_solve(factor, right - H @ found, check_finite=False)  # the digits that the lift took
    except LinAlgError:
        found = np.linalg.lstsq(H, right, rcond=LIFT)[0]
    free, border = found.T
    return np.asarray(x + free - border * ((free.sum() - (1.0 - x.sum())) / border.sum()))
