"""Standard errors, p-values and intervals against statsmodels, published numbers, closed forms and attacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer

import widemargin as wm


def spector() -> tuple[Any, Any]:
    data = sm.datasets.spector.load_pandas()
    return data.exog, data.endog.astype(int)


def fair() -> tuple[Any, Any]:
    data = sm.datasets.fair.load_pandas().data
    return data.drop(columns="affairs") / 5.0, (data["affairs"] > 0).astype(int)


def anes() -> tuple[Any, Any]:
    data = sm.datasets.anes96.load_pandas()
    return data.exog, (data.endog > 3).astype(int)


def cancer() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, [1, 4, 8, 9]] / X[:, [1, 4, 8, 9]].std(axis=0), y


def made() -> tuple[Any, Any]:
    random = np.random.default_rng(3)
    X = random.standard_normal((400, 5)) * [1, 10, 0.1, 1, 3]
    return X, (X @ [1, -0.1, 5, 0, 0.3] + random.logistic(size=400) > 0.7).astype(int)


SETS = {f.__name__: f for f in (spector, fair, anes, cancer, made)}


def optimum(X: Any, y: Any, **options: Any) -> Any:
    return wm.fit(X, y, **{"penalty": "none", "tol": 1e-12} | options)


def with_ones(X: Any) -> Any:
    return np.column_stack([np.asarray(X, dtype=float), np.ones(len(X))])


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kind", ["wald", "robust", "cluster"])
def test_agrees_with_statsmodels(name: str, kind: str) -> None:
    X, y = SETS[name]()
    groups = np.arange(len(y)) % 9
    told = {
        "wald": {},
        "robust": {"cov_type": "HC0"},
        "cluster": {"cov_type": "cluster", "cov_kwds": {"groups": groups}},
    }
    theirs = sm.Logit(np.asarray(y), with_ones(X)).fit(disp=0, method="newton", maxiter=100, tol=1e-14, **told[kind])
    clusters = groups if kind == "cluster" else None
    ours = wm.infer(optimum(X, y), X, y, kind=kind, clusters=clusters, correction=kind == "cluster")
    for mine, other in [
        (ours.estimates, theirs.params), (ours.standard_errors, theirs.bse), (ours.p_values, theirs.pvalues),
        (ours.intervals, theirs.conf_int()), (ours.log_likelihood, theirs.llf),
    ]:  # fmt: skip
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-9)


def test_agrees_with_the_published_table() -> None:
    """Greene, Econometric Analysis, on Spector and Mazzeo 1980."""
    X, y = spector()
    found = {c.name: c for c in wm.infer(optimum(X, y), X, y)}
    published = {"GPA": (2.826, 1.263), "TUCE": (0.095, 0.142), "PSI": (2.379, 1.065), "intercept": (-13.021, 4.931)}
    for name, (estimate, error) in published.items():
        assert (round(found[name].estimate, 3), round(found[name].standard_error, 3)) == (estimate, error)


def test_three_classes_agree_with_statsmodels() -> None:
    data = sm.datasets.anes96.load_pandas()
    X, y = data.exog / data.exog.std(), np.asarray(data.endog).astype(int)
    theirs = sm.MNLogit(y, with_ones(X)).fit(disp=0, method="newton", maxiter=100, tol=1e-14)
    ours = wm.infer(optimum(X, y), X, y)
    np.testing.assert_allclose(ours.estimates, np.asarray(theirs.params).ravel(), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ours.standard_errors, np.asarray(theirs.bse).ravel(), rtol=1e-6)
    other = {c.name: c for c in wm.infer(optimum(X, y), X, y, reference=3)}
    assert np.isclose(
        other["intercept [0]"].standard_error, dict(zip(ours.names, ours.standard_errors, strict=True))["intercept [3]"]
    )


def test_weights_count_rows_and_sparse_rows_are_rows() -> None:
    X, y = made()
    s = np.random.default_rng(0).integers(0, 4, len(y))
    twice = np.repeat(np.arange(len(y)), s)
    for kind in ("wald", "robust"):
        one = wm.infer(optimum(X, y, sample_weight=s), X, y, sample_weight=s, kind=kind)
        two = wm.infer(optimum(X[twice], y[twice]), X[twice], y[twice], kind=kind)
        three = wm.infer(optimum(csr_matrix(X), y, sample_weight=s), csr_matrix(X), y, sample_weight=s, kind=kind)
        np.testing.assert_allclose(one.covariance, two.covariance, rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(one.covariance, three.covariance, rtol=1e-6, atol=1e-12)


def test_intervals_cover_what_they_claim() -> None:
    """Wald and robust intervals of the true coefficient, over simulated data."""
    random, hits = np.random.default_rng(1), np.zeros(2)
    for _ in range(200):
        X = random.standard_normal((250, 2))
        y = X @ [1.0, -0.5] + random.logistic(size=250) > 0
        fit = optimum(X, y, intercept=False)
        for k, kind in enumerate(("wald", "robust")):
            low, high = wm.infer(fit, X, y, kind=kind, level=0.9).intervals[0]
            hits[k] += low <= 1.0 <= high
    assert (np.abs(hits / 200 - 0.9) < 0.06).all()  # three standard deviations of a share


def test_firth_adds_half_to_every_cell() -> None:
    """In a table of two by two the corrected log odds ratio is known; one with an empty cell separates."""
    for a, b, c, d in [(12, 5, 3, 9), (7, 0, 0, 9), (4, 0, 2, 8)]:
        X = np.repeat([[1.0], [1.0], [0.0], [0.0]], [a, b, c, d], axis=0)
        y = np.repeat([1, 0, 1, 0], [a, b, c, d])
        found = wm.firth(X, y)
        halves = np.log((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5)))
        np.testing.assert_allclose(found.estimates, [halves, np.log((c + 0.5) / (d + 0.5))], atol=1e-7)


def test_firth_maximises_the_penalised_likelihood() -> None:
    X, y = spector()
    Z, target = with_ones(X), np.asarray(y)

    def negative(beta: Any) -> float:
        f = Z @ beta
        pi = 1 / (1 + np.exp(-f))
        information = (Z * (pi * (1 - pi))[:, None]).T @ Z
        return float(np.logaddexp(0, np.where(target > 0, -f, f)).sum() - np.linalg.slogdet(information)[1] / 2)

    found = wm.firth(X, y)
    best = minimize(
        negative,
        found.estimates + 0.05,
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 10_000},
    )
    assert negative(found.estimates) <= best.fun + 1e-9
    assert -found.log_likelihood == pytest.approx(negative(found.estimates), rel=1e-12)
    half = wm.firth(pd.concat([X, X]), np.concatenate([y, y]))
    np.testing.assert_allclose(wm.firth(X, y, sample_weight=np.full(len(y), 2.0)).estimates, half.estimates, atol=1e-7)


def test_what_would_not_be_valid_is_refused() -> None:
    X, y = made()
    with pytest.raises(wm.errors.Refusal, match="penalty"):
        wm.infer(wm.fit(X, y), X, y)
    with pytest.warns(wm.NotConverged):
        separable = wm.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], penalty="none")
    with pytest.raises(wm.errors.Refusal, match=r"separable.*firth"):
        wm.infer(separable, [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    with pytest.raises(wm.errors.Refusal, match="bounds"):
        wm.infer(optimum(X, y, bounds="nonnegative"), X, y)
    with pytest.raises(wm.errors.Refusal, match="likelihood"):
        wm.infer(optimum(X, y, loss="squared"), X, y)
    assert np.isfinite(wm.infer(optimum(X, y, loss="squared"), X, y, kind="robust").standard_errors).all()
    double = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.raises(wm.errors.Refusal, match="x0, x1, x5 are collinear"):
        wm.infer(optimum(double, y), double, y)
    for options, told in [
        ({"kind": "bootstrap"}, "unknown kind"), ({"level": 1.5}, "level"), ({"kind": "cluster"}, "clusters="),
        ({"kind": "cluster", "clusters": np.zeros(3)}, "one label per row"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=told):
            wm.infer(optimum(X, y), X, y, **options)
    with pytest.raises(wm.errors.InputError, match="classes"):
        wm.infer(optimum(X, y), X, y + 1)


def test_the_table_reads_well() -> None:
    X, y = spector()
    text = repr(wm.infer(optimum(X, y), X, y))
    assert text.splitlines()[0] == "wald, 32 rows"
    assert "GPA" in text
    assert "95 % from" in text
