"""Functional margin y (w.x + b), geometric margin y (w.x + b) / ||w||; of a set, the smallest of its points.

Beyond two classes the label is the largest score, so the margin is measured to the nearest rival:
  min_{k != y} s_y - s_k,   min_{k != y} (s_y - s_k) / ||w_y - w_k||.
Crammer, Singer 2001 (JMLR 2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.errors import InputError, OptionError
from widemargin.geometry.hyperplane import Hyperplane, hyperplane, points, scores

SIGNS = {-1: 0, 0: 0, 1: 1}


def functional_margin(plane: Any, X: Any, y: Any, *, of: str = "rows") -> float | F64:
    """y (w.x + b) of every point, or with of="set" the smallest."""
    found = hyperplane(plane)
    at = points(X, found)
    values = scores(found, at.rows)
    own = members(found, y, at.rows.n)
    if values.shape[1] == 1:
        return _of(np.where(own == 1, 1.0, -1.0) * values[:, 0] + 0.0, of, at.single)  # no -0.0
    mine = values[np.arange(len(own)), own]
    values[np.arange(len(own)), own] = -np.inf
    return _of(mine - values.max(axis=1), of, at.single)


def geometric_margin(plane: Any, X: Any, y: Any, *, of: str = "rows") -> float | F64:
    """The signed distance to where the label changes, positive where it is right; with of="set" the smallest."""
    found = hyperplane(plane)
    if found.W.shape[1] == 1:
        even, length = found.evened()
        return functional_margin(even, X, y, of=of) / float(length[0])
    at = points(X, found)
    own = members(found, y, at.rows.n)
    margins = np.full(at.rows.n, np.inf)
    for k in np.unique(own).tolist():
        mine = own == k
        others = np.delete(np.arange(found.W.shape[1]), k)
        between = Hyperplane(found.W[:, [k]] - found.W[:, others], found.b[k] - found.b[others])
        even, length = between.evened()
        margins[mine] = (scores(even, at.rows.take(np.flatnonzero(mine))) / length).min(axis=1)
    return _of(margins, of, at.single)


def members(plane: Hyperplane, y: Any, n: int) -> I64:
    """The number of each label's class."""
    given = np.asarray(y).reshape(-1)
    if len(given) != n:
        raise InputError(f"y has {len(given)} labels but X has {n} rows; expected one label per row.")
    if plane.classes is not None:
        known = {label: k for k, label in enumerate(plane.classes.tolist())}
        expected = f"one of {list(known)}"
    elif plane.W.shape[1] == 1:
        known, expected = SIGNS, "-1 or +1 (or 0 or 1), for (w, b) knows no other labels; a model does"
    else:
        K = plane.W.shape[1]
        known, expected = {k: k for k in range(K)}, f"a class number 0..{K - 1}, for (W, b) knows no other labels"
    numbers = [known.get(label, -1) for label in given.tolist()]
    if -1 in numbers:
        row = numbers.index(-1)
        raise InputError(f"y has {given.tolist()[row]!r} at row {row} (counted from 0); expected {expected}.")
    return np.array(numbers, dtype=np.int64)


def _of(margins: F64, of: str, single: bool) -> float | F64:
    if of not in ("rows", "set"):
        raise OptionError(f"of = {of!r}; expected 'rows' (one margin a point) or 'set' (the smallest)")
    if of == "rows":
        return float(margins[0]) if single else margins
    if len(margins) == 0:
        raise InputError("X has no rows: an empty set has no margin. Pass at least one point.")
    return float(margins.min())
