"""One problem as a table: seconds to each level, everybody, fastest first."""

from __future__ import annotations

from typing import Any

from bench.common import Row, Table, seconds, times

COUNTING = "1e-06"


def ratio(row: Row, level: str = COUNTING) -> float | None:
    """Our seconds over the fastest peer's; None where one of them does not get there."""
    ours, peer = reach(row, level)
    return None if ours is None or peer is None else ours / peer[0]


def reach(row: Row, level: str = COUNTING) -> tuple[float | None, tuple[float, str] | None]:
    """Our seconds; those of the fastest peer and who it is."""
    ours: float | None = None
    peers: list[tuple[float, str]] = []
    for one in row["contenders"]:
        value = one["reach"].get(level)
        if one["library"] == "ours":
            ours = value
        elif value is not None:
            peers.append((value, one["name"]))
    return ours, min(peers, default=None)


def problem_table(row: Row) -> Table:
    """Everybody's seconds."""
    levels = [f"{level:.0e}" for level in row["levels"]]
    order = sorted(row["contenders"], key=lambda one: one["reach"].get(COUNTING) or 1e9)
    lines = [
        [
            one["name"],
            *(_cell(one["reach"][level]) for level in levels),
            _cell(_cpu(one, row["levels"])),
            _cell(one["cold"]),
            _memory(one),
            one["ended"],
        ]
        for one in order
    ]
    value = ratio(row)
    aim = "" if row["target"] is None else f", aim {row['target']:g}"
    note = f"ours / fastest peer at 1e-6: {'–' if value is None else times(value)}{aim}. {ours_says(row)}"
    return Table(row["problem"], note, ("contender", *levels, "cpu", "cold", "memory", "ended"), lines)


def ours_says(row: Row) -> str:
    """Solver, passes and bandwidth of our runs."""
    ours = next(one for one in row["contenders"] if one["library"] == "ours")
    said = [
        f"{point['above']:.0e}: {point['seconds']:.3g} s, {point['solver']}, {point['passes']:.3g} passes, "
        f"{100 * point['bandwidth']:.0f} % of {row['bandwidth'] / 1e9:.0f} GB/s, {point['verdict']}"
        for point in ours["points"]
        if point["runs"] > 1 and "solver" in point
    ]
    return "\n  ".join(["", *said])


def _cell(value: Any) -> str:
    return "" if value is None else seconds(value)


def _cpu(one: Row, levels: list[float]) -> float | None:
    """Processor seconds (of all threads) to 1e-6, or to the tightest level asked for."""
    level = 1e-6 if 1e-6 in levels else min(levels)
    reached = [point["cpu"] for point in one["points"] if point["above"] <= level]
    return min(reached, default=None)


def _memory(one: Row) -> str:
    known = [point["memory"] for point in one["points"] if point["memory"] is not None]
    return f"{max(known) / 1e6:.0f} MB" if known else ""
