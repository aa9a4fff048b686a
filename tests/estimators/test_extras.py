"""What scikit-learn's estimators do not have: callbacks that stop, held-out rows, offsets everywhere, bounds, links."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn
from joblib import Parallel, delayed
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import widemargin as wm
from widemargin.estimators import LinearClassifier, LinearSVC, LogisticRegression, LogisticRegressionCV

pandas = pytest.importorskip("pandas")


def wine() -> Any:
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def cancer() -> Any:
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


class Recorder:
    """A callback of scikit-learn's protocol that keeps losses of fitted copies, and stops after some steps."""

    def __init__(self, most: int = 10**9) -> None:
        self.most, self.losses, self.calls = most, [], []

    def setup(self, estimator: Any, context: Any) -> None:
        self.calls.append("setup")

    def teardown(self, estimator: Any, context: Any) -> None:
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.calls.append(f"begin {context.task_name}")

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, X: Any = None, y: Any = None, fitted_estimator: Any = None
    ) -> bool:
        self.calls.append(f"end {context.task_name}")
        if fitted_estimator is not None and context.task_name == "step":
            q = fitted_estimator.predict_proba(X)[np.arange(len(y)), np.searchsorted(fitted_estimator.classes_, y)]
            self.losses.append(float(-np.log(q).mean()))
        return len(self.losses) >= self.most


@pytest.mark.skipif(not hasattr(LogisticRegression, "set_callbacks"), reason="scikit-learn before 1.9 has no callbacks")
@pytest.mark.parametrize("data", [wine, cancer])
def test_scikit_learns_callbacks_hear_every_step_and_stop(data: Callable[[], Any]) -> None:
    X, y = data()
    heard = Recorder()
    model = LinearClassifier(solver="gd", alpha=1e-2, tol=1e-6).set_callbacks(heard).fit(X, y)
    penalty = 0.005 * float((model.coef_**2).sum())
    assert len(heard.losses) == len(model.trace_)
    assert heard.losses[-1] + penalty == pytest.approx(model.trace_[-1].objective, rel=1e-3)
    assert heard.calls.count("begin step") == heard.calls.count("end step") == len(model.trace_) + 1
    assert (heard.calls[0], heard.calls[1], heard.calls[-2:]) == ("setup", "begin fit", ["end fit", "teardown"])
    short = Recorder(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stopped = LinearClassifier(solver="gd", alpha=1e-2, tol=1e-12).set_callbacks(short).fit(X, y)
    assert stopped.verdict_ is wm.Verdict.stopped
    assert len(stopped.trace_) == 3
    searched = Recorder()
    LogisticRegressionCV(Cs=2, cv=2).set_callbacks(searched).fit(X, y)
    assert searched.calls[-1] == "teardown"


def test_a_listener_stops_by_true_alone() -> None:
    X, y = wine()
    told: list[Any] = []
    assert wm.fit(X, y, solver="gd", tol=1e-8, on_event=told.append).certificate.verdict is wm.Verdict.tolerance
    for yes in (True, np.True_):
        found = wm.fit(X, y, solver="gd", tol=1e-8, on_event=lambda e, yes=yes: yes if e.iteration >= 5 else 1)
        assert found.certificate.verdict is wm.Verdict.stopped
        assert found.trace[-1].iteration == 5
    model = LinearClassifier(solver="gd", tol=1e-8, on_event=lambda e: e.iteration >= 2).fit(X, y)
    assert (model.verdict_, len(model.trace_)) == (wm.Verdict.stopped, 2)
    with pytest.raises(ValueError, match="on_event"):
        LinearClassifier(on_event=3).fit(X, y)


def test_held_out_rows_end_a_fit() -> None:
    X, y = cancer()
    random = np.random.default_rng(0)
    noisy = np.where(random.random(len(y)) < 0.2, 1 - y, y)
    options = {"solver": "gd", "penalty": "none", "tol": 1e-12, "patience": 3, "patience_metric": "log_loss"}
    model = LinearClassifier(**options).fit(X[::2], noisy[::2], X_val=X[1::2], y_val=noisy[1::2])
    assert model.verdict_ is wm.Verdict.stopped
    scores = []
    stop = wm.stops.held_out(X[1::2], noisy[1::2], "log_loss", 3)
    same = wm.fit(X[::2], noisy[::2], solver="gd", penalty="none", tol=1e-12, stop=stop, on_event=scores.append)
    assert len(same.trace) == len(model.trace_)
    with pytest.raises(ValueError, match="belong together"):
        LinearClassifier().fit(X, y, X_val=X)


@pytest.mark.parametrize("data", [wine, cancer])
def test_offsets_are_added_wherever_rows_are_scored(data: Callable[[], Any]) -> None:
    X, y = data()
    K = len(np.unique(y))
    o = np.random.default_rng(0).standard_normal((len(y), K) if K > 2 else len(y))
    model = LogisticRegression().fit(X, y, offset=o)
    same = model.model_
    np.testing.assert_allclose(model.decision_function(X, offset=o), same.decision(X, offset=o))
    np.testing.assert_allclose(model.predict_proba(X, offset=o), same.probabilities(X, offset=o))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X, offset=o)), same.probabilities(X, offset=o))
    assert model.score(X, y, offset=o) == np.mean(model.predict(X, offset=o) == y)
    with pytest.raises(ValueError, match="offset has shape"):
        model.predict(X, offset=o[:3])


def test_metadata_is_routed_to_fit_and_score() -> None:
    X, y = cancer()
    random = np.random.default_rng(1)
    s, o = random.uniform(0.5, 2, len(y)), random.standard_normal(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = (
            LogisticRegression()
            .set_fit_request(sample_weight=True, offset=True)
            .set_score_request(sample_weight=True, offset=True)
        )
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), estimator)
        search = GridSearchCV(pipe, {"logisticregression__C": [0.1, 1.0]}, cv=3)
        search.fit(X, y, sample_weight=s, offset=o)
        scores = cross_validate(pipe, X, y, cv=3, params={"sample_weight": s, "offset": o})["test_score"]
    fold = np.arange(len(y)) % 2 == 0
    by_hand = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[fold], y[fold])
    assert by_hand[-1].certificate_.relative_gap <= 1e-8
    assert scores.shape == (3,)
    direct = LogisticRegression(C=search.best_params_["logisticregression__C"]).fit(
        StandardScaler().fit_transform(X), y, sample_weight=s, offset=o
    )
    np.testing.assert_allclose(search.best_estimator_[-1].coef_, direct.coef_, atol=1e-4)


@pytest.mark.parametrize("estimator", [LogisticRegression(C=10.0), LinearSVC(C=10.0, intercept_scaling=2.0)], ids=repr)
def test_columns_have_strengths_and_signs_of_their_own(estimator: Any) -> None:
    X, y = cancer()
    X = X[:, :6]
    free = estimator.set_params(penalty_factor=None, bounds=None).fit(X, y).coef_[0]
    factors = np.array([1.0, 1, 1, 100, 1, 1])
    held = estimator.set_params(penalty_factor=factors).fit(X, y).coef_[0]
    assert abs(held[3]) < 0.3 * abs(free[3])
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    if estimator.get_params().get("intercept_scaling") == 1:
        called = estimator.set_params(penalty_factor={"d": 100.0}).fit(frame, y)
        np.testing.assert_allclose(called.coef_[0], held, rtol=1e-6)
        with pytest.raises(ValueError, match="unknown column 'g'"):
            estimator.set_params(penalty_factor={"g": 100.0}).fit(frame, y)
    signed = estimator.set_params(penalty_factor=None, bounds="nonnegative").fit(X, y)
    assert (signed.coef_ >= 0).all()
    assert signed.certificate_.relative_gap <= 1e-6


def test_calibrated_estimators_say_what_they_are_worth() -> None:
    X, y = wine()
    model = LinearSVC(calibration="sigmoid").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.calibration_.log_loss < 0.2
    both = LinearClassifier("hinge", alpha=0.01, calibration="auto", metric="macro_f1", class_weight="balanced")
    both.fit(X, y)
    assert (both.predict(X) == both.model_.predict(X)).all()
    assert both.decision_.model.rule is not None
    assert both.model_.rule is not None
    np.testing.assert_allclose(both.predict_proba(X), both.model_.probabilities(X))


def test_tables_with_names_in_a_column_transformer_that_hands_over_frames() -> None:
    random = np.random.default_rng(0)
    frame = pandas.DataFrame({"age": random.normal(40, 9, 300), "town": random.choice(["a", "b", "c"], 300)})
    y = (frame["age"] + 9 * (frame["town"] == "b") + random.normal(0, 9, 300) > 42).map({True: "yes", False: "no"})
    columns = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(sparse_output=False), ["town"]), verbose_feature_names_out=False,
    ).set_output(transform="pandas")  # fmt: skip
    pipe = make_pipeline(columns, LogisticRegression()).fit(frame, y)
    assert pipe[-1].feature_names_in_.tolist() == ["age", "town_a", "town_b", "town_c"]
    assert pipe.score(frame, y) > 0.7
    assert pipe[-1].explain(pipe[:-1].transform(frame)).shape == (300, 4)


def test_pages_and_prints() -> None:
    for estimator in (LogisticRegression(C=3.0), LinearClassifier("hinge", calibration="auto")):
        shown = estimator._repr_html_()
        assert type(estimator).__name__ in shown
        assert "sk-estimator" in shown
    assert repr(LogisticRegression(C=3.0)) == "LogisticRegression(C=3.0)"


def _threads_here(_: int) -> int | None:
    from widemargin.estimators.workers import threads

    return threads(None)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_one_thread_in_a_worker(backend: str) -> None:
    assert Parallel(n_jobs=2, backend=backend)(delayed(_threads_here)(k) for k in range(2)) == [1, 1]


@pytest.mark.parametrize("data", [wine, cancer])
def test_the_short_ways_answer_as_the_long_ones_do(data: Callable[[], Any]) -> None:
    X, y = data()
    short, long = LogisticRegression().fit(X, y), LogisticRegression().fit(X.tolist(), y.tolist())
    np.testing.assert_array_equal(short.coef_, long.coef_)
    rows = short.predict_proba(X)
    # the terms of a score are added in another order, and a probability's relative error is its score's absolute one
    terms = 64 * np.finfo(float).eps * (np.abs(X) @ np.abs(short.coef_.T) + np.abs(short.intercept_)).max(axis=1)
    for i in range(0, len(y), 10):
        np.testing.assert_allclose(short.predict_proba(X[[i]]), rows[[i]], rtol=terms[i], atol=1e-300)
        np.testing.assert_allclose(short.predict_proba(X[[i]].tolist()), rows[[i]], rtol=terms[i], atol=1e-300)
    for bad, text in ((np.nan, "contains NaN"), (np.inf, "contains infinity")):
        row = X[:1].copy()
        row[0, 2] = bad
        with pytest.raises(ValueError, match=text):
            short.predict_proba(row)
        with pytest.raises(ValueError, match=text):
            LogisticRegression().fit(np.vstack([row, X]), np.append(y, 0))
    with pytest.raises(ValueError, match="features"):
        short.predict_proba(X[:1, :3])
    short.coef_ = short.coef_ * 0.0  # what a user changes counts
    np.testing.assert_allclose(short.predict_proba(X[:1]), short.predict_proba(X)[:1], rtol=1e-14)
    assert np.abs(short.predict_proba(X[:1]) - rows[:1]).max() > 0.1
    half = LogisticRegression().fit(X.astype(np.float32), y)
    assert half.predict_proba(X[:1].astype(np.float32)).dtype == np.float32
    named = LogisticRegression().fit(pandas.DataFrame(X).rename(columns=str), y)
    with pytest.warns(UserWarning, match="feature names"):
        named.predict_proba(X[:1])
    assert not hasattr(named.fit(X, y), "feature_names_in_")
