"""A contender: one solver of one library, as a function from data and tolerance to weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from bench.engine.problem import Problem

SWEEP = tuple(10.0**-k for k in range(1, 11))


class Task(NamedTuple):
    """What a contender is given: nothing is converted beforehand."""

    problem: Problem
    X: Any
    y: Any  # -1, +1; or 0 ... K-1
    alpha: float
    threads: int

    @property
    def C(self) -> float:
        """Strength in front of the sum of losses, the penalty having none."""
        return 1.0 / (self.alpha * len(self.y))


class Answer(NamedTuple):
    """Weights (d,) or (d, K), intercept, and what the contender says of its run."""

    w: Any
    b: Any = 0.0
    said: dict[str, Any] = {}  # noqa: RUF012 - never changed


class Contender(NamedTuple):
    """One solver with its documented best settings."""

    name: str
    settings: str
    fit: Callable[[Task, float], Answer]  # task, tolerance
    tolerances: tuple[float, ...] = SWEEP  # loosest first
