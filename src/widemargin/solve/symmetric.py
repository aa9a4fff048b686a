"""K = A A',  H = L L',  H^-1 g  and  H x, in fixed tiles on the threads of the fit.

A BLAS with threads of its own waits for a second core that may be busy, and its bits depend on how many it was given.
"""

from __future__ import annotations

import numpy as np

from widemargin import _core
from widemargin._types import F64, Array

WORK = 500_000  # numbers of a matrix below which a second thread costs more than it saves
STEP = 1 << 22  # numbers of A that are made floats at once


def outer(A: Array, threads: int, rough: bool = False) -> F64:
    """A A' for numbers of any real type, in any order; `rough`: from products in single precision."""
    K = np.zeros((len(A), len(A)))
    floats = A.dtype in (np.float64, np.float32)
    step = A.shape[1] if floats else max(1, STEP // max(1, len(A)))
    for start in range(0, A.shape[1], max(1, step)):
        part = A[:, start : start + step]
        add_outer(part if floats else np.asarray(part, dtype=np.float64), K, threads, rough)
    return K


def add_outer(A: Array, K: F64, threads: int, rough: bool = False) -> None:
    """K += A A', A float64 or float32 with any strides."""
    _core.add_symmetric(A, K, rough, threads)


def factored(H: F64, threads: int = 1) -> F64 | None:
    """L, in the place of H, above the diagonal scratch; None where H is not positive definite."""
    return H if _core.factor_symmetric(H, threads) else None


def solved(L: F64, g: F64) -> F64:
    """(L L')^-1 g."""
    x = g.astype(np.float64, order="C")
    _core.solve_factored(L, x)
    return x


def times(H: F64, x: F64, threads: int = 1) -> F64:
    """H x."""
    out = np.empty((len(H), 1))
    _core.scores(_core.dense(H), np.ascontiguousarray(x).reshape(-1, 1), out, threads if H.size > WORK else 1)
    return out[:, 0]
