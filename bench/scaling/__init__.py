"""Cost as n doubles, and what the second thread brings.

A fit with its defaults at C = 1 on the first half of the rows and on all; gradient passes at one thread and at two,
beside what the second thread brings to a streaming read in the same run.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.common import Row, Table


def tables(rows: Sequence[Row]) -> list[Table]:
    """The ratios."""
    from bench.scaling.table import table

    return [table(rows)]


def headlines(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The ratios, in one line each."""
    kinds = dict.fromkeys(row["what"] for row in rows)
    return [
        (kind, ", ".join(f"{row['data']} {row['ratio']:.2f}×" for row in rows if row["what"] == kind)) for kind in kinds
    ]
