"""scikit-learn's own checks, and its own estimators as the reference, on data that it ships."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import linear_model, svm
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS
from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin as wm
from estimators.cases import DATA, objective
from widemargin import estimators
from widemargin.estimators import (
    LinearClassifier,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifier,
    RidgeClassifierCV,
)
from widemargin.estimators.stochastic import StochasticBase

SEEDED = {"random_state": 0}
SMALLER = {  # as scikit-learn checks its own: classes of four rows come
    "LogisticRegressionCV": {"cv": 3, "Cs": 3}, "SGDClassifier": SEEDED, "Perceptron": SEEDED,
    "PassiveAggressiveClassifier": SEEDED,
}  # fmt: skip
ALL = [getattr(estimators, name)(**SMALLER.get(name, {})) for name in estimators.__all__]


def their_own_exemptions(estimator: Any) -> dict[str, str]:
    """What scikit-learn exempts its estimator of the same name from: a step is not two of half the weight."""
    if not isinstance(estimator, StochasticBase):
        return {}
    return dict(PER_ESTIMATOR_XFAIL_CHECKS.get(getattr(linear_model, type(estimator).__name__), {}))


@parametrize_with_checks(ALL, expected_failed_checks=their_own_exemptions)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wm.NotConverged)  # data of the checks separate without a penalty
        check(estimator)


PAIRS = {
    "logistic": (linear_model.LogisticRegression, LogisticRegression, {}, {"loss": "logistic"}),
    "logistic, tight": (
        linear_model.LogisticRegression, LogisticRegression, {"tol": 1e-9, "max_iter": 10_000}, {"loss": "logistic"},
    ),
    "logistic, L1": (
        linear_model.LogisticRegression, LogisticRegression, {"l1_ratio": 1.0, "solver": "saga", "C": 0.1},
        {"loss": "logistic", "l1_ratio": 1.0},
    ),
    "logistic, elastic net": (
        linear_model.LogisticRegression, LogisticRegression, {"l1_ratio": 0.4, "solver": "saga", "C": 0.1},
        {"loss": "logistic", "l1_ratio": 0.4},
    ),
    "logistic, balanced": (
        linear_model.LogisticRegression, LogisticRegression, {"class_weight": "balanced", "C": 10.0}, None,
    ),
    "squared hinge": (svm.LinearSVC, LinearSVC, {}, {"loss": "squared_hinge", "penalise_b": True}),
    "squared hinge, L1": (
        svm.LinearSVC, LinearSVC, {"penalty": "l1", "dual": False},
        {"loss": "squared_hinge", "penalise_b": True, "l1_ratio": 1.0},
    ),
    "hinge": (svm.LinearSVC, LinearSVC, {"loss": "hinge"}, {"loss": "hinge", "penalise_b": True}),
    "ridge": (linear_model.RidgeClassifier, RidgeClassifier, {}, {"loss": "squared", "C": 0.5}),
}  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("name", DATA)
def test_no_objective_is_worse_than_scikit_learns(name: str, pair: str) -> None:
    """At the same parameters; and where theirs is tight, the same predictions."""
    theirs, ours, options, judged = PAIRS[pair]
    X, y = DATA[name](return_X_y=True)
    X = StandardScaler().fit_transform(X)
    if name == "digits" and "saga" in options.values():
        X, y = X[:400], y[:400]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two = theirs(**options).fit(X, y), ours(**options).fit(X, y)
    assert two.coef_.shape == np.atleast_2d(one.coef_).shape
    assert two.intercept_.shape == np.shape(one.intercept_)
    if judged is not None:
        told = {"C": options.get("C", 1.0)} | judged
        if told["loss"] == "logistic" and len(one.classes_) > 2:
            told["loss"] = "softmax"
        assert objective(two, X, y, **told) <= objective(one, X, y, **told) * (1 + 1e-9)
    same = np.mean(one.predict(X) == two.predict(X))
    assert same == 1.0 if "tight" in pair or pair == "ridge" else same > 0.97


@pytest.mark.parametrize("scaling", [0.3, 20.0])
def test_the_synthetic_feature_of_the_intercept_is_penalised_as_in_liblinear(scaling: float) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :5] + 1.0
    for theirs, ours, options in [
        (svm.LinearSVC, LinearSVC, {"tol": 1e-10, "max_iter": 100_000}),
        (svm.LinearSVC, LinearSVC, {"tol": 1e-10, "penalty": "l1", "dual": False, "max_iter": 100_000}),
        (linear_model.LogisticRegression, LogisticRegression, {"solver": "liblinear", "tol": 1e-10}),
    ]:
        one, two = (kind(intercept_scaling=scaling, **options).fit(X, y) for kind in (theirs, ours))
        np.testing.assert_allclose(two.coef_, one.coef_, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(two.intercept_, one.intercept_, rtol=1e-3, atol=1e-4)


def test_positive_ridge_agrees_with_scikit_learns() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    one = linear_model.RidgeClassifier(positive=True, tol=1e-10, max_iter=100_000).fit(X, y)
    two = RidgeClassifier(positive=True).fit(X, y)
    assert (two.coef_ >= 0).all()
    np.testing.assert_allclose(two.coef_.ravel(), one.coef_.ravel(), atol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"fit_intercept": False}, {"class_weight": "balanced"}, {"cv": 3}, {"scoring": "accuracy"}],
    ids=str,
)
@pytest.mark.parametrize("name", ["wine", "iris", "wide"])
def test_strengths_are_chosen_as_by_scikit_learn(name: str, options: dict[str, Any], weighted: bool) -> None:
    random = np.random.default_rng(2)
    X, y = (random.standard_normal((40, 90)), np.arange(40) % 3) if name == "wide" else DATA[name](return_X_y=True)
    s = random.uniform(0.3, 2, len(y)) if weighted else None
    told = {"alphas": np.logspace(-2, 3, 6), "store_cv_results": "cv" not in options} | options
    one = linear_model.RidgeClassifierCV(**told).fit(X, y, s)
    two, three = (RidgeClassifierCV(**told).fit(kind(X), y, s) for kind in (np.asarray, csr_matrix))
    for found in (two, three):
        assert found.alpha_ == one.alpha_
        assert found.best_score_ == pytest.approx(one.best_score_, rel=1e-9)
        np.testing.assert_allclose(found.coef_, one.coef_, rtol=1e-6, atol=1e-9)
        if "cv" not in options:
            np.testing.assert_allclose(found.cv_results_, one.cv_results_, rtol=1e-5, atol=1e-6)


def test_what_a_fitted_estimator_tells() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["benign", "malignant"])[y]
    model = LogisticRegression().fit(StandardScaler().fit_transform(X), names)
    assert model.verdict_.success
    assert model.certificate_.relative_gap <= 1e-8
    assert model.trace_[-1].objective >= model.certificate_.lower_bound
    assert model.classes_.tolist() == ["benign", "malignant"]
    assert model.n_features_in_ == 30


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_works_in_pipelines_searches_and_pickles(estimator: Any) -> None:
    X, y = load_wine(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), clone(estimator))
    assert cross_val_predict(pipe, X, y, cv=3).shape == y.shape
    if isinstance(estimator, RidgeClassifierCV | LogisticRegressionCV):  # a search in itself
        return
    parameter = "C" if hasattr(estimator, "C") else "alpha"
    search = GridSearchCV(pipe, {f"{type(estimator).__name__.lower()}__{parameter}": [0.1, 1.0]}, cv=3, n_jobs=2)
    search.fit(X, y)
    again = pickle.loads(pickle.dumps(search))
    assert (again.predict(X) == search.predict(X)).all()
    assert search.score(X, y) > 0.9


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_float32_and_sparse_rows_give_what_they_should(estimator: Any) -> None:
    X, y = load_iris(return_X_y=True)
    if hasattr(estimator, "shuffle"):  # stochastic: b moves a hundredth as fast on sparse rows, as in scikit-learn
        estimator = clone(estimator).set_params(fit_intercept=False)
    full = clone(estimator).fit(X.astype(np.float32).astype(float), y)
    half = clone(estimator).fit(X.astype(np.float32), y)
    sparse = clone(estimator).fit(csr_matrix(X.astype(np.float32).astype(float)), y)
    assert half.coef_.dtype == half.decision_function(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(half.coef_, full.coef_, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(sparse.coef_, full.coef_, rtol=1e-3, atol=1e-4)
    kept = sparse.coef_.copy()
    assert sparse.sparsify().predict(csr_matrix(X)).shape == y.shape
    assert (sparse.densify().coef_ == kept).all()


def test_probabilities_are_the_links() -> None:
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert hasattr(LinearClassifier(loss="logistic"), "predict_proba")
    assert not hasattr(LinearClassifier(loss="hinge"), "predict_proba")
    assert not hasattr(LinearSVC(), "predict_proba")


def test_a_score_of_zero_is_the_first_class_as_in_scikit_learn() -> None:
    model = LogisticRegression(fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
    assert model.predict([[0.0]]) == [0]
    assert model.model_.predict([[0.0]]) == [1]  # the notes' convention


def test_warm_start_goes_on_where_it_was() -> None:
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(warm_start=True, C=0.1).fit(X, y)
    first = int(model.n_iter_[0])
    assert int(model.fit(X, y).n_iter_[0]) < first
    with pytest.warns(wm.NotConverged, match="budget"):
        LogisticRegression(max_iter=1).fit(X, y)


def test_one_thread_inside_workers() -> None:
    from joblib import Parallel, delayed

    from widemargin.estimators.workers import inside_worker

    assert not inside_worker()
    assert Parallel(n_jobs=2, backend="threading")(delayed(inside_worker)() for _ in range(2)) == [True, True]


@pytest.mark.parametrize(
    ("estimator", "options", "told"),
    [
        (LogisticRegression, {"C": -1}, "'C' parameter of LogisticRegression must be a number above 0. Got -1"),
        (LogisticRegression, {"solver": "bfgs"}, "'solver'.*'lbfgs'"),
        (LogisticRegression, {"l1_ratio": 2}, "at least 0, at most 1"),
        (LinearSVC, {"loss": "log"}, "'hinge', 'squared_hinge'"),
        (LinearSVC, {"max_iter": 1.5}, "whole number"),
        (RidgeClassifier, {"alpha": np.nan}, "number of at least 0"),
    ],
)
def test_bad_parameters(estimator: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        estimator(**options).fit([[0.0], [1.0]], [0, 1])
