"""The rows a_i = y_i (x_i, 1): w separates where A w > 0.  A as a whole is never built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin._types import F64, Array
from widemargin.data.rows import Rows
from widemargin.separation.integers import Entries

BLOCK = 1 << 16  # rows whose numbers are copied at a time, at most
ENTRIES = 1 << 20  # and stored values
UNIT = 2.0**-53
SMALLEST = 2.0**-1074


@dataclass(frozen=True, eq=False)
class Signed:
    """Rows with y in {-1, +1}; the last column of A is that of the intercept, if there is one."""

    X: Rows
    y: F64
    intercept: bool

    @property
    def n(self) -> int:
        """Rows."""
        return self.X.n

    @property
    def d(self) -> int:
        """Columns of A."""
        return self.X.d + self.intercept

    def margins(self, w: F64) -> F64:
        """A w, to rounding."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.y * (self.X.times(w[: self.X.d, None])[:, 0] + self._b(w)))

    def combination(self, weights: F64) -> F64:
        """A' weights, to rounding; sparse rows are read from a copy in columns."""
        per_row = np.ascontiguousarray(self.y * weights)[:, None]
        total = self.X.transposed.times(per_row) if self.X.sparse else self.X.transposed_times(per_row)
        return np.append(total, per_row.sum()) if self.intercept else total[:, 0]

    def squares(self, weights: F64) -> F64:
        """sum_i weights_i a_ij^2, j by j."""
        M = self.X.matrix
        if isinstance(M, np.ndarray):
            total = np.einsum("i,ij,ij->j", weights, M, M)
        else:
            values = np.repeat(weights, np.diff(M.indptr)) * np.square(M.data, dtype=np.float64)
            total = np.bincount(M.indices, weights=values, minlength=self.X.d)
        return np.append(total, weights.sum()) if self.intercept else total

    def part(self, index: Array) -> Signed:
        """Some rows."""
        return Signed(self.X.take(index), self.y[index], self.intercept)

    def reach(self, w: F64) -> F64:
        """|A| |w|: how large the terms of A w are, to rounding."""
        out = np.empty(self.n)
        size, b = np.abs(w[: self.X.d]), abs(self._b(w))
        for start in range(0, self.n, self._step()):
            part = self.X.slice(start, min(start + self._step(), self.n))
            with np.errstate(over="ignore", invalid="ignore"):
                out[start : start + part.n] = absolute(part.matrix) @ size + b
        return out

    def error(self, w: F64) -> F64:
        """No A w of `margins` is farther than this from the true one, be each w_j itself off by one rounding.

        |fl(x.w) - x.w| <= gamma_n |x|.|w| in whatever order the terms are added (Higham 2002, section 3.1); what
        falls below the normal numbers adds n times the smallest number.
        """
        terms = (self._longest() if self.X.sparse else self.X.d) + 8
        gamma = terms * UNIT / (1 - 2 * terms * UNIT)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(2 * gamma * self.reach(w) + 4 * terms * SMALLEST)

    def rows(self, index: Array) -> Any:
        """Some rows of A: float64, dense or CSR as X is."""
        part, y = self.X.take(index), self.y[index]
        if not part.sparse:
            M = np.asarray(part.matrix, dtype=np.float64) * y[:, None]
            return np.column_stack([M, y]) if self.intercept else M
        from scipy.sparse import csr_array, hstack

        M = part.matrix.astype(np.float64)
        M = csr_array((M.data * np.repeat(y, np.diff(M.indptr)), M.indices, M.indptr), shape=M.shape)
        return csr_array(hstack([M, csr_array(y[:, None])], format="csr")) if self.intercept else M

    def entries(self, index: Array) -> Entries:
        """The same rows, entry by entry, those that are 0 left out."""
        return entries(self.rows(index))

    def blocks(self) -> Iterator[tuple[Array, Entries]]:
        """All rows, some at a time, with their numbers."""
        step = self._step()
        for start in range(0, self.n, step):
            index = np.arange(start, min(start + step, self.n))
            yield index, self.entries(index)

    def _step(self) -> int:
        return int(max(1, min(BLOCK, ENTRIES * self.n // max(1, self.X.nnz))))

    def _longest(self) -> int:
        assert self.X.indptr is not None
        return int(np.diff(self.X.indptr).max(initial=0))

    def _b(self, w: F64) -> float:
        return float(w[-1]) if self.intercept else 0.0


def absolute(M: Any) -> Any:
    """|M| in float64.  SciPy's own abs would first sort M where it is stored: that is the user's."""
    if isinstance(M, np.ndarray):
        return np.abs(M).astype(np.float64, copy=False)
    from scipy.sparse import csr_array

    return csr_array((np.abs(M.data).astype(np.float64, copy=False), M.indices, M.indptr), shape=M.shape)


def entries(A: Any) -> Entries:
    """The entries of dense or CSR rows that are not zero."""
    if isinstance(A, np.ndarray):
        i, j = np.nonzero(A)
        return Entries(i, j, A[i, j])
    i = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    there = A.data != 0
    return Entries(i[there], A.indices[there].astype(np.int64), A.data[there])
