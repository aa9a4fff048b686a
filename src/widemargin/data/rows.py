"""Rows: one view of X for the core, whatever its layout.

Layouts: dense floats with adjacent columns; dense numbers of any type and strides; CSR; CSR whose values are all 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from widemargin import _core
from widemargin._threads import available_threads
from widemargin._types import F64, I64, Array

SERIAL_WORK = 200_000  # multiply-adds below which a second thread costs more than it saves


@dataclass(frozen=True, eq=False)
class Rows:
    """n rows of d columns; arrays are borrowed, never copied.

    Dense: `values` is (n, d), of any real type and strides, aligned; read as float64.
    Sparse: `values` (or None: all ones), `indices` int32, `indptr` int64.
    """

    n: int
    d: int
    values: Array | None
    indices: Array | None = None
    indptr: I64 | None = None
    core: _core.Rows = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.indptr is None:
            assert self.values is not None
            view = _core.dense(self.values) if _plain(self.values) else _core.strided(self.values)
        else:
            assert self.indices is not None
            view = _core.sparse(self.values, self.indices, self.indptr, self.d)
        object.__setattr__(self, "core", view)

    @property
    def sparse(self) -> bool:
        """True for CSR."""
        return self.indptr is not None

    @property
    def nnz(self) -> int:
        """Stored values: n * d when dense."""
        return self.n * self.d if self.indptr is None else int(self.indptr[-1] - self.indptr[0])

    @property
    def nbytes(self) -> int:
        """Bytes that one pass streams."""
        return sum(a.nbytes for a in (self.values, self.indices, self.indptr) if a is not None)

    def slice(self, start: int, stop: int) -> Rows:
        """Rows start..stop, as views."""
        if self.indptr is None:
            assert self.values is not None
            return Rows(stop - start, self.d, self.values[start:stop])
        return Rows(stop - start, self.d, self.values, self.indices, self.indptr[start : stop + 1])

    def take(self, index: Array, threads: int = 1) -> Rows:
        """A copy of some rows, in the order given."""
        if self.indptr is None:
            assert self.values is not None
            return Rows(len(index), self.d, np.ascontiguousarray(self.values[index]))
        assert self.indices is not None
        chosen = np.ascontiguousarray(index, dtype=np.int32)
        to = np.zeros(len(chosen) + 1, dtype=np.int64)
        np.cumsum(self.indptr[chosen + 1] - self.indptr[chosen], out=to[1:])
        indices = np.empty(to[-1], dtype=np.int32)
        _core.gather(self.indices, self.indptr, chosen, to, indices, threads)
        if self.values is None:
            return Rows(len(index), self.d, None, indices, to)
        values = np.empty(to[-1], dtype=self.values.dtype)
        _core.gather(self.values, self.indptr, chosen, to, values, threads)
        return Rows(len(index), self.d, values, indices, to)

    @cached_property
    def matrix(self) -> Any:
        """The same numbers as NumPy or SciPy knows them, for LAPACK and for checks: dense floats in C order, or CSR.

        A copy, made when first needed, of what is stored otherwise.
        """
        if self.indptr is None:
            assert self.values is not None
            return _floats(self.values)
        from scipy.sparse import csr_array

        low, high = int(self.indptr[0]), int(self.indptr[-1])
        values = np.ones(high - low) if self.values is None else self.values[low:high]
        assert self.indices is not None
        return csr_array((values, self.indices[low:high], self.indptr - low), shape=(self.n, self.d))

    @cached_property
    def transposed(self) -> Rows:
        """X' as rows: the columns of X, one after the other; one copy of X, made when first needed.

        None is made of what came in columns: a Fortran array, or CSC.
        """
        return self.turned(available_threads())

    def turned(self, threads: int) -> Rows:
        """X' as rows."""
        if self.indptr is None:
            assert self.values is not None
            return Rows(self.d, self.n, _columns(self.values, threads))
        assert self.indices is not None
        values = None if self.values is None else np.empty(self.nnz, self.values.dtype)
        indices, indptr = np.empty(self.nnz, np.int32), np.empty(self.d + 1, np.int64)
        _core.turn(self.values, self.indices, self.indptr, self.d, values, indices, indptr, threads)
        turned = Rows(self.d, self.n, values, indices, indptr)
        turned.__dict__["transposed"] = self
        return turned

    def times(self, W: F64) -> F64:
        """X W, (n, K)."""
        out = np.empty((self.n, W.shape[1]))
        threads = available_threads() if self.nnz > SERIAL_WORK else 1
        _core.scores(self.core, np.ascontiguousarray(W), out, threads)
        return out

    def transposed_times(self, R: F64) -> F64:
        """X' R, (d, K); summed in a fixed order."""
        found: F64 = _core.transposed_scores(self.core, np.ascontiguousarray(R))
        return found.reshape(self.d, R.shape[1])


def _plain(values: Array) -> bool:
    """Floats whose columns are adjacent: what the dense kernels read without a tile between."""
    adjacent = values.shape[1] <= 1 or values.strides[1] == values.itemsize
    return values.dtype.kind == "f" and adjacent


def _floats(values: Array) -> Array:
    """Dense numbers as floats with adjacent columns."""
    if values.dtype.kind != "f":
        return values.astype(np.float32 if values.dtype.itemsize <= 2 else np.float64, order="C")
    return values if _plain(values) else _copied(values, available_threads())


def _columns(values: Array, threads: int) -> Array:
    """values.T with adjacent columns: a view where there is one."""
    turned = values.T
    if turned.shape[1] <= 1 or turned.strides[1] == turned.itemsize:
        return turned
    return _copied(turned, threads) if turned.dtype.kind == "f" else np.ascontiguousarray(turned)


def _copied(values: Array, threads: int) -> Array:
    """Floats of any strides in C order."""
    out = np.empty(values.shape, values.dtype)
    _core.copy(values, out, threads)
    return out
