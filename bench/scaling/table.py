"""The ratios beside their aims."""

from __future__ import annotations

from collections.abc import Sequence

from bench.common import Row, Table, seconds


def table(rows: Sequence[Row]) -> Table:
    """One line a ratio."""
    columns = ("what", "data", "half of the rows, or 1 thread", "all, or 2 threads", "ratio", "aim", "verdict", "")
    return Table("Scaling", "", columns, [_line(row) for row in rows])


def _line(row: Row) -> list[str]:
    doubled = "read" not in row
    aim = f"at most {row['aim']:g}" if doubled else f"at least {row['aim']:.2f}"
    if doubled:
        passes = " and ".join(f"{value:.3g}" for value in row["passes"].values())
        more = f"{row['solver']}, {passes} passes"
    else:
        more = f"a streaming read: {row['read']:.2f}"
    verdict = "met" if row["met"] else "missed"
    return [row["what"], row["data"], seconds(row["first"]), seconds(row["second"]), f"{row['ratio']:.2f}", aim,
            verdict, more]  # fmt: skip
