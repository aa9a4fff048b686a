"""Stage after stage: each solver goes on from where the one before it ended, until what is proved is enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, Array
from widemargin.certificate import Certificate
from widemargin.checkpoint import Keeper, Saved
from widemargin.errors import Verdict
from widemargin.events import Trace
from widemargin.finish import certify
from widemargin.objective import Theta
from widemargin.solve.choose import Stage
from widemargin.solve.loop import Outcome, Resumed, run
from widemargin.solve.protocol import Problem, Solver, State
from widemargin.solve.start import begin_at
from widemargin.solve.watch import insisting

ONWARD = (Verdict.passes, Verdict.stalled, Verdict.diverged)  # verdicts after which the next stage is tried


class Ended(NamedTuple):
    """The best stage: its solver, how it ended, what is proved."""

    solver: Solver
    outcome: Outcome
    certificate: Certificate


@dataclass(frozen=True)
class Course:
    """One fit: its problem, the stages that may be needed, and what every stage is told."""

    problem: Problem
    stages: Sequence[Stage]
    null: F64
    classes: Array
    patience: int
    told: dict[str, Any]  # seed, stop, on_event, started, trace: as loop.run takes them
    keeper: Keeper | None = None

    def run(self, start: Theta | None) -> Ended:
        """The best of the stages that were needed."""
        saved = None if self.keeper is None else self.keeper.read()
        best = None if saved is None else self._restore(saved)
        for k, stage in enumerate(self.stages):
            if saved is not None and k < saved.stage:
                continue
            found = self._one(k, stage, start, saved if saved is not None and k == saved.stage else None, best)
            if best is None or not found.certificate.relative_gap >= best[1].certificate.relative_gap:
                best = k, found
            if found.certificate.verdict not in ONWARD:
                break
            start = found.certificate.theta
        assert best is not None  # there is always one stage
        if self.keeper is not None and best[1].certificate.verdict not in (Verdict.interrupted, Verdict.budget):
            self.keeper.remove()
        return best[1]

    def _restore(self, saved: Saved) -> tuple[int, Ended] | None:
        """What was there when the checkpoint was written: the trace, and the best stage before."""
        trace: Trace = self.told["trace"]
        for event in saved.events:
            trace.append(event)
        if saved.ended is None:
            return None
        k, outcome = saved.ended
        return k, self._certified(self.stages[k].solver, outcome)

    def _one(
        self, k: int, stage: Stage, start: Theta | None, saved: Saved | None, best: tuple[int, Ended] | None
    ) -> Ended:
        """One stage, from the start or from where it was saved."""
        keep = None
        if self.keeper is not None:
            self.keeper.stage, self.keeper.ended = k, None if best is None else (best[0], best[1].outcome)
            keep = self.keeper.keep
        resumed = None
        if saved is not None:
            steps = sum(event.solver == stage.solver.name for event in saved.events)
            resumed = Resumed(saved.state, saved.best, steps)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what diverges gets a verdict
            outcome = trivial(self.problem, stage.solver, self.null) or run(
                self.problem, stage.solver, warm=start, null=self.null, limit=self.patience * stage.limit, keep=keep,
                resumed=resumed, **self.told,
            )  # fmt: skip
            return self._certified(stage.solver, outcome)

    def _certified(self, solver: Solver, outcome: Outcome) -> Ended:
        """What is proved; whoever asks to stop now still gets the model, and has to ask twice to lose it."""
        found, asked = insisting(lambda: certify(self.problem, solver, outcome, self.null, self.classes))
        if asked and not found.verdict.success:
            found = replace(found, verdict=Verdict.interrupted)
        return Ended(solver, outcome, found)


def trivial(problem: Problem, solver: Solver, null: F64) -> Outcome | None:
    """P_0 = 0: w = 0 is optimal, and a solver that minimises has nothing to do."""
    if not (solver.certifies and problem.objective.convex and solver.minimises and np.all(null == 0)):
        return None
    if problem.objective.inside(problem.objective.zero(problem.source.d)).W.any():
        return None  # the bounds keep some weight away from 0
    theta = begin_at(problem, None)
    sums = problem.fold("value", theta)
    return Outcome(theta, sums.value, np.zeros_like(null), theta, sums.errors, Verdict.trivial, State(theta))
