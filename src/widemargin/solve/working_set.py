"""Proximal Newton on a working set: min sum p l(y (x.w + b + o)) + sum l1 |w| + l2 w^2 / 2 over some columns of X.

The columns are gathered once; a step scales them by the root of the rows' curvature, descends along coordinates
(core/cd.hpp) and searches the true objective along the way.  Massias, Gramfort, Salmon 2018; Bertrand et al. 2022.
"""

from __future__ import annotations

import numpy as np

from widemargin import _core
from widemargin._types import F64, I64
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.solve.damping import adapted, damped, floor
from widemargin.solve.line_search import HALVINGS, ROUNDING, SHARE
from widemargin.solve.protocol import Problem
from widemargin.terms import Separable

FORCING = 0.2  # of the violation may be left by a model, less as the steps converge
STEPS = 50  # Newton steps between two looks at all columns
WORK = 5e7  # stored values that one call may touch: about a tenth of a second
PATIENCE = 300  # sweeps for one model
GATHERS = 2  # passes over sparse rows for their columns, before one copy of X in columns costs less than the next ones
KINDS = {"none": 0, "free": 1, "penalised": 2}


class ColumnSet:
    """Columns of one head: their numbers, weights and what holds them; subclasses know how to solve on them."""

    value: float
    errors: float

    def __init__(self, problem: Problem, k: int, theta: Theta) -> None:
        source = problem.source
        self.problem, self.threads = problem, problem.reducer.threads
        self.y, self.p = np.ascontiguousarray(source.signs[:, k]), source.p
        o = None if source.o is None else source.o.reshape(source.n, -1)
        self.o = None if o is None else np.ascontiguousarray(o[:, k if o.shape[1] > 1 else 0])
        self.ids: I64 = np.empty(0, dtype=np.int64)
        self.hold(problem, k)
        self.stored = np.zeros(source.d, dtype=bool)
        self.w, self.b = np.empty(0), float(theta.b[k])
        self.kind = KINDS[problem.objective.intercept]
        self.touched = 0.0  # stored values, for the count of passes
        self.steps = 0
        self.start(theta, k)

    def hold(self, problem: Problem, k: int) -> None:
        """What holds the weights, by this problem."""
        self.problem, self.held, self.exactness = problem, _held(problem, k), 1.0
        self.here = Separable(*(column[self.ids] for column in self.held))

    def start(self, theta: Theta, k: int) -> None:
        """The columns that differ from 0 at a point, and what the rows say there."""
        raise NotImplementedError

    def solve(self, goal: float) -> bool:
        """Until no coordinate violates its condition by more than `goal`; False when no step helps."""
        raise NotImplementedError

    def enlarge(self, ids: I64, start: F64 | None = None) -> None:
        """More columns, none of them here yet, with weights 0 unless told."""
        self.stored[ids] = True
        self.ids = np.append(self.ids, ids)
        self.w = np.append(self.w, np.zeros(len(ids)) if start is None else start[ids])
        self.here = Separable(*(column[self.ids] for column in self.held))

    def violation(self, g: F64, R: float) -> float:
        """The largest distance of a slope from where it has to be."""
        off = self.here.distance(g, self.w)
        return max(float(np.max(off, initial=0.0)), abs(R) if self.kind == 1 else 0.0)

    def penalty(self, w: F64, b: float) -> float:
        """On the columns here, and on a penalised intercept."""
        found = float(self.here.value(w).sum())
        if self.kind == 2:
            found += self.problem.objective.l1 * abs(b) + 0.5 * self.problem.objective.l2 * b * b
        return found


class WorkingSet(ColumnSet):
    """One head on the columns gathered so far: weights w, intercept b, scores f, and what the rows say at f."""

    def start(self, theta: Theta, k: int) -> None:
        """Gather what differs from 0."""
        X = self.problem.source.X
        self.turned = "transposed" in X.__dict__  # made before, or as the user stores it
        self.rows = X.transposed.core if self.turned else X.core
        self.columns = _core.Columns(self.rows, self.turned)
        self.gathers, self.damping = 0, np.full(1, floor(self.problem))
        self.strict = 1.0
        self.enlarge(np.flatnonzero(theta.W[:, k]), theta.W[:, k])
        self.f = self._scores(self.w, self.b)
        self.value, self.errors, self.r, self.h = self._judged(self.f)

    def enlarge(self, ids: I64, start: F64 | None = None) -> None:
        """More columns: gathered in a pass over the rows, or taken from a copy of X in columns."""
        if len(ids) == 0:
            return
        X = self.problem.source.X
        if X.sparse and not self.turned and self.gathers == GATHERS:
            self.turned, self.rows = True, X.transposed.core
            self.touched += 2 * X.nnz
        self.gathers += 1
        self.columns.gather(self.rows, ids.astype(np.int64), self.turned, self.threads)
        super().enlarge(ids, start)
        self.touched += 0 if self.turned else self.problem.source.nnz

    def _scores(self, w: F64, b: float) -> F64:
        f = np.full(len(self.y), b) if self.o is None else self.o + b
        self.columns.add(w, f)
        return f

    def _judged(self, f: F64) -> tuple[float, float, F64, F64]:
        loss, n = self.problem.objective.loss, len(self.y)
        if isinstance(loss, CallableLoss):
            assert loss.d2 is not None
            z = self.y * f
            slopes, curvature = self.p * self.y * loss.d1(z), self.p * loss.d2(z)
            return _core.inner(self.p, loss.value(z)), _core.inner(self.p, (z <= 0).astype(float)), slopes, curvature
        r, h = np.empty(n), np.empty(n)
        threads = self.threads if n > 20_000 else 1
        value, errors = _core.judge(loss.index, self.y, self.p, f, r, h, threads)
        return value, errors, r, h

    def solve(self, goal: float) -> bool:
        """Newton steps until no coordinate violates its condition by more than `goal`; False when none helps."""
        unit, before = self.problem.objective.l1, np.inf
        for _ in range(STEPS if unit > 0 else 1):
            self.problem.poll()
            m = len(self.ids)
            g, hess, on_b = np.empty(m), np.empty(m), np.empty(m)
            h = damped(self.problem, self.h[:, None], self.damping)[:, 0]
            root = np.sqrt(h)
            self.columns.scale(root, self.r, g, hess, on_b, self.threads)
            self.touched += 2 * self.columns.nnz
            R = float(self.r.sum()) if self.kind else 0.0
            worst = self.violation(g, R)
            if worst <= goal:
                return True
            unit = unit or worst
            # A sweep may see small steps only, and yet many of them together move a common column far: then stricter.
            self.strict = min(self.strict * 5, 1e4) if worst > 0.5 * before else max(1.0, self.strict / 2)
            before = worst
            # ever more exactly, so that the steps converge quadratically: Eisenstat, Walker 1996
            tolerance = max(goal / 2, min(FORCING, worst / unit) * worst) / self.strict
            w, shift = self._descend(root, g, hess, on_b, R, tolerance)
            if not self._search(w, shift, g, R):
                return False
        return True

    def _descend(self, root: F64, g: F64, hess: F64, on_b: F64, R: float, tolerance: float) -> tuple[F64, float]:
        """The model's minimiser: weights, and how far the intercept moves."""
        objective, here = self.problem.objective, self.here
        low, high = (here.low, here.high) if objective.boxed else (None, None)
        held = (objective.l1, objective.l2) if self.kind == 2 else (0.0, 0.0)
        w, tau = self.w.copy(), np.zeros(len(root))
        total = _core.inner(root, root)
        shift = -R / total if self.kind == 1 and total > 0 else 0.0
        left = float(PATIENCE * (self.columns.nnz + len(root)))
        while left > 0:
            self.problem.poll()
            shift, _, touched, done = self.columns.descend(
                root, g, hess, on_b, (self.kind, R, self.b, *held), here.l1, here.l2, low, high,
                w, tau, shift, tolerance, min(left, WORK),
            )  # fmt: skip
            self.touched += 2 * touched
            left -= touched
            if done:
                break
        return w, shift

    def _search(self, w: F64, shift: float, g: F64, R: float) -> bool:
        """Back along the step until the objective keeps a part of what the model promises."""
        step, before = w - self.w, self.value + self.penalty(self.w, self.b)
        promised = float(g @ step) + R * shift + self.penalty(w, self.b + shift) - self.penalty(self.w, self.b)
        noise = ROUNDING * abs(before)
        move, t = np.full(len(self.f), shift), 1.0
        self.columns.add(step, move)
        self.touched += self.columns.nnz
        for _ in range(HALVINGS):
            f, trial, b = self.f + t * move, w if t == 1 else self.w + t * step, self.b + t * shift
            judged = self._judged(f)
            reached = judged[0] + self.penalty(trial, b)
            if reached <= before + SHARE * t * promised + noise:
                self.w, self.b, self.f, self.steps = trial, b, f, self.steps + 1
                self.value, self.errors, self.r, self.h = judged
                self.damping = adapted(self.damping, np.full(1, t), floor(self.problem))
                return promised < -noise or bool(reached < before)
            t *= 0.5
        return False


def _held(problem: Problem, k: int) -> tuple[F64, F64, F64, F64]:
    """l1, l2, low, high of every column of X, for one head."""
    found, d = problem.objective.separable, problem.source.d
    assert found is not None
    parts = []
    for array in (found.l1, found.l2, found.low, found.high):
        column = array[: max(1, d), k if array.shape[1] > 1 else 0]
        parts.append(np.ascontiguousarray(np.broadcast_to(column, d) if len(column) == 1 else column[:d]))
    return parts[0], parts[1], parts[2], parts[3]
