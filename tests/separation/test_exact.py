"""Whole numbers: the same sums and products as with fractions, and systems solved without any error."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from widemargin.data.rows import Rows
from widemargin.separation import rational
from widemargin.separation.epsilon import epsilon
from widemargin.separation.integers import (
    Entries,
    column_sums,
    combined,
    mantissas,
    power,
    primitive,
    products,
    whole_rows,
)
from widemargin.separation.scaling import scaled
from widemargin.separation.signed import Signed, entries
from widemargin.separation.signs import signs


def wild(shape: tuple[int, ...], seed: int, reach: int = 30) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape) * 2.0 ** random.integers(-reach, reach, shape)
    return np.where(random.random(shape) < 0.2, 0.0, values)


def fractions(A: np.ndarray) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in A.tolist()]


@pytest.mark.parametrize("value", [0.0, 1.0, -3.0, 0.1, 5e-324, -1.7976931348623157e308, 2.0**-1074 * 12345])
def test_a_float_is_a_whole_number_times_a_power_of_two(value: float) -> None:
    (m,), (e,) = mantissas(np.array([value]))
    assert Fraction(value) == int(m) * power(int(e))
    assert m % 2 == 1 or m == e == 0


@pytest.mark.parametrize("reach", [3, 30, 500])
def test_sums_and_products_are_those_of_fractions(reach: int) -> None:
    A = wild((7, 4), 1, reach)
    F = fractions(A)
    counts, w = [3, 1, 10**30, 2, 7, 1, 5], [5, -(10**25), 0, 1]
    sums, low = combined(entries(A), counts, 4)
    assert [s * power(int(e)) for s, e in zip(sums, low, strict=True)] == [
        sum(c * row[j] for c, row in zip(counts, F, strict=True)) for j in range(4)
    ]
    values, e = products(entries(A), w, 7)
    assert [v * power(e) for v in values] == [sum(a * b for a, b in zip(row, w, strict=True)) for row in F]
    assert column_sums([entries(A[:3]), entries(A[3:])], 4) == [sum(row[j] for row in F) for j in range(4)]
    N, f = whole_rows(entries(A), A.shape)
    assert [[n * power(int(k)) for n, k in zip(row, f, strict=True)] for row in N] == F


def test_no_entries_add_up_to_nothing() -> None:
    none = Entries(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))
    assert combined(none, [1, 2], 3)[0] == [0, 0, 0]
    assert products(none, [1, 2, 3], 2)[0] == [0, 0]


def test_proportions_lose_their_common_divisor() -> None:
    assert primitive([Fraction(1, 2), Fraction(-3, 4), Fraction(0)]) == (2, -3, 0)
    assert primitive([Fraction(0)]) == (0,)


@pytest.mark.parametrize("k", [1, 2, 7, 30])
@pytest.mark.parametrize("bits", [2, 60, 200])
def test_a_solution_solves(k: int, bits: int) -> None:
    random = np.random.default_rng([k, bits])
    G = np.array([[int(x) for x in row] for row in random.integers(-3, 4, (k, k))], dtype=object)
    G = G + np.array([[int(x) << bits for x in row] for row in random.integers(-9, 9, (k, k))], dtype=object)
    h = np.array([int(x) for x in random.integers(-5, 6, k)], dtype=object)
    u = rational.solve(G, h)
    assert u is not None
    assert [sum(g * x for g, x in zip(row, u, strict=True)) for row in G] == h.tolist()


def test_a_singular_system_has_no_solution() -> None:
    G = np.array([[1, 2], [2, 4]], dtype=object)
    assert rational.solve(G, np.array([1, 1], dtype=object)) is None


def test_independent_rows_come_first_and_their_columns_tell_them_apart() -> None:
    rows = np.array([[0, 0, 0], [0, 2, 4], [0, 1, 2], [3, 0, 1], [3, 2, 5]], dtype=object)
    kept, columns = rational.independent(rows, 3)
    assert kept == [1, 3]
    assert round(np.linalg.det(rows[np.ix_(kept, columns)].astype(float))) != 0


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_signs_are_those_of_fractions_also_where_float64_is_lost(sparse: bool, intercept: bool) -> None:
    random = np.random.default_rng(0)
    X = wild((60, 3), 2, 60)
    w = random.standard_normal(3 + intercept)
    X[:20, 2] = -(X[:20, :2] @ w[:2] + (w[3] if intercept else 0)) / w[2]  # next to the hyperplane
    y = np.where(random.random(60) < 0.5, 1.0, -1.0)
    rows = Rows(60, 3, X)
    if sparse:
        from scipy.sparse import csr_array

        M = csr_array(X)
        rows = Rows(60, 3, M.data, M.indices.astype(np.int32), M.indptr.astype(np.int64))
    seen = signs(Signed(rows, y, intercept), w)
    full = np.column_stack([X, np.ones(60)]) if intercept else X
    true = [
        int(s) * sum(Fraction(a) * Fraction(b) for a, b in zip(row, w.tolist(), strict=True))
        for row, s in zip(full.tolist(), y, strict=True)
    ]
    assert [(t > 0) - (t < 0) for t in true] == np.sign(seen.least).tolist()
    assert all(Fraction(bound) <= t for bound, t in zip(seen.least.tolist(), true, strict=True) if t > 0)
    assert seen.exactly > 0


def test_scales_are_powers_of_two_and_keep_every_digit() -> None:
    A = wild((9, 4), 3, 200)
    even = scaled(A)
    assert (np.ldexp(np.ldexp(even.matrix, -even.rows[:, None]), -even.columns) == A).all()
    assert 0.5 <= np.abs(even.matrix).max() < 1


def test_epsilon_is_half_the_distance_of_the_two_points() -> None:
    X, y = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]]), np.array([-1.0, -1.0, 1.0])
    A = Signed(Rows(3, 2, X), y, intercept=True)
    assert epsilon(A, np.arange(3), np.array([1.0, 1.0, 2.0])) == pytest.approx(1.5, rel=1e-12)
    assert epsilon(A, np.arange(3), np.array([1.0, 1.0, 9.0])) == pytest.approx(1.5, rel=1e-12), "balanced first"
    assert epsilon(A, np.arange(3), np.array([1.0, 1.0, 2.0])) >= 1.5, "rounded up"
