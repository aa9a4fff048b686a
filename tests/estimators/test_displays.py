"""Displays draw what the functions behind them compute for the estimator's own loss and penalty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as Theirs

import widemargin as wm
from widemargin.estimators import LinearClassifier, LinearSVC, LogisticRegression

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.figure import Figure  # noqa: E402

from widemargin.estimators import displays  # noqa: E402


def data() -> Any:
    X, y = load_breast_cancer(return_X_y=True)
    return ((X - X.mean(axis=0)) / X.std(axis=0))[:, :5], y


def axes() -> Any:
    return Figure(layout="constrained").add_subplot()


def test_each_display_draws_its_estimator() -> None:
    X, y = data()
    model = LogisticRegression(l1_ratio=1.0, solver="saga").fit(X, y)
    found = displays.CoefficientPathDisplay.from_estimator(model, X, y, n_alphas=5, ax=axes(), names=list("abcde"))
    same = wm.path(X, y, penalty="l1", n_alphas=5, tol=1e-8)
    np.testing.assert_allclose(found.result_.coefficients, same.coefficients, atol=1e-6)
    assert found.figure_ is found.ax_.figure
    crossed = displays.CrossValidationDisplay.from_estimator(
        model, X, y, cv=3, scoring="roc_auc", n_alphas=4, ax=axes()
    )
    assert crossed.result_.scores.shape == (3, 4)
    assert crossed.result_.metric == "-roc_auc"
    tuned = displays.ThresholdDisplay.from_estimator(LinearSVC().fit(X, y), X, y, metric="f1", ax=axes())
    assert tuned.result_.metric == "f1"
    free = LogisticRegression(C=np.inf, tol=1e-6).fit(X, y)
    sure = displays.IntervalsDisplay.from_estimator(free, X, y, ax=axes())
    np.testing.assert_allclose(sure.result_.estimates[:5], free.coef_[0], rtol=1e-6)
    with pytest.raises(wm.WidemarginError, match="penalty"):
        displays.IntervalsDisplay.from_estimator(model, X, y)
    for kind in (displays.CalibrationDisplay, displays.MarginsDisplay):
        assert kind.from_estimator(model, X, y, ax=axes()).result_ is model.model_
    converged = displays.ConvergenceDisplay.from_estimator(LinearClassifier(solver="gd").fit(X, y), ax=axes())
    assert len(converged.result_.trace) > 3
    again = converged.plot(ax=axes())
    assert again is converged


def test_what_is_refused() -> None:
    X, y = data()
    with pytest.raises(NotFittedError):
        displays.MarginsDisplay.from_estimator(LogisticRegression(), X, y)
    with pytest.raises(TypeError, match="LogisticRegression came"):
        displays.MarginsDisplay.from_estimator(Theirs().fit(X, y), X, y)
