"""The shipped data: complete, small, encoded from training rows only, quick to load."""

from __future__ import annotations

import time
from importlib import resources

import numpy as np
import pytest

import widemargin as wm
from widemargin.data import schema
from widemargin.datasets import tfidf


@pytest.fixture(scope="module")
def adult() -> wm.datasets.Split:
    return wm.datasets.adult()


@pytest.fixture(scope="module")
def sms() -> wm.datasets.Split:
    return wm.datasets.sms_spam()


def test_adult_has_the_published_counts(adult: wm.datasets.Split) -> None:
    assert (adult.X.shape[0], adult.X_test.shape[0]) == (32_561, 16_281)
    assert (np.sum(adult.y == ">50K"), np.sum(adult.y_test == ">50K")) == (7_841, 3_846)
    assert len(adult.feature_names) == adult.X.shape[1] == adult.X_test.shape[1]


def test_adult_is_encoded(adult: wm.datasets.Split) -> None:
    numeric = [j for j, name in enumerate(adult.feature_names) if "=" not in name]
    assert len(numeric) == 5
    dense = adult.X[:, numeric].toarray()
    np.testing.assert_allclose(dense.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(dense.std(axis=0), 1, rtol=1e-12)
    assert "workclass=missing" in adult.feature_names
    np.testing.assert_array_equal(np.diff(adult.X.indptr), 5 + 8)  # every row has one level of each category


def test_sms_spam_has_the_published_counts(sms: wm.datasets.Split) -> None:
    y = np.concatenate([sms.y, sms.y_test])
    assert (len(y), np.sum(y == "spam")) == (5_574, 747)
    assert len(sms.feature_names) == sms.X.shape[1]


def test_sms_spam_rows_have_length_one(sms: wm.datasets.Split) -> None:
    for X in (sms.X, sms.X_test):
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        np.testing.assert_allclose(squares[squares > 0], 1)
        assert np.mean(squares > 0) > 0.99


def test_a_level_that_training_never_saw_adds_nothing() -> None:
    train = np.array([True, True, False])
    table = {"c": ["a", "", "b"], "x": ["1", "3", "5"]}
    known = schema.learn(table, train).schema
    assert known.features == ["c=missing", "c=a", "x"]
    np.testing.assert_array_equal(known.encode(table).X.toarray(), [[0, 1, -1], [1, 0, 1], [0, 0, 3]])


def test_tfidf_by_hand() -> None:
    train = np.array([True, True, False])
    X, words = tfidf.encode(["a a b", "a", "b c"], train, least=1)
    assert words == ["a", "b"]
    row = np.array([(1 + np.log(2)) * (1 + np.log(3 / 3)), 1 + np.log(3 / 2)])
    np.testing.assert_allclose(X.toarray(), [row / np.linalg.norm(row), [1, 0], [0, 1]])


def test_a_text_without_known_words_is_a_row_of_zeros() -> None:
    X, _ = tfidf.encode(["a", "zzz"], np.array([True, False]), least=1)
    assert X.nnz == 1
    assert X.shape == (2, 1)


@pytest.mark.parametrize(("gap", "separated"), [(2.0, True), (0.5, True), (-1.0, False)])
def test_blobs_are_separated_where_the_gap_is_positive(gap: float, separated: bool) -> None:
    X, y = wm.datasets.blobs(300, 4, gap=gap, seed=3)
    model = wm.fit(X, y, loss="hinge", alpha=1e-6).model
    assert np.all(y * (X @ model.weights + model.intercept) > 0) == separated


def test_files_are_small() -> None:
    files = [f for f in resources.files("widemargin.datasets").iterdir() if f.name.endswith(".gz")]
    assert len(files) == 2
    assert sum(len(f.read_bytes()) for f in files) < 1_500_000


def test_loading_is_quick(adult: wm.datasets.Split) -> None:
    def seconds() -> float:
        start = time.process_time()
        wm.datasets.adult()
        return time.process_time() - start

    assert min(seconds() for _ in range(3)) < 1.5
