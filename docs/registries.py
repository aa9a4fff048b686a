"""MkDocs hook: `<!-- table: losses -->` becomes a table of the registry; a new entry documents itself."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import widemargin as wm

MARK = re.compile(r"<!-- table: (\w+) -->")


def code(text: str) -> str:
    """Code that may hold a vertical bar."""
    return f"<code>{html.escape(text).replace('|', '&#124;')}</code>" if text else "–"


def formula(tex: str) -> str:
    """TeX as it stands in a page, and in a cell of a table, where a vertical bar would end it."""
    bars = tex.replace(r"\|", r"\Vert ").replace("|", r"\vert ").strip()
    return f"${bars}$" if bars else "–"


def number(x: float) -> str:
    """A number as in the text: – for none, ∞."""
    return "–" if math.isnan(x) else "∞" if math.isinf(x) else f"{x:.4g}"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def losses() -> str:
    """Every loss."""
    head = ("name", "ℓ(z)", "in a word", "convex", "sup ℓ″", "× to bound 0/1", "P(y given f)", "from")
    return table(
        head,
        (
            (
                code(loss.name),
                formula(loss.tex),
                loss.summary,
                "yes" if loss.convex else "no",
                number(loss.curvature),
                number(loss.bound_scale),
                code(loss.link),
                loss.reference,
            )
            for loss in wm.losses.values()
        ),
    )


def penalties() -> str:
    """Every penalty."""
    rows = (
        (code(p.text), formula(p.tex), p.summary, "yes" if p.convex else "no", p.reference)
        for p in wm.penalties.values()
    )
    return table(("name", "R(w)", "in a word", "convex", "from"), rows)


def solvers() -> str:
    """Every solver; its first docstring line says what it computes."""
    rows = (
        (code(s.name), (s.__doc__ or "").strip().partition("\n")[0], "yes" if s.certifies else "no", s.cite)
        for s in wm.solvers.values()
    )
    return table(("name", "step", "certifies", "from"), rows)


TABLES: dict[str, Callable[[], str]] = {"losses": losses, "penalties": penalties, "solvers": solvers}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in the tables."""
    return MARK.sub(lambda mark: TABLES[mark[1]](), markdown)
