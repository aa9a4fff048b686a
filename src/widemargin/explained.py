"""f_k - b_k = sum_j w_jk x_j: what each feature adds to each decision; to f(x) - f(x0) beside a baseline x0.

Sparse rows stay sparse, and a baseline is for dense rows only: beside it every feature counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputError, Refusal


def contributions(X: Any, W: F64, baseline: Any = None) -> Any:
    """(n, d) for two classes, (n, d, K) beyond; of sparse X a CSR array, or a tuple of K of them."""
    K = W.shape[1]
    if not isinstance(X, np.ndarray):
        if baseline is not None:
            raise Refusal("a baseline makes sparse contributions dense: leave it out, or pass X.toarray()")
        parts = tuple(_scaled(X, W[:, k]) for k in range(K))
        return parts[0] if K == 1 else parts
    dense = np.asarray(X, dtype=float)
    if baseline is not None:
        x0 = np.asarray(baseline, dtype=float)
        if x0.shape != (len(W),) or not np.isfinite(x0).all():
            raise InputError(f"baseline has shape {x0.shape}; expected one finite number for each of {len(W)} features")
        dense = dense - x0
    return dense * W[:, 0] if K == 1 else dense[:, :, None] * W


def _scaled(X: Any, w: F64) -> Any:
    """X diag(w), with X's pattern."""
    from scipy.sparse import csr_array

    rows = csr_array(X)
    return csr_array((rows.data * w[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
