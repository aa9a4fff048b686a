"""What passes between a solver, the loop and whoever reduces over rows.

A State is the whole checkpoint: plain arrays, nothing hidden in a solver.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.bounds import Anchors, free_bound
from widemargin.data.source import ArraySource
from widemargin.duals import dual_points, scored_sums, signed_duals
from widemargin.errors import Verdict
from widemargin.objective import Objective, Theta
from widemargin.schedules import Schedule
from widemargin.solve.watch import Watch

ROUNDING = 64 * float(np.finfo(float).eps)  # of the sums that a bound is the difference of

Kept = dict[str, F64]  # per-row numbers that live beside the rows: "scores", "curvature", "dual"


class Sums(NamedTuple):
    """What one pass over the rows adds up; never holds the penalty."""

    value: F64  # (H,) sum p l(z)
    errors: F64  # (H,) weighted share of rows with z <= 0
    gradient: Theta | None = None
    gram: F64 | None = None  # (K, d + 1, d + 1), or (1, (d + 1) K, (d + 1) K) for softmax


class Task(NamedTuple):
    """What to add up over the rows, and where."""

    kind: Literal["value", "gradient", "gram", "rough_gram", "product", "diagonal"]
    theta: Theta
    direction: Theta | None = None


class Reducer(Protocol):
    """Runs tasks over the rows: threads here, workers on a cluster."""

    @property
    def threads(self) -> int:
        """How many threads a pass may use."""

    @property
    def watch(self) -> Watch:
        """Says when time is up; every method below asks it."""

    def fold(self, source: ArraySource, objective: Objective, task: Task, kept: Kept | None = None) -> Sums:
        """Add up over all rows, in a tree fixed by global row numbers."""

    def room(self, source: ArraySource, objective: Objective, kind: str) -> float:
        """Bytes of the partial sums of a fold."""

    def scores(self, source: ArraySource, theta: Theta) -> F64:
        """X W + b + o."""

    def products(self, source: ArraySource, R: F64) -> F64:
        """X' R."""

    def class_sums(self, source: ArraySource) -> F64:
        """(d, C) sum of p x over each class."""

    def reach(self, source: ArraySource, R: F64) -> F64:
        """|X|' |R|."""


class Last:
    """Where rows were last looked at, their scores, and what was added up: the end of a fit needs no other pass."""

    def __init__(self) -> None:
        self.scores: F64 | None = None
        self.sums: Sums | None = None
        self._where: Theta | None = None
        self._room: F64 | None = None

    def room(self, n: int, K: int) -> F64:
        """Where scores go; what was there is no longer known."""
        if self._room is None:
            self._room = np.empty((n, K))
        self.scores = self.sums = self._where = None
        return self._room

    def take(self, theta: Theta, scores: F64, sums: Sums | None = None) -> None:
        """Remember; theta is not written to from here on, nor is the gradient, which the solver shares."""
        self._where, self.scores, self.sums = theta, scores, None if sums is None else sums._replace(gram=None)
        if sums is not None and sums.gradient is not None:
            sums.gradient.W.flags.writeable = sums.gradient.b.flags.writeable = False

    def at(self, theta: Theta) -> bool:
        """Whether it was there."""
        if self._where is None:
            return False
        W, b = self._where
        return np.array_equal(b, theta.b) and (W is theta.W or np.array_equal(W, theta.W))


@dataclass(frozen=True)
class Problem:
    """Objective, rows, who reduces over them, and how rows are walked through."""

    objective: Objective
    source: ArraySource
    reducer: Reducer
    anchors: Anchors
    tol: float = 1e-6
    schedule: Schedule | None = None
    shuffle: bool = True
    recorder: _core.Steps | None = None
    patient: bool = False  # a stop or budget was given: a solver's own patience does not count
    last: Last = field(default_factory=Last, init=False, compare=False, repr=False)

    def fold(self, kind: str, theta: Theta, kept: Kept | None = None, direction: Theta | None = None) -> Sums:
        """One pass over all rows."""
        task = Task(kind, theta, direction)  # type: ignore[arg-type]
        if kind not in ("gradient", "gram") or (kept is not None and "scores" in kept):
            return self.reducer.fold(self.source, self.objective, task, kept)
        scores = self.last.room(self.source.n, self.objective.K)
        sums = self.reducer.fold(self.source, self.objective, task, {**(kept or {}), "scores": scores})
        self.last.take(Theta(theta.W.copy(), theta.b.copy()), scores, sums)  # its owner may go on with it in place
        return sums

    def scores(self, theta: Theta) -> F64:
        """X W + b + o: what is known of theta, or one pass; theta is not written to from here on."""
        if not self.last.at(theta):
            self.last.take(theta, self.reducer.scores(self.source, theta))
        assert self.last.scores is not None
        return self.last.scores

    def poll(self) -> None:
        """Between two calls of the core that are no fold: raises where the fit is out of time."""
        self.reducer.watch.poll()

    def measured(self, theta: Theta) -> tuple[Sums, F64]:
        """Sums and scores at theta: what is known of it, completed; else a gradient fold."""
        if not self.last.at(theta):
            self.fold("gradient", theta)
        sums, scores = self.last.sums, self.last.scores
        assert scores is not None
        if sums is None or sums.gradient is None:
            sums = self._completed(theta, scores)
        return sums, scores

    def _completed(self, theta: Theta, scores: F64) -> Sums:
        """Heads apart: a = -l'(z) gives the gradient -sum p a y (x, 1) in half a pass."""
        objective, source, threads = self.objective, self.source, self.reducer.threads
        value, errors = scored_sums(objective, source, scores, threads)
        signed = signed_duals(objective, source, dual_points(objective, source, scores, threads), threads)
        W = self.reducer.products(source, signed)
        free = objective.intercept != "none"
        sums = Sums(value, errors, Theta(np.negative(W, out=W), -signed.sum(axis=0) * free))
        self.last.take(theta, scores, sums)
        return sums


@dataclass
class State:
    """Everything a solver needs to go on: the checkpoint."""

    theta: Theta
    seed: int = 0
    iteration: int = 0
    passes: float = 0.0  # over all rows, counted in rows touched / n
    value: F64 | None = None  # (H,) objective at theta, penalty included, if the solver knows it
    errors: F64 | None = None  # (H,)
    bound: F64 | None = None  # (H,) a proved lower bound, if the solver has one
    bound_at: Theta | None = None  # where it was proved, if not at theta
    gradient_norm: float | None = None
    step: float | None = None
    mistakes: int | None = None
    done: str = ""  # name of a Verdict when the solver itself knows that it has ended
    note: str = ""
    arrays: dict[str, F64] = field(default_factory=dict)
    kept: Kept = field(default_factory=dict)
    cache: dict[str, Any] = field(default_factory=dict)  # what can be made again from the rest

    def evolve(self, **changes: Any) -> State:
        """A copy with some fields changed."""
        return replace(self, **changes)


def judged(problem: Problem, state: State, sums: Sums) -> State:
    """The state with what a gradient fold at its theta says: objective, errors, bound, distance from stationarity."""
    objective, theta = problem.objective, state.theta
    assert sums.gradient is not None
    state.value, state.errors = sums.value + objective.penalty_value(theta), sums.errors
    bound = free_bound(objective, sums.value, sums.gradient, theta, problem.anchors)
    state.bound = np.where(bound > ROUNDING * np.abs(state.value), bound, 0.0)  # below, rounding proves nothing
    state.gradient_norm = float(objective.distance(sums.gradient, theta).max())
    return state


def refusal(solver: Solver, problem: Problem) -> str | None:
    """Why a solver does not take a problem, or None: its own reasons, then whether it knows columns that differ.

    A solver says so with `columns`: "factors" where every column may have a strength of its own, "bounds" where
    weights may be held in a box as well; one that says nothing treats all columns alike.  One that needs no more than
    a block of rows in memory at a time says `blockwise`.
    """
    objective, known = problem.objective, getattr(solver, "columns", "alike")
    if not problem.source.in_memory and not getattr(solver, "blockwise", False):
        return f"{solver.name} takes rows or columns one by one, and these rows lie on disk: use solver='auto'"
    own = solver.refuses(problem)
    if own is not None or objective.plain or known == "bounds" or (known == "factors" and not objective.boxed):
        return own
    what = "bounds" if known == "factors" else "penalty_factor, bounds and scale"
    return f"{solver.name} does not know {what}: use solver='auto'"


class Solver(Protocol):
    """One algorithm; a frozen dataclass whose fields are its options.

    A State is all that it goes on from; where other steps follow once State.cache is gone, `forgets` says why.
    """

    name: ClassVar[str]
    cite: ClassVar[str]
    certifies: ClassVar[bool]  # ends at the optimum, so that tol can be met
    minimises: ClassVar[bool]  # aims at the objective; perceptron and passive-aggressive have an aim of their own
    limit: ClassVar[int]  # outer steps after which the loop gives up, if no stop was given
    at_limit: ClassVar[Verdict]  # what it means to get there

    def refuses(self, problem: Problem) -> str | None:
        """None, or why not, naming what would work instead."""

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """The first state."""

    def advance(self, problem: Problem, state: State) -> State:
        """One outer step: any number of folds or sweeps."""

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """(n, K) dual numbers per row, if the solver has its own; else None."""
