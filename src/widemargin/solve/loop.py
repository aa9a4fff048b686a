"""The one loop: advance, keep the best, say an Event, ask the stops."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin import _core
from widemargin._types import F64, Array
from widemargin.certificate import relative_gap, rounding
from widemargin.errors import Verdict
from widemargin.events import Event, Trace, wants_stop
from widemargin.objective import Theta, every, total
from widemargin.solve.protocol import Problem, Solver, State
from widemargin.solve.start import begin_at
from widemargin.solve.watch import OutOfTime, insisting
from widemargin.stops import Stop

EPS = float(np.finfo(float).eps)
NEAR = 1e-6  # a relative gap above this is never blamed on rounding
NOISE = 1e-11  # relative, of an objective whose margins were rounded
ROUNDING = 64  # sums of n terms differ by this many eps at points that are the same to rounding

Listener = Callable[[Event], object]
Keep = Callable[["State", "Progress", Trace], object]  # hears of every step, so that the fit can go on from there


@dataclass
class Outcome:
    """What the loop hands back: the best point met, how good it is, and why it stopped."""

    theta: Theta
    values: F64  # (H,) objective at theta
    bounds: F64  # (H,) proved along the way
    bound_at: Theta  # where they were proved
    errors: F64
    verdict: Verdict
    state: State
    began: bool = True  # whether the state is one of the solver's


class Progress:
    """Best point and best bound so far, per head."""

    FIELDS = ("theta", "values", "bounds", "bound_at", "errors")

    def __init__(self, problem: Problem, null: F64) -> None:
        self.objective = problem.objective
        self.null = null
        self.theta: Theta | None = None
        self.values = np.full(problem.objective.heads, np.inf)
        self.bounds = np.zeros(problem.objective.heads)
        self.bound_at: Theta | None = None
        self.errors = np.full(problem.objective.heads, np.nan)

    def take(self, state: State, minimises: bool) -> None:
        """Keep what is better, each head on its own; of a solver with another aim, what is newest."""
        if state.bound is not None:
            higher = state.bound > self.bounds
            self.bounds = np.maximum(self.bounds, state.bound)
            self.bound_at = self._mixed(higher, state.bound_at or state.theta, self.bound_at)
        if self.theta is None or not minimises:
            self.theta = state.theta
        if state.value is None:
            return
        # of two points that rounding cannot tell apart the newer one has the smaller gradient
        better = state.value <= self.values + ROUNDING * EPS * np.abs(state.value)
        if state.bound is not None:  # nor those that rounded margins cannot, where the own bound says: the optimum
            room = NOISE * np.abs(state.value)
            better |= (np.abs(state.value - state.bound) <= room) & (state.value <= self.values + room)
        self.theta = self._mixed(better, state.theta, self.theta) if minimises else state.theta
        found = np.fmin(state.value, np.inf)  # NaN is worse than anything
        self.values = np.minimum(found, self.values)
        if state.errors is not None:
            self.errors = np.where(better, state.errors, self.errors)

    def _mixed(self, heads: Array, new: Theta, old: Theta | None) -> Theta:
        """The columns of some heads from one point, the others from another."""
        if old is None or every(heads):
            return new
        if not heads.any():
            return old
        columns = self.objective.columns(heads)
        return Theta(np.where(columns, new.W, old.W), np.where(columns, new.b, old.b))

    def gap(self) -> float:
        """Relative gap of the worst head; NaN while nothing is known."""
        if not every(np.isfinite(self.values)):
            return float("nan")
        gaps = relative_gap(self.values, self.bounds, self.null)
        return float(gaps[0]) if len(gaps) == 1 else float(gaps.max())

    def verdict(self, state: State, gap: float, tol: float, certifies: bool) -> Verdict | None:
        """Whether the fit is at its end, by what is proved or by what the solver knows."""
        if state.value is not None and not every(np.isfinite(state.value)):
            return Verdict.diverged
        if certifies and self.objective.convex and gap == gap:
            if gap <= tol:
                return Verdict.tolerance
            assert self.theta is not None
            apart = np.abs(self.values - self.bounds)
            if gap < NEAR and every(apart <= rounding(self.objective, self.values, self.theta)):
                return Verdict.rounding
            if self._unbounded():
                return Verdict.separable
        return Verdict[state.done] if state.done else None

    def _unbounded(self) -> bool:
        """Nothing holds w back, the loss never reaches 0, and a head already makes no error."""
        loss = self.objective.loss
        endless = np.isinf(loss.threshold) and loss.dual_domain[0] >= 0
        return bool(self.objective.alpha == 0 and endless and np.any(self.errors == 0))


@dataclass(frozen=True)
class Resumed:
    """Where a solver goes on: its state, Progress.FIELDS, and how many steps it has made."""

    state: State
    best: dict[str, Any]
    steps: int


def run(
    problem: Problem, solver: Solver, *, warm: Theta | None, seed: int, null: F64, stop: Stop,
    on_event: Listener | None, started: float, trace: Trace, limit: int | None = None, keep: Keep | None = None,
    resumed: Resumed | None = None,
) -> Outcome:  # fmt: skip
    """Advance until a verdict, or `limit` outer steps; events go on where the trace ends."""
    progress, walked = Progress(problem, null), trace[-1].passes if len(trace) else 0.0
    state, verdict, made = None, solver.at_limit, 0
    try:
        with problem.reducer.watch.watching():
            if resumed is None:
                state = solver.init(problem, warm, seed)
            else:
                state, made, walked = resumed.state, resumed.steps, walked - resumed.state.passes
                progress.__dict__ |= resumed.best
            before = state.theta
            for _ in range(made, limit or solver.limit):
                state = solver.advance(problem, state)
                progress.take(state, solver.minimises)
                gap = progress.gap()
                event = _event(solver.name, state, before, progress, gap, time.perf_counter() - started, walked)
                trace.append(event)
                asked = on_event is not None and wants_stop(on_event(event))
                ended = progress.verdict(state, gap, problem.tol, solver.certifies) or stop(trace)
                ended = Verdict.stopped if asked and ended is None else ended
                if ended is not None:
                    verdict = ended
                    break
                if keep is not None:
                    keep(state, progress, trace)
                before = state.theta
    except (KeyboardInterrupt, OutOfTime) as cut:
        verdict = Verdict.budget if isinstance(cut, OutOfTime) else Verdict.interrupted
    began, state = state is not None, state or State(begin_at(problem, warm), seed=seed)
    if solver.minimises and insisting(lambda: settle(problem, progress, state))[1]:
        verdict = Verdict.interrupted
    if not len(trace):  # cut short before its first step
        state.iteration = 1
        late = time.perf_counter() - started
        trace.append(_event(solver.name, state, state.theta, progress, progress.gap(), late, walked))
    theta = progress.theta if progress.theta is not None else state.theta
    return Outcome(
        theta, progress.values, progress.bounds, progress.bound_at or theta, progress.errors, verdict, state, began
    )  # fmt: skip


def settle(problem: Problem, progress: Progress, state: State) -> None:
    """The last point is judged as well; where nothing finite was met, w = 0 is better than what diverged."""
    finite = bool(np.isfinite(state.theta.W).all())
    if np.isinf(progress.values).all() and finite:
        progress.theta = state.theta  # the only point there is
        return
    if state.value is None and finite:
        _judge(problem, progress, state.theta)
    if not np.isfinite(progress.values).all():
        _judge(problem, progress, problem.objective.inside(problem.objective.zero(problem.source.d)))


def _judge(problem: Problem, progress: Progress, theta: Theta) -> None:
    sums = problem.fold("value", theta)
    value = sums.value + problem.objective.penalty_value(theta)
    progress.take(State(theta, value=value, errors=sums.errors), minimises=True)


def _event(
    name: str, state: State, before: Theta, progress: Progress, gap: float, seconds: float, walked: float
) -> Event:
    nan = float("nan")
    change = nan
    if state.iteration > 1:
        change = math.hypot(_core.distance(state.theta.W, before.W), _core.distance(state.theta.b, before.b))
    value = nan if state.value is None else total(state.value)
    return Event(
        solver=name,
        iteration=state.iteration,
        passes=walked + state.passes,
        objective=value,
        best=total(progress.values) if gap == gap else nan,
        bound=total(progress.bounds),
        gap=gap,
        gradient_norm=nan if state.gradient_norm is None else state.gradient_norm,
        errors=nan if state.errors is None else total(state.errors) / len(state.errors),
        mistakes=-1 if state.mistakes is None else state.mistakes,
        step=nan if state.step is None else state.step,
        change=change,
        seconds=seconds,
        note=state.note,
        W=state.theta.W,
        b=state.theta.b,
    )
