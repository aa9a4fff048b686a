"""Cross-validation: held-out scores are those of fits on the other rows, whatever shortcut was taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widemargin as wm
from paths.test_paths import CASES, rows, wide
from widemargin.errors import InputError, OptionError


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_scores_are_those_of_fits_without_the_fold(case: str, penalty: str) -> None:
    X, y = CASES[case]()
    found = wm.cross_validate(X, y, penalty=penalty, n_alphas=3, ratio=0.05, folds=3, tol=1e-9)
    assert found.scores.shape == (3, 3)
    assert np.all(found.relative_gaps <= 1e-9)
    held = found.folds == 1
    for k, alpha in enumerate(found.alphas):
        model = wm.fit(X[~held], y[~held], penalty=penalty, alpha=alpha, tol=1e-10).model
        p = model.probabilities(X[held])[:, 1]
        own = -np.mean(np.log(np.where(y[held] == model.classes[1], p, 1 - p)))
        assert found.scores[1, k] == pytest.approx(own, rel=2e-4)


def test_weights_and_metrics() -> None:
    X, y = rows()
    s = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    found = wm.cross_validate(X, y, alphas=[0.01], folds=4, metric="error", sample_weight=s, tol=1e-8)
    held = found.folds == 2
    model = wm.fit(X[~held], y[~held], penalty="l1", alpha=0.01, sample_weight=s[~held], tol=1e-8).model
    assert found.scores[2, 0] == pytest.approx(np.average(model.predict(X[held]) != y[held], weights=s[held]))
    same = wm.cross_validate(
        X, y, alphas=[0.01], folds=4, sample_weight=s, tol=1e-8, metric=lambda truth, f: (f >= 0) != truth
    )
    np.testing.assert_allclose(same.scores, found.scores)


def test_more_classes_and_softmax() -> None:
    X, y = rows(classes=3)
    found = wm.cross_validate(X, y, penalty="l2", n_alphas=3, folds=3)
    assert found.scores.shape == (3, 3)
    assert found.fit.model.W.shape == (X.shape[1], 3)


def test_one_standard_error_takes_more_strength() -> None:
    X, y = wide()
    best = wm.cross_validate(X, y, n_alphas=12)
    careful = wm.cross_validate(X, y, n_alphas=12, rule="one_se")
    np.testing.assert_array_equal(best.scores, careful.scores)
    assert careful.alpha >= best.alpha
    assert careful.mean[careful.chosen] <= best.mean[best.best] + best.standard_error[best.best]
    assert careful.fit.model.about["alpha"] == careful.alpha
    assert "one_se" in repr(careful)


def test_threads_change_nothing() -> None:
    X, y = CASES["sparse"]()
    one, two = (wm.cross_validate(X, y, n_alphas=5, threads=threads).scores for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_folds_of_ones_own() -> None:
    X, y = rows()
    folds = np.arange(len(y)) % 3 + 7
    found = wm.cross_validate(X, y, alphas=[0.1, 0.01], folds=folds)
    np.testing.assert_array_equal(found.folds, folds - 7)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"folds": 1}, OptionError),
        ({"folds": [0, 1]}, OptionError),
        ({"folds": np.zeros(120, dtype=int)}, OptionError),
        ({"folds": 121}, InputError),
        ({"metric": "accurracy"}, OptionError),
        ({"rule": "worst"}, OptionError),
        ({"metric": lambda truth, f: np.zeros(3)}, OptionError),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else value.__name__,
)
def test_bad_options_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    X, y = rows()
    with pytest.raises(error):
        wm.cross_validate(X, y, alphas=[0.1], **options)
    assert wm.cross_validate(X, y, alphas=[0.1]).scores.shape == (5, 1)


def test_a_class_that_a_fold_takes_whole_is_refused() -> None:
    X, y = rows()
    with pytest.raises(InputError, match="no rows left"):
        wm.cross_validate(X, y, alphas=[0.1], folds=y.astype(int))
