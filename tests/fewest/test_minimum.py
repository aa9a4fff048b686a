"""The fewest errors are those that other means find, and no bound is ever above them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from fewest.oracles import by_subsets, on_a_line, through_points, with_box
from widemargin._types import F64

PATIENT = wm.budget(seconds=600)  # never reached, on however busy a machine


def fewest(X: Any, y: Any, **options: Any) -> wm.FewestErrors:
    options = {"surrogates": ["logistic"], "alphas": [1e-3], "budget": PATIENT} | options
    found = wm.fewest_errors(X, y, **options)
    assert found.bound <= found.weight
    assert found.bound >= len(found.disjoint) * (1 if "sample_weight" not in options else 0)
    assert found.trace.bound[-1] <= found.bound
    assert (np.diff(found.trace.bound) >= 0).all()
    assert (np.diff(found.trace.incumbent) <= 0).all()
    return found


def noise(n: int, d: int, seed: int) -> tuple[F64, F64]:
    """Points in general position; labels that a hyperplane explains in part."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    y = np.sign(X[:, 0] + 0.8 * random.standard_normal(n))
    y[:2] = -1, 1
    return X, y


@pytest.mark.parametrize(("n", "d", "seed"), [(12, 1, 0), (24, 2, 1), (40, 2, 2), (22, 3, 3), (16, 4, 4)])
def test_hyperplanes_through_points_make_no_fewer(n: int, d: int, seed: int) -> None:
    X, y = noise(n, d, seed)
    found = fewest(X, y)
    assert found.optimal
    assert found.errors == through_points(X, y)
    assert found.verify(X, y)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("intercept", [True, False])
def test_ties_and_weights_agree_with_every_subset(seed: int, intercept: bool) -> None:
    random = np.random.default_rng(seed)
    X = random.integers(-1, 2, (9, 2)).astype(float)
    y = np.append([1.0, -1.0], random.choice([-1.0, 1.0], 7))
    s = random.choice([1.0, 0.3, 2.5], 9)
    found = fewest(X, y, sample_weight=s, intercept=intercept)
    A = y[:, None] * (np.column_stack([X, np.ones(9)]) if intercept else X)
    assert found.optimal
    assert found.weight == pytest.approx(by_subsets(A, s), rel=1e-9)
    assert found.share == pytest.approx(found.weight / s.sum(), rel=1e-12)
    assert found.verify(X, y, sample_weight=s)


@pytest.mark.parametrize("seed", range(3))
def test_a_wide_enough_box_agrees(seed: int) -> None:
    X, y = noise(20, 3, 10 + seed)
    A = y[:, None] * np.column_stack([X, np.ones(20)])
    assert fewest(X, y).weight == round(with_box(A, 1e3))


@pytest.mark.parametrize("n", [2, 5, 9, 16])
def test_labels_that_alternate_on_a_line(n: int) -> None:
    x, y = np.arange(n, dtype=float), np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    found = fewest(x[:, None], y)
    assert found.optimal
    assert found.errors == on_a_line(x, y) == (n - 1) // 2


def test_one_row_is_wrong_in_exclusive_or() -> None:
    X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array([-1, -1, 1, 1])
    found = fewest(X, y)
    assert (found.errors, found.bound, found.gap) == (1, 1.0, 0.0)
    assert list(found.conflicts[0].rows) == [0, 1, 2, 3]
    np.testing.assert_allclose(found.conflicts[0].weights, 0.25)


def test_what_separates_needs_no_programme() -> None:
    X, y = wm.datasets.blobs(300, 5, gap=0.01, seed=3)
    found = fewest(X, y)
    assert (found.errors, found.bound, found.conflicts) == (0, 0.0, ())
    assert found.verify(X, y)


def test_flipped_labels_are_found_again() -> None:
    X, y = wm.datasets.blobs(400, 2, gap=2.0, seed=1)
    flipped = np.array([3, 50, 51, 200])
    y[flipped] *= -1
    found = fewest(X, y)
    assert found.optimal
    assert list(found.wrong) == list(flipped)


def test_identical_rows_with_both_labels_cost_the_rarer() -> None:
    X = np.repeat([[0.0, 1.0], [2.0, 0.0]], 5, axis=0)
    y = np.array(["a", "b", "b", "b", "b", "a", "a", "a", "b", "b"])
    found = fewest(X, y)
    assert (found.errors, found.bound, found.optimal) == (3, 3.0, True)
    assert list(found.wrong) == [0, 8, 9]
    assert (found.model.predict(X) != y).sum() == 3


def test_rows_that_no_hyperplane_has_right_are_errors() -> None:
    X, y = np.array([[0.0], [1.0], [-1.0], [2.0]]), np.array([1, 1, 1, -1])
    found = fewest(X, y, intercept=False)  # 0 lies on every hyperplane, 1 and -1 on two sides
    assert found.optimal
    assert found.errors == 2
    assert fewest(X * 0, y, intercept=False).errors == 4
    assert found.model.intercept == 0.0


def test_whole_weights_are_rows_repeated() -> None:
    X, y = noise(18, 2, 5)
    times = np.random.default_rng(0).integers(1, 4, 18)
    weighed, repeated = fewest(X, y, sample_weight=times), fewest(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighed.optimal
    assert weighed.weight == repeated.weight == repeated.errors


def test_rows_without_weight_do_not_count() -> None:
    X, y = noise(20, 2, 6)
    s = np.ones(20)
    s[fewest(X, y).wrong] = 0.0
    found = fewest(X, y, sample_weight=s)
    assert (found.weight, found.errors, found.optimal) == (0.0, 0, True)


@pytest.mark.parametrize("store", [sp.csr_array, sp.csc_array, np.float32, np.asfortranarray])
def test_the_storage_changes_nothing(store: Any) -> None:
    X, y = noise(26, 3, 7)
    X = X.astype(np.float32).astype(float)
    X[np.arange(9), np.arange(9) % 3] = 0.0  # as many in a column as a hyperplane may hold: still in general position
    given = X.astype(np.float32) if store is np.float32 else store(X)
    assert fewest(given, y).errors == fewest(X, y).errors == through_points(X, y)


def test_the_scale_of_columns_changes_nothing() -> None:
    X, y = noise(30, 3, 8)
    found = fewest(X * [1e7, 1.0, 1e-7], y)
    assert found.optimal
    assert found.errors == through_points(X, y)


def test_the_same_seed_gives_the_same_answer() -> None:
    X, y = noise(60, 4, 9)
    a, b = fewest(X, y, seed=4), fewest(X, y, seed=4)
    assert a.model.weights.tobytes() == b.model.weights.tobytes()
    assert [list(c.rows) for c in a.conflicts] == [list(c.rows) for c in b.conflicts]


def test_surrogates_are_compared_with_the_bound() -> None:
    X, y = noise(40, 2, 2)
    found = wm.fewest_errors(X, y, budget=PATIENT)
    assert [row.loss for row in found.surrogates] == [name for name in wm.losses if wm.losses[name].convex]
    for row in found.surrogates:
        assert row.errors >= found.errors
        assert row.above == row.weight - found.bound
        assert row.loss in found.table()


@pytest.mark.data
def test_iris_has_one_error_and_a_box_hides_it(data_folder: Any) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(data_folder / "iris" / "data.parquet")
    frame = frame[frame["target"] != sorted(set(frame["target"]))[0]]
    X, y = frame.drop(columns="target").to_numpy(float), frame["target"].astype(str).to_numpy()
    found = wm.fewest_errors(X, y)
    assert (found.errors, found.bound, found.optimal) == (1, 1.0, True)
    assert found.verify(X, y)
    signs = np.where(y == found.model.classes[1], 1.0, -1.0)
    assert with_box(signs[:, None] * np.column_stack([X, np.ones(len(X))]), 10.0) > 1


@pytest.mark.data
@pytest.mark.parametrize(("name", "most"), [("sonar", 0), ("ionosphere", 9)])
def test_real_data_within_seconds(data_folder: Any, name: str, most: int) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(data_folder / name / "data.parquet")
    X, y = frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy()
    for seconds in (4, 16, 64):  # the first is enough for a core of one's own
        found = wm.fewest_errors(X, y, budget=wm.budget(seconds=seconds), surrogates=["hinge", "logistic"])
        if found.errors <= most:
            break
    assert found.errors <= most
    assert found.bound >= max(len(found.disjoint), min(most, 1))
    assert (found.model.predict(X) != y).sum() == found.errors
