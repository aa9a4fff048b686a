"""python -m bench counts [jobs] [--keep]: count instructions, compare with results/counts.json, fail if any grew."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.common import RESULTS, load, machine, plain, save
from bench.counts.compare import TOLERANCE, changes, regressions, table
from bench.counts.instructions import absent, count
from bench.counts.jobs import jobs

NAME = "counts"


def main(arguments: Sequence[str]) -> None:
    """Count, compare; --keep makes what is counted the new measure."""
    parser = argparse.ArgumentParser(prog="python -m bench counts", description=__doc__)
    parser.add_argument("jobs", nargs="*", metavar="job")
    parser.add_argument("--keep", action="store_true", help="keep these counts as the new measure")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE)
    parser.add_argument("--results", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    if reason := absent():
        print(f"bench: {reason}")
        return
    then, facts = kept(chosen.results), machine()
    now = count(chosen.jobs or list(jobs()))
    found = changes({name: then[name] for name in then if name in now or not chosen.jobs}, now)
    print(plain(table(found, chosen.tolerance)))
    if chosen.keep:
        chosen.results.mkdir(parents=True, exist_ok=True)
        rows = [{"job": name, "instructions": value} for name, value in (then | now).items() if name in jobs()]
        print(save(NAME, rows, facts, chosen.results))
    elif grown := regressions(found, chosen.tolerance):
        raise SystemExit(f"bench: more instructions than before in {', '.join(grown)}")


def kept(folder: Path) -> dict[str, int]:
    """The counts of the results file."""
    if not (folder / f"{NAME}.json").exists():
        return {}
    return {row["job"]: row["instructions"] for row in load(NAME, folder)[1]}
