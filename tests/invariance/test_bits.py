"""The same bits at any thread count, any block size, and for any seed twice."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import Data, combinations, fit, overlapping, problem, takes
from widemargin.bounds import Anchors
from widemargin.run.local import SERIAL_WORK, leaf_rows
from widemargin.solve.protocol import Problem

THREADED = (5000, 55)  # more work than is left to one thread
BLOCKED = (2500, 8)  # more rows than one leaf has


@cache
def wide(classes: int, sparse: bool, shape: tuple[int, int]) -> Data:
    X, y = overlapping(classes, *shape)
    if sparse:
        X = sp.csr_array(np.where(np.random.default_rng(0).random(X.shape) < 0.2, 0.0, X))
    return Data(X, y, classes)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("solver", wm.solvers)
def test_any_number_of_threads(solver: str, classes: int, sparse: bool, subtests: pytest.Subtests) -> None:
    data = wide(classes, sparse, THREADED)
    assert (data.X.nnz if sparse else data.X.size) > SERIAL_WORK
    for wanted in combinations(solver)[: 3 if classes == 2 else 2]:
        if not takes(data, **wanted):
            continue
        with subtests.test(str(wanted)):
            runs = [fit(*data, **wanted, threads=t, stop=wm.stops.max_passes(4)) for t in (1, 2, 3)]
            for other in runs[1:]:
                same(runs[0], other)


def same(one: Any, other: Any) -> None:
    """Weights, trace, objective, bound and dual point, bit by bit."""
    assert np.array_equal(one.model.W, other.model.W)
    assert np.array_equal(one.model.b, other.model.b)
    for name in ("objective", "best", "bound", "gap", "gradient_norm", "errors", "step", "change", "mistakes"):
        assert np.array_equal(one.trace.columns(name), other.trace.columns(name), equal_nan=True), name
    first, second = one.certificate, other.certificate
    for name in ("objective", "lower_bound", "kkt", "values", "bounds", "null"):
        assert np.array_equal(getattr(first, name), getattr(second, name), equal_nan=True), name
    assert (first.dual is None) == (second.dual is None)
    if first.dual is not None:
        assert np.array_equal(first.dual, second.dual)


def cut(made: Problem, rows: int) -> Problem:
    """The same problem, its rows handed out so many at a time."""
    source = replace(made.source, block_rows=rows)
    return replace(made, source=source, anchors=Anchors(made.objective, source, made.reducer))


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("solver", wm.solvers)
def test_any_block_size(solver: str, classes: int, sparse: bool, subtests: pytest.Subtests) -> None:
    data, n = wide(classes, sparse, BLOCKED), BLOCKED[0]
    leaf = leaf_rows(n, 0, 1)  # the largest there is for so many rows
    assert leaf < n
    for wanted in combinations(solver)[: 3 if classes == 2 else 2]:
        for shuffle in (True, False):
            if not takes(data, **wanted):
                continue
            with subtests.test(f"{wanted}, shuffle={shuffle}"):
                made, chosen = problem(data.X, data.y, shuffle=shuffle, **wanted)
                states = []
                for of in (made, cut(made, leaf), cut(made, n)):
                    state = chosen.init(of, None, 1)
                    for _ in range(2):
                        state = chosen.advance(of, state)
                    states.append(state)
                for other in states[1:]:
                    assert np.array_equal(states[0].theta.W, other.theta.W)
                    assert np.array_equal(states[0].theta.b, other.theta.b)
                    for name in ("value", "bound", "errors"):
                        found = [getattr(s, name) for s in (states[0], other)]
                        assert found[0] is found[1] or np.array_equal(*found)


@pytest.mark.parametrize("solver", wm.solvers)
def test_a_seed_gives_the_same_bits(solver: str) -> None:
    data = overlapping(3, 60)
    for wanted in combinations(solver):
        if not takes(data, **wanted):
            continue
        for seed in (0, 3):
            one, other = (fit(*data, **wanted, seed=seed, stop=wm.stops.max_passes(8)) for _ in range(2))
            same(one, other)


@pytest.mark.parametrize("solver", wm.solvers)
def test_seeds_matter_only_where_rows_are_shuffled(solver: str) -> None:
    """Another seed: another order for those that walk rows; nothing for the others, or without shuffling."""
    data = overlapping(2, 60)
    for wanted in combinations(solver):
        stop = wm.stops.max_passes(8)
        one, other = (fit(*data, **wanted, seed=seed, shuffle=False, stop=stop) for seed in (0, 1))
        same(one, other)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_fits_at_the_same_time() -> None:
    """Threads of the caller's, a fit inside a fit, a forked child: the same bits."""
    data = wide(2, False, THREADED)
    wanted = [{"solver": name, "stop": "max_passes:4", "threads": 2} for name in ("gd", "newton", "sgd")]
    alone = [fit(*data, **options) for options in wanted]
    with ThreadPoolExecutor(4) as pool:
        for k, found in enumerate(pool.map(lambda k: wm.fit(*data, **wanted[k % 3]), range(9))):
            same(alone[k % 3], found)
    inside: list[Any] = []
    outer = fit(*data, **wanted[0], on_event=lambda event: inside.append(fit(*data, **wanted[1])))
    same(alone[0], outer)
    for found in inside:
        same(alone[1], found)
    child = os.fork() if hasattr(os, "fork") else -1
    if child == 0:
        os._exit(0 if np.array_equal(fit(*data, **wanted[0]).model.W, alone[0].model.W) else 1)
    if child > 0:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_caller_keeps_what_is_the_callers() -> None:
    """No array that came in is written to, and a warm model is not changed by the fit that begins at it."""
    X, y = overlapping(2, 60)
    s, o = np.linspace(0.5, 2, 60), np.linspace(-1, 1, 60)
    kept = [a.copy() for a in (X, y, s, o)]
    for a in (X, y, s, o):
        a.flags.writeable = False
    first = fit(X, y, sample_weight=s, offset=o)
    W, b = first.model.W.copy(), first.model.b.copy()
    for solver in wm.solvers:
        for wanted in combinations(solver)[:2]:
            fit(X, y, sample_weight=s, offset=o, warm=first.model, stop=wm.stops.max_passes(5), **wanted)
    assert np.array_equal(first.model.W, W)
    assert np.array_equal(first.model.b, b)
    for now, then in zip((X, y, s, o), kept, strict=True):
        assert np.array_equal(now, then)
