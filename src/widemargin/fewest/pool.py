"""The conflicts found so far.  Of the points of each, at least one is an error, whatever the hyperplane:

sum_{i in S} e_i >= 1   for every minimal infeasible S       (Gleeson, Ryan 1990)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.separation.conflict import Conflict


class Pool:
    """Conflicts, each once; rows are numbers of points."""

    def __init__(self, points: int) -> None:
        self.conflicts: list[Conflict] = []
        self.often = np.zeros(points)  # conflicts that a point is in
        self._known: set[bytes] = set()
        self._matrix: Any = None

    def __len__(self) -> int:
        return len(self.conflicts)

    def add(self, conflict: Conflict) -> bool:
        """Whether it is new."""
        key = conflict.rows.tobytes()
        if key in self._known:
            return False
        self._known.add(key)
        self.conflicts.append(conflict)
        self.often[conflict.rows] += 1
        self._matrix = None
        return True

    @property
    def matrix(self) -> Any:
        """(conflicts, points) CSC: 1 where a point is in a conflict."""
        if self._matrix is None:
            from scipy.sparse import csc_array

            rows = [conflict.rows for conflict in self.conflicts]
            owner = np.repeat(np.arange(len(rows)), [len(r) for r in rows])
            points = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
            shape = (len(rows), len(self.often))
            self._matrix = csc_array((np.ones(len(points)), (owner, points)), shape=shape)
        return self._matrix

    def disjoint(self, s: F64, u: F64) -> I64:
        """Conflicts no two of which share a point: those that a packing u uses and of few points first."""
        size = np.array([len(conflict.rows) for conflict in self.conflicts])
        free: Array = np.ones(len(s), dtype=bool)
        kept = []
        for k in np.lexsort((size, -u)).tolist():
            rows = self.conflicts[k].rows
            if free[rows].all():
                free[rows] = False
                kept.append(k)
        return np.array(sorted(kept), dtype=np.int64)
