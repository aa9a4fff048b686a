"""The tree refutes exactly what no choice can do, also where conflicts come while it is walked."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from widemargin._types import I64
from widemargin.fewest import cover
from widemargin.fewest.pool import Pool
from widemargin.fewest.tree import Tree
from widemargin.separation.conflict import Conflict


def sets(n: int, count: int, seed: int) -> list[I64]:
    random = np.random.default_rng(seed)
    return [np.sort(random.choice(n, random.integers(1, 5), replace=False)) for _ in range(count)]


def pool_of(rows: list[I64], n: int) -> Pool:
    pool = Pool(n)
    for some in rows:
        pool.add(Conflict(some, np.full(len(some), 1 / len(some))))
    return pool


def cheapest(rows: list[I64], s: I64) -> int:
    """Every subset of points."""
    n, best = len(s), int(s.sum())
    for k in range(n):
        for chosen in itertools.combinations(range(n), k):
            cost = int(s[list(chosen)].sum())
            if cost < best and all(np.isin(some, chosen).any() for some in rows):
                best = cost
    return best


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("largest", [1, 3])
def test_a_tree_knows_the_cheapest_choice(seed: int, largest: int) -> None:
    n, rows = 9, sets(9, 14, seed)
    s = np.random.default_rng(seed).integers(1, largest + 1, n)
    least = cheapest(rows, s)
    for room in range(least + 2):
        tree = Tree(pool_of(rows, n), s * 0.5, 0.5, lambda chosen: False, lambda: False)
        assert tree.none_within(room) == (room < least)


@pytest.mark.parametrize("seed", range(20))
def test_conflicts_may_come_late(seed: int) -> None:
    n, rows = 9, sets(9, 14, seed)
    s = np.ones(n, dtype=np.int64)
    least, pool = cheapest(rows, s), Pool(n)

    def ask(chosen: list[int]) -> bool:
        unsettled = [some for some in rows if not np.isin(some, chosen).any()]
        return bool(unsettled) and pool.add(Conflict(unsettled[0], np.ones(len(unsettled[0]))))

    for room in range(least):
        assert Tree(pool, s.astype(float), 1.0, ask, lambda: False).none_within(room)
    assert not Tree(pool, s.astype(float), 1.0, ask, lambda: False).none_within(least)


@pytest.mark.parametrize("seed", range(10))
def test_programme_packing_and_chance_keep_their_sides(seed: int) -> None:
    n, rows = 9, sets(9, 14, seed)
    s = np.random.default_rng(seed).integers(1, 4, n)
    pool, least = pool_of(rows, n), cheapest(rows, s)
    u = cover.packing(pool.matrix, s.astype(float))
    assert (u >= 0).all()
    assert (pool.matrix.T @ u <= s).all()
    assert u.sum() <= least
    found = cover.programme(pool.matrix, s.astype(float), 10.0)
    assert found.optimal
    assert found.chosen is not None
    assert found.bound == pytest.approx(least)
    assert s[found.chosen].sum() == least
    chosen = cover.greedy(pool.matrix, s.astype(float), np.random.default_rng(0))
    assert all(np.isin(some, chosen).any() for some in rows)
    assert s[chosen].sum() >= least
    disjoint = [set(rows_.tolist()) for rows_ in (pool.conflicts[k].rows for k in pool.disjoint(s * 1.0, u))]
    assert len(set().union(*disjoint)) == sum(map(len, disjoint))


def test_time_ends_a_tree() -> None:
    rows = [np.arange(k, k + 12) for k in range(0, 240, 12)]
    assert not Tree(pool_of(rows, 240), np.ones(240), 1.0, lambda chosen: False, lambda: True).none_within(10)
