"""The handle of a child process: starts it, gives it jobs, ends it when a job takes too long."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import ROOT

PYTHON = os.environ.get("WIDEMARGIN_PEERS", sys.executable)  # the interpreter that has the peers
START = 120.0  # seconds to load data


class TooLong(Exception):
    """A job passed its limit; the child is gone."""


class Gone(Exception):
    """The child ended by itself, or the contender raised."""


class Worker:
    """One contender on one problem."""

    def __init__(self, library: str, contender: str, problem: str, alpha: float, threads: int) -> None:
        self.first = {
            "library": library, "contender": contender, "problem": problem, "alpha": alpha, "threads": threads,
        }  # fmt: skip
        self.process: subprocess.Popen[str] | None = None
        self.version = ""

    def fit(self, tol: float, limit: float) -> dict[str, Any]:
        """Seconds, memory, what was said, w and b."""
        if self.process is None:
            self._start()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "weights.npz"
            found = self._ask({"tol": tol, "weights": str(file)}, limit)
            with np.load(file) as kept:
                return found | {"w": kept["w"], "b": kept["b"]}

    def _start(self) -> None:
        ours = self.first["library"] == "ours"
        threads = str(self.first["threads"])
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        self.process = subprocess.Popen(
            [sys.executable if ours else PYTHON, "-m", "bench.engine.child"], cwd=ROOT, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=os.environ | dict.fromkeys(names, threads),
        )  # fmt: skip
        self.version = self._ask(self.first, START)["version"]

    def _ask(self, message: dict[str, Any], limit: float) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            if not select.select([self.process.stdout], [], [], limit)[0]:
                self.close()
                raise TooLong
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.close()
            raise Gone("the process ended")
        found: dict[str, Any] = json.loads(line)
        if "failed" in found:
            raise Gone(found["failed"])
        return found

    def close(self) -> None:
        """End the child."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()
            self.process = None
