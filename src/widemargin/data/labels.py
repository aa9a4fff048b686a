"""The label of each row, as y in {-1, +1} or class number.

Soft labels 0 <= q <= 1: a row with 0 < q < 1 becomes two, y = +1 with weight s q and y = -1 with weight
s (1 - q), so that sum s [q l(f) + (1 - q) l(-f)] is again a weighted sum of losses of margins.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from widemargin import _core
from widemargin._threads import available_threads
from widemargin._types import F64, I64, Array
from widemargin.data.frames import as_array, missing, short
from widemargin.errors import InputError, InputTypeError

EXPECTED = "expected one label per row, as a list, array or column"
QUICK = "?bBilqdf"  # NumPy's letters for types whose two values are looked for in the core
FEW_ROWS = 20  # so few rows may well have as many classes


class Labels(NamedTuple):
    """Sorted classes; y = +1 <-> classes[1], or class numbers; soft: q in [0, 1], the share of classes[1]."""

    classes: Array
    y: F64
    soft: bool = False


def labels(y: Any, n: int) -> Labels:
    """The classes among n labels, and which row has which."""
    given = column(y, n)
    pair = _two(given)
    if pair is not None:
        return pair
    kind = given.dtype.kind
    if kind in "cV":
        raise InputTypeError(f"y has dtype {given.dtype}; {EXPECTED}. Make the labels numbers or text.")
    if kind == "f":
        _check_finite(given)
        inside = (given > 0) & (given < 1)
        if inside.any() and given.min() >= 0 and given.max() <= 1:
            return Labels(np.array([0.0, 1.0]), given.astype(np.float64), soft=True)
    elif kind in "mM" and np.isnat(given).any():
        raise _no_label("NaT", int(np.isnat(given).argmax()))
    classes, y = numbered(given)
    if len(classes) == 1:
        raise one_class(classes, n)
    if kind == "f" and n > FEW_ROWS and 2 * len(classes) > n and (given != np.floor(given)).any():
        raise InputError(
            f"y is continuous ({len(classes)} different numbers in {n} rows): this is a regression target; "
            "classes were expected. Cut it into classes, for example y > numpy.median(y)."
        )
    return Labels(classes, y)


def one_class(classes: Array, n: int) -> InputError:
    """The error for labels that are all the same."""
    return InputError(
        f"all {n} labels are {plain(classes[0])!r}: only one class came, at least two were expected. "
        "Check how the rows were chosen."
    )


def _two(given: Array) -> Labels | None:
    """Numbers of which there are two, in one pass without sorting; None: look closer."""
    if given.dtype.char not in QUICK or not given.dtype.isnative or len(given) == 0:
        return None
    flat, y = np.ascontiguousarray(given), np.empty(len(given))
    other = _core.two_labels(flat.view(np.uint8) if flat.dtype == bool else flat, y, available_threads())
    if other == 0:
        return None
    classes = np.sort(given[[0, other]])
    if given.dtype.kind == "f":
        low, high = classes.tolist()
        soft = low >= 0 and high <= 1 and (low > 0 or high < 1)
        if soft or not (-np.inf < low and high < np.inf):
            return None
    return Labels(classes, y)


def column(y: Any, n: int) -> Array:
    """y as n values in one dimension."""
    if y is None or isinstance(y, str | bytes | dict | set):
        raise InputTypeError(f"y is {'None' if y is None else f'of type {type(y).__name__}'}; {EXPECTED}.")
    if "scipy.sparse" in sys.modules and sys.modules["scipy.sparse"].issparse(y):
        raise InputTypeError(f"y is sparse; {EXPECTED}. Pass y.toarray().ravel().")
    given = as_array(y, "y", EXPECTED)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given.ravel()
    if given.ndim != 1:
        raise InputError(
            f"y has shape {given.shape}; expected one label per row, shape ({n},). If each row is one-hot, "
            "pass numpy.argmax(y, axis=1); if the columns are several questions, fit each by itself."
        )
    if len(given) != n:
        raise InputError(f"y has {len(given)} labels but X has {n} rows; expected one label per row. Align the two.")
    if given.dtype.kind == "O" and set(map(type, given)) <= {bool, int, float}:
        return _natural(given.tolist())
    return given


def _no_label(value: object, row: int) -> InputError:
    return InputError(f"y has {value} at row {row} (counted from 0); expected a label. Drop the row, or give it one.")


def _check_finite(given: Array) -> None:
    wrong = ~np.isfinite(given)
    if wrong.any():
        row = int(wrong.argmax())
        raise _no_label(plain(given[row]), row)


def plain(label: Any) -> Any:
    """A label as Python writes it."""
    return label.item() if isinstance(label, np.generic) else label


def numbered(given: Array) -> tuple[Array, F64]:
    """Sorted classes; y as -1/+1 or class numbers (+1 where there is one class alone)."""
    if given.dtype.kind in "OT":
        return _hashed(given)
    first, other = given[0], given != given[0]
    k = int(other.argmax())
    if not other[k]:
        return given[:1].copy(), np.ones(len(given))
    second = given[k]
    if ((given == second) == other).all():
        up = second > first
        pair = [first, second] if up else [second, first]
        return np.array(pair), np.where(other == up, 1.0, -1.0)
    if given.dtype.kind in "SU":
        return _hashed(given)
    if given.dtype.kind in "iu" and given.dtype != np.uint64:
        low, span = int(given.min()), int(given.max()) - int(given.min())
        if span < 4 * len(given) + 1000:
            return _counted(given, low)
    classes, codes = np.unique(given, return_inverse=True)
    return classes, codes.astype(np.float64)


def _counted(given: Array, low: int) -> tuple[Array, F64]:
    """Integers that lie close together need no sorting."""
    shifted = given.astype(np.int64) - low
    present = np.bincount(shifted) > 0
    classes = (np.flatnonzero(present) + low).astype(given.dtype.newbyteorder("="))
    return classes, np.cumsum(present, dtype=np.float64)[shifted] - 1.0


def _hashed(given: Array) -> tuple[Array, F64]:
    """Text and Python objects: classes by hash, sorted by their own order."""
    values = given.tolist()
    try:
        distinct = set(values)
    except (TypeError, ValueError):
        row = next((i for i, value in enumerate(values) if type(value).__hash__ is None), 0)
        raise InputTypeError(f"y has a {type(values[row]).__name__} at row {row}; {EXPECTED}.") from None
    if any(map(missing, distinct)):
        row = next(i for i, value in enumerate(values) if missing(value))
        raise _no_label(values[row], row)
    try:
        classes = sorted(distinct)
    except TypeError:
        first = type(values[0])
        row = next((i for i, value in enumerate(values) if type(value) is not first), 1)
        raise InputTypeError(
            f"y mixes labels without a common order: {short(values[0])} ({first.__name__}) at row 0 and "
            f"{short(values[row])} ({type(values[row]).__name__}) at row {row}. Make all of one type."
        ) from None
    number = {label: k for k, label in enumerate(classes)}
    y = np.fromiter(map(number.__getitem__, values), np.float64, len(values))
    return _natural(classes), 2 * y - 1 if len(classes) == 2 else y


def _natural(values: list[Any]) -> Array:
    """NumPy's own type for these labels where it changes none of them, else Python objects."""
    kinds = set(map(type, values))
    if len(kinds) == 1 or kinds <= {bool, int, float}:
        typed = np.array(values)
        if typed.ndim == 1 and typed.dtype.kind in "biufSU" and typed.tolist() == values:
            return typed
    objects = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):  # one by one, since a label may be a tuple
        objects[k] = value
    return objects


def split_soft(q: F64) -> tuple[I64, F64, F64]:
    """Rows to take, their y, and their share of the row's weight: two rows where 0 < q < 1."""
    index = np.repeat(np.arange(len(q)), np.where((q > 0) & (q < 1), 2, 1))
    second = np.append(False, index[1:] == index[:-1])
    y = np.where(second | (q[index] == 0), -1.0, 1.0)
    return index, y, np.where(y > 0, q[index], 1.0 - q[index])
