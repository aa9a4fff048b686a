"""Who is fast on which problem: the peers to beat, from the newest full measurement.

Where a problem was never measured with everybody, those that its family names; else all contenders are tried.
"""

from __future__ import annotations

import json
from pathlib import Path

from bench.common import Row
from bench.engine.problems import problem as named

HOW_MANY = 2
COUNTING = ("1e-02", "1e-04", "1e-06", "1e-09")


def fastest(row: Row, levels: tuple[str, ...] = COUNTING) -> tuple[str, ...]:
    """Those who are first or second at one of the levels."""
    peers = [one for one in row["contenders"] if one["library"] != "ours"]
    chosen: dict[str, None] = {}
    for level in levels:
        reached = [(one["reach"][level], one["name"]) for one in peers if one["reach"].get(level) is not None]
        chosen |= dict.fromkeys(name for _, name in sorted(reached)[:HOW_MANY])
    return tuple(chosen)


def stored(problem: str, folder: Path) -> tuple[str, ...]:
    """From engine/<problem>.json."""
    file = folder / "engine" / f"{problem}.json"
    if file.exists():
        return fastest(json.loads(file.read_text(encoding="utf-8"))["rows"][0])
    return named(problem).family.members.get(problem, ())
