"""python -m bench scaling [data sets]: cost as n doubles, and what the second thread brings."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.common import RESULTS, machine, plain, save
from bench.scaling.measure import SETS, measure
from bench.scaling.table import table

NAME = "scaling"


def main(arguments: Sequence[str]) -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m bench scaling", description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--results", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    chosen.results.mkdir(parents=True, exist_ok=True)
    before = machine()
    rows = list(measure(tuple(chosen.sets), chosen.repeats))
    save(NAME, rows, before, chosen.results)
    print(plain(table(rows)))
