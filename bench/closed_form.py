"""Least squares with L2: when is the closed form cheaper than descent?

Squared loss, L2 (alpha 1e-3), free intercept, one thread; seconds of a whole fit that ends at a certified relative
gap of at most 1e-6.  Columns are independent, or correlated (0.95 between neighbours: descent has a narrow valley to
follow), or sparse with 1 % of the numbers stored.  The closed form factors one matrix of min(n, d) unknowns;
"newton_cg" is conjugate gradients; "gd" is gradient descent with Nesterov's acceleration.  The crossover is the
number of columns at which the closed form and the cheaper of the two take equally long, interpolated between the
sizes measured.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import widemargin as wm
from bench.common import Row, Table, interleaved, seconds
from bench.sets import regression_like

KINDS = ("dense", "correlated", "sparse")
ROWS = (2_000, 20_000)
COLUMNS = (10, 30, 100, 300, 1_000, 3_000)
SOLVERS = ("closed_form", "newton_cg", "gd")
DESCENT = SOLVERS[1:]
GAP = 1e-6
LIMIT = 60.0  # seconds that a fit may take


def solve(X: Any, y: Any, solver: str) -> Any:
    """One fit to the gap."""
    return wm.fit(X, y, loss="squared", alpha=1e-3, solver=solver, tol=GAP, threads=1, budget=wm.budget(seconds=LIMIT))


def compare(kind: str, n: int, d: int, tiny: bool) -> Row:
    """All solvers on one size."""
    data = regression_like(n, d, kind)
    jobs = {name: lambda name=name: solve(data.X, data.y, name) for name in (*SOLVERS, "auto")}
    found, last = interleaved(jobs, repeats=1 if tiny else 5, seconds=1 if tiny else 10)
    row: Row = {"kind": kind, "n": n, "d": d, "auto": last["auto"].solver, "auto_seconds": found["auto"].cpu}
    for name in SOLVERS:
        certificate = last[name].certificate
        reached = bool(certificate.relative_gap <= GAP) or certificate.verdict.name == "rounding"
        row[name] = found[name].cpu if reached else None
        row[f"{name}_gap"], row[f"{name}_passes"] = float(certificate.relative_gap), float(last[name].trace[-1].passes)
    return row


def measure(tiny: bool = False) -> Iterator[Row]:
    """The whole grid."""
    sizes = [(60, 5), (60, 20)] if tiny else [(n, d) for n in ROWS for d in COLUMNS]
    for kind in KINDS:
        for n, d in sizes:
            yield compare(kind, n, d, tiny)


def descent(row: Row) -> float:
    """Seconds of the cheaper descent; infinite where neither reached the gap."""
    return min((row[name] for name in DESCENT if row[name] is not None), default=math.inf)


def crossover(rows: Sequence[Row]) -> str:
    """The number of columns from which descent is cheaper, for rows of one kind and n, in words."""
    found = sorted(rows, key=lambda row: row["d"])
    ratios = [math.log((row["closed_form"] or math.inf) / descent(row)) for row in found]
    if ratios[0] > 0:
        return f"below {found[0]['d']:,}"
    for k, (low, high) in enumerate(itertools.pairwise(ratios)):
        if low <= 0 < high:
            share = -low / (high - low) if math.isfinite(high) else 0.5
            columns = found[k]["d"] ** (1 - share) * found[k + 1]["d"] ** share
            return f"about {float(f'{columns:.1g}'):,.0f}"
    return f"above {found[-1]['d']:,}"


def groups(rows: Sequence[Row]) -> dict[tuple[str, int], list[Row]]:
    """Rows of one kind and n."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        found.setdefault((row["kind"], row["n"]), []).append(row)
    return found


def tables(rows: list[Row]) -> list[Table]:
    """Crossovers, then seconds."""
    crossings = [[kind, f"{n:,}", crossover(group)] for (kind, n), group in groups(rows).items()]
    lines = [
        [
            row["kind"], f"{row['n']:,}", f"{row['d']:,}", *(_cell(row, name) for name in SOLVERS), row["auto"],
            f"{row['auto_seconds'] / min(descent(row), row['closed_form'] or math.inf):.2f}×",
        ]
        for row in rows
    ]  # fmt: skip
    wrong = [row for row in rows if row["auto_seconds"] > 1.5 * min(descent(row), row["closed_form"] or math.inf)]
    return [
        Table("Columns from which descent is cheaper", "", ("columns are", "rows", "crossover"), crossings),
        Table(
            "Seconds to a certified relative gap of 1e-6 (passes over the rows)",
            f"auto takes more than 1.5 times the best on {len(wrong)} of {len(rows)}.",
            ("columns are", "rows", "columns", *SOLVERS, "auto takes", "auto / best"), lines,
        ),
    ]  # fmt: skip


def headlines(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The crossovers of dense data."""
    found = [f"{crossover(group)} ({n:,} rows)" for (kind, n), group in groups(rows).items() if kind == "dense"]
    return [("columns from which descent beats the closed form of least squares, dense", ", ".join(found))]


def _cell(row: Row, name: str) -> str:
    if row[name] is None:
        return f"gap {row[f'{name}_gap']:.0e} ({row[f'{name}_passes']:.0f})"
    return f"{seconds(row[name])} ({row[f'{name}_passes']:.0f})"
