"""S1: sparse, text-like, 75 stored numbers a row; S1s is its first 200,000 rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.engine.data.draw import labels, planted, words

SIZE, TINY = (700_000, 47_000), (300, 60)


def make(n: int, d: int) -> tuple[Any, Any]:
    """Forty topics."""
    random = np.random.default_rng(11)
    X, topic = words(random, n, d, length=min(53, d / 6), topics=40)
    return X, labels(random, 5 * planted(random, X, topic, 1.2), flips=0.02, positive=0.47)
