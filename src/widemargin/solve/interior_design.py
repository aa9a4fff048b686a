"""X with equilibrated, centred columns and a column of ones, as it is never stored: products and Gram sums.

x_j -> (x_j - shift_j) * inverse_j.  X may be float32, integer or sparse: tiles of it are widened, never the whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widemargin._types import F64
from widemargin.data.rows import Rows
from widemargin.data.source import ArraySource
from widemargin.loss import losses
from widemargin.objective import Objective, Theta
from widemargin.penalty import penalties
from widemargin.solve.protocol import Reducer, Task
from widemargin.solve.symmetric import add_outer

# A dense multiply-add of BLAS costs about 1/80 of one in a sparse product: rows fuller than 1/9 are cheaper dense.
DENSE_SHARE = 1.0 / 9.0
TILE = 1 << 19  # numbers a tile: float32 or integer X is widened and scaled tile by tile, never as a whole
CORE_COLUMNS = {False: 128, True: 2000}  # up to these the core's own Gram pass, dense and sparse, is no slower
STEEP = 1e4  # mean / spread of a column beyond which centring must come before squaring


@dataclass(eq=False)
class Design:
    """Rows with equilibrated columns (x_j - shift_j) * inverse_j and, if `ones`, a last column of ones."""

    source: ArraySource
    reducer: Reducer
    shift: F64
    inverse: F64
    ones: bool
    passes: float = 0.0  # rows touched / n, so far

    @property
    def X(self) -> Rows:
        """The rows as they are stored."""
        return self.source.X

    @property
    def width(self) -> int:
        """Columns, the intercept's included."""
        return self.X.d + int(self.ones)

    def times(self, beta: F64) -> F64:
        """X beta, (n,)."""
        self.passes += 1.0
        w = beta[: self.X.d] * self.inverse
        b = (beta[-1] if self.ones else 0.0) - float(self.shift @ w)
        return self.reducer.scores(self.source, Theta(w[:, None], np.array([b])))[:, 0]

    def transposed_times(self, r: F64) -> F64:
        """X' r, (width,)."""
        self.passes += 1.0
        total = float(np.sum(r))
        g = (self.reducer.products(self.source, r[:, None])[:, 0] - self.shift * total) * self.inverse
        return np.append(g, total) if self.ones else g

    def column_gram(self, D: F64) -> F64:
        """X' D X, (width, width)."""
        self.passes += 1.0
        d = self.X.d
        steep = float(np.max(np.abs(self.shift) * self.inverse, initial=0.0)) > STEEP
        if d <= CORE_COLUMNS[self.X.sparse] and not steep:
            return self._folded(D)
        out = np.empty((self.width, self.width))
        out[:d, :d] = self._sparse_gram(D, across=False) if self.X.sparse else self._dense_columns(D)
        if self.ones:
            out[d] = out[:, d] = self.transposed_times(D)
        return out

    def _folded(self, D: F64) -> F64:
        """The core's Gram sums of (x, 1) for a loss with constant curvature and rows weighted by D."""
        loss, none, d = losses["squared"], penalties["none"], self.X.d
        weighted = ArraySource(self.X, self.source.y, D)
        task = Task("gram", Theta(np.zeros((d, 1)), np.zeros(1)))
        gram = self.reducer.fold(weighted, Objective(loss, none, 0.0), task).gram
        assert gram is not None
        out = gram[0] * (weighted.total_weight / loss.curvature)
        moved, row = np.append(self.shift, 0.0), out[d].copy()
        out += np.outer(moved, moved) * row[d] - np.outer(moved, row) - np.outer(row, moved)
        out[d] = out[:, d] = row - moved * row[d]
        scale = np.append(self.inverse, 1.0)
        return np.asarray(out * np.outer(scale, scale))[: self.width, : self.width]

    def row_gram(self, weight: F64) -> F64:
        """X diag(weight) X', (n, n)."""
        self.passes += 1.0
        d = self.X.d
        out = self._sparse_gram(weight[:d], across=True) if self.X.sparse else self._dense_rows(weight[:d])
        if self.ones:
            out += weight[d]
        return out

    def _dense_columns(self, D: F64) -> F64:
        X, root = self.X.matrix, np.sqrt(D)[:, None]
        step = max(TILE // max(self.X.d, 1), 1)
        out = np.zeros((self.X.d, self.X.d))
        for i in range(0, self.X.n, step):
            self.reducer.watch.poll()
            tile = (X[i : i + step] - self.shift) * (self.inverse * root[i : i + step])
            add_outer(tile.T, out, self.reducer.threads)
        return out

    def _dense_rows(self, weight: F64) -> F64:
        X, factor = self.X.matrix, self.inverse * np.sqrt(weight)
        step = max(TILE // max(self.X.n, 1), 1)
        out = np.zeros((self.X.n, self.X.n))
        for j in range(0, self.X.d, step):
            self.reducer.watch.poll()
            tile = (X[:, j : j + step] - self.shift[j : j + step]) * factor[j : j + step]
            add_outer(tile, out, self.reducer.threads)
        return out

    def _sparse_gram(self, weight: F64, across: bool) -> F64:
        """sum_i weight_i a_i a_i' over rows a_i of X, or over columns if `across`; full ones by dense tiles.

        Holds a scaled float64 copy of the stored values, and of its transpose if `across`.
        """
        from scipy.sparse import csr_array

        X = self.X.matrix
        values = X.data * self.inverse[X.indices]
        A = csr_array((values, X.indices, X.indptr), shape=X.shape)
        if across:
            A = A.T.tocsr()
        counts = np.diff(A.indptr)
        A.data *= np.repeat(np.sqrt(weight), counts)
        width = A.shape[1]
        full = counts > DENSE_SHARE * width
        light = A[~full]
        out: F64 = (light.T @ light).toarray(order="C")
        heavy = A[full]
        step = max(TILE // max(width, 1), 1)
        for i in range(0, heavy.shape[0], step):
            add_outer(heavy[i : i + step].toarray().T, out, self.reducer.threads)
        return out


def equilibrate(X: Rows, centre: bool) -> tuple[F64, F64]:
    """Shift (the mean, if `centre` and dense) and 1 / max |x_j - shift_j|; a column that is constant gets 0."""
    if X.sparse:
        A = X.matrix
        top = np.zeros(X.d)
        np.maximum.at(top, A.indices, np.abs(A.data))
        return np.zeros(X.d), np.divide(1.0, top, out=np.ones(X.d), where=top > 0)
    low, high = (np.asarray(f(X.matrix, axis=0), dtype=np.float64) for f in (np.min, np.max))
    size = np.maximum(np.abs(low), np.abs(high))
    shift: F64 = np.asarray(np.mean(X.matrix, axis=0, dtype=np.float64)) if centre else np.zeros(X.d)
    top = np.maximum(np.abs(low - shift), np.abs(high - shift))
    # A constant column is the free intercept again: its weight stays 0.
    return shift, np.divide(1.0, top, out=np.zeros(X.d), where=top > 1e-13 * size)


def mean_squares(source: ArraySource, reducer: Reducer) -> tuple[F64, F64]:
    """sum p x and sum p x^2 of each column."""
    p = np.ascontiguousarray(source.p[:, None])
    one = Objective(losses["squared"], penalties["none"], 0.0)
    zero = Theta(np.zeros((source.d, 1)), np.zeros(1))
    squares = reducer.fold(source, one, Task("diagonal", zero), {"curvature": p}).gradient
    assert squares is not None
    return reducer.products(source, p)[:, 0], squares.W[:, 0]
