"""python -m bench [names] [--tiny] [--results FOLDER]: measure, print, keep the numbers, write the page."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_limits

from bench import page
from bench.common import RESULTS, machine, plain, save

PARTS = ("counts", "engine", "regret", "scaling")


def main() -> None:
    """Hand a part with its own options over; else run the measurements that are named, all without a name."""
    if sys.argv[1:2] and sys.argv[1] in PARTS:
        return import_module(f"bench.{sys.argv[1]}.command").main(sys.argv[2:])
    return tables(sys.argv[1:])


def tables(arguments: Sequence[str]) -> None:
    """The measurements that are one table each."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(page.NAMES))
    parser.add_argument("--tiny", action="store_true", help="small synthetic data, to see that everything runs")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    parser.add_argument("--pages", type=Path, default=page.DOCS, help="folder of the pages made from them")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.names) - set(page.NAMES):
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(page.NAMES)}")
    if chosen.tiny and chosen.results == RESULTS:
        parser.error("--tiny needs --results, so that its numbers never replace real ones")
    chosen.results.mkdir(parents=True, exist_ok=True)
    for name in chosen.names or page.NAMES:
        module, before = import_module(f"bench.{name}"), machine()
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = []
            for row in module.measure(tiny=chosen.tiny):
                rows.append(row)
                print(name, *list(row.values())[:8], file=sys.stderr, flush=True)
        print(save(name, rows, before, chosen.results))
        for table in module.tables(rows):
            print(plain(table))
    if not chosen.tiny:
        page.write(chosen.results, chosen.pages)


if __name__ == "__main__":
    main()
