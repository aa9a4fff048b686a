"""What decisions came to, as weighted counts, and metrics as functions of them; leading axes are many at once.

With H_k hits, P_k rows predicted as k, A_k rows of class k, n their sum:
f1 = 2 H_1 / (P_1 + A_1);  mcc = (n sum H - sum P A) / sqrt((n^2 - sum P^2)(n^2 - sum A^2)): Gorodkin 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from widemargin._types import F64, I64

ROUNDING = 1e-13  # of shares of rows


class Counts(NamedTuple):
    """Weighted rows."""

    hits: F64  # (..., classes) given their own class
    predicted: F64  # (..., classes) given the class
    actual: F64  # (classes,) of the class
    cost: F64  # (...,) paid in all; 0 where no costs are known


def counts_of(predicted: I64, truth: I64, s: F64, cost: F64) -> Counts:
    """Of one list of decisions."""
    parts = (truth, s * (predicted == truth)), (predicted, s), (truth, s)
    hits, rows, own = (by_class(k, w, len(cost)) for k, w in parts)
    return Counts(hits, rows, own, np.asarray(s @ cost[truth, predicted]))


def by_class(numbers: I64, s: F64, K: int) -> F64:
    """(K,) weight of each class."""
    return np.bincount(numbers, weights=s, minlength=K).astype(float)


def accuracy(c: Counts) -> F64:
    """Share of rows that are given their own class."""
    return _share(c.hits.sum(axis=-1), c.actual.sum())


def balanced_accuracy(c: Counts) -> F64:
    """Mean over the classes of the share of their rows that are found."""
    return np.asarray(_share(c.hits, c.actual).mean(axis=-1))


def f1(c: Counts) -> F64:
    """Harmonic mean of precision and recall of the second of two classes."""
    return np.asarray(_share(2 * c.hits[..., 1], c.predicted[..., 1] + c.actual[1]))


def macro_f1(c: Counts) -> F64:
    """Mean of f1 over all classes."""
    return np.asarray(_share(2 * c.hits, c.predicted + c.actual).mean(axis=-1))


def mcc(c: Counts) -> F64:
    """Correlation of decision and truth."""
    n = c.actual.sum()
    given, own = (1.0 - ((rows / n) ** 2).sum(axis=-1) for rows in (c.predicted, c.actual))
    spread = np.where(given > ROUNDING, given, 0.0) * own  # all rows to one class: 0, whatever rounding leaves
    return _share((c.hits / n).sum(axis=-1) - (c.predicted / n * c.actual / n).sum(axis=-1), np.sqrt(spread))


def kappa(c: Counts) -> F64:
    """Agreement beyond chance.  Cohen 1960."""
    n = c.actual.sum()
    chance = (c.predicted * c.actual).sum(axis=-1) / n
    return _share(c.hits.sum(axis=-1) - chance, n - chance)


def geometric_mean(c: Counts) -> F64:
    """Geometric mean over the classes of the share of their rows that are found."""
    return np.asarray(np.prod(_share(c.hits, c.actual), axis=-1) ** (1 / len(c.actual)))


def gain(c: Counts) -> F64:
    """Minus the mean cost of a row."""
    return -_share(c.cost, c.actual.sum())


def _share(a: F64, b: F64) -> F64:
    """a / b, 0 where b is 0."""
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0)


Metric = Callable[[Counts], F64]
METRICS: Mapping[str, Metric] = {
    metric.__name__: metric for metric in (accuracy, balanced_accuracy, f1, macro_f1, mcc, kappa, geometric_mean)
}
