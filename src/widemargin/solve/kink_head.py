"""One head of the dual descent for losses with one kink: sweeps over its moving rows, and looks at all of them.

A look gives P(w, b) at the best b, and D(a) once sum p a y = 0 is met exactly: what is missing is spread over the rows
strictly between the bounds, where D is flat to first order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from widemargin import _core
from widemargin._types import F64, Array
from widemargin.data.rows import Rows
from widemargin.data.source import ArraySource
from widemargin.objective import Theta
from widemargin.shift import best_shift, weighted_sum
from widemargin.solve.protocol import Problem

CALL = 3e7  # stored values that one call of the core reads: Ctrl-C waits for it
DONE = 0.7  # share of the tolerance that the moving rows may leave
GATHERED = 0.3  # share of the rows below which those that move are copied side by side
LENT = 0.1  # share of the rows that balancing may copy
FEW = 1000  # rows that are not worth copying
SPREAD = 0.1  # of a row's distance to its bounds: the most that balancing may take
AT, TOP, LOW, DUAL, IMBALANCE, WORK, LEFT = 0, 1, 2, 7, 8, 10, 11  # where core/kink_cd.hpp keeps them among the marks


def targets(problem: Problem) -> F64:
    """h = threshold - y o, one row per head."""
    source = problem.source
    h = np.full((problem.objective.K, source.n), problem.objective.loss.threshold)
    return h if source.o is None else h - (source.signs * source.o.reshape(source.n, -1)).T


class Moving(NamedTuple):
    """Rows and what belongs to them: the arrays themselves, or copies of the moving ones side by side."""

    X: Rows
    y: F64
    p: F64
    h: F64
    sqnorms: F64
    a: F64
    live: Array  # the moving ones among these rows
    which: Array | None  # which rows these are; None: all


@dataclass(eq=False)
class Head:
    """Views of one head's part of the state, which sweeps change in place."""

    problem: Problem
    arrays: dict[str, F64]
    kept: dict[str, F64]
    k: int
    seed: int

    def __post_init__(self) -> None:
        arrays, kept, k = self.arrays, self.kept, self.k
        self.w, self.b, self.marks = arrays["W"][k], arrays["b"][k : k + 1], arrays["marks"][k]
        self.a, self.h, self.live = kept["a"][k], kept["h"][k], kept["live"][k]
        self.y, self.p = np.ascontiguousarray(self.problem.source.signs[:, k]), self.problem.source.p
        self.rows = ArraySource(self.problem.source.X, self.y)  # offsets are in h

    def sweep(self, work: float) -> float:
        """Sweeps until the moving rows seem done or the work is; what was read, in stored values."""
        left, done, count = work, False, int(self.arrays["counts"][self.k])
        while left > 0 and not done:
            rows = self._moving(count)
            count, left, done = self._calls(rows, count, left)
            if rows.which is not None:
                self.a[rows.which] = rows.a
                self.live[:count] = rows.which[rows.live[:count]]
        self.arrays["counts"][self.k] = count
        return work - left

    def _moving(self, count: int) -> Moving:
        X = self.problem.source.X
        whole = Moving(X, self.y, self.p, self.h, self.kept["sqnorms"], self.a, self.live, None)
        if not X.sparse or count > GATHERED * X.n or X.n < FEW:
            return whole
        index = self.live[:count].copy()
        y, p, h, norms, a = (np.ascontiguousarray(part[index]) for part in whole[1:6])
        rows = X.take(index, self.problem.reducer.threads)
        return Moving(rows, y, p, h, norms, a, np.arange(count, dtype=np.int32), index)

    def _calls(self, rows: Moving, count: int, left: float) -> tuple[int, float, bool]:
        """Calls of the core until the work is done, the rows are, or few of them are left."""
        objective, marks, soft = self.problem.objective, self.marks, float(self.arrays["soft"][self.k])
        keep, drag = (1.0 / (1.0 + soft), objective.l2) if objective.intercept == "penalised" else (1.0, 0.0)
        aim, order = DONE * self.problem.tol, np.empty(rows.X.n, dtype=np.int32)
        fewest = int(GATHERED * rows.X.n) if rows.X.sparse and rows.X.n >= FEW else 0
        while left > 0:
            self.problem.poll()
            marks[WORK] = min(left, CALL)
            left -= marks[WORK]
            count = _core.kink_sweeps(
                rows.X.core, rows.y, rows.p, rows.h, rows.sqnorms, objective.l2, soft * keep, keep, drag, rows.live,
                count, order, self.problem.shuffle, self.seed, aim, fewest, self.w, self.b, rows.a, marks,
            )  # fmt: skip
            left += max(marks[WORK], 0.0)
            if count == 0 or (marks[AT] == 0 and marks[LEFT] <= aim * marks[DUAL]):
                return count, left, True
            if count < fewest:
                break
        return count, left, False

    def look(self) -> float:
        """All rows: the objective, the bound, and the rows that go on; the passes that it took."""
        passes = 1.0
        if self.problem.objective.intercept == "free":
            passes += self._balance()
        z = self.y * self.problem.reducer.scores(self.rows, Theta(self.w[:, None], np.zeros(1)))[:, 0]
        self.kept["scores"][self.k] = self._judge(z)
        slope = z + self.y * self.b - self.h
        moving = np.flatnonzero(((slope < 0) & (self.a < 1)) | ((slope > 0) & (self.a > 0)) | (slope == 0))
        self.live[: len(moving)] = moving
        self.arrays["counts"][self.k] = len(moving)
        self.marks[[AT, TOP, LOW]] = 0.0, np.inf, -np.inf
        return passes

    def _balance(self) -> float:
        """sum p a y = 0 to rounding, if the rows between the bounds can take what is missing."""
        room = self.p * np.minimum(self.a, 1.0 - self.a)
        excess, total = _core.inner(self.p * self.a, self.y), float(room.sum())
        if excess == 0 or abs(excess) > SPREAD * total:
            return 0.0
        free = np.flatnonzero(room > 0)
        change = -excess * self.y[free] * room[free] / (total * self.p[free])
        self.a[free] += change
        part, signed = self.rows, np.zeros((len(room), 1))
        signed[free, 0] = self.p[free] * self.y[free] * change
        if len(free) <= LENT * len(room):
            part = ArraySource(self.rows.X.take(free, self.problem.reducer.threads), self.y[free])
            signed = signed[free]
        self.w += self.problem.reducer.products(part, signed)[:, 0] / self.problem.objective.l2
        return part.n / len(room)

    def _judge(self, z: F64) -> F64:
        """P at the best b and D at a; the newest point, the best bound; the scores."""
        objective, arrays, k, p, b = self.problem.objective, self.arrays, self.k, self.p, float(self.b[0])
        z = z + (objective.loss.threshold - self.h)
        if objective.intercept == "free":
            b = best_shift(objective.loss, self.y * z, self.y, p)
        z = z + self.y * b
        square = 0.5 * objective.l2 * float(self.w @ self.w)
        value = float(weighted_sum(p, np.asarray(objective.loss.value(z)))) + square
        self.marks[DUAL] = bound = _core.inner(p, self.a * self.h) - square
        self.marks[IMBALANCE] = excess = _core.inner(p * self.a, self.y)
        if objective.intercept == "penalised":
            value += 0.5 * objective.l2 * b * b
            bound -= 0.5 * excess * excess / objective.l2
        elif objective.intercept == "free":
            bound = self._mixed(bound + square, excess)
        arrays["values"][k], arrays["errors"][k], arrays["theta_b"][k] = (
            value,
            _core.inner(p, (z <= 0).astype(float)),
            b,
        )
        if bound > arrays["bounds"][k]:
            arrays["bounds"][k] = bound
            self.kept["best"][k] = self.a
        return self.y * z

    def _mixed(self, T: float, excess: float) -> float:
        """D where an anchor takes what is left of sum p a y."""
        V, alpha = self.problem.objective.l2 * self.w, self.problem.objective.l2
        if abs(excess) > 1e-15:
            corner = self.problem.anchors.corners[self.k, excess < 0]
            share = abs(excess) / (abs(excess) + corner.mass)
            V, T = (1 - share) * V + share * corner.V, (1 - share) * T + share * corner.T
        return T - 0.5 * float(V @ V) / alpha
