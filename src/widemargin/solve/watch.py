"""When a fit has to end before its next pass: asked between any two calls of the core, each a fraction of a second.

A solver need not know: it is left where it stands, and the loop goes on from the best point so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

CALL = 200_000_000  # numbers that one call of the core may touch where it goes row by row


class OutOfTime(Exception):
    """The seconds of a budget are over."""


@dataclass
class Watch:
    """The end of a budget, in seconds of time.perf_counter; nothing happens but within `watching`."""

    deadline: float = float("inf")
    _on: bool = field(default=False, init=False, repr=False)

    def poll(self) -> None:
        """Raise OutOfTime where it is late."""
        if self._on and time.perf_counter() > self.deadline:
            raise OutOfTime

    @contextmanager
    def watching(self) -> Iterator[None]:
        """While a solver runs: what comes after it is not cut short."""
        before, self._on = self._on, True
        try:
            yield
        finally:
            self._on = before  # a solver may run another


def insisting(work: Callable[[], T]) -> tuple[T, bool]:
    """What `work` returns, and whether someone asked to stop: it begins again then, and ends if asked twice."""
    try:
        return work(), False
    except KeyboardInterrupt:
        return work(), True


def pieces(count: int, each: float, least: int = 1) -> Iterator[slice]:
    """0 ... count - 1 in slices of about CALL numbers, multiples of `least`: cut by counts, not by a clock."""
    step = max(1, int(CALL / (each * least + 1))) * least
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))
