"""a of a loss with a kink, moved so that sum p a y x is as it must be in some columns: least squares over 0 < a < 1."""

from __future__ import annotations

import numpy as np

from widemargin._types import F64, Array
from widemargin.data.source import ArraySource
from widemargin.solve.interior_design import Design
from widemargin.solve.interior_system import newton_system

SNAP = 1e-9  # a this close to 0 or 1 is there
LEAST = 1e-11  # holds back what collinear columns leave open
APART = 1e12  # ... and columns that are free
ROUNDS = 3


def moved(design: Design, y: F64, p: F64, a: F64, columns: Array, target: F64) -> F64:
    """To rounding, if rows between the bounds can take it; columns and target (width,): which, and where they go."""
    a = np.where(a < SNAP, 0.0, np.where(a > 1 - SNAP, 1.0, a))
    weight = p * np.minimum(a, 1 - a)
    on = np.flatnonzero(weight > 0)
    if not len(on) or not columns.any():
        return a
    part = Design(ArraySource(design.X.take(on), y[on]), design.reducer, design.shift, design.inverse, design.ones)
    top = float(weight.max())
    E = np.where(columns, LEAST * top, APART * top)
    system = newton_system(part, weight[on], E, np.zeros(design.width))
    eta = p * a * y
    for _ in range(ROUNDS):
        left = np.where(columns, design.transposed_times(eta) - target, 0.0)
        eta[on] += system.solve_once(np.zeros(len(on)), -left)[1]
    return np.clip(np.divide(y * eta, p, out=a.copy(), where=p > 0), 0.0, 1.0)
