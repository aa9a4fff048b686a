"""Proximal Newton on Gram sums: min sum p l(y (x.w + b + o)) + sum l1 |w| + l2 w^2 / 2 over few columns of many rows.

H = X' diag(h) X costs far more than a pass for value and slopes: one H serves several steps while they converge.
Coordinate steps find which weights differ from 0; on those, with their signs, the minimiser solves a linear system.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from widemargin import _core
from widemargin._types import F64, I64
from widemargin.data.rows import Rows
from widemargin.data.source import ArraySource
from widemargin.objective import Theta
from widemargin.solve.damping import adapted, floor, plain_diagonal, typical_curvature
from widemargin.solve.line_search import HALVINGS, ROUNDING, SHARE
from widemargin.solve.newton import solve_positive
from widemargin.solve.protocol import Problem, Sums
from widemargin.solve.symmetric import times
from widemargin.solve.working_set import FORCING, STEPS, ColumnSet

WORK = 2e8  # multiply-adds of one call: about a tenth of a second
ROUNDS = 20
SWEEPS = 50  # and as many as there are columns: then an exact solve costs no more than they did
BENDS = 100
STALE = (0.25, 0.65)  # of the violation is left after a step, or H is summed anew: for few columns, for many
MANY = 200  # columns beyond which one H costs as much as tens of passes
SAMPLE = 8  # rows per column that the first H is summed over; more when even a new one does not serve


class GramSet(ColumnSet):
    """One head on some columns (or all): weights w, intercept b, and the sums over the rows there."""

    def start(self, theta: Theta, k: int) -> None:
        """All columns at once where they are few; else those that differ from 0."""
        source = self.problem.source
        self.damping = np.full(1, floor(self.problem))
        self.H: F64 | None = None  # at `served` steps ago
        self.before = np.inf  # the violation then
        self.plain: F64 | None = None  # the diagonal of H if every row had curvature 1
        self.all = source.d <= ALL
        self.full = ArraySource(source.X, self.y, source.s, self.o, 2)
        self.stride = 0
        self.part = self.full
        self.enlarge(np.arange(source.d) if self.all else np.flatnonzero(theta.W[:, k]), theta.W[:, k])
        self._take(self._sums("gradient", self.w, self.b))

    def enlarge(self, ids: I64, start: F64 | None = None) -> None:
        """More columns, copied side by side unless they are all."""
        super().enlarge(ids, start)
        self.H, self.before, self.served, self.plain = None, np.inf, 0, None
        widest = self.full.n // (SAMPLE * (len(self.ids) + 1))
        self.stride = max(1, min(self.stride or widest, widest)) if self.sampled else 1
        if not self.all:
            values = self.full.X.values
            assert values is not None
            self.part = replace(self.full, X=Rows(self.full.n, len(self.ids), np.take(values, self.ids, axis=1)))
            self.touched += self.full.n * len(self.ids)

    def hold(self, problem: Problem, k: int) -> None:
        """Sums over the rows need the loss alone."""
        super().hold(problem, k)
        self.simple = replace(problem.objective, multiclass="binary", K=1, terms=None)

    @property
    def sampled(self) -> bool:
        """Whether a part of the rows may stand for all of them in H: the slopes are always those of all."""
        return not self.full.X.sparse and len(self.ids) > 0

    def _sums(self, kind: str, w: F64, b: float, part: ArraySource | None = None) -> Sums:
        part = part or self.part
        problem = replace(self.problem, objective=self.simple, source=part)
        self.touched += part.nnz
        return problem.fold(kind, Theta(w[:, None], np.array([b])))

    def _curvature(self) -> None:
        """H, over every so many rows until the steps need more of them."""
        X, part = self.part.X, self.part
        if self.stride > 1 and X.values is not None:
            values = X.values[:: self.stride]
            s, o = (None if a is None else np.ascontiguousarray(a[:: self.stride]) for a in (part.s, part.o))
            part = ArraySource(Rows(len(values), X.d, values), np.ascontiguousarray(self.y[:: self.stride]), s, o, 2)
        gram = self._sums("gram", self.w, self.b, part).gram
        assert gram is not None
        self.H = np.ascontiguousarray(gram[0])

    def _take(self, sums: Sums) -> None:
        assert sums.gradient is not None
        self.value, self.errors = float(sums.value[0]), float(sums.errors[0])
        self.g, self.R = sums.gradient.W[:, 0], float(sums.gradient.b[0])

    def gradient(self) -> tuple[F64, float]:
        """The slopes of all columns: one more pass unless all are here."""
        if self.all:
            return self.g, self.R
        w = np.zeros(self.full.d)
        w[self.ids] = self.w
        found = replace(self.problem, objective=self.simple, source=self.full).fold(
            "gradient", Theta(w[:, None], np.array([self.b]))
        )
        assert found.gradient is not None
        self.touched += self.full.nnz
        return found.gradient.W[:, 0], float(found.gradient.b[0])

    def solve(self, goal: float) -> bool:
        """Newton steps until no coordinate violates its condition by more than `goal`; False when none helps."""
        unit = self.problem.objective.l1
        self._take(self._sums("gradient", self.w, self.b))
        for _ in range(STEPS if unit > 0 else 1):
            worst = self.violation(self.g, self.R)
            if worst <= goal:
                return True
            unit = unit or worst
            slow = worst > STALE[len(self.w) > MANY] * self.before
            if slow and self.served <= 2:
                self.stride = max(1, self.stride // 2)
            exact = self.H is None or slow
            if exact:
                self._curvature()
            self.served, self.before = 1 if exact else self.served + 1, worst
            w, shift = self._minimum(max(goal / 2, min(FORCING, worst / unit) * worst))
            if not self._search(w, shift) and exact:
                if self.stride == 1:
                    return False
                self.stride = 1
        return True

    def _minimum(self, tolerance: float) -> tuple[F64, float]:
        """The model's minimiser: weights, and how far the intercept moves."""
        assert self.H is not None
        m, H = len(self.w), self.H
        if self.damping[0] > 0:
            typical = float(typical_curvature(self.problem, np.array([[H[-1, -1]]]))[0])
            if self.plain is None:
                self.plain = plain_diagonal(replace(self.problem, objective=self.simple, source=self.part))
            H = H + self.damping[0] * typical * np.diag(self.plain)
        w, g, here = self.w.copy(), self.g.copy(), self.here
        l1, l2, low, high = here.l1, here.l2, here.low, here.high
        on_b, total = H[:m, m], H[m, m]
        free = self.kind == 1 and total > 0
        if self.kind == 2:
            last = (self.problem.objective.l1, self.problem.objective.l2, -np.inf, np.inf)
            l1, l2, low, high = (np.append(a, x) for a, x in zip((l1, l2, low, high), last, strict=True))
            w, g = np.append(w, self.b), np.append(g, self.R)
        elif free:
            H, g = H[:m, :m] - np.outer(on_b, on_b) / total, g - on_b * (self.R / total)
        else:
            H = H[:m, :m]
        model = GramModel(np.ascontiguousarray(H), g, w.copy(), l1, l2, low, high)
        w = model.minimise(w, tolerance)
        if self.kind == 2:
            return w[:-1], float(w[-1] - self.b)
        return w, -(self.R + float(on_b @ (w - self.w))) / total if free else 0.0

    def _search(self, w: F64, shift: float) -> bool:
        """Back along the step until the objective keeps a part of what the model promises."""
        step, before = w - self.w, self.value + self.penalty(self.w, self.b)
        promised = (
            float(self.g @ step) + self.R * shift + self.penalty(w, self.b + shift) - self.penalty(self.w, self.b)
        )
        noise, t = ROUNDING * abs(before), 1.0
        for _ in range(HALVINGS):
            trial, b = w if t == 1 else self.w + t * step, self.b + t * shift
            sums = self._sums("gradient", trial, b)
            reached = float(sums.value[0]) + self.penalty(trial, b)
            if reached <= before + SHARE * t * promised + noise:
                self.w, self.b, self.steps = trial, b, self.steps + 1
                self._take(sums)
                self.damping = adapted(self.damping, np.full(1, t), floor(self.problem))
                self.H = None if t < 1 else self.H
                return promised < -noise or bool(reached < before)
            t *= 0.5
        self.H = None
        return False


ALL = 1500  # columns up to which no working set is worth its copy


class GramModel:
    """g.d + d'Hd / 2 + penalty at start + d."""

    def __init__(self, H: F64, g: F64, start: F64, l1: F64, l2: F64, low: F64, high: F64) -> None:
        self.H, self.g, self.start, self.l1, self.l2, self.low, self.high = H, g, start, l1, l2, low, high
        self.ends = (low, high) if np.isfinite(low).any() or np.isfinite(high).any() else (None, None)

    def minimise(self, w: F64, tolerance: float) -> F64:
        """Sweeps, and exact solves on what differs from 0, until no coordinate wants to move."""
        low, high = self.ends
        work = WORK / ROUNDS if low is not None else min(WORK / ROUNDS, (SWEEPS + len(w)) * len(w) ** 2)
        for _ in range(ROUNDS):
            r = self.g + times(self.H, w - self.start)
            _, _, done = _core.cd_gram(self.H, self.l1, self.l2, low, high, w, r, tolerance, work)
            if done:
                break
            w = self._jump(w)
        return w

    def _jump(self, w: F64) -> F64:
        """The exact minimiser on the support with its signs; a weight that would change sign stays at 0 instead.

        The path bends at every such weight and goes on without it: Lee, Battle, Raina, Ng 2007.
        """
        support = np.flatnonzero(((w != 0) | (self.l1 == 0)) & (w > self.low) & (w < self.high))
        if len(support) == 0 or self.ends[0] is not None:
            return w
        H = self.H[np.ix_(support, support)] + np.diag(self.l2[support])
        slope = self.g + times(self.H, w - self.start) + self.l2 * w + self.l1 * np.sign(w)
        pull, w = slope[support], w.copy()
        alive, bound = np.full(len(support), True), self.l1[support] > 0
        for _ in range(min(len(support), BENDS) + 1):
            here, step = w[support], np.zeros(len(support))
            step[alive] = -solve_positive(H[np.ix_(alive, alive)], pull[alive])
            crossing = alive & bound & (here * (here + step) < 0)
            reach = np.where(crossing, -here / np.where(step == 0, 1.0, step), np.inf)
            first = float(np.min(reach, initial=np.inf))
            if first >= 1.0:
                w[support] = here + step
                break
            ends = reach == first
            moved = np.where(ends, -here, first * step)
            w[support] = np.where(ends, 0.0, here + moved)
            pull, alive = pull + times(H, moved), alive & ~ends
        return w
