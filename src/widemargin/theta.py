"""(W, b): a point of parameter space, and what is done with columns of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from widemargin import _core
from widemargin._types import F64, Array


class Theta(NamedTuple):
    """Weights and intercepts: W is (d, K), b is (K,)."""

    W: F64
    b: F64

    def plus(self, step: F64 | float, other: Theta) -> Theta:
        """self + step * other; step is one number or one per column."""
        return Theta(self.W + step * other.W, self.b + step * other.b)

    def centred(self) -> Theta:
        """The same softmax: it does not change when all b move together, but rounding grows with them."""
        return Theta(self.W, self.b - self.b.mean())


def every(heads: Array) -> bool:
    """Whether something holds in all heads; most problems have one, and NumPy's reduction would be the dearest step."""
    return bool(heads[0]) if len(heads) == 1 else bool(heads.all())


def total(heads: F64) -> float:
    """The sum over the heads."""
    return float(heads[0]) if len(heads) == 1 else float(heads.sum())


def dot(A: F64, B: F64, joint: bool) -> F64:
    """<A, B> per column, or over all columns as one head."""
    if joint or A.shape[-1] == 1:
        return np.array([_core.inner(A, B)])
    return A * B if A.ndim == 1 else np.asarray(np.einsum("jk,jk->k", A, B))
