"""How commands print: tables, facts, JSON.  rich is imported when the first table is drawn."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from rich.console import Console

PIPE = 1000  # columns of a page that is no terminal: a file or a pipe wants whole lines
PROSE = 100  # columns of a paragraph, at most
LEAST, GAP = 26, 3  # columns that a text needs to be read, and between two


def console(most: int = PIPE) -> Console:
    """Standard output as rich sees it, at most so many columns."""
    from rich.console import Console

    found = Console(highlight=False)
    if not (sys.stdout.isatty() or "COLUMNS" in os.environ):
        found.width = PIPE
    found.width = min(found.width, most)
    return found


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Iterable[str] = ()) -> None:
    """A table; columns named in `right` hold numbers.  Where the page is narrow, the last columns are left out."""
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    widths = [max(map(cell_len, column)) for column in zip(head, *rows, strict=True)]
    shown = fitting([min(width, LEAST) for width in widths], console().width)
    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name, width in zip(head[:shown], widths, strict=False):
        side: Literal["left", "right"] = "right" if name in set(right) else "left"
        drawn.add_column(Text(name), justify=side, no_wrap=width <= LEAST, min_width=min(width, LEAST))
    for row in rows:
        drawn.add_row(*map(Text, row[:shown]))
    _print(drawn)
    if shown < len(head):
        paragraph(f"Left out for want of space: {', '.join(head[shown:])}. Make the window wider, or use --json.")


def fitting(widths: Sequence[int], page: int) -> int:
    """How many columns fit on the page, gaps included; two at least."""
    ends = accumulate(width + GAP for width in widths)
    return max(2, sum(end - GAP <= page for end in ends))


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """One line a fact, its name in front."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for name, text in pairs:
        grid.add_row(Text(name, style="bold"), Text(text))
    _print(grid)


def paragraph(text: str) -> None:
    """An empty line, and words broken between them where the line ends."""
    from rich.text import Text

    click.echo()
    _print(Text(text), PROSE)


def _print(renderable: Any, most: int = PIPE) -> None:
    """Without the blanks that fill lines up to the width of the table."""
    page = console(most)
    with page.capture() as captured:
        page.print(renderable)
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def as_json(data: Any) -> None:
    """Valid JSON: NaN is null, infinities are the texts "inf" and "-inf"."""
    click.echo(json.dumps(_plain(data), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def number(x: float, digits: int = 4) -> str:
    """A number as in a text: – for none, ∞."""
    return "–" if math.isnan(x) else "∞" if math.isinf(x) else f"{x:.{digits}g}"


def percent(share: float) -> str:
    """A share of rows."""
    return "–" if math.isnan(share) else f"{share:.2%}"


def yes(truth: bool) -> str:
    """A truth in a table."""
    return "yes" if truth else "no"
