"""Which rows are held out: a seeded shuffle, the same share of every class."""

from __future__ import annotations

import numpy as np

from widemargin._types import Array


def hold_out(y: Array, share: float, seed: int = 0) -> Array:
    """True where a row is held out; at least one row of every class is not.

    >>> hold_out(np.array(["a", "b", "a", "b", "a", "a"]), 0.5).sum().item()
    3
    """
    random = np.random.default_rng(seed)
    held = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        held[random.permutation(rows)[: min(round(share * len(rows)), len(rows) - 1)]] = True
    return held
