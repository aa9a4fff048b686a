"""D3: dense, wide; blocks of correlated columns, of which forty matter, as of gene expression."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.engine.data.draw import labels, standardised

SIZE, TINY = (500, 20_000), (60, 150)
FACTORS, MATTER = 60, 40


def make(n: int, d: int) -> tuple[Any, Any]:
    """Every factor moves a tenth of the columns."""
    random = np.random.default_rng(3)
    loading = np.where(random.random((FACTORS, d)) < 0.1, random.standard_normal((FACTORS, d)), 0.0)
    X = standardised(random.standard_normal((n, FACTORS)) @ loading + random.standard_normal((n, d)))
    chosen = random.choice(d, MATTER, replace=False)
    score = X[:, chosen] @ random.standard_normal(MATTER)
    return X, labels(random, 3 / score.std() * score, flips=0.05, positive=0.35)
