"""S2: sparse, text-like, many more columns than rows, 470 stored numbers a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.engine.data.draw import labels, planted, words

SIZE, TINY = (20_000, 1_300_000), (120, 400)


def make(n: int, d: int) -> tuple[Any, Any]:
    """Twenty topics."""
    random = np.random.default_rng(12)
    X, topic = words(random, n, d, length=min(345, d / 10), topics=20, power=1.0, shift=20.0)
    return X, labels(random, 5 * planted(random, X, topic, 1.0), flips=0.01, positive=0.5)
