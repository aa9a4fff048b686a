"""argmax_k f_k + t_k: the offset of one class is moved over all values, the others stay; each cut is counted exactly.

Row i goes to class k once t_k > max_{j != k} (f_j + t_j) - f_k.  Sorted by that number, all cuts cost one cumulative
sum.  With two classes this is the search over all thresholds, and exact; with more the classes take turns until no
move helps, which is a local optimum.  Lipton, Elkan, Naryanaswamy 2014.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from widemargin._types import F64, I64
from widemargin.decisions.counts import Counts, Metric, by_class

TURNS = 20  # of all classes
ROUNDING = 32 * float(np.finfo(float).eps)  # of the largest score: no cut lies between scores so near to each other


class Curve(NamedTuple):
    """What a metric is at each cut."""

    offsets: F64  # (cuts,) of the class that moves
    values: F64  # (cuts,)


def curve(scores: F64, truth: I64, s: F64, k: int, metric: Metric, cost: F64) -> Curve:
    """The metric as the offset of class k goes from "never predicted" to "always"."""
    n, K = scores.shape
    others = scores.copy()
    others[:, k] = -np.inf
    rival = others.argmax(axis=1)
    needed = others[np.arange(n), rival] - scores[:, k]
    order = np.argsort(needed, kind="stable")
    needed, rival, true, s = needed[order], rival[order], truth[order], s[order]
    apart = ROUNDING * float(np.abs(scores).max(initial=1.0))
    last = np.append(np.flatnonzero(np.diff(needed) > apart), n - 1)  # rows that tie move together
    table = _moved(rival, true, s, k, K, cost, last)
    return Curve(_between(needed, last), metric(table))


def _moved(rival: I64, truth: I64, s: F64, k: int, K: int, cost: F64, last: I64) -> Counts:
    """Counts before any row goes to class k, and after each group of rows does."""

    def summed(weight: F64) -> F64:
        return np.concatenate([[0.0], np.cumsum(weight)[last]])

    hits, predicted = np.empty((len(last) + 1, K)), np.empty((len(last) + 1, K))
    for j in range(K):
        left = summed(s * (truth == k)), summed(s)
        if j != k:
            here = s * (rival == j)
            left = -summed(here * (truth == j)), -summed(here)
            hits[:, j], predicted[:, j] = left[0] - left[0][-1], left[1] - left[1][-1]
        else:
            hits[:, j], predicted[:, j] = left
    paid = cost[truth, rival]
    spent = float(s @ paid) + summed(s * (cost[truth, k] - paid))
    return Counts(hits, predicted, by_class(truth, s, K), spent)


def _between(needed: F64, last: I64) -> F64:
    """Midpoints between neighbouring scores; beyond the ends by the width of all of them."""
    width = max(float(needed[-1] - needed[0]), 1.0)
    inner = 0.5 * (needed[last[:-1]] + needed[last[:-1] + 1])
    return np.concatenate([[needed[0] - width], inner, [needed[-1] + width]])


def best(found: Curve, now: float) -> int:
    """The cut with the largest value; of equal ones that nearest to the present offset."""
    top = np.flatnonzero(found.values >= found.values.max() - 1e-12 * np.abs(found.values).max())
    return int(top[np.argmin(np.abs(found.offsets[top] - now))])


def tuned(scores: F64, truth: I64, s: F64, metric: Metric, cost: F64) -> F64:
    """(classes,) offsets; of two classes only the second has one."""
    K = scores.shape[1]
    t, value = np.zeros(K), -np.inf
    for _ in range(TURNS if K > 2 else 1):
        before = value
        for k in range(K) if K > 2 else (1,):
            found = curve(scores + np.where(np.arange(K) == k, 0.0, t), truth, s, k, metric, cost)
            at = best(found, float(t[k]))
            if found.values[at] > value:
                t[k], value = found.offsets[at], float(found.values[at])
        if not value > before:
            break
    return t
