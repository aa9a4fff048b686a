"""Each row's score without it, against fits that really leave it out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import widemargin as wm


def data(name: str) -> tuple[Any, Any, Any]:
    X, y = {"cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}[name](return_X_y=True)
    X, y = (X[50:], y[50:]) if name == "iris" else (X[:130], y[:130])
    return StandardScaler().fit_transform(X)[:, :8], y, np.random.default_rng(1).uniform(0.5, 2, len(y))


def left_out(X: Any, y: Any, s: Any, strength: float, **options: Any) -> Any:
    """The scores by one fit for each row."""
    scores = []
    for i in range(len(y)):
        k = np.arange(len(y)) != i
        fit = wm.fit(X[k], y[k], sample_weight=s[k], alpha=strength / s[k].sum(), tol=1e-10, **options)
        scores.append(np.atleast_1d(fit.model.decision(X[[i]])[0]))
    return np.array(scores)


@pytest.mark.parametrize("intercept", [True, False, "penalised"])
@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_exact_for_the_squared_loss(shape: str, intercept: Any) -> None:
    X, y, s = data("cancer")
    if shape == "wide":
        X, y, s = np.tile(X[:12], 3) + np.random.default_rng(0).standard_normal((12, 24)), y[:12], s[:12]
        y = np.arange(12) % 2
    options = {"loss": "squared", "intercept": intercept}
    fit = wm.fit(X, y, sample_weight=s, alpha=2.0 / s.sum(), tol=1e-10, **options)
    for rows in (X, csr_array(X)):
        found = wm.leave_one_out(fit, rows, y, sample_weight=s)
        np.testing.assert_allclose(found.scores, left_out(X, y, s, 2.0, **options), atol=1e-8)
        assert found.exact


@pytest.mark.parametrize("name", ["cancer", "iris", "wine"])
def test_within_a_percent_for_the_logistic_loss(name: str) -> None:
    X, y, s = data(name)
    options = {"multiclass": "ovr"} if name == "wine" else {}
    fit = wm.fit(X, y, sample_weight=s, alpha=2.0 / s.sum(), tol=1e-10, **options)
    found = wm.leave_one_out(fit, X, y, sample_weight=s)
    scores = left_out(X, y, s, 2.0, **options)
    signs = np.where(y[:, None] == fit.model.classes, 1.0, -1.0)[:, -scores.shape[1] :]
    loss = float((s / s.sum()) @ np.asarray(wm.losses["logistic"].value(signs * scores)).sum(axis=1))
    assert found.loss == pytest.approx(loss, rel=0.01)
    seen = signs * fit.model.decision(X).reshape(len(y), -1)
    assert abs(found.loss - loss) < 0.1 * abs(
        loss - float((s / s.sum()) @ wm.losses["logistic"].value(seen).sum(axis=1))
    )
    assert not found.exact


def test_what_it_cannot_say_is_refused() -> None:
    X, y, _ = data("cancer")
    for options, told in [
        ({"loss": "hinge"}, "curvature"), ({"loss": "squared_hinge"}, "curvature"), ({"penalty": "l1"}, "l2"),
        ({"bounds": "nonnegative"}, "bounds"),
    ]:  # fmt: skip
        with pytest.raises(wm.errors.Refusal, match=told):
            wm.leave_one_out(wm.fit(X, y, **options), X, y)
    three = load_iris(return_X_y=True)
    with pytest.raises(wm.errors.Refusal, match="ovr"):
        wm.leave_one_out(wm.fit(*three), *three)
