"""The door: what the user brings -> rows, y in {-1, +1} or class numbers, weights, offsets; or a clear error.

Checked once, here; trusted everywhere inside.  Nothing that the user owns is changed, and nothing is copied
that can be borrowed.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from widemargin import _core
from widemargin._threads import available_threads
from widemargin._types import Array
from widemargin.data.frames import Names, cell, numbers, table
from widemargin.data.labels import labels, split_soft
from widemargin.data.rows import Rows
from widemargin.data.source import ArraySource
from widemargin.data.sparse import sparse_rows
from widemargin.data.weights import check_weights, class_weighted, offsets, row_weights
from widemargin.errors import InputError, InputTypeError, OptionError

if TYPE_CHECKING:
    from widemargin.data.cache import Cache

LARGEST = 1e100  # beyond, sums of squares leave float64


class Dataset(NamedTuple):
    """Checked data; y = +1 <-> classes[1], or class numbers when there are more than two."""

    source: ArraySource
    classes: Array
    feature_names: tuple[str, ...] | None


def intake(
    X: Any, y: Any, *, sample_weight: Any = None, class_weight: Any = None, offset: Any = None,
    threads: int | None = None,
) -> Dataset:  # fmt: skip
    """Everything that a fit reads, checked; s = sample weight times class weight, None where all are 1.

    Float labels in [0, 1] of which some lie strictly between are soft: the probability of class 1.  Each such
    row becomes two weighted rows, and only then are rows copied.
    """
    threads = available_threads() if threads is None else threads
    stored = sys.modules.get("widemargin.data.cache.folder")  # not imported: X is no cache
    if stored is not None and isinstance(X, stored.Cache):
        return _cached(X, y, sample_weight, class_weight, offset)
    rows, names = _rows(X, threads)
    if rows.n == 0:
        raise InputError(f"X has shape {(0, rows.d)}: no rows; expected at least two, of different classes.")
    classes, target, soft = labels(y, rows.n)
    _check_values(rows, names, LARGEST, threads)
    s = row_weights(sample_weight, rows.n)
    o = offsets(offset, rows.n, len(classes))
    if soft:
        index, target, share = split_soft(target)
        rows = rows.take(index)
        s = share if s is None else s[index] * share
        o = None if o is None else o[index]
    s = class_weighted(s, target, classes, class_weight)
    check_weights(s, target, classes)
    return Dataset(ArraySource(rows, target, s, o, len(classes)), classes, names)


def _cached(cache: Cache, y: Any, sample_weight: Any, class_weight: Any, offset: Any) -> Dataset:
    """Rows on disk were checked when they were written; their labels, weights and offsets lie with them."""
    for name, given in (("y", y), ("sample_weight", sample_weight), ("offset", offset)):
        if given is not None:
            raise OptionError(
                f"{name} came beside a cache, which holds its own. Leave it out, or build the cache with it."
            )
    source, classes = cache.source, cache.classes
    s = class_weighted(source.s, source.y, classes, class_weight)
    check_weights(s, source.y, classes)
    return Dataset(replace(source, s=s), classes, cache.feature_names)


def checked_rows(X: Any, threads: int) -> tuple[Rows, Names, float]:
    """Rows of a block, their names, and the largest |x|."""
    rows, names = _rows(X, threads)
    return rows, names, _check_values(rows, names, LARGEST, threads)


def intake_rows(X: Any, *, d: int | None = None, feature_names: tuple[str, ...] | None = None) -> Rows:
    """Rows to predict for; d and the names are those of the fit.  No rows are as good as some."""
    threads = available_threads()
    rows, names = _rows(X, threads)
    if names is not None and feature_names is not None and names != feature_names:
        raise InputError(_renamed(names, feature_names))
    if d is not None and rows.d != d:
        raise InputError(f"X has {rows.d} columns; the model was fitted on {d}. Pass those of the fit, in their order.")
    _check_values(rows, names, np.inf, threads)
    return rows


def _renamed(came: tuple[str, ...], expected: tuple[str, ...]) -> str:
    """How the names of the columns differ from those of the fit."""
    lost, new = [c for c in expected if c not in set(came)], [c for c in came if c not in set(expected)]
    text = "X has other columns than the fit."
    for verb, columns in (("Missing", lost), ("Not known", new)):
        if columns:
            more = f" and {len(columns) - 5} more" if len(columns) > 5 else ""
            text += f" {verb}: {', '.join(map(repr, columns[:5]))}{more}."
    if not lost and not new:
        k = next((k for k, (a, b) in enumerate(zip(came, expected, strict=False)) if a != b), 0)
        text = f"X has its columns in another order: column {k} is {came[k]!r}, expected {expected[k]!r}."
    return f"{text} Select them by name: X[list(model.feature_names)]."


def _rows(X: Any, threads: int) -> tuple[Rows, Names]:
    """X in one of the core's layouts; shape and type are checked, the values are not yet."""
    names = None
    if isinstance(X, Rows):
        return X, names
    if not isinstance(X, np.ndarray | list | tuple):
        if hasattr(getattr(X, "sparse", None), "to_coo"):
            X, names = _sparse_frame(X)
        if "scipy.sparse" in sys.modules and sys.modules["scipy.sparse"].issparse(X):
            return sparse_rows(X, threads), names
    values, names = table(X)
    return Rows(len(values), values.shape[1], values), names


def _sparse_frame(X: Any) -> tuple[Any, Names]:
    """A pandas frame all of whose columns are sparse."""
    try:
        return X.sparse.to_coo(), tuple(map(str, X.columns))
    except (ValueError, TypeError) as error:
        raise InputTypeError(f"X is a sparse data frame that SciPy cannot hold: {error}. Pass X.to_numpy().") from None


def _check_values(rows: Rows, names: Names, largest: float, threads: int) -> float:
    """Every number is finite and its square is far from overflow; integers are those that float64 knows; max |x|."""
    if rows.n == 0:
        return 0.0
    row, column, size, widest = _core.scan(rows.core, threads)
    if row >= 0:
        value = rows.matrix[row, column]
        missing = "fill it (for example with the median of its column) or drop the row"
        remedy = missing if np.isnan(value) else "replace it by a finite number or drop the row"
        raise InputError(f"X has {value} at {cell(row, column, names)}; expected finite numbers. Please {remedy}.")
    if size >= 2.0**53 and rows.values is not None and rows.values.dtype.kind in "iu":
        numbers(rows.values, "X", lambda k: cell(k // rows.d, k % rows.d, names))
    if size > largest:
        name = widest if names is None else repr(names[widest])
        raise InputError(
            f"X has a number of size {size:.3g} in column {name}; expected at most {LARGEST:g}, so that sums "
            "of squares do not overflow. Divide that column by a constant."
        )
    return float(size)
