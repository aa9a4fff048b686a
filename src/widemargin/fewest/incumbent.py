"""The best hyperplane so far: every w that is met is a candidate, and what it misjudges is counted on all points."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from widemargin._types import F64, Array
from widemargin.fewest.points import Points


class Progress(NamedTuple):
    """What is known at some time: the fewest errors are between `bound` and `incumbent`, as sums of weights."""

    seconds: float
    incumbent: float
    bound: float
    conflicts: int
    note: str


class Known:
    """Incumbent and bound; both only get better."""

    def __init__(self, points: Points) -> None:
        self.points = points
        self.w: F64 = np.zeros(points.A.d)
        self.wrong: Array = np.ones(points.n, dtype=bool)  # of w = 0
        self.weight = points.weight(self.wrong)
        self.bound = 0.0

    def meet(self, w: F64) -> bool:
        """Whether w misjudges less weight than any before."""
        size = float(np.abs(w).max(initial=0.0))
        if not 0 < size < math.inf or not np.isfinite(w).all():
            return False
        if self.points.weight(self.points.roughly(w)) >= self.weight:
            return False
        wrong = self.points.misjudged(w)
        weight = self.points.weight(wrong)
        if weight >= self.weight:
            return False
        self.w, self.wrong, self.weight = w.copy(), wrong, weight
        return True

    def prove(self, bound: float) -> bool:
        """Whether the bound, rounded up, is higher than any before."""
        raised = min(self.points.up(bound), self.weight)
        better = raised > self.bound
        self.bound = max(self.bound, raised)
        return better

    @property
    def closed(self) -> bool:
        """Nothing is left between bound and incumbent but rounding."""
        return self.weight - self.bound <= 1e-8 * self.weight
