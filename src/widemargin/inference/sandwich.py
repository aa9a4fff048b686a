"""Covariances of an M-estimator: H^-1, or H^-1 M H^-1 with M the scatter of the rows' gradients.

H = sum s l''(z) x x',  M = sum s g g' (White 1980; Huber 1967), or sum_c G_c G_c' with G_c the sum of s g over a
cluster c (Liang, Zeger 1986).  x ends with 1 where there is an intercept; weights count rows: 2 is the row twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._types import F64, I64

BLOCK = 4096  # rows that are made dense or scaled at a time


def scatter(matrix: Any, R: F64, s: F64, ones: bool) -> F64:
    """sum_i s_i (r_i (x) x_i)(r_i (x) x_i)', R is (n, K): unknowns in the order of rows of W, then of b."""
    n, d = matrix.shape
    K, p = R.shape[1], d + ones
    M = np.zeros((p * K, p * K))
    for start in range(0, n, BLOCK):
        rows = slice(start, min(n, start + BLOCK))
        G = _gradients(matrix, R, rows, ones)
        M += (G * s[rows, None]).T @ G
    return M


def clustered(matrix: Any, R: F64, s: F64, ones: bool, cluster: I64, count: int) -> F64:
    """sum over clusters of the outer product of their summed gradients."""
    n, d = matrix.shape
    sums = np.zeros((count, (d + ones) * R.shape[1]))
    for start in range(0, n, BLOCK):
        rows = slice(start, min(n, start + BLOCK))
        np.add.at(sums, cluster[rows], _gradients(matrix, R, rows, ones) * s[rows, None])
    return np.asarray(sums.T @ sums)


def _gradients(matrix: Any, R: F64, rows: slice, ones: bool) -> F64:
    """(rows, p K) gradients, row by row."""
    x = matrix[rows]
    x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=float)
    if ones:
        x = np.column_stack([x, np.ones(len(x))])
    return np.asarray((x[:, :, None] * R[rows, None, :]).reshape(len(x), -1))
