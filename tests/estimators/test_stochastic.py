"""The stochastic estimators against scikit-learn's: the same updates, order of rows, end and attributes."""

from __future__ import annotations

import pickle
import warnings
from concurrent.futures import CancelledError
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin.data.rows import Rows
from widemargin.errors import InputError
from widemargin.estimators import PassiveAggressiveClassifier, Perceptron, SGDClassifier
from widemargin.solve.epochs import Weights, learn

LOSSES = (
    "hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", "squared_error", "huber",
    "epsilon_insensitive", "squared_epsilon_insensitive",
)  # fmt: skip
RATES = {"optimal": 0.01, "constant": 0.05, "invscaling": 0.1, "adaptive": 0.05}
OURS = (SGDClassifier, Perceptron, PassiveAggressiveClassifier)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::FutureWarning")


def cancer() -> tuple[Any, Any]:
    """Short rows: steps of 1 / (alpha t0) on squares would otherwise amplify rounding without bound."""
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:200] / 8, y[:200]


def text() -> tuple[Any, Any]:
    """Sparse rows, some of them empty, that a noisy hyperplane labels."""
    random = np.random.default_rng(1)
    X = csr_matrix(random_array((200, 60), density=0.12, rng=random, data_sampler=random.standard_normal)) / 3
    X.data[X.indptr[3] : X.indptr[4]] = 0
    X.eliminate_zeros()
    return X, np.where(X @ random.standard_normal(60) + 0.2 * random.standard_normal(200) > 0, "spam", "ham")


def iris() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X) / 4, y


DATA = {"dense": cancer(), "sparse": text(), "three classes": iris()}


def pair(ours: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PassiveAggressiveClassifier, from 1.8 on
        return getattr(linear_model, ours.__name__)(**options), ours(**options)


def agree(one: Any, two: Any, digits: float = 1e-9) -> None:
    """Weights to rounding; everything else exactly."""
    size = max(np.abs(one.coef_).max(), np.abs(one.intercept_).max())
    np.testing.assert_allclose(two.coef_, one.coef_, rtol=0, atol=digits * size)
    np.testing.assert_allclose(two.intercept_, one.intercept_, rtol=0, atol=digits * size)
    assert (two.n_iter_, two.t_, two.n_features_in_) == (one.n_iter_, one.t_, one.n_features_in_)
    assert two.coef_.dtype == one.coef_.dtype
    assert (two.classes_ == one.classes_).all()


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet", None])
@pytest.mark.parametrize("loss", LOSSES)
def test_sgd_makes_the_same_updates(loss: str, penalty: str | None) -> None:
    for (X, y), (rate, eta0), average in product(DATA.values(), RATES.items(), (False, True, 350)):
        options = {
            "loss": loss, "penalty": penalty, "learning_rate": rate, "eta0": eta0, "average": average, "alpha": 1e-2,
            "l1_ratio": 0.4, "tol": None, "max_iter": 3, "shuffle": False,
        }  # fmt: skip
        one, two = pair(SGDClassifier, options)
        agree(one.fit(X, y), two.fit(X, y))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize(
    ("ours", "options"),
    [
        (SGDClassifier, {}), (SGDClassifier, {"loss": "log_loss", "class_weight": "balanced"}),
        (SGDClassifier, {"penalty": "elasticnet", "alpha": 1e-2}), (SGDClassifier, {"average": 30, "penalty": "l1"}),
        (SGDClassifier, {"loss": "modified_huber", "learning_rate": "adaptive", "eta0": 0.3}),
        (SGDClassifier, {"penalty": None, "early_stopping": True, "learning_rate": "invscaling", "eta0": 0.5}),
        (SGDClassifier, {"learning_rate": "pa1", "eta0": 0.1}), (SGDClassifier, {"learning_rate": "pa2", "eta0": 0.1}),
        (SGDClassifier, {"learning_rate": "constant", "eta0": 5.0, "alpha": 0.5}),
        (Perceptron, {}), (Perceptron, {"penalty": "l2", "eta0": 0.3}), (Perceptron, {"fit_intercept": False}),
        (Perceptron, {"early_stopping": True, "validation_fraction": 0.2}),
        (PassiveAggressiveClassifier, {}), (PassiveAggressiveClassifier, {"loss": "squared_hinge", "C": 0.1}),
        (PassiveAggressiveClassifier, {"average": True, "C": 0.3}), (PassiveAggressiveClassifier, {"C": np.inf}),
        (PassiveAggressiveClassifier, {"loss": "squared_hinge", "C": 1e6}),
    ],
    ids=str,
)  # fmt: skip
def test_the_same_random_state_gives_the_same_fit(
    ours: Any, options: dict[str, Any], name: str, weighted: bool
) -> None:
    """Shuffled, and stopped by the same rule after as many passes."""
    X, y = DATA[name]
    if ours is PassiveAggressiveClassifier or "pa" in options.get("learning_rate", ""):
        X = 8 * X  # its norm leaves b out: with rows shorter than 1 a step overshoots, and rounding grows
    told = {"sample_weight": np.random.default_rng(0).uniform(0.2, 2, len(y))} if weighted else {}
    if weighted and ours is PassiveAggressiveClassifier:  # takes class weights only
        told, options = {}, options | {"class_weight": {k: 0.5 + i for i, k in enumerate(np.unique(y))}}
    one, two = pair(ours, {"random_state": 7} | options)
    agree(one.fit(X, y, **told), two.fit(X, y, **told), 1e-7)
    assert (one.predict(X) == two.predict(X)).all()


@pytest.mark.parametrize("average", [False, True, 150])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("ours", OURS)
def test_partial_fits_go_on_as_scikit_learns(ours: Any, name: str, average: bool | int) -> None:
    """Averages without an intercept: from call to call scikit-learn takes one intercept for the other."""
    X, y = DATA[name]
    options = {"random_state": 3} | ({} if ours is Perceptron else {"average": average, "fit_intercept": not average})
    one, two = pair(ours, options)
    for rows in (slice(0, 90), slice(60, None), slice(0, 40)):
        for model in (one, two):
            model.partial_fit(X[rows], y[rows], classes=np.unique(y) if rows.stop == 90 else None)
        assert (two.t_, two.n_iter_) == (one.t_, one.n_iter_)
        np.testing.assert_allclose(two.coef_, one.coef_, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(two.intercept_, one.intercept_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", DATA)
def test_two_partial_fits_are_one_fit_of_two_passes(name: str) -> None:
    """Averages and their intercepts included."""
    X, y = DATA[name]
    told = {"average": 20, "penalty": "l2", "shuffle": False, "tol": None, "random_state": 0}
    whole, parts = SGDClassifier(max_iter=2, **told).fit(X, y), SGDClassifier(**told)
    for _ in range(2):
        parts.partial_fit(X, y, classes=np.unique(y))
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9)
    np.testing.assert_allclose(parts.intercept_, whole.intercept_, rtol=1e-9)
    assert parts.t_ == whole.t_


@pytest.mark.parametrize("ours", OURS)
def test_warm_starts_and_first_weights(ours: Any) -> None:
    X, y = load_iris(return_X_y=True)
    start = np.random.default_rng(0).standard_normal((3, 4)), np.array([0.1, -0.2, 0.3])
    one, two = pair(ours, {"random_state": 0, "warm_start": True})
    for model in (one, two):
        first = [part.copy() for part in start]  # scikit-learn writes into what it is given
        model.fit(X, y, coef_init=first[0], intercept_init=first[1]).fit(X, y)
    agree(one, two, 1e-7)
    with pytest.raises(InputError, match=r"coef_init does not match dataset: it has shape \(2, 4\), expected \(3, 4\)"):
        ours().fit(X, y, coef_init=start[0][:2])


def test_rows_held_out_are_judged_by_the_model_itself() -> None:
    """Where L2 shrinks, scikit-learn 1.9 scores weights before they are shrunk, and log_loss against labels 0 and 1."""
    X, y = cancer()
    held = next(StratifiedShuffleSplit(test_size=0.2, random_state=4).split(X, y))[1]
    for loss in ("hinge", "log_loss"):
        model = SGDClassifier(loss, early_stopping=True, validation_fraction=0.2, random_state=4).fit(X, y)
        assert model.loss_curve_[-1] == pytest.approx(model.score(X[held], y[held]))
        assert len(model.loss_curve_) == model.n_iter_


def test_the_curve_is_the_objective_that_rows_met() -> None:
    """Of steps so small that the weights hardly move within a pass."""
    X, y = cancer()
    model = SGDClassifier("log_loss", alpha=0.3, learning_rate="constant", eta0=1e-9, max_iter=2, tol=0.0)
    model.fit(X, y, coef_init=np.ones(30), intercept_init=0.5)
    z = np.where(y > 0, 1, -1) * (X.sum(axis=1) + 0.5)
    expected = float(np.asarray(wm.losses["logistic"].value(z)).mean()) + 0.15 * 30
    np.testing.assert_allclose(model.loss_curve_, expected, rtol=1e-6)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
def test_probabilities_are_scikit_learns(loss: str, name: str) -> None:
    X, y = DATA[name]
    one, two = pair(SGDClassifier, {"loss": loss, "learning_rate": "constant", "eta0": 0.05, "random_state": 0})
    one.fit(X, y), two.fit(X, y)
    np.testing.assert_allclose(two.predict_proba(X), one.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(np.exp(two.predict_log_proba(X)), two.predict_proba(X))
    assert not any(hasattr(model, "predict_proba") for model in (SGDClassifier(), *(ours() for ours in OURS[1:])))


@pytest.mark.parametrize("ours", OURS)
def test_float32_threads_and_pickles(ours: Any) -> None:
    X, y = iris()
    X = np.repeat((4 * X).astype(np.float32).astype(float), 300, axis=0)  # enough work for threads
    y, told = np.repeat(y, 300), {"random_state": 0, "max_iter": 3, "tol": None}
    full = ours(**told).fit(X, y)
    half, many = ours(**told).fit(X.astype(np.float32), y), ours(n_jobs=2, **told).fit(X, y)
    assert half.coef_.dtype == half.intercept_.dtype == np.float32
    np.testing.assert_allclose(half.coef_, full.coef_, rtol=1e-6)
    assert (many.coef_ == full.coef_).all()
    again = pickle.loads(pickle.dumps(full))
    assert (again.partial_fit(X, y).coef_ == full.partial_fit(X, y).coef_).all()


def test_a_halted_call_ends_after_its_pass() -> None:
    """So that Ctrl-C, which only the main thread hears, ends the passes of all."""
    X, y = cancer()
    plan = SGDClassifier(tol=None)._plan(10**9)
    weights = Weights(np.zeros(30), np.zeros(1))
    with pytest.raises(CancelledError):
        learn(plan, Rows(*X.shape, X), np.where(y > 0, 1.0, -1.0), None, None, weights, 0, 1, halted=lambda: True)


def test_the_model_by_itself(tmp_path: Any) -> None:
    X, y = text()
    model = SGDClassifier("log_loss", random_state=0).fit(X, y)
    model.model_.save(tmp_path / "spam.wm")
    np.testing.assert_allclose(wm.load(tmp_path / "spam.wm").probabilities(X), model.predict_proba(X))
    assert (model.sparsify().model_.weights == model.densify().coef_[0]).all()
    assert not hasattr(SGDClassifier(), "model_")
    assert not hasattr(SGDClassifier("huber", random_state=0).fit(X, y), "model_")


def test_losses_of_the_registry_work_too() -> None:
    X, y = cancer()
    for loss in ("smooth_hinge", "exponential", "squared", "sigmoid", "logistic"):
        model = SGDClassifier(loss, alpha=1e-2, learning_rate="invscaling", eta0=0.1, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.9, loss


def test_what_is_said_on_the_way(capsys: Any) -> None:
    X, y = iris()
    with pytest.warns(ConvergenceWarning, match="max_iter=2 passes were made") as heard:
        SGDClassifier(max_iter=2, verbose=1, random_state=0).fit(X, y)
    assert isinstance(heard[0].message, wm.NotConverged)
    assert "2 against the rest, pass 2: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ours", "options", "told"),
    [
        (SGDClassifier, {"loss": "log"}, "'loss' parameter of SGDClassifier must be one of"),
        (SGDClassifier, {"alpha": 0.0}, "alpha must be > 0 since learning_rate is 'optimal'"),
        (SGDClassifier, {"learning_rate": "pa1", "loss": "log_loss"}, "only works with loss 'hinge'"),
        (SGDClassifier, {"penalty": "elasticnet", "l1_ratio": None}, "l1_ratio must be set"),
        (SGDClassifier, {"learning_rate": "constant", "eta0": 0.0}, "'eta0'.*above 0"),
        (SGDClassifier, {"average": -1}, "'average'.*whole number"),
        (Perceptron, {"validation_fraction": 1.0}, "'validation_fraction'"),
        (PassiveAggressiveClassifier, {"C": 0.0}, "'C'.*above 0"),
        (PassiveAggressiveClassifier, {"loss": "perceptron"}, "'hinge', 'squared_hinge'"),
        (Perceptron, {"tol": -1.0}, "'tol'.*at least 0"),
    ],
)
def test_bad_parameters(ours: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        ours(**options).fit([[0.0], [1.0]], [0, 1])


def test_bad_data() -> None:
    X, y = cancer()
    with pytest.raises(ValueError, match=r"epoch #1.*smaller eta0"):
        SGDClassifier("squared_error", learning_rate="constant", eta0=1e300, random_state=0).fit(X * 1e20, y)
    with pytest.raises(ValueError, match="early_stopping should be False"):
        SGDClassifier(early_stopping=True).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="'balanced' is not supported for partial_fit"):
        Perceptron(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="label 3, which `classes` of the first call does not name"):
        Perceptron().partial_fit(X, y, classes=[0, 1]).partial_fit(X, 3 * y)
    with pytest.raises(ValueError, match="at least one non-zero number"):
        SGDClassifier().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="NaN"):
        Perceptron().fit(np.where(X > 1, np.nan, X), y)
