"""M2: sparse, text-like, twenty classes: the topics, one in twelve drawn anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.engine.data.draw import relabelled, words

SIZE, TINY = (20_000, 100_000), (200, 80)
CLASSES = 20


def make(n: int, d: int) -> tuple[Any, Any]:
    """A class is a topic."""
    random = np.random.default_rng(22)
    X, topic = words(random, n, d, length=min(100, d / 8), topics=CLASSES, shift=20.0)
    return X, relabelled(random, topic, 0.08, CLASSES)
