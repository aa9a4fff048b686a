"""Paths, cross-validation, intervals and thresholds: what is drawn is what was computed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import widemargin as wm
from widemargin.errors import InputError, InputTypeError, OptionError, Refusal


def rows(classes: int = 2) -> Any:
    random = np.random.default_rng(0)
    X = random.standard_normal((200, 12))
    f = X[:, :3] @ np.array([2.0, -1.0, 0.5]) + random.logistic(size=200)
    return X, np.searchsorted(np.quantile(f, np.arange(1, classes) / classes), f)


def line_named(ax: Any, name: str) -> Any:
    return next(line for line in ax.get_lines() if line.get_label().startswith(name))


@pytest.mark.parametrize("classes", [2, 3])
def test_a_path_is_its_weights(classes: int, ax: Any) -> None:
    X, y = rows(classes)
    path = wm.path(X, y, n_alphas=8, ratio=0.05)
    label = None if classes == 2 else 1
    W = path.coefficients if classes == 2 else path.coefficients[:, :, 1]
    wm.plots.coefficient_path(path, label=label, count=2, ax=ax)
    top = np.argsort(-np.abs(W).max(axis=0))[:2]
    for j in top:
        drawn = line_named(ax, f"x{j}")
        np.testing.assert_array_equal(drawn.get_ydata(), W[:, j])
        np.testing.assert_array_equal(drawn.get_xdata(), path.alphas)
    faint = [line for line in ax.get_lines() if line.get_label().startswith("_") and len(line.get_ydata()) == 8]
    assert len(faint) == np.count_nonzero(W.any(axis=0)) - 2
    assert ax.xaxis_inverted()
    with pytest.raises(OptionError, match="label"):
        wm.plots.coefficient_path(path, label=0 if classes == 2 else 9, ax=ax)


def test_cross_validation_marks_both_rules(ax: Any) -> None:
    X, y = rows()
    found = wm.cross_validate(X, y, n_alphas=8, ratio=0.01)
    wm.plots.cross_validation(found, ax=ax)
    np.testing.assert_array_equal(line_named(ax, "mean of 5 folds").get_ydata(), found.mean)
    assert line_named(ax, "best").get_xdata()[0] == found.alphas[found.best]
    assert line_named(ax, "one standard").get_xdata()[0] == found.alphas[found.one_se]
    low, high = ax.collections[0].get_datalim(ax.transData).intervaly
    assert low == pytest.approx((found.mean - found.standard_error).min())
    assert high == pytest.approx((found.mean + found.standard_error).max())


def test_intervals_that_hold_zero_are_hollow(ax: Any) -> None:
    X, y = rows()
    found = wm.infer(wm.fit(X, y, penalty="none"), X, y)
    wm.plots.intervals(found, names=list("abcdefghijkl"), ax=ax)
    segments = np.array(ax.collections[0].get_segments())
    np.testing.assert_allclose(segments[:, :, 0], found.intervals)
    filled, hollow = (line for line in ax.get_lines() if line.get_marker() == "o")
    apart = found.intervals[:, 0] * found.intervals[:, 1] > 0
    np.testing.assert_array_equal(filled.get_xdata(), found.estimates[apart])
    np.testing.assert_array_equal(hollow.get_xdata(), found.estimates[~apart])
    assert hollow.get_markerfacecolor() == "none"
    assert [text.get_text() for text in ax.get_yticklabels()] == [*"abcdefghijkl", "intercept"]


@pytest.mark.parametrize("asked", [{"metric": "f1"}, {"cost": [[0, 1], [5, 0]]}])
def test_thresholds_show_the_choice_and_what_to_expect(asked: Any, ax: Any) -> None:
    X, y = rows()
    decision = wm.tune_threshold(wm.cross_fit(X, y, alpha=0.01), **asked)
    wm.plots.thresholds(decision, ax=ax)
    curve = line_named(ax, "on the rows")
    np.testing.assert_array_equal(curve.get_xdata(), decision.thresholds)
    np.testing.assert_array_equal(curve.get_ydata(), decision.values)
    best = (min if "cost" in asked else max)(decision.values)
    at = int(np.argmin(np.abs(decision.thresholds - decision.threshold)))
    assert decision.values[at] == pytest.approx(best) == decision.apparent
    assert line_named(ax, "chosen").get_xdata()[0] == decision.threshold
    low, high = ax.get_xlim()
    assert low < min(0, decision.threshold)
    assert high > max(0, decision.threshold)


def test_errors() -> None:
    X, y = rows(3)
    fit = wm.fit(X, y)
    for picture in ("coefficient_path", "cross_validation", "intervals", "thresholds"):
        with pytest.raises(InputTypeError, match="Fit; expected what widemargin"):
            getattr(wm.plots, picture)(fit)
    with pytest.raises(Refusal, match="two classes"):
        wm.plots.thresholds(wm.tune_threshold(wm.cross_fit(X, y)))
    with pytest.raises(InputError, match="2 names for 12 columns"):
        wm.plots.coefficient_path(wm.path(X, y > 0, n_alphas=2), names=["a", "b"])
    found = wm.infer(wm.fit(X, y > 0, penalty="none"), X, y > 0)
    with pytest.raises(InputError, match="1 names for 13"):
        wm.plots.intervals(found, names=["a"])
    assert replace(found, level=0.5).intervals.shape == (13, 2)
