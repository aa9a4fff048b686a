"""D1: dense, tall; correlated, heavy-tailed, standardised columns and noisy labels, as of collider events."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.engine.data.draw import labels, standardised

SIZE, TINY = (1_000_000, 50), (300, 8)
FACTORS = 12


def make(n: int, d: int) -> tuple[Any, Any]:
    """Twelve factors of falling weight and noise; a fifth of the columns are logarithms, a fifth absolute values."""
    random = np.random.default_rng(1)
    weight = 2 * 0.8 ** np.arange(FACTORS)
    X = random.standard_normal((n, FACTORS)) @ (weight[:, None] * random.standard_normal((FACTORS, d)))
    X += 0.5 * random.standard_normal((n, d))
    X[:, ::5] = np.sign(X[:, ::5]) * np.log1p(np.abs(X[:, ::5]))
    X[:, 1::5] = np.abs(X[:, 1::5])
    standardised(X)
    score = X @ (0.35 * random.standard_normal(d)) + 0.4 * X[:, 0] * X[:, 7]  # the product no linear model sees
    return X, labels(random, score, flips=0.08, positive=0.5)
