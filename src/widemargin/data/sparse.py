"""Sparse matrices of SciPy -> CSR with each column once per row.  Damage is found before anything trusts an index.

CSR and CSC are borrowed; the rows of CSC are made by one threaded counting pass, and its columns stay at hand as X'.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from widemargin import _core
from widemargin._types import I64, Array
from widemargin.data.frames import MAX_COLUMNS, cell, check_shape, numbers
from widemargin.data.rows import Rows
from widemargin.errors import InputError


def sparse_rows(X: Any, threads: int) -> Rows:
    """The rows of any format of SciPy; explicit zeros stay."""
    if X.ndim != 2:
        raise InputError(
            f"X is a {X.ndim}-dimensional sparse array, shape {X.shape}; expected a table, shape (n, d). "
            "For one column pass X.reshape(-1, 1), for one row X.reshape(1, -1)."
        )
    n, d = check_shape("X", X.shape)
    boolean = X.dtype == bool
    if X.format == "csr":
        return _compressed(X, n, d, boolean, threads)
    if n > MAX_COLUMNS:
        raise InputError(f"X has {n} rows: more rows than 2**31 - 1 are read from CSR only. Pass fewer rows at a time.")
    if X.format == "csc":
        return _compressed(X, d, n, boolean, threads).turned(threads)
    return _compressed(_to_csr(X, n, d), n, d, boolean, threads)


def _compressed(X: Any, major: int, minor: int, boolean: bool, threads: int) -> Rows:
    """The major vectors of CSR or CSC, checked, in any order within each, none of their places twice."""
    indptr, end = _indptr(X, major)
    indices, rising = _indices(X, indptr, minor, threads)
    data = X.data[:end]
    values = None if _all_ones(data, threads) else numbers(data, "X", _places(X, indptr))
    if not rising and not _unique(indices, indptr, minor):
        values = np.ones(end, np.float32) if values is None else values
        values, indices, indptr = _summed(values, indices, indptr, (major, minor))
    if boolean and values is not None:  # entries that repeat are joined by "or", as SciPy does
        values = np.minimum(values, 1)
    values = None if values is None or _all_ones(values, threads) else np.ascontiguousarray(values)
    return Rows(major, minor, values, indices, indptr)


def _places(X: Any, indptr: I64) -> Callable[[int], str]:
    """Where the k-th stored value stands, in words."""

    def place(k: int) -> str:
        major, minor = int(np.searchsorted(indptr, k, "right")) - 1, int(X.indices[k])
        return cell(major, minor) if X.format == "csr" else cell(minor, major)

    return place


def _all_ones(values: Array, threads: int) -> bool:
    """Whether no value need be stored."""
    if len(values) == 0 or values[0] != 1 or values[-1] != 1:
        return False
    if values.dtype in (np.float32, np.float64) and values.dtype.isnative:
        return bool(_core.all_ones(np.ascontiguousarray(values), threads))
    return bool((values == 1).all())


def _indptr(X: Any, major: int) -> tuple[I64, int]:
    """indptr starts at 0, never falls and ends within what is stored; as int64, and where it ends."""
    indptr, stored = np.ascontiguousarray(X.indptr, dtype=np.int64), min(len(X.indices), len(X.data))
    if len(indptr) != major + 1:
        raise _damaged(X, f"indptr has {len(indptr)} entries, expected {major + 1}")
    if indptr[0] != 0:
        raise _damaged(X, f"indptr starts at {indptr[0]}, expected 0")
    k = _core.falls(indptr)
    if k >= 0:
        raise _damaged(X, f"indptr falls from {indptr[k - 1]} to {indptr[k]} at entry {k}, expected it to rise")
    if indptr[-1] > stored:
        raise _damaged(X, f"indptr ends at {indptr[-1]}, expected at most the {stored} values that are stored")
    return indptr, int(indptr[-1])


def _indices(X: Any, indptr: I64, minor: int, threads: int) -> tuple[Array, bool]:
    """int32 indices in range, borrowed where they are, and whether they rise within every row."""
    end = int(indptr[-1])
    given = np.ascontiguousarray(X.indices[:end])
    if given.dtype not in (np.int32, np.int64) or not given.dtype.isnative:
        given = given.astype(np.int64)
    narrow = np.empty(end, np.int32) if given.dtype == np.int64 else None
    wrong, rising = _core.check_indices(given, indptr, minor, narrow, threads)
    if wrong >= 0:
        axis = "row" if X.format == "csc" else "column"
        raise _damaged(X, f"it has {axis} index {given[wrong]}, expected 0 to {minor - 1}")
    return given if narrow is None else narrow, bool(rising)


def _to_csr(X: Any, n: int, d: int) -> Any:
    """CSR of floats; the arrays are checked before SciPy's own loops, which trust them, run over them."""
    from scipy.sparse import coo_array

    if X.format == "bsr":
        if X.data.ndim != 3:
            raise _damaged(X, f"its data have shape {X.data.shape}, expected (blocks, height, width)")
        _, height, width = X.data.shape
        indptr, _ = _indptr(X, n // height)
        _indices(X, indptr, d // width, 1)
    try:
        coo = X.tocoo(copy=False)
    except (ValueError, TypeError, IndexError) as error:
        raise _damaged(X, str(error)) from None
    if not len(coo.row) == len(coo.col) == len(coo.data):
        raise _damaged(X, f"{len(coo.row)} rows, {len(coo.col)} columns, {len(coo.data)} values, expected as many")
    for index, limit, axis in ((coo.row, n, "row"), (coo.col, d, "column")):
        _check_range(X, index, limit, axis)
    data = numbers(coo.data, "X", lambda k: cell(int(coo.row[k]), int(coo.col[k])))
    return coo_array((data, (coo.row, coo.col)), shape=(n, d)).tocsr()


def _damaged(X: Any, text: str) -> InputError:
    return InputError(f"X is a damaged {X.format} matrix: {text}. Build it again from its rows, columns and values.")


def _check_range(X: Any, index: Array, limit: int, axis: str) -> None:
    if len(index) and (index.min() < 0 or index.max() >= limit):
        wrong = index[(index < 0) | (index >= limit)][0]
        raise _damaged(X, f"it has {axis} index {wrong}, expected 0 to {limit - 1}")


def _unique(indices: Array, indptr: Array, d: int) -> bool:
    """No row names a column twice: then the order within a row does not matter.  Needs a mark per column."""
    return d <= 16 * len(indices) and bool(_core.unique_columns(indices, indptr, d))


def _summed(values: Array, indices: Array, indptr: Array, shape: tuple[int, int]) -> tuple[Array, Array, Array]:
    """Copies, sorted within rows, equal columns added."""
    from scipy.sparse import csr_array

    tidy = csr_array((values.copy(), indices.copy(), indptr.copy()), shape=shape)
    tidy.sum_duplicates()
    return tidy.data, tidy.indices.astype(np.int32), tidy.indptr.astype(np.int64)
