"""Regret of "auto": its time against the best registered solver, over random problems.

Small and middling problems, drawn from fixed seeds: shapes, sparsity, scales of columns, alpha from 1e-8 to 1e2, shares
of positives, losses and penalties.  Regret is the time of auto to a certified 1e-6 over that of the best registered
solver that takes the problem: processor seconds at one thread.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.common import Row, Table


def tables(rows: Sequence[Row]) -> list[Table]:
    """The worst."""
    from bench.regret.table import table

    return [table(rows)]


def headlines(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Median and 95th percentile."""
    from bench.regret.table import shares

    return [("time of auto over the best registered solver's, random problems", ", ".join(shares(rows)))]
