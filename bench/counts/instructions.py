"""Instructions of jobs under valgrind's callgrind: what it counts between a job's two marks.

The instruction set is pinned to v3, because valgrind does not know AVX-512, and so are BLAS kernels and hash seeds.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.common import ROOT

MARK = "getppid"
PINNED = {
    "WIDEMARGIN_ISA": "v3", "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
}  # fmt: skip


def absent() -> str:
    """Why nothing can be counted here; empty if it can."""
    return "" if shutil.which("valgrind") else "valgrind is not installed: no instructions can be counted"


def count(names: Sequence[str]) -> dict[str, int]:
    """Instructions of each job."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", f"--dump-before={MARK}",
                   sys.executable, "-m", "bench.counts.jobs", *names]  # fmt: skip
        done = subprocess.run(command, cwd=ROOT, env=os.environ | PINNED, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"bench: the jobs failed under valgrind:\n{done.stderr[-1500:]}")
        parts = sorted(Path(folder).glob("counts.*"), key=lambda file: int(file.suffix[1:]))
        return between(names, [collected(file.read_text(encoding="utf-8")) for file in parts])


def between(names: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    """Every second dump is a job: the others are what happened before it."""
    if len(counts) < 2 * len(names):
        raise SystemExit(f"bench: callgrind wrote {len(counts)} dumps for {len(names)} jobs; is {MARK} a symbol here?")
    return dict(zip(names, counts[1::2], strict=False))


def collected(text: str) -> int:
    """The total of one dump."""
    found = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"bench: callgrind reported nothing:\n{text[-500:]}")
    return int(found.group(1))
