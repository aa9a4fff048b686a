"""D2: dense, a thousand columns, rows of length 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.engine.data.draw import labels, standardised

SIZE, TINY = (50_000, 1_000), (200, 12)


def make(n: int, d: int) -> tuple[Any, Any]:
    """As many factors as a tenth of the columns, noise as strong; two in five columns matter."""
    random = np.random.default_rng(2)
    k = max(1, d // 10)
    X = random.standard_normal((n, k)) @ random.standard_normal((k, d)) / np.sqrt(k) + random.standard_normal((n, d))
    standardised(X)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    score = X @ np.where(random.random(d) < 0.4, random.standard_normal(d), 0.0)
    return X, labels(random, 4 / score.std() * score, flips=0.03)
