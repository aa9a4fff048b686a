"""Counts against those that are kept: what grew beyond the tolerance, what shrank, what is new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bench.common import Table

TOLERANCE = 0.05
Counts = Mapping[str, int]


class Change(NamedTuple):
    """One job, then and now."""

    name: str
    then: int | None
    now: int | None

    @property
    def ratio(self) -> float | None:
        """Now over then."""
        return None if self.then is None or self.now is None else self.now / max(1, self.then)

    def verdict(self, tolerance: float = TOLERANCE) -> str:
        """grew, shrank, same, new or gone."""
        if self.ratio is None:
            return "new" if self.then is None else "gone"
        return "grew" if self.ratio > 1 + tolerance else "shrank" if self.ratio < 1 - tolerance else "same"


def changes(then: Counts, now: Counts) -> list[Change]:
    """Every job that either knows."""
    return [Change(name, then.get(name), now.get(name)) for name in dict.fromkeys([*then, *now])]


def regressions(found: list[Change], tolerance: float = TOLERANCE) -> list[str]:
    """Jobs that grew, and jobs that nobody counts any more."""
    return [change.name for change in found if change.verdict(tolerance) in ("grew", "gone")]


def table(found: list[Change], tolerance: float = TOLERANCE) -> Table:
    """One line a job."""
    rows = [
        [change.name, _millions(change.then), _millions(change.now), _ratio(change), change.verdict(tolerance)]
        for change in found
    ]
    note = f"A job that executes {100 * tolerance:g} % more than is kept is a regression."
    return Table("Millions of instructions", note, ("job", "kept", "now", "ratio", ""), rows)


def _millions(value: int | None) -> str:
    return "" if value is None else f"{value / 1e6:.2f}"


def _ratio(change: Change) -> str:
    return "" if change.ratio is None else f"{change.ratio:.3f}"
