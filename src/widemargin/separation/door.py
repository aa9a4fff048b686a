"""What the user brings -> rows of any scale, and y = +1 / -1 for the two classes that are asked about."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.data.intake import intake_rows
from widemargin.data.labels import labels
from widemargin.data.rows import Rows
from widemargin.errors import InputError
from widemargin.separation.signed import Signed


def door(X: Any, y: Any) -> tuple[Rows, Array, Array]:
    """Checked rows of any scale, the classes, and the class number of each row."""
    rows = intake_rows(X)
    if rows.n == 0:
        raise InputError(f"X has shape {(0, rows.d)}: no rows; expected at least two, of different classes.")
    classes, target, soft = labels(y, rows.n)
    if soft:
        raise InputError(
            "y has shares strictly between 0 and 1: such a row belongs to both classes, so that nothing separates "
            "them. Expected one label per row: round the shares, or leave those rows out."
        )
    return rows, classes, ((target + 1) / 2 if len(classes) == 2 else target).astype(np.int64)


def chosen_rows(rows: Rows, code: Array, positive: int, negative: int | None, intercept: bool) -> tuple[Array, Signed]:
    """The rows of two classes, or of one and all others, with y = +1 for the first."""
    index = np.arange(rows.n) if negative is None else np.flatnonzero((code == positive) | (code == negative))
    X = rows if len(index) == rows.n else rows.take(index)
    return index, Signed(X, np.where(code[index] == positive, 1.0, -1.0), intercept)
