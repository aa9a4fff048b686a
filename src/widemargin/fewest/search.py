"""Incumbents from above, conflicts from below, in turns, until they meet or time runs out.

A round looks for a cheap choice of points that settles all conflicts found.  Either the other points can all be
right: that is an incumbent.  Or they hold more conflicts.  Where no choice is as cheap as the bound, the bound rises:
few errors are proved by a tree of all choices, many by the programme.  The points of a packing of conflicts leave
the data one after the other, so that large data have a bound from the first conflict on.  Parker, Ryan 1996; Codato,
Fischetti 2006.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.errors import Verdict
from widemargin.fewest import cover
from widemargin.fewest.incumbent import Known, Progress
from widemargin.fewest.points import Points, vanishing
from widemargin.fewest.pool import Pool
from widemargin.fewest.probe import Probe
from widemargin.fewest.surrogates import Interrupted, Surrogate, Surrogates
from widemargin.fewest.tree import DEEPEST, WIDEST, Tree
from widemargin.loss import CallableLoss, Loss
from widemargin.separation.conflict import Conflict, Separating

SHARE = 0.2  # of the time, at most, for the table of surrogates
START = 0.2  # of the time, at most, for the starts of one round
STARTS = 10  # of reweighted fits, before the first conflict
MORE = 3  # in each round after it
PATIENCE = 30  # choices by chance that are no cheaper than the bound, before the programme is asked
ASKED = 3  # times with other costs, where rounding leaves no answer
TRIES = 3  # conflicts among the points that a choice leaves
PIECE = 30  # conflicts of the packing of all points, a round
SECONDS = 8.0  # for the first programme; where one does not end, the next has more, and more conflicts


class Search:
    """What is known, and the steps that add to it."""

    def __init__(self, points: Points, intercept: bool, seed: int, seconds: float, started: float, tell: Any) -> None:
        self.points, self.known, self.pool = points, Known(points), Pool(points.n)
        self.seconds, self.started = seconds, started
        self.tell: Callable[[Progress], object] | None = tell
        self.random = np.random.default_rng(seed)
        self.probe = Probe(points, lambda: self.left() <= 0)
        self.fits = Surrogates(self.known, self.left, intercept, seed)
        self.table: list[Surrogate] = []
        self.trace: list[Progress] = []
        self.residual = points.s.copy()  # what the packing of all points has not taken yet
        self.packed = 0.0
        self.patience, self.choices = SECONDS, PATIENCE
        self.fresh = True

    def left(self) -> float:
        """Seconds."""
        return self.seconds - (time.perf_counter() - self.started)

    def say(self, note: str) -> None:
        """An event, where something got better or the note is new."""
        now = time.perf_counter() - self.started
        event = Progress(now, self.known.weight, self.known.bound, len(self.pool), note)
        last = self.trace[-1] if self.trace else None
        if last is None or (last.incumbent, last.bound, last.note) != (event.incumbent, event.bound, note):
            self.trace.append(event)
            if self.tell is not None:
                self.tell(event)

    def run(self, losses: Sequence[Loss | CallableLoss], alphas: Sequence[float]) -> Verdict:
        """Search; Ctrl-C keeps what is known."""
        try:
            self.say("w = 0")
            self.plain()
            self.say("identical rows")
            self.table = self.fits.table(losses, alphas, SHARE * self.seconds)
            self.say("surrogates")
            return self.rounds()
        except (KeyboardInterrupt, Interrupted):
            return Verdict.interrupted
        finally:
            self.say("end")

    def rounds(self) -> Verdict:
        """Until the bound meets the incumbent."""
        packing, count = True, 0
        while not self.known.closed:
            if self.left() <= 0:
                return Verdict.budget
            self.improve(MORE if count else STARTS)
            if packing:
                packing = self.pack(PIECE)
            elif not self.settle():
                return Verdict.budget if self.left() <= 0 else Verdict.stalled
            count += 1
        return Verdict.tolerance

    def improve(self, starts: int) -> None:
        """Reweighted fits: from the weights themselves first, then from the incumbent's by chance."""
        for _ in range(starts):
            if self.left() <= 0 or self.known.closed:
                return
            first = self.points.s if self.fresh else self.fits.start(self.random)
            self.fresh = False
            self.fits.reweighted(first, START * self.seconds / starts)
            self.say("reweighted")

    def plain(self) -> None:
        """Conflicts that need no programme: identical rows with both labels, and rows of zeros without intercept."""
        for rows in vanishing(self.points):
            self.pool.add(Conflict(rows, np.full(len(rows), 1.0 / len(rows))))
            self.take(rows)
        self.known.prove(self.packed)

    def take(self, rows: I64) -> None:
        """The packing grows by as much as the lightest point has left."""
        amount = float(self.residual[rows].min())
        self.residual[rows] -= amount
        self.residual[self.residual <= 1e-12 * self.points.s] = 0.0
        self.packed += amount

    def costs(self) -> F64:
        """Chance, and dear where conflicts are many already or the points are light: new conflicts, of much weight."""
        return self.random.exponential(size=self.points.n) * (1.0 + self.pool.often) / self.points.s

    def pack(self, count: int) -> bool:
        """Some more conflicts of the packing of all points; False once it is maximal."""
        for _ in range(count):
            if self.left() <= 0:
                return True
            found = self.ask(np.flatnonzero(self.residual > 0))
            if not isinstance(found, Conflict):
                return False
            self.take(found.rows)
            self.known.prove(self.packed)
            self.say("packing")
        return True

    def ask(self, left: I64) -> Conflict | Separating | None:
        """A conflict among these, for the pool; or an incumbent."""
        found = None
        for _ in range(ASKED if len(left) else 0):
            found = self.probe(left, self.costs(), self.known.w)
            if found is not None or self.left() <= 0:
                break
        if isinstance(found, Conflict):
            self.pool.add(found)
        elif isinstance(found, Separating) and self.known.meet(found.w):
            self.say("all others are right")
        return found

    def among(self, chosen: I64) -> bool:
        """Conflicts among all points but these; whether any was found or the incumbent got better."""
        before, weight = len(self.pool), self.known.weight
        left = np.setdiff1d(np.arange(self.points.n), chosen)
        for _ in range(TRIES):
            if self.left() <= 0 or not isinstance(self.ask(left), Conflict):
                break
        return len(self.pool) > before or self.known.weight < weight

    def settle(self) -> bool:
        """A higher bound, or an incumbent that meets it; False where nothing leads on."""
        unit = self.points.unit
        if unit and self.known.bound <= DEEPEST * unit and self.points.n <= WIDEST:
            tree = Tree(self.pool, self.points.s, unit, self.open, lambda: self.left() <= 0)
            if tree.none_within(round(self.known.bound / unit)):
                self.known.prove(self.known.bound + unit)
                self.say("tree")
                return True
            if self.left() <= 0 or self.known.closed:
                return True
        return self.by_programme()

    def open(self, chosen: list[int]) -> bool:
        """Conflicts that a choice does not settle, and others that a choice by chance does not."""
        led = self.among(np.array(chosen, dtype=np.int64))
        other = cover.greedy(self.pool.matrix, self.points.s, self.random) if led and not self.known.closed else None
        if other is not None and self.points.weight(other) < self.known.weight:
            self.among(other)
        return led and not self.known.closed

    def by_programme(self) -> bool:
        """Choices by chance, then the programme; False where neither leads on."""
        misses = 0
        while misses < self.choices and self.left() > 0 and not self.known.closed:
            choices = [cover.greedy(self.pool.matrix, self.points.s, self.random) for _ in range(5)]
            chosen = min(choices, key=lambda points: self.points.weight(points))
            weight = self.points.weight(chosen)
            misses = misses + 1 if weight > self.known.bound else 0
            if weight < self.known.weight and not self.among(chosen):
                misses += 1
        if self.left() <= 0 or self.known.closed:
            return True
        found = cover.programme(self.pool.matrix, self.points.s, min(self.left(), self.patience))
        raised = self.known.prove(found.bound)
        self.say("programme")
        if not (raised or found.optimal):
            self.patience, self.choices = 2 * self.patience, 2 * self.choices
        led = found.chosen is not None and self.among(found.chosen)
        return raised or led or not found.optimal
