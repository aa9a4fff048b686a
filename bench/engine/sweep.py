"""Tolerances from loose to tight: for every level of suboptimality, the loosest tolerance that reaches it counts.

First everybody is scouted: each tolerance once, loosest first, until the tightest level is reached or the time is
over.  Then the tolerances that count are measured again, all contenders in turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.engine.peers.contender import Contender
from bench.engine.problem import LEVELS
from bench.engine.worker import Gone, TooLong, Worker

Judge = Callable[[Any, Any], float]
COMPILE = 120.0  # seconds more for the first fit: some compile


@dataclass
class Runs:
    """What is known of one contender: per tolerance, the objective and the seconds of each run."""

    library: str
    contender: Contender
    worker: Worker
    clock: str = "seconds"  # or "cpu": processor time
    cold: float = math.nan
    ended: str = ""
    objective: dict[float, float] = field(default_factory=dict)
    seconds: dict[float, list[float]] = field(default_factory=dict)
    cpu: dict[float, list[float]] = field(default_factory=dict)
    memory: dict[float, int | None] = field(default_factory=dict)
    said: dict[float, dict[str, Any]] = field(default_factory=dict)

    def run(self, tol: float, judge: Judge, limit: float) -> float:
        """One fit; its objective."""
        first = math.isnan(self.cold)
        found = self.worker.fit(tol, limit + COMPILE if first else limit)
        if first:
            self.cold = found[self.clock]
            found = self.worker.fit(tol, limit)
        value = judge(found["w"], found["b"])
        self.objective[tol] = max(value, self.objective.get(tol, -math.inf))  # of several runs the worst counts
        self.seconds.setdefault(tol, []).append(found[self.clock])
        self.cpu.setdefault(tol, []).append(found["cpu"])
        self.memory[tol] = found["memory"]
        self.said[tol] = found["said"]
        return value

    def above(self, tol: float, best: float) -> float:
        """Relative suboptimality."""
        value = self.objective[tol]
        return (value - best) / abs(best) if math.isfinite(value) else math.inf

    def median(self, tol: float) -> float:
        """Seconds."""
        return float(np.median(self.seconds[tol]))

    def counts(self, best: float, level: float) -> float | None:
        """The tolerance that counts for a level: of those that reach it, the quickest."""
        reached = [tol for tol in self.objective if self.above(tol, best) <= level]
        return min(reached, key=self.median, default=None)


def scout(runs: Runs, judge: Judge, best: float, limit: float, total: float, tightest: float = LEVELS[-1]) -> float:
    """Every tolerance once; the lowest objective met."""
    spent, lowest, sure = 0.0, math.inf, math.isfinite(best)
    try:
        for tol in runs.contender.tolerances:
            value = runs.run(tol, judge, limit)
            spent += sum(runs.seconds[tol])
            lowest = min(lowest, value)
            best = min(best, lowest)
            if (lowest - best) / abs(best) <= tightest and (sure or tol <= tightest):
                break
            if spent > total:
                runs.ended = f"not tried beyond tol = {tol:g}: {spent:.0f} s spent"
                break
    except TooLong:
        runs.ended = f"stopped after {limit:g} s at tol = {tol:g}"
    except Gone as reason:
        runs.ended = str(reason)
    return lowest


def repeat(
    found: Iterable[Runs], judge: Judge, best: float, levels: Iterable[float], repeats: int, limit: float
) -> None:
    """The tolerances that count, again: one contender after the other, each round beginning with another."""
    jobs = []
    for runs in found:
        wanted = {tol for level in levels if (tol := runs.counts(best, level)) is not None}
        jobs += [(runs, tol) for tol in sorted(wanted, reverse=True)]
    for turn in range(repeats):
        for runs, tol in jobs[turn % max(1, len(jobs)) :] + jobs[: turn % max(1, len(jobs))]:
            try:
                runs.run(tol, judge, 4 * limit)
            except (TooLong, Gone) as reason:
                runs.ended = runs.ended or f"ended in a repeat: {type(reason).__name__} {reason}"
