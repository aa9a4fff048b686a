"""Seconds of a fit on the first half of the rows and on all; seconds of a pass at one thread and at two.

Both are ratios within one run.  A fit is wm.fit with its defaults at C = 1.  The pass is a fold of the gradient (the
fused pass that every batch solver makes), and beside it stands what the second thread brings to a streaming read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import widemargin as wm
from bench.common import Row, interleaved
from bench.engine.bandwidth import streaming
from bench.engine.data import load
from widemargin.data.intake import intake
from widemargin.fitting import assemble
from widemargin.spec import spec

SETS = ("D1", "S1s")
DOUBLING, THREADS = 2.1, 0.85  # aims: at most, at least
PASSES = 5  # per timing


def measure(sets: tuple[str, ...] = SETS, repeats: int = 5) -> Iterator[Row]:
    """Two lines a data set."""
    for name in sets:
        X, y = load(name)
        yield doubling(name, X, y, repeats)
        yield threads(name, X, y, repeats)


def doubling(name: str, X: Any, y: Any, repeats: int) -> Row:
    """All rows against the first half, C = 1 for each."""
    half = len(y) // 2
    jobs = {
        "half": lambda: wm.fit(X[:half], y[:half], alpha=1 / half, threads=2),
        "whole": lambda: wm.fit(X, y, alpha=1 / len(y), threads=2),
    }
    found, last = interleaved(jobs, repeats=repeats, seconds=30)
    ratio = found["whole"].median / found["half"].median
    passes = {key: float(fit.trace[-1].passes) for key, fit in last.items()}
    return {
        "what": "rows doubled", "data": name, "first": found["half"].median, "second": found["whole"].median,
        "ratio": ratio, "aim": DOUBLING, "met": ratio <= DOUBLING, "solver": last["whole"].solver, "passes": passes,
    }  # fmt: skip


def threads(name: str, X: Any, y: Any, repeats: int) -> Row:
    """Two threads against one, on gradient passes, beside a streaming read."""
    data = intake(X, y, sample_weight=None, class_weight=None, offset=None)
    jobs = {count: passing(data, count) for count in ("1", "2")}
    found, _ = interleaved(jobs, repeats=4 * repeats, seconds=20)
    speed = found["1"].median / found["2"].median
    read = streaming(2) / streaming(1)
    return {
        "what": "two threads on passes", "data": name, "first": found["1"].median / PASSES,
        "second": found["2"].median / PASSES, "ratio": speed, "read": read, "aim": THREADS * read,
        "met": speed >= THREADS * read,
    }  # fmt: skip


def passing(data: Any, count: str) -> Any:
    """Some gradient passes at w = 0."""
    wanted = spec(
        loss="logistic", penalty="l2", alpha=1e-6, intercept=True, multiclass="auto", solver="auto", tol=1e-6,
        schedule=None,
    )  # fmt: skip
    problem, _ = assemble(wanted, data, shuffle=True, threads=int(count), trace="passes")
    theta = problem.objective.zero(problem.source.d)
    return lambda: [problem.fold("gradient", theta) for _ in range(PASSES)]
