"""LIBLINEAR's multicore variant: the same module under the same name, so it lives in a folder of its own.

`make bench` puts it into build/peers-multicore, WIDEMARGIN_PEERS_MULTICORE names another place.
"""

from __future__ import annotations

import os
import sys

from bench.engine.peers import liblinear
from bench.engine.peers.contender import Contender
from bench.engine.problem import Problem

PACKAGE = "liblinear-multicore"
FOLDER = os.environ.get("WIDEMARGIN_PEERS_MULTICORE", "build/peers-multicore")


def contenders(problem: Problem) -> list[Contender]:
    """Those of LIBLINEAR that have threads; in a process of their own."""
    found = liblinear.contenders(problem, f" -m {os.environ.get('OMP_NUM_THREADS', '2')}", "LIBLINEAR-multicore")
    return [one for one in found if "s7" not in one.name]


def prepare() -> None:
    """Before the first import of `liblinear`."""
    sys.path.insert(0, FOLDER)
