"""The process in which one contender runs: reads jobs as lines of JSON, answers with seconds, memory and weights.

It holds the data, so that a job is the fit alone; a contender that hangs or crashes takes only this process along.
The interpreter may be another one than ours: nothing of widemargin is imported unless the contender is ours.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import traceback
import warnings
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TextIO

import numpy as np

from bench.engine import memory
from bench.engine.data import load
from bench.engine.peers import module
from bench.engine.peers.contender import Contender, Task
from bench.engine.problems import problem


def main() -> None:
    """Serve until the standard input ends."""
    replies = os.fdopen(os.dup(1), "w")  # contenders may print
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    warnings.simplefilter("ignore")
    first = json.loads(sys.stdin.readline())
    library = module(first["library"])
    getattr(library, "prepare", lambda: None)()
    try:
        known = version(library.PACKAGE)
    except PackageNotFoundError:
        return _say(replies, {"failed": f"{library.PACKAGE} is not installed"})
    wanted = problem(first["problem"])
    contender = next(one for one in library.contenders(wanted) if one.name == first["contender"])
    X, y = load(wanted.data, wanted.storage)
    task = Task(wanted, X, y, first["alpha"], first["threads"])
    _say(replies, {"version": known})
    for line in sys.stdin:
        job = json.loads(line)
        _say(replies, _run(contender, task, job["tol"], job["weights"]))
    return None


def _run(contender: Contender, task: Task, tol: float, file: str) -> dict[str, Any]:
    before = memory.begin()
    gc.disable()
    try:
        started, used = time.perf_counter(), time.process_time()
        answer = contender.fit(task, tol)
        seconds, cpu = time.perf_counter() - started, time.process_time() - used
    except Exception as reason:  # a peer may refuse in any way it likes
        return {"failed": f"{type(reason).__name__}: {reason}"[:200], "where": traceback.format_exc()[-600:]}
    finally:
        gc.enable()
    np.savez(file, w=answer.w, b=answer.b)
    return {"seconds": seconds, "cpu": cpu, "memory": memory.peak(before), "said": answer.said}


def _say(replies: TextIO, message: dict[str, Any]) -> None:
    replies.write(json.dumps(message) + "\n")
    replies.flush()


if __name__ == "__main__":
    main()
