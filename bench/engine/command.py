"""python -m bench engine [problems] [--peers fastest|all|none|names]: measure, print, keep the numbers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from bench.common import RESULTS, Table, load, machine, plain, save
from bench.engine import fastest, summary
from bench.engine.html import write
from bench.engine.measure import Plan, measure
from bench.engine.problems import NAMES
from bench.engine.table import problem_table

NOBODY = ("nobody",)
COUNTING = 1e-6
PAGE = "engine.html"
KEPT = {"all": "engine", "fastest": "fastest"}  # folders of the results


def main(arguments: Sequence[str]) -> None:
    """Measure the problems that are named; all in the lists without a name."""
    parser = argparse.ArgumentParser(prog="python -m bench engine", description=__doc__)
    parser.add_argument("problems", nargs="*", help="data_family_strength, as in S1s_l2log_C1")
    parser.add_argument("--peers", default="all", help="fastest, all, none, or names separated by semicolons")
    parser.add_argument("--levels", type=float, nargs="*", help="default: 1e-2 to 1e-9; with fastest peers 1e-6")
    parser.add_argument("--repeats", type=int, default=Plan.repeats)
    parser.add_argument("--limit", type=float, default=Plan.limit, help="seconds of one fit")
    parser.add_argument("--threads", type=int, default=Plan.threads)
    parser.add_argument(
        "--clock",
        choices=("seconds", "cpu"),
        default="seconds",
        help="cpu: processor seconds, for machines that others use too; with --threads 1",
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    parser.add_argument("--summary", action="store_true", help="measure nothing, print the table of all results")
    chosen = parser.parse_args(arguments)
    for folder in summary.FOLDERS:
        (chosen.results / folder).mkdir(parents=True, exist_ok=True)
    if chosen.summary:
        print(plain(summary.table(summary.rows(chosen.results))))
    else:
        run(chosen)
    print(write(chosen.results, chosen.results / PAGE, machine(), others(chosen.results)))


def others(folder: Path) -> list[Table]:
    """Tables of the other parts that have results."""
    there = [name for name in ("regret", "scaling") if (folder / f"{name}.json").exists()]
    return [table for name in there for table in import_module(f"bench.{name}").tables(load(name, folder)[1])]


def run(chosen: argparse.Namespace) -> None:
    """Problem by problem; what is measured is kept at once."""
    levels = tuple(chosen.levels or (Plan.levels if chosen.peers == "all" else (COUNTING,)))
    plan = Plan(levels, chosen.repeats, chosen.limit, 3 * chosen.limit, chosen.threads, chosen.clock)
    for name in chosen.problems or NAMES:
        before = machine()
        row = measure(name, replace(plan, solvers=_peers(chosen.peers, name, chosen.results)), chosen.results)
        print(plain(problem_table(row)))
        if chosen.peers in KEPT:
            save(f"{KEPT[chosen.peers]}/{name}", [row], before, chosen.results)


def _peers(asked: str, problem: str, folder: Path) -> tuple[str, ...]:
    if asked == "fastest":
        return fastest.stored(problem, folder)
    return {"all": (), "none": NOBODY}.get(asked, tuple(asked.split(";")))
