"""What the generators share: noisy labels, popularity of columns, bags of words."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq
from scipy.special import expit

Random = np.random.Generator


def labels(random: Random, score: Any, flips: float = 0.0, positive: float | None = None) -> Any:
    """-1 or +1: positive with probability sigmoid(score + b), some turned around; b sets the share of positives."""
    shift = 0.0 if positive is None else brentq(lambda b: expit(score + b).mean() - positive, -50.0, 50.0, xtol=1e-6)
    signs = np.where(random.random(score.size) < expit(score + shift), 1.0, -1.0)
    return np.where(random.random(score.size) < flips, -signs, signs)


def standardised(X: Any) -> Any:
    """Columns of mean 0 and deviation 1, in place."""
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    return X


def popular(random: Random, size: int, d: int, power: float, shift: float) -> Any:
    """Column numbers, the k-th drawn with probability proportional to (k + shift)^-power (Zipf, Mandelbrot)."""
    mass = np.cumsum((np.arange(1, d + 1) + shift) ** -power)
    return np.minimum(np.searchsorted(mass, mass[-1] * random.random(size)), d - 1).astype(np.int32)


def words(
    random: Random, n: int, d: int, length: float, topics: int, power: float = 1.05, shift: float = 30.0
) -> tuple[Any, Any]:
    """Bags of words as tf-idf with unit rows, and the topic of each.

    Lengths are log-normal; two words in five come from the topic's own ranking of half the vocabulary; at the end
    columns are renumbered at random, so that their order says nothing of their popularity.
    """
    topic = random.integers(0, topics, n)
    order = random.permutation(d).astype(np.int32)
    ranking = np.stack([random.permutation(d)[: (d + 1) // 2] for _ in range(topics)]).astype(np.int32)
    parts = []
    for rows in np.array_split(np.arange(n), max(1, n // 50_000)):
        count = np.clip(random.lognormal(np.log(1.22 * length), 0.6, len(rows)), 3, 12 * length).astype(np.int64)
        row = np.repeat(np.arange(len(rows)), count)
        column = popular(random, len(row), d, power, shift)
        own = random.random(len(row)) < 0.4
        column[own] = ranking[topic[rows][row[own]], column[own] // 2]
        part = sp.csr_matrix((np.ones(len(row)), (row, order[column])), shape=(len(rows), d))
        part.sum_duplicates()
        parts.append(part)
    return _tf_idf(sp.vstack(parts, format="csr")), topic


def _tf_idf(X: Any) -> Any:
    n, d = X.shape
    rarity = 1 + np.log((1 + n) / (1 + np.bincount(X.indices, minlength=d)))
    X.data = (1 + np.log(X.data)) * rarity[X.indices]
    length = np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1]))
    X.data /= np.repeat(length, np.diff(X.indptr))
    return X


def planted(random: Random, X: Any, topic: Any, spread: float) -> Any:
    """Scores of weights of which three in ten are not zero, in units of their deviation, plus one number a topic."""
    w = np.where(random.random(X.shape[1]) < 0.3, random.standard_normal(X.shape[1]), 0.0)
    score = X @ w
    return score / score.std() + spread * random.standard_normal(topic.max() + 1)[topic]


def relabelled(random: Random, classes: Any, share: float, count: int) -> Any:
    """Classes, a share of them drawn anew."""
    return np.where(random.random(classes.size) < share, random.integers(0, count, classes.size), classes)
