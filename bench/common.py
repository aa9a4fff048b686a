"""What every measurement shares: interleaved timing, the facts of the machine, results as files, plain tables.

Contenders take turns in one process, so that whatever else the machine does meets them alike.  Three numbers are kept
of each: the median and the lowest decile of wall-clock seconds, and the lowest decile of processor seconds, which
other jobs on the machine disturb least.  Everything runs on one thread unless its file says otherwise.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = (
    "widemargin",
    "numpy",
    "scipy",
    "scikit-learn",
    "liblinear-official",
    "liblinear-multicore",
    "snapml",
    "skglm",
    "celer",
    "cyanure",
    "glum",
    "adelie",
    "sklearn-contrib-lightning",
    "vowpalwabbit",
)
EXACT = ("alpha", "best", "bound", "level", "levels")

Row = dict[str, Any]  # one line of a result file


class Timing(NamedTuple):
    """Seconds of one contender."""

    median: float
    low: float
    cpu: float
    repeats: int


class Table(NamedTuple):
    """What is printed, and what the page shows."""

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def interleaved(
    jobs: Mapping[str, Callable[[], Any]], *, repeats: int, seconds: float = 60.0
) -> tuple[dict[str, Timing], dict[str, Any]]:
    """Each job `repeats` times in turn, fewer where that would take longer than `seconds`; timings and last results.

    The first round is not counted unless it is the only one that fits.
    """
    wall: dict[str, list[float]] = {name: [] for name in jobs}
    cpu: dict[str, list[float]] = {name: [] for name in jobs}
    found: dict[str, Any] = {}
    names, began = list(jobs), time.perf_counter()
    gc.collect()
    gc.disable()
    try:
        for turn in range(repeats + 1):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                started, used = time.perf_counter(), time.process_time()
                found[name] = jobs[name]()
                wall[name].append(time.perf_counter() - started)
                cpu[name].append(time.process_time() - used)
            spent = time.perf_counter() - began
            if spent + spent / (turn + 1) > seconds:
                break
    finally:
        gc.enable()
    return {name: _timing(wall[name], cpu[name]) for name in jobs}, found


def _timing(wall: list[float], cpu: list[float]) -> Timing:
    kept, used = (wall[1:], cpu[1:]) if len(wall) > 1 else (wall, cpu)
    return Timing(float(np.median(kept)), float(np.quantile(kept, 0.1)), float(np.quantile(used, 0.1)), len(kept))


def require(holds: bool, message: str) -> None:
    """Numbers are worth nothing when the contenders did not do the same: stop."""
    if not holds:
        raise SystemExit(f"bench: {message}")


def machine() -> Row:
    """Processor, cores, load and versions."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: known for name in PACKAGES if (known := _version(name))},
        "date": time.strftime("%Y-%m-%d"),
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        named = dict(line.split(":", 1) for line in facts.read_text().splitlines() if ":" in line)
        stripped = {key.strip(): value.strip() for key, value in named.items()}
        vector = "AVX-512" if "avx512f" in stripped.get("flags", "") else "no AVX-512"
        return f"{stripped.get('model name', 'unknown')} (family {stripped.get('cpu family', '?')}, {vector})"
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        if name == "widemargin":  # imported from the checkout
            import widemargin

            return widemargin.__version__
        return None


def save(name: str, rows: list[Row], before: Row, folder: Path = RESULTS) -> Path:
    """results/<name>.json: the machine, then one line per row."""
    after = round(os.getloadavg()[0], 2)
    lines = ",\n".join("  " + json.dumps(_short(row)) for row in rows)
    facts = json.dumps(before | {"load": [before["load"], after]})
    path = folder / f"{name}.json"
    path.write_text(f'{{"machine": {facts},\n "rows": [\n{lines}\n]}}\n', encoding="utf-8")
    return path


def load(name: str, folder: Path = RESULTS) -> tuple[Row, list[Row]]:
    """Machine and rows of a result file."""
    found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return found["machine"], found["rows"]


def _short(value: Any, name: str = "") -> Any:
    """Numbers to the digits that mean something, all the way down; objectives keep theirs."""
    if isinstance(value, dict):
        return {key: _short(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_short(inner, name) for inner in value]
    return float(f"{value:.4g}") if isinstance(value, float) and name not in EXACT else value


def plain(table: Table) -> str:
    """A table for the terminal."""
    cells = [list(table.columns), *map(list, table.rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(table.columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(["", table.title, *(line.rstrip() for line in lines), table.note]).rstrip()


def markdown(table: Table) -> str:
    """A table for a page."""
    lines = ["| " + " | ".join(row) + " |" for row in (table.columns, *table.rows)]
    lines.insert(1, "|" + "---|" * len(table.columns))
    return "\n".join([f"**{table.title}**", "", *lines, *(["", table.note] if table.note else [])])


def seconds(value: float) -> str:
    """1.23 s, 45.6 ms or 7.89 µs."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value * 1e6:.3g} µs"


def times(value: float) -> str:
    """A ratio, as in 2.5×."""
    return f"{value:.2f}×" if value < 10 else f"{value:.0f}×"
