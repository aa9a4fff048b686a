"""M1: dense, ten classes, pixels in [0, 1] of which three in four are 0, as of handwritten digits."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.engine.data.draw import relabelled

SIZE, TINY = (60_000, 784), (200, 36)
CLASSES, BLOBS = 10, 60


def make(n: int, d: int) -> tuple[Any, Any]:
    """Sixty blobs; a class is where their weights lie."""
    random = np.random.default_rng(21)
    side = round(d**0.5)
    place = np.stack(np.meshgrid(*2 * [np.linspace(-1, 1, side)]), axis=-1).reshape(1, -1, 2)
    centre, width = random.uniform(-0.6, 0.6, (BLOBS, 1, 2)), random.uniform(0.12, 0.3, (BLOBS, 1))
    blobs = np.exp(-((place - centre) ** 2).sum(axis=-1) / (2 * width**2))
    middle, y = 0.7 * random.standard_normal((CLASSES, BLOBS)), random.integers(0, CLASSES, n)
    X = (middle[y] + 0.75 * random.standard_normal((n, BLOBS))) @ blobs + 0.1 * random.standard_normal((n, d))
    X = np.round(255 * np.clip((X - np.quantile(X[:5000], 0.75)) / 2, 0, 1)) / 255
    return X, relabelled(random, y, 0.01, CLASSES)
