"""Stops: when a fit has gone on for long enough, read from its history of events alone.

A stop is any function history -> Verdict or None.  A rule is one class and one line in the list at the end.
Nothing here reads a clock: `budget` compares the seconds that the loop wrote into the event.
"""

# A rule is written and read back as its class: gap(eps=1e-06).
# ruff: noqa: N801

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from widemargin._held_out import METRICS, HeldOut
from widemargin._options import Count, Positive, build, check
from widemargin.errors import OptionError, Refusal, Verdict, unknown
from widemargin.events import Event

if TYPE_CHECKING:
    from widemargin.data.intake import Dataset

History = Sequence[Event]
Stop = Callable[[History], Verdict | None]

# Passes are sums of fractions: ten passes can come out as 9.999999999999998.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Rule(ABC):
    """A stop that remembers nothing: the same history gives the same answer."""

    verdict: ClassVar[Verdict] = Verdict.stopped

    def __post_init__(self) -> None:
        check(self)

    def __call__(self, history: History) -> Verdict | None:
        """The rule's verdict where it holds, else None; None before the first event."""
        return self.verdict if history and self._holds(history) else None

    @abstractmethod
    def _holds(self, history: History) -> bool:
        """Whether to stop after the newest event.  A field that is NaN never stops a fit."""


@dataclass(frozen=True)
class max_passes(Rule):
    """passes >= n.  Counted in rows touched / n, so that solvers compare."""

    n: Positive

    def _holds(self, history: History) -> bool:
        return history[-1].passes >= self.n * (1.0 - ROUNDING)


@dataclass(frozen=True)
class gradient_norm(Rule):
    """||grad P|| < eps, as in the notes; eps is absolute."""

    eps: Positive

    def _holds(self, history: History) -> bool:
        return history[-1].gradient_norm < self.eps


@dataclass(frozen=True)
class objective_change(Rule):
    """|P_k - P_{k-1}| <= eps max(|P_k|, 1e-8 |P_1|), P_1 the first objective of the fit."""

    eps: Positive

    def _holds(self, history: History) -> bool:
        if len(history) < 2:
            return False
        now, before, first = (float(history[k].objective) for k in (-1, -2, 0))
        return abs(now - before) <= self.eps * max(abs(now), 1e-8 * abs(first))


@dataclass(frozen=True)
class parameter_change(Rule):
    """||(w, b)_k - (w, b)_{k-1}|| <= eps, in the units of w."""

    eps: Positive

    def _holds(self, history: History) -> bool:
        return history[-1].change <= self.eps


@dataclass(frozen=True)
class errors_unchanged(Rule):
    """The share of zero-one errors was the same k times in a row after the event before."""

    k: Count

    def _holds(self, history: History) -> bool:
        recent = history[-self.k - 1 :]
        return len(recent) == self.k + 1 and all(event.errors == recent[-1].errors for event in recent)


@dataclass(frozen=True)
class gap(Rule):
    """(P - D) / max(|P|, 1e-8 P_0) <= eps: the objective is within eps of the optimum, provably."""

    verdict: ClassVar[Verdict] = Verdict.tolerance
    eps: Positive

    def _holds(self, history: History) -> bool:
        return history[-1].gap <= self.eps


@dataclass(frozen=True)
class separated(Rule):
    """A whole pass made no mistake, or no row has z <= 0.  Rosenblatt 1958; Novikoff 1962."""

    verdict: ClassVar[Verdict] = Verdict.no_mistakes

    def _holds(self, history: History) -> bool:
        return history[-1].mistakes == 0 or history[-1].errors == 0.0


@dataclass(frozen=True, eq=False)
class held_out:
    """Score on held-out rows no better than `patience` events ago.  Prechelt 1998.

    `metric` is "error", "log_loss" or a function (class numbers 0..K-1, scores) -> number, smaller is better;
    scores are (n,) for two classes (positive: class 1), (n, K) for more.
    """

    X: Any = field(repr=False)
    y: Any = field(repr=False)
    metric: str | Callable[..., float] = "error"
    patience: Count = 5

    def __post_init__(self) -> None:
        check(self)
        if not callable(self.metric) and self.metric not in METRICS:
            raise unknown("metric", self.metric, METRICS)

    def __call__(self, history: History) -> Verdict | None:
        """Refused: scores belong to one fit, and this object to none."""
        raise Refusal("held_out keeps the scores of one fit: call begin(stop) first, and ask what that returns.")

    def start(self, data: Dataset | None = None) -> Stop:
        """The stop for one fit, of these data; its own rows are read now, so that bad ones fail before it."""
        return Plateau(HeldOut(self.X, self.y, self.metric, data), self.patience)


class Plateau:
    """The run of a held_out: one score an event, of the newest weights only."""

    def __init__(self, score: Callable[[Event], float], patience: int) -> None:
        self.score = score
        self.patience = patience
        self.scores: list[float] = []
        self._best = math.inf
        self._best_at = 0
        self._events = 0

    def __call__(self, history: History) -> Verdict | None:
        """stopped, once the best score is `patience` events old; asked again, the same answer."""
        if len(history) > self._events:
            self._events = len(history)
            self.scores.append(self.score(history[-1]))
            if self.scores[-1] < self._best:  # NaN is not: a fit that diverges has stopped improving
                self._best, self._best_at = self.scores[-1], len(self.scores) - 1
        return Verdict.stopped if len(self.scores) - 1 - self._best_at >= self.patience else None


@dataclass(frozen=True)
class custom:
    """A function of the history that returns a Verdict or None, or True (stop) or False."""

    function: Callable[[History], Verdict | bool | None]

    def __call__(self, history: History) -> Verdict | None:
        """What the function says, True being Verdict.stopped."""
        answer = self.function(history)
        if answer is None or isinstance(answer, Verdict):
            return answer
        if str(answer) in ("True", "False"):  # also numpy's
            return Verdict.stopped if answer else None
        raise OptionError(f"the stop returned {answer!r}; it should return a Verdict, True, False or None.")

    def start(self, data: Dataset | None = None) -> Stop:
        """A function with a `start` of its own is started too."""
        start = getattr(self.function, "start", None)
        return self if start is None else custom(start(data))


@dataclass(frozen=True, init=False)
class any_of:
    """The first verdict that any of the stops gives, in their order; no stops: never."""

    stops: tuple[Stop, ...]

    def __init__(self, *stops: str | Stop) -> None:
        object.__setattr__(self, "stops", tuple(parse(stop) for stop in stops))

    def __repr__(self) -> str:
        return f"any_of({', '.join(map(repr, self.stops))})"

    def __call__(self, history: History) -> Verdict | None:
        """The first verdict; the stops after it are not asked."""
        answers = (stop(history) for stop in self.stops)
        return next((answer for answer in answers if answer is not None), None)

    def start(self, data: Dataset | None = None) -> Stop:
        """All of the stops, each started."""
        return any_of(*(begin(stop, data) for stop in self.stops))


@dataclass(frozen=True, kw_only=True)
class budget(Rule):
    """seconds, passes or iterations >= limit; the best model so far comes back, with its gap.

    The only rule whose answer depends on how fast the machine is.
    """

    verdict: ClassVar[Verdict] = Verdict.budget
    seconds: Positive | None = None
    passes: Positive | None = None
    iterations: Count | None = None  # outer steps: events of the trace

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seconds is None and self.passes is None and self.iterations is None:
            raise OptionError("budget() limits nothing: give seconds=, passes=, iterations=, or several of them.")

    def _holds(self, history: History) -> bool:
        late = self.seconds is not None and history[-1].seconds >= self.seconds
        late = late or (self.iterations is not None and len(history) >= self.iterations)
        return late or (self.passes is not None and max_passes(self.passes)._holds(history))


def seconds_allowed(stop: Stop) -> float:
    """The fewest seconds that a budget among these stops allows; inf where none does."""
    if isinstance(stop, any_of):
        return min(map(seconds_allowed, stop.stops), default=math.inf)
    found = stop.seconds if isinstance(stop, budget) else None
    return math.inf if found is None else found


Budget = budget  # for annotations where an argument is called budget


stops: Mapping[str, type[Any]] = {
    rule.__name__: rule
    for rule in (
        any_of,
        errors_unchanged,
        gap,
        gradient_norm,
        held_out,
        max_passes,
        objective_change,
        parameter_change,
        separated,
    )
}


def parse(value: str | Stop | Iterable[str | Stop] | None) -> Stop:
    """A stop from itself, from text such as "gap:1e-6", from a function, or any of several of these."""
    if value is None:
        return any_of()
    if isinstance(value, str):
        stop: Stop = build("stop", value, stops)
        return stop
    if isinstance(value, type):
        raise OptionError(f"stop {value.__name__} came without its numbers: write {value.__name__}(...).")
    if isinstance(value, Rule | any_of | held_out | Plateau | custom):
        return value
    if callable(value):
        return custom(value)
    if isinstance(value, Iterable):
        return any_of(*value)
    raise OptionError(f"stop {value!r} is neither a rule, a text nor a function of the history.")


def begin(stop: Stop, data: Dataset | None = None) -> Stop:
    """The stop for one fit: what its `start(data)` returns where it has one, else the stop itself."""
    start = getattr(stop, "start", None)
    return stop if start is None else start(data)
