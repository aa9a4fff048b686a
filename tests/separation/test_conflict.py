"""One minimal infeasible subset, or a direction."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from widemargin.separation.conflict import Conflict, Separating, conflict, nearest


def rows(seed: int, m: int = 40, d: int = 4, whole: bool = False) -> np.ndarray:
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, (m, d)).astype(float) if whole else random.standard_normal((m, d))
    return np.column_stack([X, np.ones(m)]) * random.choice([-1.0, 1.0], m)[:, None]


def holds(A: np.ndarray, found: Conflict) -> None:
    part = A[found.rows]
    assert found.weights.min() > 0
    assert found.weights.sum() == pytest.approx(1)
    assert np.abs(part.T @ found.weights).max() <= 1e-9 * np.abs(part).max()
    for left_out in range(len(found.rows)):
        fewer = conflict(np.delete(part, left_out, axis=0))
        assert isinstance(fewer, Separating), "no row can be spared"


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_conflict_is_minimal(seed: int, whole: bool) -> None:
    A = rows(seed, whole=whole)
    found = conflict(A)
    assert isinstance(found, Conflict)
    holds(A, found)


@pytest.mark.parametrize("seed", range(5))
def test_what_can_be_separated_is(seed: int) -> None:
    A = rows(seed)
    A *= np.sign(A @ np.random.default_rng(seed).standard_normal(5))[:, None]
    found = conflict(A)
    assert isinstance(found, Separating)
    assert (A @ found.w > 0).all()


def test_other_costs_find_other_conflicts() -> None:
    A = rows(1)
    seen = set()
    for k in range(8):
        found = conflict(A, costs=np.random.default_rng(k).random(len(A)))
        assert isinstance(found, Conflict)
        holds(A, found)
        seen.add(tuple(found.rows))
    assert len(seen) > 3


def test_costs_do_not_hide_that_rows_are_separable() -> None:
    A = np.abs(rows(0))
    assert isinstance(conflict(A, costs=np.ones(len(A))), Separating)


def test_storage_does_not_matter() -> None:
    A = rows(3, whole=True)
    dense, sparse = conflict(A), conflict(csr_array(A))
    assert isinstance(dense, Conflict)
    assert (dense.rows == sparse.rows).all()


@pytest.mark.parametrize("exponent", [-960, 960])
def test_scales_do_not_matter(exponent: int) -> None:
    A = rows(4)
    scales = np.ldexp(1.0, [exponent, 0, -exponent, 0, 17])
    plain, moved = conflict(A), conflict(A * scales)
    assert isinstance(plain, Conflict)
    assert (plain.rows == moved.rows).all()
    A *= np.sign(A[:, :1])
    found = conflict(A * scales)
    assert isinstance(found, Separating)
    assert np.isfinite(found.w).all()


def test_a_row_of_zeros_conflicts_alone() -> None:
    A = rows(5)
    A *= np.sign(A[:, :1])
    A[7] = 0
    found = conflict(A)
    assert isinstance(found, Conflict)
    assert found.rows.tolist() == [7]
    assert found.weights.tolist() == [1.0]


def test_no_rows_are_separated_by_anything() -> None:
    assert isinstance(conflict(np.zeros((0, 3))), Separating)


def test_the_nearest_combination_exists_also_without_conflict() -> None:
    found = nearest(np.array([[1.0, 1.0], [1.0, -1.0]]))
    assert found.rows.tolist() == [0, 1]
    assert found.weights == pytest.approx([0.5, 0.5])
