"""Median, 95th percentile, and the worst ten with their reasons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.common import Row, Table, seconds

AIMS = {"median": (0.5, 1.5), "95th percentile": (0.95, 4.0)}
WORST = 10


def table(rows: Sequence[Row]) -> Table:
    """What auto costs."""
    missed = sum(row["above"] > 1e-6 or row["gap"] > 1e-6 for row in rows)
    largest = max(row["regret"] for row in rows)
    note = (
        f"{len(rows)} problems: {', '.join(shares(rows))}; largest {largest:.1f}. Auto is not at a certified 1e-6 on "
        f"{missed}. The worst {WORST} are shown, then those where auto did not get there."
    )
    order = sorted(rows, key=lambda row: -row["regret"])
    shown = order[:WORST] + [row for row in order[WORST:] if row["gap"] > 1e-6]
    columns = ("problem", "loss, penalty, alpha", "auto", "best", "regret", "gap", "what auto did")
    return Table("Regret of auto", note, columns, [_line(row) for row in shown])


def shares(rows: Sequence[Row]) -> list[str]:
    """Quantiles beside their aims."""
    ratios = [row["regret"] for row in rows]
    return [f"{name} {np.quantile(ratios, q):.2f} (aim {aim:g})" for name, (q, aim) in AIMS.items()]


def _line(row: Row) -> list[str]:
    return [
        f"{row['number']}: {row['about']}",
        f"{row['loss']} {row['penalty']} {row['alpha']:.0e}",
        f"{seconds(row['seconds'])} {row['solver']}",
        f"{seconds(row['best_seconds'])} {row['best']}",
        f"{row['regret']:.2f}",
        f"{row['gap']:.0e} {row['verdict']}",
        row["trace"],
    ]
