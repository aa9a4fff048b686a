"""S3: clicks; 39 categorical fields, one-hot and hashed, a quarter positive.  S3s is its first 500,000 rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from bench.engine.data.draw import labels, popular

SIZE, TINY = (2_000_000, 1_000_000), (400, 300)
SMALL, LARGE = 13, 26  # fields with few values, fields with up to d values
SPREAD = 2_654_435_761  # Knuth's multiplicative hash


def make(n: int, d: int) -> tuple[Any, Any]:
    """Values follow Zipf's law; each has an effect of its own."""
    random = np.random.default_rng(13)
    top = np.log10(d)
    sizes = [*random.integers(10, 100, SMALL), *(10 ** random.uniform(0.7, top, LARGE)).astype(int)]
    columns, score = np.empty((n, SMALL + LARGE), np.int32), np.zeros(n)
    for field, size in enumerate(sizes):
        value = popular(random, n, int(size), 1.1, 2.0)
        score += 0.35 * random.standard_normal(size)[value]
        columns[:, field] = ((np.arange(size) * SPREAD + 320_744_157 * field) % d)[value]
    columns.sort(axis=1)
    starts = np.arange(0, columns.size + 1, columns.shape[1])
    X = sp.csr_matrix((np.ones(columns.size), columns.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    return X, labels(random, score, positive=0.25)
