"""scikit-learn on the same rows: the same updates to rounding, and no better objective."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import fit, objective, overlapping

linear_model = pytest.importorskip("sklearn.linear_model")
svm = pytest.importorskip("sklearn.svm")

PASSES, ETA = 3, 0.02
SAME = {  # their name: ours
    "hinge": "hinge", "log_loss": "logistic", "squared_hinge": "squared_hinge",
    "modified_huber": "modified_huber", "perceptron": "perceptron",
}  # fmt: skip
SIDES = {"l2": 1e-3, "l1": 1e-3, None: 0.0}


def last(X: Any, y: Any, passes: int = PASSES, **options: Any) -> wm.Model:
    """The weights after so many passes, good or bad."""
    seen: list[Any] = []

    def enough(history: Any) -> bool:
        seen.append((history[-1].W.copy(), history[-1].b.copy()))
        return len(seen) == passes

    fit(X, y, shuffle=False, stop=enough, **options)
    return seen[-1]


def theirs(estimator: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, y)


@pytest.mark.parametrize("layout", [np.array, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("loss", SAME)
def test_sgd_makes_the_same_steps(loss: str, layout: Any) -> None:
    X, y = overlapping(2, 90, 5)
    X = layout(np.where(np.abs(X) < 0.4, 0.0, X))
    for penalty, alpha in SIDES.items():
        if penalty == "l1":
            continue  # theirs is the truncated gradient of Tsuruoka et al. 2009, ours the prox
        for intercept in (False, True):
            other = linear_model.SGDClassifier(
                loss=loss, penalty=penalty, alpha=alpha, fit_intercept=intercept, learning_rate="constant", eta0=ETA,
                shuffle=False, max_iter=PASSES, tol=None,
            )  # fmt: skip
            other = theirs(other, X, y)
            rate = 0.01 if sp.issparse(X) else 1.0  # their intercept moves slowly when rows are sparse
            W, b = last(
                X, y, loss=SAME[loss], penalty=penalty, alpha=alpha, intercept=intercept,
                schedule=wm.schedules.constant(ETA), solver=f"sgd:intercept_rate={rate}",
            )  # fmt: skip
            np.testing.assert_allclose(W[:, 0], other.coef_[0], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(b, other.intercept_, rtol=1e-9, atol=1e-12)


def test_the_averages_are_the_same() -> None:
    X, y = overlapping(2, 90, 5)
    for start in (True, 40):
        other = linear_model.SGDClassifier(
            loss="hinge", alpha=1e-3, fit_intercept=False, learning_rate="constant", eta0=ETA, shuffle=False,
            max_iter=PASSES, tol=None, average=start,
        )  # fmt: skip
        W, _ = last(
            X, y, loss="hinge", penalty="l2", alpha=1e-3, intercept=False, schedule=wm.schedules.constant(ETA),
            solver=f"sgd:average={start}",
        )  # fmt: skip
        np.testing.assert_allclose(W[:, 0], theirs(other, X, y).coef_[0], rtol=1e-9, atol=1e-12)


def test_perceptron_makes_the_same_steps() -> None:
    for classes in (2, 3):
        X, y = overlapping(classes, 90, 5)
        other = theirs(linear_model.Perceptron(shuffle=False, max_iter=PASSES, tol=None), X, y)
        W, b = last(X, y, solver="perceptron", multiclass="ovr")
        np.testing.assert_allclose(W.T, other.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(b, other.intercept_, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore:Class PassiveAggressive:FutureWarning")
@pytest.mark.parametrize(("variant", "name"), [("pa1", "hinge"), ("pa2", "squared_hinge")])
def test_passive_aggressive_makes_the_same_steps(variant: str, name: str) -> None:
    """Without intercept: their step forgets that (x, 1) is longer than x."""
    for classes in (2, 3):
        X, y = overlapping(classes, 90, 5)
        other = linear_model.PassiveAggressiveClassifier(
            C=0.1, fit_intercept=False, loss=name, shuffle=False, max_iter=PASSES, tol=None
        )
        W, _ = last(X, y, solver=f"pa:variant='{variant}',C=0.1", intercept=False, multiclass="ovr")
        np.testing.assert_allclose(W.T, theirs(other, X, y).coef_, rtol=1e-9, atol=1e-12)


def no_better(other: Any, X: Any, y: Any, **options: Any) -> None:
    """Their weights, put into our objective."""
    ours = fit(X, y, tol=1e-10, **options)
    proof = ours.certificate
    assert proof.verdict.success, proof
    W, b = np.atleast_2d(theirs(other, X, y).coef_).T, np.ravel(other.intercept_)
    moved = object.__new__(type(proof))
    moved.__dict__.update(proof.__dict__, theta=proof.theta._replace(W=W, b=b))
    their = wm.Fit(ours.model, moved, ours.trace, "")
    assert proof.objective <= objective(their, X, y) * (1 + 1e-9)
    assert proof.lower_bound <= objective(their, X, y) * (1 + 1e-14)
    np.testing.assert_allclose(proof.theta.W, W, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_regression_is_no_better(classes: int) -> None:
    X, y = overlapping(classes, 90, 5)
    for alpha in (1e-3, 0.1):
        other = linear_model.LogisticRegression(C=1 / (alpha * len(y)), tol=1e-8, max_iter=10_000)
        no_better(other, X, y, loss="logistic", penalty="l2", alpha=alpha)


def test_sparse_logistic_regression_is_no_better() -> None:
    X, y = overlapping(2, 90, 5)
    for share in (1.0, 0.5):
        other = linear_model.LogisticRegression(
            C=1 / (0.02 * len(y)), l1_ratio=share, solver="saga", tol=1e-9, max_iter=20_000
        )
        no_better(other, X, y, loss="logistic", penalty=f"elastic_net:{share}", alpha=0.02)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_support_vector_machines_are_no_better(loss: str) -> None:
    X, y = overlapping(2, 90, 5)
    other = svm.LinearSVC(loss=loss, C=1 / (0.05 * len(y)), tol=1e-8, max_iter=100_000)
    no_better(other, X, y, loss=loss, penalty="l2", alpha=0.05, intercept="penalised")
    kernel = svm.SVC(kernel="linear", C=1 / (0.05 * len(y)), tol=1e-8)
    if loss == "hinge":
        no_better(kernel, X, y, loss=loss, penalty="l2", alpha=0.05)


@pytest.mark.parametrize("classes", [2, 3])
def test_ridge_is_no_better(classes: int) -> None:
    X, y = overlapping(classes, 90, 5)
    other = linear_model.RidgeClassifier(alpha=3.0)
    no_better(other, X, y, loss="squared", penalty="l2", alpha=2 * 3.0 / len(y))
