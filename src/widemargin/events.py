"""Events: what the loop says after each step; a Trace is the list of them, which stops and plots read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, overload

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.errors import OptionError, unknown


class Event(NamedTuple):
    """One outer step of a solver; NaN (mistakes: -1) is what was not computed.

    W and b are views of the current weights, in the units of X; a trace keeps them for its newest event only.
    """

    solver: str
    iteration: int
    passes: float  # rows touched so far / n
    objective: float  # sum over the independent objectives
    best: float = math.nan  # smallest objective so far: monotone
    bound: float = math.nan  # best proved lower bound so far
    gap: float = math.nan  # relative duality gap, the worst over the independent objectives
    gradient_norm: float = math.nan
    errors: float = math.nan  # weighted share of rows with z <= 0
    mistakes: int = -1  # made on the way through the last whole pass
    step: float = math.nan
    change: float = math.nan  # norm of the change of (W, b); NaN before the first step
    seconds: float = 0.0  # since the fit began
    note: str = ""
    W: F64 | None = None
    b: F64 | None = None

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in COLUMNS if _known(getattr(self, name)))
        return f"Event({shown})"


COLUMNS = Event._fields[:-2]
TEXT = ("solver", "note")


def _known(value: object) -> bool:
    """False for what an event says when it has nothing to say."""
    if isinstance(value, float):
        return not math.isnan(value)
    return value not in ("", -1)


def wants_stop(answer: object) -> bool:
    """Whether a listener said True; anything else, such as what list.append returns, is no answer."""
    return isinstance(answer, bool | np.bool_) and bool(answer)


class Steps(NamedTuple):
    """Single updates of a row solver (trace="steps"): one in `every` was kept."""

    row: I64
    before: F64  # margin of the row before the update
    after: F64  # and after it
    step: F64
    every: int = 1


class Trace(Sequence[Event]):
    """All events of a fit in order, and its single updates where they were recorded."""

    def __init__(self, events: Iterable[Event] = (), steps: Steps | None = None) -> None:
        self._events = list(events)
        self.steps = steps

    @property
    def events(self) -> tuple[Event, ...]:
        """The events, oldest first."""
        return tuple(self._events)

    def append(self, event: Event) -> None:
        """Add an event; the one before lets go of its weights, so that a trace costs no memory in d."""
        if self._events:
            self._events[-1] = self._events[-1]._replace(W=None, b=None)
        self._events.append(event)

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        return self._events[index]

    def __repr__(self) -> str:
        updates = "" if self.steps is None else f", {len(self.steps.row)} updates"
        return f"<Trace: {len(self)} events{updates}>"

    def columns(self, name: str) -> Array:
        """One field over all events: float64, int64 for counts, objects for text."""
        if name not in COLUMNS:
            raise unknown("trace column", name, COLUMNS)
        if name in TEXT:
            return np.array([getattr(event, name) for event in self], dtype=object)
        kind = np.int64 if name in ("iteration", "mistakes") else np.float64
        return np.array([getattr(event, name) for event in self], dtype=kind)

    def table(self, limit: int = 20) -> str:
        """The events as text: at most `limit` of them, first and last; no column that says nothing."""
        if limit < 2:
            raise OptionError(f"table: limit = {limit!r}; it must be at least 2, the first event and the last.")
        names = [name for name in COLUMNS if any(_known(getattr(event, name)) for event in self)]
        rows = [[_cell(getattr(event, name)) for name in names] for event in self._shown(limit)]
        widths = [max(map(len, cells)) for cells in zip(names, *rows, strict=True)]
        lines = [" ".join(c.rjust(w) for c, w in zip(cells, widths, strict=True)) for cells in (names, *rows)]
        left_out = len(self) - len(rows)
        if left_out > 0:
            lines.insert(1 + limit - limit // 2, f"... {left_out} more ...")
        return "\n".join(line.rstrip() for line in lines)

    def _shown(self, limit: int) -> list[Event]:
        """The first half and the last half of `limit` events."""
        if len(self) <= limit:
            return self._events
        return self._events[: limit - limit // 2] + self._events[-(limit // 2) :]


def _cell(value: object) -> str:
    if not _known(value):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
