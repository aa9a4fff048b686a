"""Rules are the best there are on the rows that choose them, and are judged on rows that did not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import metrics
from sklearn.datasets import load_wine

import widemargin as wm
from widemargin.decisions.counts import METRICS, counts_of, gain
from widemargin.decisions.sweep import curve, tuned

JUDGES = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "f1": metrics.f1_score,
    "macro_f1": lambda y, p, **told: metrics.f1_score(y, p, average="macro", **told),
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "geometric_mean": lambda y, p, sample_weight: float(
        np.prod(metrics.recall_score(y, p, average=None, sample_weight=sample_weight)) ** (1 / (y.max() + 1))
    ),
}


def drawn(K: int, n: int = 60, seed: int = 0) -> Any:
    """Scores with ties, classes of unlike sizes, weights."""
    random = np.random.default_rng(seed)
    truth = np.minimum(random.integers(0, 2 * K, n), K - 1)
    scores = np.round(random.standard_normal((n, K)) + 1.2 * np.eye(K)[truth], 1)
    return scores, truth, random.uniform(0.2, 3.0, n)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_scikit_learns(name: str, K: int) -> None:
    scores, truth, s = drawn(K)
    predicted = scores.argmax(axis=1)
    if name == "f1" and K > 2:
        return
    found = float(METRICS[name](counts_of(predicted, truth, s, np.zeros((K, K)))))
    assert found == pytest.approx(JUDGES[name](truth, predicted, sample_weight=s), abs=1e-12)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("name", [*METRICS, "cost"])
def test_each_cut_is_counted_exactly(name: str, K: int) -> None:
    scores, truth, s = drawn(K, seed=1)
    cost = np.random.default_rng(2).uniform(0, 3, (K, K)) if name == "cost" else np.zeros((K, K))
    metric = gain if name == "cost" else METRICS[name]
    for k in range(K):
        found = curve(scores, truth, s, k, metric, cost)
        for t, value in zip(found.offsets, found.values, strict=True):
            given = (scores + t * (np.arange(K) == k)).argmax(axis=1)
            assert value == pytest.approx(float(metric(counts_of(given, truth, s, cost))), abs=1e-12)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("name", METRICS)
def test_no_move_of_one_offset_does_better(name: str, K: int) -> None:
    scores, truth, s = drawn(K, seed=3)
    none, metric = np.zeros((K, K)), METRICS[name]
    t = tuned(scores, truth, s, metric, none)
    reached = float(metric(counts_of((scores + t).argmax(axis=1), truth, s, none)))
    assert reached >= float(metric(counts_of(scores.argmax(axis=1), truth, s, none)))
    for k in range(K):
        for move in np.linspace(-6, 6, 241):
            moved = (scores + t + move * (np.arange(K) == k)).argmax(axis=1)
            assert float(metric(counts_of(moved, truth, s, none))) <= reached + 1e-12


def crossed(classes: int = 2, **options: Any) -> tuple[wm.CrossFit, Any, Any]:
    X, y = load_wine(return_X_y=True)
    X, y = ((X - X.mean(axis=0)) / X.std(axis=0))[:, :3], np.array(["red", "rose", "white"])[np.minimum(y, classes - 1)]
    return wm.cross_fit(X, y, **{"loss": "hinge", "alpha": 0.01, "threads": 1, **options}), X, y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("asked", [{"metric": "mcc"}, {"cost": True}, {"cost": True, "method": "bayes"}], ids=str)
def test_what_is_reported_of_a_fold_does_not_depend_on_its_labels(classes: int, asked: dict[str, Any]) -> None:
    found, _, _ = crossed(classes)
    if "cost" in asked:
        asked = asked | {"cost": 3.0 * np.arange(classes)[:, None] * (1 - np.eye(classes)) + 1 - np.eye(classes)}
    truth = np.where(found.folds == 0, (found.truth + 1) % classes, found.truth)
    one, two = (wm.tune_threshold(each, **asked) for each in (found, replace(found, truth=truth)))
    fold = found.folds == 0
    np.testing.assert_array_equal(one.given[fold], two.given[fold])
    assert one.by_fold[0] != two.by_fold[0]


def test_the_value_on_noise_is_chance_and_the_apparent_one_is_not() -> None:
    random, values = np.random.default_rng(0), []
    for _ in range(40):
        X, y = random.standard_normal((120, 3)), random.random(120) < 0.3
        found = wm.tune_threshold(wm.cross_fit(X, y, alpha=0.05, threads=1))
        values.append((found.value, found.apparent))
    value, apparent = np.mean(values, axis=0)
    spread = np.std(values, axis=0) / np.sqrt(len(values))
    assert abs(value - 0.5) < 3 * spread[0]
    assert apparent - 0.5 > 6 * spread[1]


def test_two_classes_take_the_best_of_all_thresholds() -> None:
    found, _, _ = crossed()
    decision = wm.tune_threshold(found, "f1")
    f, truth = found.scores[:, 0], found.truth
    every = [metrics.f1_score(truth, f >= t) for t in np.append(f, f.max() + 1)]
    assert decision.apparent == pytest.approx(max(every), abs=1e-12)
    assert decision.values.max() == pytest.approx(max(every), abs=1e-12)
    assert decision.default == pytest.approx(metrics.f1_score(truth, f >= 0))
    assert decision.helps == (decision.value > decision.default)
    own = [metrics.f1_score(truth[found.folds == k], decision.given[found.folds == k]) for k in range(5)]
    np.testing.assert_allclose(decision.by_fold, own)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", ["empirical", "bayes"])
def test_costs_are_what_decisions_cost(classes: int, method: str) -> None:
    found, _, _ = crossed(classes)
    cost = np.random.default_rng(0).uniform(1, 9, (classes, classes)) * (1 - np.eye(classes))
    decision = wm.tune_threshold(found, cost=cost, method=method)
    assert decision.value == pytest.approx((decision.confusion * cost).sum() / len(found.truth))
    if method == "bayes":
        q = decision.model.link(found.scores)
        np.testing.assert_array_equal(
            decision.model.labels(found.scores), decision.model.classes[(q @ cost).argmin(axis=1)]
        )


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("asked", [{"metric": "macro_f1"}, {"cost": True, "method": "bayes"}], ids=str)
def test_rules_are_kept_in_files_and_scorers(classes: int, asked: dict[str, Any], tmp_path: Path) -> None:
    found, X, _ = crossed(classes)
    if "cost" in asked:
        asked = asked | {"cost": 20.0 * np.arange(classes)[:, None] * (1 - np.eye(classes))}
    model = wm.tune_threshold(found, **asked).model
    labels = model.predict(X)
    assert (labels != found.model.predict(X)).any()
    model.save(tmp_path / "model")
    again = wm.load(tmp_path / "model")
    assert (again.predict(csr_matrix(X)) == labels).all()
    one = again.scorer("label")
    assert [one(x) for x in X] == labels.tolist()
    assert (one(X) == labels).all()


def test_a_weight_of_two_is_the_row_twice() -> None:
    found, X, y = crossed()
    twice = np.arange(len(y)) < 40
    index = np.concatenate([np.arange(len(y)), np.flatnonzero(twice)])
    weighted = wm.cross_fit(X, y, alpha=0.01, folds=found.folds, sample_weight=1.0 + twice, tol=1e-10)
    repeated = wm.cross_fit(X[index], y[index], alpha=0.01, folds=found.folds[index], tol=1e-10)
    one, two = (wm.tune_threshold(each, "mcc") for each in (weighted, repeated))
    assert one.threshold == pytest.approx(two.threshold, abs=1e-4)
    assert one.value == pytest.approx(two.value, abs=1e-9)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"metric": "f2"}, "unknown metric 'f2'. Did you mean 'f1'"),
        ({"metric": "f1", "cost": [[0, 1], [1, 0]]}, "expected one of them"),
        ({"cost": [[0, 1, 2]]}, "2 x 2 finite numbers"),
        ({"cost": [[0, np.nan], [1, 0]]}, "2 x 2 finite numbers"),
        ({"method": "bayes"}, "pass cost="),
        ({"metric": "f1", "method": "best"}, "unknown method"),
        ({"metric": 3}, "function of Counts"),
    ],
)
def test_bad_options(asked: dict[str, Any], text: str) -> None:
    found, _, _ = crossed()
    with pytest.raises(wm.WidemarginError, match=text):
        wm.tune_threshold(found, **asked)
    with pytest.raises(wm.WidemarginError, match="cross_fit"):
        wm.tune_threshold(found.fit)
