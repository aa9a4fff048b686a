"""One page of all results: self-contained, light and dark, no script, nothing from outside."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from bench.common import Row, Table
from bench.engine import summary
from bench.engine.curves import svg
from bench.engine.table import problem_table

STYLE = """
:root { color-scheme: light dark; --ink: #1d2126; --soft: #5c6670; --rule: #d9dee3; --paper: #fff; --good: #1a7f4b;
  --bad: #b3261e; --c0: #c2185b; --c1: #1f77b4; --c2: #2a8f4e; --c3: #b06a00; --c4: #6b4fbb; --c5: #00848c;
  --c6: #8a6d3b; --c7: #61707d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #9aa5af; --rule: #343b43; --paper: #15181c;
  --good: #5fd394; --bad: #ff8a80; --c0: #ff6fa3; --c1: #6db3f2; --c2: #6fd08c; --c3: #f0b429; --c4: #b39ddb;
  --c5: #4dd0d6; --c6: #d2b48c; --c7: #9fb0bd; } }
body { margin: 0 auto; max-width: 1240px; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
h3 { font-size: 1rem; margin: 0 0 .3rem; } p { max-width: 75ch; color: var(--soft); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--rule); text-align: left; white-space: nowrap; }
td { font-variant-numeric: tabular-nums; } .met { color: var(--good); } .missed { color: var(--bad); }
.problems { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 2rem 1.5rem; }
article { min-width: 0; } svg { width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 11px; }
.grid { stroke: var(--rule); stroke-width: 1; } .level { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 4; }
polyline { fill: none; stroke-width: 1.8; stroke: currentColor; } circle { fill: currentColor; }
.c0 polyline { stroke-width: 3; }
.c0{color:var(--c0)} .c1{color:var(--c1)} .c2{color:var(--c2)} .c3{color:var(--c3)} .c4{color:var(--c4)}
.c5{color:var(--c5)} .c6{color:var(--c6)} .c7{color:var(--c7)}
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .2rem 0 .6rem; padding: 0;
  font-size: 13px; } .key { width: 26px; height: 8px; margin-right: .4rem; }
summary { cursor: pointer; color: var(--soft); font-size: 13px; }
"""

INTRODUCTION = """Seconds to a relative suboptimality, (P − P*) / P*, where P* is the lowest objective that anybody
reached and P is evaluated by one independent function. Everything is inside the time: conversion of the data,
checks, and on our side the certificate. Every contender runs in a process of its own and gets the settings named
below; for each level the loosest tolerance that reaches it counts, ours likewise."""


def page(rows: Sequence[Row], machine: Row, tables: Sequence[Table] = ()) -> str:
    """The whole page; `tables` are other parts, shown below."""
    where = f"{machine['processor']}, {machine['cores']} cores, {machine['date']}"
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>widemargin: time to the optimum</title><style>{STYLE}</style></head><body>",
        f"<h1>Time to the optimum</h1><p>{INTRODUCTION}</p><p>{escape(where)}.</p>",
        html_table(summary.table(rows)),
        "<h2>Seconds against suboptimality</h2><div class='problems'>",
        *(_problem(row) for row in rows),
        "</div>",
        *(html_table(table) for table in tables),
        "<h2>Contenders</h2>",
        html_table(contenders(rows)),
        "</body></html>",
    ]
    return "\n".join(parts)


def _problem(row: Row) -> str:
    table = problem_table(row)
    shape = f"{row['n']:,} × {row['d']:,}, {row['title']}, α = {row['alpha']:.3g}"
    return (
        f"<article><h3>{escape(row['problem'])}</h3><p>{escape(shape)}</p>{svg(row)}"
        f"<details><summary>all contenders</summary>{html_table(table._replace(title=''))}</details></article>"
    )


def html_table(table: Table) -> str:
    """A table, its note below it."""
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in table.rows)
    title = f"<h2>{escape(table.title)}</h2>" if table.title else ""
    note = "".join(f"<p>{escape(line)}</p>" for line in table.note.splitlines() if line.strip())
    return f"{title}<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}"


def _cell(text: str) -> str:
    kind = f" class='{text}'" if text in ("met", "missed") else ""
    return f"<td{kind}>{escape(text)}</td>"


def contenders(rows: Sequence[Row]) -> Table:
    """Who took part: version, settings, and who was left out and why."""
    known: dict[str, list[str]] = {}
    for row in rows:
        for one in row["contenders"]:
            absent = one["ended"] if not one["points"] and "not installed" in one["ended"] else ""
            known[one["name"]] = [one["name"], one.get("version", ""), one["settings"], absent]
    columns = ("contender", "version", "settings", "left out because")
    return Table("", "", columns, [known[name] for name in sorted(known)])


def write(folder: Path, file: Path, machine: Row, tables: Sequence[Table] = ()) -> Path:
    """The page of a folder of results."""
    file.write_text(page(summary.rows(folder), machine, tables), encoding="utf-8")
    return file
