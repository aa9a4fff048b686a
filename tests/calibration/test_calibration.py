"""Links against scikit-learn's; held-out probabilities that have not seen their fold; priors by arithmetic."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.calibration import _SigmoidCalibration
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

import widemargin as wm
from widemargin.calibration.maps import METHODS, isotonic, sigmoid, temperature


def scores(K: int, n: int = 300, weighted: bool = True) -> Any:
    """Scores that tie here and there, classes, weights of mean 1."""
    random = np.random.default_rng(K)
    truth = random.integers(0, max(K, 2), n)
    f = np.round(16 * random.standard_normal((n, K))) / 8
    f = f + 3 * (truth[:, None] if K == 1 else np.eye(K)[truth]) - 1.0
    s = random.uniform(0.2, 2, n) if weighted else np.ones(n)
    return f, truth, s / s.mean()


@pytest.mark.parametrize("K", [1, 3])
def test_the_sigmoid_is_scikit_learns(K: int) -> None:
    f, truth, s = scores(K)
    found = sigmoid(f, truth, s)
    for k, positive in enumerate([1] if K == 1 else range(K)):
        known = _SigmoidCalibration().fit(f[:, k], (truth == positive).astype(int), s)
        np.testing.assert_allclose(found.shares(f)[:, k], known.predict(f[:, k]), atol=1e-5)


@pytest.mark.parametrize("K", [1, 3])
def test_the_isotonic_link_is_scikit_learns(K: int) -> None:
    f, truth, s = scores(K)
    found, new = isotonic(f, truth, s), np.random.default_rng(9).uniform(-9, 9, (500, K))
    for k, positive in enumerate([1] if K == 1 else range(K)):
        known = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(f[:, k], truth == positive, s)
        np.testing.assert_allclose(found.shares(new)[:, k], known.predict(new[:, k]), atol=1e-12)


@pytest.mark.parametrize("K", [1, 3])
def test_the_temperature_has_the_least_log_loss(K: int) -> None:
    f, truth, s = scores(K)
    rows, classes = np.bincount(truth, weights=s), max(K, 2)
    targets = np.where(np.eye(classes) > 0, rows[:, None] + 1, 1) / (rows + classes)[:, None]

    def loss(beta: float) -> float:
        z = beta * (np.column_stack([np.zeros(len(f)), f[:, 0]]) if K == 1 else f)
        q = np.exp(z - z.max(axis=1, keepdims=True))
        return float(-s @ (targets[truth] * np.log(q / q.sum(axis=1, keepdims=True))).sum(axis=1))

    best = minimize_scalar(loss, bounds=(0.01, 5), method="bounded", options={"xatol": 1e-10})
    assert float(temperature(f, truth, s).arrays["beta"][0]) == pytest.approx(best.x, abs=1e-6)
    assert temperature(-f, truth, s).arrays["beta"][0] == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_separated_scores_give_finite_links(method: str) -> None:
    f = np.array([[-2.0], [-1.0], [1.0], [3.0]])
    found = METHODS[method](f, np.array([0, 0, 1, 1]), np.ones(4))
    q = found.shares(np.array([[-1e6], [0.0], [1e6]]))
    assert ((q >= 0) & (q <= 1)).all()
    assert (np.diff(q[:, 0]) >= 0).all()
    same = METHODS[method](np.zeros((4, 1)), np.array([0, 1, 1, 1]), np.ones(4)).shares(f)
    assert np.isfinite(same).all()


def crossed(classes: int, loss: str = "hinge", **options: Any) -> tuple[wm.CrossFit, Any, Any]:
    X, y = load_wine(return_X_y=True) if classes > 2 else load_breast_cancer(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[:, :4]
    return wm.cross_fit(X, y, loss=loss, alpha=0.01, threads=1, **options), X, y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_held_out_probabilities_do_not_depend_on_the_labels_of_their_fold(classes: int, method: str) -> None:
    found, _, y = crossed(classes)
    fold = found.folds == 0
    truth = np.where(fold, (found.truth + 1) % classes, found.truth)
    one, two = (wm.calibrate(each, method) for each in (found, replace(found, truth=truth)))
    np.testing.assert_array_equal(one.probabilities[fold], two.probabilities[fold])
    assert one.log_loss == pytest.approx(log_loss(y, np.clip(one.probabilities, 1e-15, 1)), rel=1e-9)
    one_hot = np.eye(classes)[y]
    assert one.brier == pytest.approx(((one.probabilities - one_hot) ** 2).sum(axis=1).mean())
    if classes == 2:
        assert one.brier == pytest.approx(2 * brier_score_loss(y, one.probabilities[:, 1]))


# at w = 0 the perceptron's loss is 0 already, and no score says anything
@pytest.mark.parametrize("loss", [name for name, loss in wm.losses.items() if loss.convex and loss.value(0.0) > 0])
@pytest.mark.parametrize("classes", [2, 3])
def test_every_loss_has_probabilities_that_are_worth_something(classes: int, loss: str) -> None:
    found, X, y = crossed(classes, loss)
    calibrated = wm.calibrate(found)
    shares = np.bincount(y) / len(y)
    assert calibrated.log_loss < -(shares * np.log(shares)).sum()
    np.testing.assert_allclose(calibrated.model.probabilities(X).sum(axis=1), 1.0)


def test_cross_validation_gives_its_scores_of_the_chosen_strength() -> None:
    _, X, y = crossed(2)
    chosen = wm.cross_validate(X, y, loss="squared_hinge", penalty="l2", n_alphas=5, tol=1e-9, threads=1)
    again = wm.cross_fit(
        X, y, loss="squared_hinge", alpha=chosen.alpha, folds=chosen.folds, tol=1e-9, threads=1
    )  # fmt: skip
    np.testing.assert_allclose(chosen.crossed.scores, again.scores, atol=1e-3)
    assert wm.calibrate(chosen).log_loss == pytest.approx(wm.calibrate(again).log_loss, rel=1e-3)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_links_are_kept_in_files_and_scorers(classes: int, method: str, tmp_path: Path) -> None:
    found, X, _ = crossed(classes)
    shares = dict.fromkeys(found.model.classes.tolist(), 1.0)
    model = wm.correct_priors(wm.calibrate(found, method).model, learned=shares, true=shares | {1: 5.0})
    q = model.probabilities(X)
    model.save(tmp_path / "model")
    again = wm.load(tmp_path / "model")
    np.testing.assert_array_equal(again.probabilities(X), q)
    one = again.scorer("probabilities")
    np.testing.assert_allclose([one(x) for x in X[:20]], q[:20], atol=1e-14)
    np.testing.assert_allclose(one(X), q, atol=1e-14)


def test_priors_of_a_logistic_fit_move_its_intercept() -> None:
    _, X, y = crossed(2)
    model = wm.fit(X, y, alpha=0.01).model
    moved = replace(model, b=model.b + np.log(0.2 / 0.8) - np.log(0.6 / 0.4))
    corrected = wm.correct_priors(model, learned={0: 40, 1: 60}, true={0: 0.8, 1: 0.2})
    np.testing.assert_allclose(corrected.probabilities(X), moved.probabilities(X), atol=1e-12)
    back = wm.correct_priors(corrected, learned={0: 0.8, 1: 0.2}, true={0: 40, 1: 60})
    np.testing.assert_allclose(back.probabilities(X), model.probabilities(X), atol=1e-12)


def test_priors_undo_class_weights() -> None:
    """Without a penalty and in the right model, a weighted fit and a plain one agree once the weights are undone."""
    random = np.random.default_rng(0)
    X = random.standard_normal((20_000, 2))
    y = (random.logistic(size=20_000) < X @ [1.0, -1.0] - 2).astype(int)
    plain = wm.fit(X, y, penalty="none").model
    weighted = wm.fit(X, y, penalty="none", class_weight={1: 10}).model
    counts = dict(enumerate(np.bincount(y).tolist()))
    undone = wm.correct_priors(weighted, learned=counts | {1: 10 * counts[1]}, true=counts)
    assert np.abs(weighted.probabilities(X) - plain.probabilities(X)).max() > 0.3
    assert np.abs(undone.probabilities(X) - plain.probabilities(X)).max() < 0.05


def test_class_weights_do_not_count_in_what_is_calibrated() -> None:
    found, _, y = crossed(2, class_weight={0: 1, 1: 30})
    assert wm.calibrate(found).probabilities[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)


@pytest.mark.parametrize("learned", [{0: 1}, {0: 1, 1: 0}, {0: 1, 1: "a"}, [1, 2]])
def test_bad_shares(learned: Any) -> None:
    found, _, _ = crossed(2)
    with pytest.raises(wm.WidemarginError, match="learned"):
        wm.correct_priors(found.model, learned=learned, true={0: 1, 1: 1})


def test_bad_options() -> None:
    found, X, y = crossed(2)
    with pytest.raises(wm.WidemarginError, match="unknown method 'platt'"):
        wm.calibrate(found, "platt")
    with pytest.raises(wm.WidemarginError, match="cross_fit"):
        wm.calibrate(found.model)
    with pytest.raises(wm.WidemarginError, match="class of each row"):
        wm.cross_fit(X, np.clip(y, 0.1, 0.9))
