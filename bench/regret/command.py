"""python -m bench regret [--first K] [--count M]: auto against every registered solver on random problems."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.common import RESULTS, Row, load, machine, plain, save
from bench.regret.draw import COUNT, SIZES, draw
from bench.regret.measure import regret
from bench.regret.table import table

NAME = "regret"


def main(arguments: Sequence[str]) -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m bench regret", description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--largest", type=int, default=SIZES, help="numbers stored at most")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--add", action="store_true", help="keep the other rows of the results file")
    chosen = parser.parse_args(arguments)
    chosen.results.mkdir(parents=True, exist_ok=True)
    before, found = machine(), _kept(chosen.results) if chosen.add else {}
    for number in range(chosen.first, chosen.first + chosen.count):
        row = regret(draw(number, chosen.largest))
        print(number, *table([row]).rows[0], file=sys.stderr, flush=True)
        found[number] = row
        save(NAME, [found[key] for key in sorted(found)], before, chosen.results)
    print(plain(table(list(found.values()))))


def _kept(folder: Path) -> dict[int, Row]:
    file = folder / f"{NAME}.json"
    return {row["number"]: row for row in load(NAME, folder)[1]} if file.exists() else {}
