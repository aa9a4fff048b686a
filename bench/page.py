"""docs/benchmarks.md and the tables of README and docs/closed-form-or-descent.md, from the files in results alone."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from bench.common import RESULTS, ROOT, Row, Table, load, markdown
from bench.engine import summary

NAMES = ("row_solvers", "closed_form", "certified", "small", "drop_in")
PARTS = ("engine", "regret", "scaling")  # with commands of their own
DOCS = ROOT / "docs"
BENCHMARKS, RULE = "benchmarks.md", "closed-form-or-descent.md"
BEGIN, END = "<!-- measured: {} -->", "<!-- end of what is measured -->"

HEAD = """# Benchmarks

This page is made from the files in `bench/results` by `make bench`; no number on it is typed. To measure on your own
machine: `make bench`, or one part of it with `python -m bench row_solvers`; the data sets are read from the folder
that `WIDEMARGIN_DATA` names. `bench/README.md` says how things are timed. Times change from machine to machine and
from hour to hour, ratios less: contenders take turns in one process. Read a ratio near 1 as a tie.
"""


def pages(results: Path = RESULTS, docs: Path = DOCS) -> dict[Path, str]:
    """What each page should hold."""
    found = {name: load(name, results) for name in (*NAMES, *PARTS) if (results / f"{name}.json").exists()}
    if problems := summary.kept(results):
        found["engine"] = problems
    sections = [HEAD, *(section(name, *found[name]) for name in found)]
    made = {docs / BENCHMARKS: "\n".join(sections)}
    if "closed_form" in found and (docs / RULE).exists():
        made[docs / RULE] = _refreshed(docs / RULE, "bench/results/closed_form.json", _crossings(*found["closed_form"]))
    if (docs.parent / "README.md").exists():
        made[docs.parent / "README.md"] = _refreshed(docs.parent / "README.md", "README", _headlines(found))
    return made


def section(name: str, machine: Row, rows: Sequence[Row]) -> str:
    """Heading, what is measured, tables, and where."""
    module = import_module(f"bench.{name}")
    title, _, about = (module.__doc__ or "").partition("\n")
    tables = module.tables(rows)
    more = f"\nAll sizes: [Closed form or descent]({RULE}).\n" if name == "closed_form" else ""
    shown = tables[:1] if name == "closed_form" else tables
    parts = [f"## {title.rstrip('.')}", about.strip(), *map(markdown, shown), _where(name, machine)]
    return "\n\n".join(parts) + "\n" + more


def _where(name: str, machine: Row) -> str:
    versions = ", ".join(f"{package} {number}" for package, number in machine["versions"].items())
    before, after = machine["load"]
    file = name if name in PARTS else f"{name}.py"
    return (
        f"`bench/{file}`, {machine['date']}: {machine['processor']}, {machine['cores']} cores, load {before:g} "
        f"before and {after:g} after; Python {machine['python']}, {versions}."
    )


def _crossings(machine: Row, rows: Sequence[Row]) -> str:
    tables = import_module("bench.closed_form").tables(rows)
    return "\n\n".join([*map(markdown, tables), _where("closed_form", machine)])


def _headlines(found: Mapping[str, tuple[Row, Sequence[Row]]]) -> str:
    """What each measurement says in a line or two, with the worst beside the best."""
    lines = [["measured", "result"]]
    for name, (_, rows) in found.items():
        lines += [[what, result] for what, result in import_module(f"bench.{name}").headlines(rows)]
    return markdown(Table("", "", lines[0], lines[1:])).partition("\n\n")[2]


def _refreshed(page: Path, mark: str, text: str) -> str:
    """The page with what stands between the two marks made anew."""
    begin = BEGIN.format(mark)
    before, rest = page.read_text(encoding="utf-8").split(begin)
    return f"{before}{begin}\n\n{text}\n\n{END}{rest.partition(END)[2]}"


def write(results: Path = RESULTS, docs: Path = DOCS) -> None:
    """Write the pages."""
    for path, text in pages(results, docs).items():
        path.write_text(text, encoding="utf-8")
        print(path)


def main() -> None:
    """python -m bench.page [--check]: write the pages, or say which are not what the results say."""
    if "--check" not in sys.argv:
        return write()
    stale = [path.name for path, text in pages().items() if path.read_text(encoding="utf-8") != text]
    return sys.exit(f"{', '.join(stale)}: run python -m bench.page" if stale else 0)


if __name__ == "__main__":
    main()
