"""Splits of every kind; cross_fit's scores are those of fits to the other rows; scikit-learn's scorers agree."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import get_scorer, make_scorer, roc_auc_score

import widemargin as wm
from paths.test_paths import rows
from widemargin.estimators import LinearClassifier
from widemargin.paths.folds import numbers_of, splits_of


def data() -> Any:
    X, y = load_breast_cancer(return_X_y=True)
    return ((X - X.mean(axis=0)) / X.std(axis=0))[:, :6], y


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared"])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_fits_to_the_other_rows(loss: str, weighted: bool) -> None:
    X, y = data()
    s = np.random.default_rng(0).uniform(0.2, 2, len(y)) if weighted else None
    told = {"loss": loss, "alpha": 0.01, "tol": 1e-10, "class_weight": "balanced"}
    found = wm.cross_fit(X, y, folds=3, sample_weight=s, threads=1, **told)
    for fold in range(3):
        held = found.folds == fold
        model = wm.fit(X[~held], y[~held], sample_weight=None if s is None else s[~held], threads=1, **told).model
        np.testing.assert_allclose(found.scores[held, 0], model.decision(X[held]), atol=2e-3)
    assert (found.relative_gaps <= 1e-10).all()
    assert found.model.classes[found.truth].tolist() == y.tolist()
    errors = np.mean(found.model.labels(found.scores) != y)
    assert f"errors {errors:.4g}" in repr(found)


def test_offsets_and_more_classes() -> None:
    X, y = rows(classes=3)
    o = np.random.default_rng(0).standard_normal((len(y), 3))
    found = wm.cross_fit(X, y, offset=o, alpha=0.1, folds=2, tol=1e-9)
    held = found.folds == 1
    model = wm.fit(X[~held], y[~held], offset=o[~held], alpha=0.1, tol=1e-9).model
    np.testing.assert_allclose(found.scores[held], model.decision(X[held], offset=o[held]), atol=1e-3)


def test_groups_stay_together_and_folds_are_alike() -> None:
    random = np.random.default_rng(0)
    groups, y = random.integers(0, 40, 600), np.where(random.random(600) < 0.2, 1.0, -1.0)
    splits = splits_of(4, y, 0, groups=groups)
    numbers = numbers_of(splits)
    assert all(len(np.unique(numbers[groups == g])) == 1 for g in range(40))
    sizes, shares = np.bincount(numbers), [(y[numbers == k] > 0).mean() for k in range(4)]
    assert sizes.min() > 0.85 * 150
    assert max(shares) - min(shares) < 0.1


def test_time_only_teaches_what_comes_after() -> None:
    random = np.random.default_rng(1)
    time, y = random.integers(0, 100, 500), np.where(random.random(500) < 0.5, 1.0, -1.0)
    splits = splits_of(4, y, 0, time=time)
    assert len(splits) == 4
    for before, after in splits:
        assert time[before].max() < time[after].min()
    assert (numbers_of(splits) == -1).sum() == pytest.approx(100, abs=15)
    dates = np.datetime64("2020-01-01") + time
    for one, two in zip(splits, splits_of(4, y, 0, time=dates), strict=True):
        np.testing.assert_array_equal(one.learn, two.learn)


@pytest.mark.parametrize(
    "splitter",
    [ms.StratifiedKFold(3), ms.KFold(4, shuffle=True, random_state=0), ms.TimeSeriesSplit(3),
     ms.ShuffleSplit(3, random_state=1), ms.GroupKFold(3), ms.LeavePGroupsOut(2)],
    ids=lambda s: type(s).__name__,
)  # fmt: skip
def test_scikit_learns_splitters_and_scorers(splitter: Any) -> None:
    """The same scores as scikit-learn's own cross-validation of the same fits."""
    X, y = data()
    groups = np.arange(len(y)) % 4 if "Group" in type(splitter).__name__ else None
    estimator = LinearClassifier(alpha=0.02, tol=1e-10)
    for metric in ("roc_auc", "neg_log_loss", "f1", make_scorer(roc_auc_score, response_method="decision_function")):
        found = wm.cross_validate(
            X, y, alphas=[0.02], penalty="l2", folds=splitter, groups=groups, metric=metric, tol=1e-10
        )
        scorer = get_scorer(metric) if isinstance(metric, str) else metric
        known = ms.cross_val_score(estimator, X, y, cv=splitter, groups=groups, scoring=scorer)
        np.testing.assert_allclose(-found.scores[:, 0], known, atol=1e-5)
    pairs = list(splitter.split(X, y, groups))
    again = wm.cross_validate(X, y, alphas=[0.02], penalty="l2", folds=pairs, metric="f1", tol=1e-10)
    assert again.scores.shape == (len(pairs), 1)
    assert again.metric == "-f1"


def test_rows_that_no_fold_holds_out_are_left_out_of_what_is_learned() -> None:
    X, y = data()
    found = wm.cross_fit(X, y, time=np.arange(len(y)), folds=3, alpha=0.01)
    assert np.isnan(found.scores[~found.held]).all()
    assert found.held.sum() == pytest.approx(0.75 * len(y), abs=2)
    calibrated, decision = wm.calibrate(found), wm.tune_threshold(found, "mcc")
    assert np.isnan(calibrated.probabilities[~found.held]).all()
    assert decision.confusion.sum() == found.held.sum()
    assert (decision.given[~found.held] == -1).all()


def test_a_perceptron_can_be_crossed() -> None:
    X, y = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wm.NotConverged)
        found = wm.cross_fit(X, y, solver="perceptron", folds=3)
    assert wm.calibrate(found).log_loss < 0.4


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"folds": 1}, "at least 2"),
        ({"folds": "five"}, "expected a number of folds"),
        ({"folds": [([0, 1, 2], [2, 3])]}, "row 2 is learned from and held out"),
        ({"folds": [([0, 1, 9999], [2, 3])]}, "numbers of the 569 rows"),
        ({"folds": [(np.arange(500), [])]}, "holds no row out"),
        ({"folds": []}, "expected a number of folds"),
        ({"groups": [1, 2]}, "one value for each of the 569 rows"),
        ({"groups": np.zeros(569)}, "1 groups cannot"),
        ({"time": np.zeros(569)}, "1 moments"),
        ({"time": np.zeros(569), "groups": np.zeros(569)}, "expected one of them"),
        ({"time": np.arange(569), "folds": ms.KFold(3)}, "pass folds= as their number"),
        ({"metric": "auc"}, "unknown metric 'auc'"),
    ],
)
def test_bad_options(options: dict[str, Any], text: str) -> None:
    X, y = data()
    with pytest.raises(wm.WidemarginError, match=text):
        wm.cross_validate(X, y, n_alphas=2, **options)
