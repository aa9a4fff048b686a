"""Sparse rows with more columns than a programme can have: the verdict of Newton's method, and what is proved of it."""

from __future__ import annotations

from dataclasses import replace
from math import fsum, hypot

import numpy as np
import pytest
from scipy.sparse import csr_array, hstack

import widemargin as wm
from widemargin.data.rows import Rows
from widemargin.separation import cheap, programme, shortfall
from widemargin.separation.conflict import Conflict, Separating
from widemargin.separation.signed import Signed


def documents(n: int, d: int) -> tuple[csr_array, np.ndarray]:
    """Rows of about 20 words, some words much more frequent than others; a tenth of the labels is wrong."""
    random = np.random.default_rng(0)
    share = 1 / (np.arange(d) + 10.0)
    length = random.poisson(20, n) + 2
    words = random.choice(d, length.sum(), p=share / share.sum())
    X = csr_array((random.random(length.sum()) + 0.5, (np.repeat(np.arange(n), length), words)), shape=(n, d))
    y = np.where(X @ random.standard_normal(d) > 0, 1, -1)
    y[random.random(n) < 0.1] *= -1
    return X, y


def signed(X: np.ndarray, y: np.ndarray, intercept: bool = True) -> Signed:
    return Signed(Rows(*X.shape, X), y.astype(float), intercept)


@pytest.fixture(scope="module")
def noisy() -> tuple[csr_array, np.ndarray]:
    return documents(20_000, 4_000)


@pytest.fixture(scope="module")
def told(noisy: tuple[csr_array, np.ndarray]) -> wm.separation.Separability:
    return wm.separability(*noisy)


def test_rows_that_overlap_have_a_witness_and_what_it_proves(noisy: tuple, told: wm.separation.Separability) -> None:
    X, y = noisy
    assert (told.kind, told.exact) == ("overlapping", False)
    assert told.verify(X, y), told.verify(X, y).problems
    rows, weights = told.witness.rows, told.witness.weights
    assert weights.min() > 0
    assert weights.sum() == pytest.approx(1)
    part, s = X[rows].tocsc(), y[rows] * weights
    columns = zip(part.indptr, part.indptr[1:], strict=False)
    terms = [[*(s[part.indices[a:b]] * part.data[a:b])] for a, b in columns]
    assert hypot(fsum(s), *map(fsum, terms)) < 1e-15, "the combination vanishes"
    assert told.epsilon < 1e-15


def test_it_is_not_believed_without_its_weights(noisy: tuple, told: wm.separation.Separability) -> None:
    X, y = noisy
    moved = told.witness.weights * (1 + 1e-9 * np.random.default_rng(0).standard_normal(len(told.witness.rows)))
    for witness in (told.witness._replace(weights=moved), told.witness._replace(weights=-told.witness.weights)):
        assert not replace(told, witness=witness).verify(X, y)
    assert not replace(told, epsilon=told.epsilon / 2).verify(X, y)
    assert not replace(told, exact=True).verify(X, y)
    assert not told.verify(X, np.roll(y, 1))


def test_noise_that_the_columns_take_up_is_separable() -> None:
    """More than one row a column, and labels that no weights of the words explain: yet there are weights."""
    X, y = documents(5_000, 2_000)
    result = wm.separability(X, y)
    assert (result.kind, result.exact) == ("complete", True)
    assert result.verify(X, y)


def test_a_word_of_one_class_makes_the_rest_quasi_separated(noisy: tuple) -> None:
    X, y = noisy
    word = csr_array((y > 0) & (np.arange(len(y)) < 50), dtype=float).reshape(-1, 1)
    more = csr_array(hstack([X, word]))
    result = wm.separability(more, y)
    assert result.kind == "quasi"
    assert result.verify(more, y)
    assert np.flatnonzero(result.direction.w).tolist() == [4_000]


def test_equal_rows_with_two_labels_need_no_programme(noisy: tuple) -> None:
    X, y = noisy
    order = [*range(len(y)), 0]
    labels = np.append(y, -y[0])
    result = wm.separability(X[order], labels)
    assert result.kind == "overlapping"
    assert result.epsilon == 0
    assert sorted(result.witness.rows) == [0, len(y)]
    assert result.verify(X[order], labels)


@pytest.mark.parametrize("intercept", [False, True])
def test_both_ways_agree_with_the_programme_where_it_can_be_solved(intercept: bool) -> None:
    kinds = set()
    for seed in range(12):
        random = np.random.default_rng(seed)
        X = random.standard_normal((int(random.integers(22, 60)), 20))
        A = signed(X, np.where(random.random(len(X)) < 0.5, 1.0, -1.0), intercept)
        found = shortfall.verdict(A)
        M = A.rows(np.arange(A.n))
        known = programme.clash(A, np.arange(A.n))[1]
        assert isinstance(found, Conflict) == isinstance(known, Conflict)
        if isinstance(found, Separating):
            assert (M @ found.w > 0).all()
        else:
            assert found.weights.min() > 0
            assert np.abs(M[found.rows].T @ found.weights).max() < 1e-13
        assert shortfall.separating(A) is None or isinstance(found, Separating)
        kinds.add(type(found))
    assert len(kinds) == 2


def test_what_can_be_separated_is_never_balanced() -> None:
    X = np.random.default_rng(0).standard_normal((60, 8))
    A = signed(X, np.where(X[:, 0] > 0, 1.0, -1.0))
    assert shortfall.balanced(A, np.ones(60)) is None
    assert shortfall.balanced(A, np.zeros(60)) is None


@pytest.mark.parametrize("columns", [[0, 1, 2], [2, 1, 0]])
def test_a_column_that_touches(columns: list[int]) -> None:
    """Of three columns one is constant, one is on both sides, one touches from one side."""
    X = np.array([[3.0, 1.0, 1.0], [3.0, 2.0, 2.0], [3.0, 0.0, 2.0], [3.0, 3.0, 5.0]])[:, columns]
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    w = cheap.column(signed(X, y), touching=True)
    z = y * (X @ w[:3] + w[3])
    assert z.min() == 0 < z.max()
    assert cheap.column(signed(X, y)) is None
    assert cheap.column(signed(X[:, np.arange(3) != columns.index(2)], y), touching=True) is None
    assert cheap.column(signed(np.zeros((4, 2)), y), touching=True) is None


def test_without_intercept_a_column_touches_at_0() -> None:
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    X = np.array([[1.0, 0.0], [1.0, -2.0], [1.0, 0.0], [1.0, 0.0]])
    assert cheap.column(signed(X, y, False), touching=True) == (0, 1)
    assert cheap.column(signed(-X, y, False), touching=True) == (0, -1)


def test_columns_that_nearly_depend_on_each_other_do_not_spoil_the_balance() -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((1500, 120)) @ (np.logspace(0, -6, 120)[:, None] * random.standard_normal((120, 120)))
    A = signed(X, np.where(random.random(1500) < 0.5, 1.0, -1.0))
    found = shortfall.balanced(A, np.ones(1500))
    assert isinstance(found, Conflict)
    M = A.rows(found.rows)
    # in the directions that are small as well: relative to what there is to cancel
    small = M @ np.linalg.svd(M, full_matrices=False)[2].T
    assert (np.abs(found.weights @ small) <= 1e-8 * (found.weights @ np.abs(small))).all()
