"""Pictures of what was learned: margins, probabilities, weights and errors, counted again by other means."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import widemargin as wm
from drawn import lines
from widemargin.plots.reliability import grouped

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    return wm.datasets.blobs(300, 5, gap=-0.6, seed=4)


@pytest.fixture(scope="module")
def three() -> tuple[Any, Any]:
    label = np.arange(120) % 3
    X = np.random.default_rng(0).standard_normal((120, 4)) + np.eye(3, 4)[label] * 2
    return X, np.array(["a", "b", "c"])[label]


@pytest.mark.parametrize("geometric", [False, True])
def test_margins_are_sorted_scores_and_errors_stand_at_0(ax: Any, data: Any, geometric: bool) -> None:
    X, y = data
    fits = [wm.fit(X, y, loss=loss, alpha=0.01) for loss in ("hinge", "logistic")]
    wm.plots.margins(*fits, X=X, y=y, geometric=geometric, ax=ax)
    drawn = {k: v for k, v in lines(ax).items() if "wrong" in k}
    for fit, (label, (z, share)) in zip(fits, drawn.items(), strict=True):
        scale = np.linalg.norm(fit.model.weights) if geometric else 1.0
        np.testing.assert_allclose(z, np.sort(y * fit.model.decision(X)) / scale)
        wrong = np.mean(fit.model.predict(X) != y)
        assert share[z <= 0].max(initial=0) == pytest.approx(wrong)
        assert label == f"{fit.model.loss.name} + 0.01 l2: {100 * wrong:.3g} % wrong"


def test_margins_of_several_classes_are_leads_over_the_best_rival(ax: Any, three: Any) -> None:
    X, y = three
    model = wm.fit(X, y).model
    wm.plots.margins(model, X=X, y=y, ax=ax, labels=["three"])
    (z, _) = lines(ax)[f"three: {100 * np.mean(model.predict(X) != y):.3g} % wrong"]
    scores = model.decision(X)
    lead = [f[k] - max(np.delete(f, k)) for f, k in zip(scores, np.searchsorted(model.classes, y), strict=True)]
    np.testing.assert_allclose(z, np.sort(lead))


@pytest.mark.parametrize("cut", ["even", "quantiles"])
def test_calibration_counts_what_came_true(ax: Any, data: Any, cut: str) -> None:
    X, y = data
    model = wm.fit(X, y, alpha=0.01).model
    wm.plots.calibration(model, X=X, y=y, bins=7, cut=cut, ax=ax, labels=["mine"])
    p = model.probabilities(X)[:, 1]
    edges = np.linspace(0, 1, 8) if cut == "even" else np.quantile(p, np.linspace(0, 1, 8))
    edges[-1] = np.inf
    groups = [(a <= p) & (p < b) for a, b in itertools.pairwise(edges)]
    groups = [group for group in groups if group.any()]
    mean, share = lines(ax)["mine"]
    np.testing.assert_allclose(mean, [p[group].mean() for group in groups])
    np.testing.assert_allclose(share, [np.mean(y[group] == 1) for group in groups])
    bars = [bar[:, 1] for found in ax.collections for bar in found.get_segments()]
    for bar, group in zip(bars, groups, strict=True):
        interval = binomtest(int(np.sum(y[group] == 1)), int(group.sum())).proportion_ci(method="wilson")
        np.testing.assert_allclose(bar, [interval.low, interval.high], atol=1e-12)


def test_a_probability_on_the_edge_of_two_bins_is_in_the_upper() -> None:
    found = grouped(np.array([0.0, 0.5, 0.5, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.5]))
    np.testing.assert_array_equal(found.rows, [1, 3])
    np.testing.assert_allclose([found.mean, found.share], [[0, 2 / 3], [0, 2 / 3]])


@pytest.mark.parametrize("against", ["alpha", "C"])
@pytest.mark.parametrize("measure", ["error", "loss"])
def test_regularisation_is_measured_on_both(ax: Any, data: Any, measure: str, against: str) -> None:
    X, y = data
    train, test = slice(0, 100), slice(100, None)
    alphas = [1.0, 1e-4, 1e-2]
    fits = [wm.fit(X[train], y[train], alpha=alpha) for alpha in alphas]
    wm.plots.regularisation(*fits, X=X[train], y=y[train], X_test=X[test], y_test=y[test], measure=measure,
                            against=against, ax=ax)  # fmt: skip
    for name, rows in (("training rows", train), ("test rows", test)):
        at, value = lines(ax)[name]
        order = np.argsort(alphas)
        np.testing.assert_allclose(at, np.sort(alphas) if against == "alpha" else 1 / (100 * np.sort(alphas)))
        for k, found in zip(order, value, strict=True):
            z = y[rows] * fits[k].model.decision(X[rows])
            assert found == pytest.approx(np.mean(z < 0) if measure == "error" else np.mean(np.log1p(np.exp(-z))))


def test_margin_programmes_count_in_C(ax: Any, data: Any) -> None:
    X, y = data
    fits = [wm.soft_margin(X, y, C=C) for C in (0.5, 0.01, 5.0)]
    wm.plots.regularisation(*fits, X=X, y=y, X_test=X, y_test=y, against="C", ax=ax)
    np.testing.assert_allclose(lines(ax)["training rows"][0], [5.0, 0.5, 0.01])


def test_coefficients_are_the_largest_weights(ax: Any, data: Any) -> None:
    X, y = data
    model = wm.fit(X, y, alpha=0.01).model
    wm.plots.coefficients(model, count=3, names=list("abcde"), ax=ax)
    order = np.argsort(-np.abs(model.weights))[:3]
    np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], model.weights[order])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["abcde"[j] for j in order]
    assert [bar.get_hatch() == "///" for bar in ax.patches] == (model.weights[order] < 0).tolist()
    top, bottom = ax.get_ylim()[1], ax.get_ylim()[0]
    assert top < bottom  # the largest on top


def test_coefficients_of_several_classes_name_theirs(ax: Any, three: Any) -> None:
    X, y = three
    model = wm.fit(X, y, penalty="l1", alpha=0.02).model
    wm.plots.coefficients(model, count=50, ax=ax)
    assert len(ax.patches) == np.count_nonzero(model.W)
    for bar, text in zip(ax.patches, ax.get_yticklabels(), strict=True):
        feature, _, label = text.get_text().partition(" → ")
        assert bar.get_width() == model.W[int(feature[1:]), list(model.classes).index(label)]


def test_best_so_far_is_the_trace(ax: Any, data: Any) -> None:
    X, y = data
    options: dict[str, Any] = {"loss": "hinge", "alpha": 0.01, "solver": "sgd", "stop": "max_passes:20"}
    fits = [wm.fit(X, y, **options, schedule=f"constant:{eta}") for eta in (0.1, 0.01)]
    wm.plots.best_so_far(*fits, ax=ax, labels=["long", "short"])
    thin, thick = ax.get_lines()[::2], ax.get_lines()[1::2]
    for fit, noisy, best in zip(fits, thin, thick, strict=True):
        known = [event for event in fit.trace if np.isfinite(event.objective)]
        assert len(known) > 3
        np.testing.assert_array_equal(noisy.get_xdata(), [event.passes for event in known])
        np.testing.assert_array_equal(noisy.get_ydata(), [event.objective for event in known])
        np.testing.assert_array_equal(best.get_ydata(), [event.best for event in known])
        assert np.all(np.diff(best.get_ydata()) <= 0)
        assert noisy.get_linewidth() < best.get_linewidth()
    assert list(lines(ax)) == ["long", "short"]


def curve(seconds: Any, incumbent: Any, bound: Any) -> SimpleNamespace:
    return SimpleNamespace(seconds=seconds, incumbent=incumbent, bound=bound)


@pytest.mark.parametrize("wrapped", [False, True])
def test_fewest_is_the_search(ax: Any, wrapped: bool) -> None:
    one = curve([0, 1, 2], [9, 5, 5], [0, 3, 5])
    two = curve([0, 1], [7.5, 6], [0, 2])
    wm.plots.fewest(SimpleNamespace(trace=one) if wrapped else one, two, ax=ax, labels=["a", "b"])
    drawn = lines(ax)
    assert list(drawn) == ["a: best found (5)", "a: no fewer than", "b: best found (2 to 6)", "b: no fewer than"]
    for found, source in zip([*drawn.values()][::2], (one, two), strict=True):
        np.testing.assert_array_equal(found, [source.seconds, source.incumbent])
    for found, source in zip([*drawn.values()][1::2], (one, two), strict=True):
        np.testing.assert_array_equal(found, [source.seconds, source.bound])


def test_fewest_takes_what_the_search_returns(ax: Any) -> None:
    X, y = wm.datasets.blobs(30, 2, gap=-0.3, seed=2)
    result = wm.fewest_errors(X, y)
    wm.plots.fewest(result, ax=ax)
    found, bound = lines(ax).values()
    np.testing.assert_array_equal(found, [result.trace.seconds, result.trace.incumbent])
    np.testing.assert_array_equal(bound, [result.trace.seconds, result.trace.bound])
    assert found[1][-1] == result.weight


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (curve([0, 1], [5, 4], [0, 6]), wm.errors.InputError, "a bound of 6 above 4 errors"),
        (curve([0, 1], [5, 4, 3], [0, 1]), wm.errors.InputError, "one length"),
        (curve([], [], []), wm.errors.InputError, "one length"),
        (SimpleNamespace(seconds=[0]), wm.errors.InputTypeError, "no incumbent, bound"),
        (7, wm.errors.InputTypeError, "int has no seconds"),
    ],
)
def test_a_search_that_makes_no_sense_is_told(given: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        wm.plots.fewest(given)
