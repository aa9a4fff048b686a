"""All problems as one table: ours against the fastest peer and against scikit-learn's best, beside the targets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.common import Row, Table, load, seconds
from bench.engine.table import COUNTING, reach

FOLDERS = ("fastest", "engine")  # the later counts


class Standing(NamedTuple):
    """One problem at one level."""

    row: Row
    ours: float | None
    peer: tuple[float, str] | None
    sklearn: float | None  # seconds of scikit-learn's best

    @property
    def ratio(self) -> float | None:
        """Ours over the fastest peer."""
        return None if self.ours is None or self.peer is None else self.ours / self.peer[0]

    @property
    def against_sklearn(self) -> float | None:
        """Ours over scikit-learn's best."""
        return None if self.ours is None or self.sklearn is None else self.ours / self.sklearn

    @property
    def verdict(self) -> str:
        """met, missed, or why it cannot be said."""
        if self.ours is None:
            return "not reached"
        if self.ratio is None:
            return "no peer reached it"
        aim = self.row["target"]
        if aim is None or self.ratio > aim:
            return "" if aim is None else "missed"
        cut = [
            one["name"] for one in self.row["contenders"] if not one["points"] and one["ended"].startswith("stopped")
        ]
        return f"met, without {', '.join(cut)}" if cut else "met"  # who never ended a fit may be faster


def rows(folder: Path) -> list[Row]:
    """The newest row of every problem."""
    found: dict[str, Row] = {}
    for name in FOLDERS:
        for file in sorted((folder / name).glob("*.json")):
            found[file.stem] = load(f"{name}/{file.stem}", folder)[1][0]
    return [found[name] for name in sorted(found)]


def kept(folder: Path) -> tuple[Row, list[Row]] | None:
    """The newest machine, and the rows, if there are any."""
    files = [file for name in FOLDERS for file in (folder / name).glob("*.json")]
    machines = [load(f"{file.parent.name}/{file.stem}", folder)[0] for file in files]
    return (max(machines, key=lambda one: str(one["date"])), rows(folder)) if files else None


def standing(row: Row, level: str = COUNTING) -> Standing:
    """Who is where."""
    ours, peer = reach(row, level)
    known = [one["reach"].get(level) for one in row["contenders"] if one["library"] == "scikit_learn"]
    return Standing(row, ours, peer, min((value for value in known if value is not None), default=None))


def geometric(values: Sequence[float | None]) -> float:
    """Mean of the logarithms of what is known."""
    logs = [math.log(value) for value in values if value is not None]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def table(found: Sequence[Row], level: str = COUNTING) -> Table:
    """One line a problem; below it the geometric means."""
    standings = [standing(row, level) for row in found]
    lines = [_line(one, level) for one in standings]
    against = [one.against_sklearn for one in standings]
    note = (
        f"{terms(found)} Geometric mean of ours / fastest peer: {geometric([one.ratio for one in standings]):.2f} over "
        f"{sum(one.ratio is not None for one in standings)} problems; of ours / scikit-learn's best: "
        f"{geometric(against):.2f} over {sum(value is not None for value in against)} (aim 0.1). "
        f"Aims met: {sum(one.verdict == 'met' for one in standings)} of {sum(bool(one.verdict) for one in standings)}."
    )
    columns = (
        "problem",
        "ours",
        "solver, passes, share of bandwidth",
        "fastest peer",
        "ratio",
        "aim",
        "verdict",
        "/ sklearn",
    )
    return Table(f"Seconds to {level}", note, columns, lines)


def terms(found: Sequence[Row]) -> str:
    """What a second is, and what everybody was given."""
    said = sorted({(row["clock"], row["threads"], row["repeats"], row["limit"]) for row in found})
    return " ".join(
        f"{'Processor' if clock == 'cpu' else 'Wall-clock'} seconds at {threads} thread{'s' * (threads > 1)}, median "
        f"of {repeats} runs; who needed more than {limit:g} s for a fit was stopped."
        for clock, threads, repeats, limit in said
    )


def _line(one: Standing, level: str) -> list[str]:
    aim = one.row["target"]
    return [
        one.row["problem"],
        "–" if one.ours is None else seconds(one.ours),
        how(one.row, level),
        "–" if one.peer is None else f"{seconds(one.peer[0])} {one.peer[1]}",
        _ratio(one.ratio),
        "" if aim is None else f"{aim:g}",
        one.verdict,
        _ratio(one.against_sklearn),
    ]


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def how(row: Row, level: str = COUNTING) -> str:
    """What ours did at a level."""
    ours = next(one for one in row["contenders"] if one["library"] == "ours")
    reached = [point for point in ours["points"] if point["above"] <= float(level)]
    if not reached:
        return (
            f"{ours['ended']} {min((point['above'] for point in ours['points']), default=math.inf):.0e} above".strip()
        )
    point = min(reached, key=lambda one: one["seconds"])
    return f"{point['solver']}, {point['passes']:.3g}, {100 * point['bandwidth']:.0f} %" if "solver" in point else ""
