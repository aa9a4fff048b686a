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
from widemargin.errors import Verdict
from widemargin.objective import Objective, Theta
from widemargin.schedules import Schedule

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

    def fold(self, source: ArraySource, objective: Objective, task: Task, kept: Kept | None = None) -> Sums:
        """Add up over all rows, in a tree fixed by global row numbers."""

    def scores(self, source: ArraySource, theta: Theta) -> F64:
        """X W + b + o."""

    def products(self, source: ArraySource, R: F64) -> F64:
        """X' R."""

    def class_sums(self, source: ArraySource) -> F64:
        """(d, C) sum of p x over each class."""

    def reach(self, source: ArraySource, R: F64) -> F64:
        """|X|' |R|."""


class Last:
    """What the last gradient fold of a fit found, and the scores of its rows: the end of a fit needs no other pass."""

    def __init__(self) -> None:
        self.scores: F64 | None = None
        self.sums: Sums | None = None
        self._where: Theta | None = None

    def room(self, n: int, K: int) -> F64:
        """Where scores go; what was there is no longer known."""
        if self.scores is None:
            self.scores = np.empty((n, K))
        self.sums = None
        return self.scores

    def take(self, theta: Theta, sums: Sums) -> None:
        """Remember; theta is copied, since whoever owns it may go on with it in place."""
        if self._where is None:
            self._where = Theta(np.empty_like(theta.W), np.empty_like(theta.b))
        np.copyto(self._where.W, theta.W)
        np.copyto(self._where.b, theta.b)
        assert sums.gradient is not None
        sums.gradient.W.flags.writeable = sums.gradient.b.flags.writeable = False  # shared with the solver from here on
        self.sums = sums._replace(gram=None)

    def at(self, theta: Theta) -> bool:
        """Whether the last fold was there."""
        if self.sums is None or self._where is None:
            return False
        return np.array_equal(self._where.W, theta.W) and np.array_equal(self._where.b, theta.b)


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
        self.last.take(theta, sums)
        return sums

    def measured(self, theta: Theta) -> tuple[Sums, F64]:
        """Sums and scores at theta: those of the last gradient fold if it was there, else of a new one."""
        if not self.last.at(theta):
            self.fold("gradient", theta)
        sums, scores = self.last.sums, self.last.scores
        assert sums is not None
        assert scores is not None
        return sums, scores


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
    state.bound = free_bound(objective, sums.value, sums.gradient, theta, problem.anchors)
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
    """One algorithm; a frozen dataclass whose fields are its options."""

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
