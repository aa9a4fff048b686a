"""Optima along a list of strengths, each begun where the last one ended.

The slopes of the loss do not depend on the strength, and a set of columns serves the next strength as well: a solver
that keeps them between strengths says so with `onward`.  Friedman, Hastie, Tibshirani 2010.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from widemargin._types import F64
from widemargin.errors import Verdict
from widemargin.objective import Theta
from widemargin.solve.choose import stages
from widemargin.solve.loop import Outcome, Progress, settle
from widemargin.solve.protocol import Problem, Solver, State

UNDECIDED = (Verdict.passes, Verdict.stalled, Verdict.diverged)


@dataclass(frozen=True, eq=False)
class Reached:
    """Where the solvers ended at one strength."""

    problem: Problem
    solver: Solver
    outcome: Outcome
    gap: float  # relative, of the worst head
    iterations: int


def follow(
    problem: Problem, alphas: Sequence[float] | F64, null: F64, solver: Solver | None = None
) -> Iterator[Reached]:
    """One optimum per strength, in the order given; `solver` None: what "auto" would choose."""
    last: Reached | None = None
    for alpha in alphas:
        here = replace(problem, objective=replace(problem.objective, alpha=float(alpha)))
        tried = [solver] if solver is not None else [stage.solver for stage in stages(here, near=last is not None)]
        best: Reached | None = None
        for candidate in tried:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                found = _reach(here, candidate, best or last, null)
            if best is None or not found.gap >= best.gap:
                best = found
            if found.outcome.verdict not in UNDECIDED:
                break
        assert best is not None
        last = best
        yield best


def _reach(problem: Problem, solver: Solver, last: Reached | None, null: F64) -> Reached:
    """Advance until a verdict; the loop of a fit without its trace."""
    progress, verdict = Progress(problem, null), solver.at_limit
    state, gap = _begin(problem, solver, last), float("nan")
    for _ in range(solver.limit):
        state = solver.advance(problem, state)
        progress.take(state, solver.minimises)
        gap = progress.gap()
        ended = progress.verdict(state, gap, problem.tol, solver.certifies)
        if ended is not None:
            verdict = ended
            break
    if solver.minimises:
        settle(problem, progress, state)
    theta: Theta = progress.theta if progress.theta is not None else state.theta
    outcome = Outcome(
        theta, progress.values, progress.bounds, progress.bound_at or theta, progress.errors, verdict, state
    )
    return Reached(problem, solver, outcome, gap, state.iteration)


def _begin(problem: Problem, solver: Solver, last: Reached | None) -> State:
    if last is None:
        return solver.init(problem, None, 0)
    onward = getattr(solver, "onward", None)
    if onward is not None and last.solver.name == solver.name:
        begun: State = onward(problem, last.outcome.state)
        return begun
    return solver.init(problem, last.outcome.theta, 0)
