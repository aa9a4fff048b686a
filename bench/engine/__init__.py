"""Time to every level of suboptimality: problems x solvers x data sets, one of each a file.

Seconds until the objective is within 1e-6 of the best that anybody reached, evaluated by one independent function
(`bench/objective.py`); conversion of the data, checks and our certificate are inside the time. Nobody has an intercept,
so that all solve the same problem. Each contender runs in a process of its own, at the threads that the table names
where it can use them, each at the loosest tolerance that reaches the level; medians of interleaved runs. Measured are
all contenders, or those that had been the fastest on a problem. `bench/engine/problems` says what
the names mean, `bench/results/engine.html` shows all curves and everybody's settings.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.common import Row, Table


def tables(rows: Sequence[Row]) -> list[Table]:
    """All problems."""
    from bench.engine.summary import table

    return [table(rows)]


def headlines(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Ours over the fastest peer, over scikit-learn's best, and where we are slower."""
    from bench.engine.summary import geometric, standing

    found = [standing(row) for row in rows]
    slower = [f"{one.row['problem']} {one.ratio:.1f}×" for one in found if one.ratio is not None and one.ratio > 1]
    absent = [one.row["problem"] for one in found if one.ours is None]
    ratios, against = [one.ratio for one in found], [one.against_sklearn for one in found]
    known = sum(value is not None for value in against)
    return [
        (
            f"seconds to 1e-6 over the fastest peer's, geometric mean of {len(rows)} problems",
            f"{geometric(ratios):.2f}×",
        ),
        (f"over scikit-learn's best solver, {known} problems where it gets there", f"{geometric(against):.2f}×"),
        (f"of these {len(rows)}, slower than the fastest peer", ", ".join(slower) or "none"),
        ("not at 1e-6 within the time of the measurement", ", ".join(absent) or "none"),
    ]
