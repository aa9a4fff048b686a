"""Can some points all be right?  A conflict among them, or a w that has them on its side.

Programmes stay small: they see a few of the points, get those that their w misjudges, and are solved again.  A
conflict among few is a conflict among all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.fewest.points import Points
from widemargin.separation.conflict import Conflict, Separating, conflict

WHOLE = 4e5  # entries of a programme that sees all points at once
FEW = 300
ROUNDS = 60


@dataclass(eq=False)
class Probe:
    """Asks for conflicts; remembers, for large data, which points were hard."""

    points: Points
    late: Callable[[], bool]
    hard: I64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __call__(self, left: I64, costs: F64, w: F64) -> Conflict | Separating | None:
        """Among the points `left`, of small `costs`; None if neither is certain or time is up.  w: the best known."""
        A = self.points.A
        if len(left) * min(A.d, self._widest()) <= WHOLE:
            return self._among(left, costs)
        chosen = self._first(left, w)
        for _ in range(ROUNDS):
            found = self._among(chosen, costs)
            if not isinstance(found, Separating):
                self.hard = chosen
                return found
            z = A.margins(found.w)[left]
            new = np.setdiff1d(left[z <= 0], chosen)
            if not len(new):
                return found
            worst = np.argsort(A.margins(found.w)[new], kind="stable")[: self._few()]
            chosen = np.union1d(chosen, new[worst])
            if self.late():
                break
        self.hard = chosen
        return None

    def _among(self, chosen: I64, costs: F64) -> Conflict | Separating | None:
        """A programme that sees all of them; columns that are empty there are left out."""
        M: Any = self.points.A.rows(chosen)
        d = M.shape[1]
        used = None
        if not isinstance(M, np.ndarray):
            used = np.unique(M.indices)
            M = M[:, used]
        found = conflict(M, costs=costs[chosen] / costs[chosen].max())
        if isinstance(found, Conflict):
            weights = refined(M[found.rows], found.weights)
            return None if weights is None else Conflict(chosen[found.rows], weights)
        if used is None:
            return found
        w = np.zeros(d)
        w[used] = found.w
        return Separating(w)

    def _first(self, left: I64, w: F64) -> I64:
        """What was hard before, and what lies nearest to the hyperplane on either side."""
        before = np.intersect1d(self.hard, left)
        z = self.points.A.margins(w)[left]
        near = left[np.argsort(np.abs(z) * np.where(z > 0, 1.0, 0.1), kind="stable")[: self._few()]]
        return np.union1d(before[:: max(1, len(before) // (4 * self._few()))], near)

    def _few(self) -> int:
        return max(FEW, min(4 * self._widest(), 4 * self.points.A.d, 2000))

    def _widest(self) -> int:
        """Entries of a row, on average, at most."""
        return 1 + self.points.A.X.nnz // max(1, self.points.A.X.n) + self.points.A.intercept


def refined(rows: Any, weights: F64) -> F64 | None:
    """The weights with their last digits, also those of the small ones; None if the combination does not vanish.

    lambda_i (1 + t_i), t the least change for which all columns, each measured by its own terms, add up to 0.
    """
    if vanishes(rows, weights):
        return weights
    M = rows if isinstance(rows, np.ndarray) else rows.toarray()
    M = M[:, np.abs(M).any(axis=0)]
    for _ in range(3):
        terms = weights[:, None] * M
        terms = terms / np.abs(terms).sum(axis=0)
        t = np.linalg.lstsq(terms.T, -terms.sum(axis=0), rcond=None)[0]
        weights = weights * (1.0 + t)
        if not weights.min() > 0 or np.abs(t).max() > 0.5:
            return None
        if vanishes(rows, weights):
            return np.asarray(weights / weights.sum())
    return None


def vanishes(rows: Any, weights: F64) -> bool:
    """|sum lambda_i a_ij| <= gamma sum lambda_i |a_ij| in every column j.

    Then no w has all rows right beyond rounding, z_i > gamma |a_i|.|w|: the sums over lambda would contradict.
    """
    M = rows if isinstance(rows, np.ndarray) else rows.toarray()
    gamma = (np.count_nonzero(M, axis=1).max(initial=0) + 7) * 2.0**-53
    return bool((np.abs(weights @ M) <= gamma * (weights @ np.abs(M))).all())
