"""Pictures of learning: the hyperplanes between updates come from the record of the solver, and must agree with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widemargin as wm
from drawn import hyperplanes, lines
from widemargin.plots.replay import record, updates

pytest.importorskip("matplotlib")

STEPS: dict[str, Any] = {"solver": "perceptron", "trace": "steps"}


@pytest.mark.parametrize("d", [2, 7])
@pytest.mark.parametrize("schedule", ["constant:1", "constant:0.1", "harmonic"])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_replay_ends_at_the_model(d: int, schedule: str, intercept: bool) -> None:
    X, y = wm.datasets.blobs(80, d, gap=-0.3)
    fit = wm.fit(X, y, **STEPS, schedule=schedule, intercept=intercept, stop="max_passes:5")
    kept = record(fit, X, y)
    ways = list(updates(kept))
    assert len(ways) == np.sum(fit.trace.steps.before <= 0) + 1 > 10
    np.testing.assert_allclose(ways[-1].w, fit.model.weights, rtol=1e-10, atol=1e-12)
    assert ways[-1].b == pytest.approx(fit.model.intercept, abs=1e-12)


def test_the_replay_starts_where_a_warm_fit_did() -> None:
    X, y = wm.datasets.blobs(80, 3, gap=-0.3)
    start = wm.fit(X, y, alpha=0.1).model
    fit = wm.fit(X, y, **STEPS, warm=start, stop="max_passes:2")
    *_, last = updates(record(fit, X, y, start))
    np.testing.assert_allclose(last.w, fit.model.weights, rtol=1e-10)
    with pytest.raises(wm.errors.InputError, match="start= where the fit was warm"):
        list(updates(record(fit, X, y)))


def test_other_losses_without_penalty_are_replayed_too() -> None:
    X, y = wm.datasets.blobs(50, 3, gap=-0.3)
    fit = wm.fit(X, y, loss="hinge", alpha=0, solver="sgd", schedule="constant:0.1", trace="steps", stop="max_passes:3")
    assert len(list(updates(record(fit, X, y)))) > 10  # every recorded margin came out again


def test_votes_and_steps_tell_the_same_story() -> None:
    X, y = wm.datasets.blobs(60, 2, gap=-0.2)
    plain = wm.fit(X, y, **STEPS, seed=3, stop="max_passes:2")
    voted = wm.fit(X, y, solver=wm.solvers["perceptron"](variant="voted"), seed=3, stop="max_passes:2")
    for a, b in zip(updates(record(plain, X, y)), updates(record(voted, X, y)), strict=True):
        assert a.row == b.row
        np.testing.assert_allclose(a.w, b.w, atol=1e-12)


def test_progress_draws_one_update(ax: Any) -> None:
    X, y = wm.datasets.blobs(30, 2, gap=0.3, seed=11)
    fit = wm.fit(X, y, **STEPS)
    ways = list(updates(record(fit, X, y)))
    wm.plots.progress(fit, X, y, update=3, ax=ax)
    for way, ends in zip(ways[2:4], hyperplanes(ax), strict=True):
        np.testing.assert_allclose(np.array(ends) @ way.w + way.b, 0, atol=1e-10)
    x, c = X[ways[3].row], y[ways[3].row]
    assert c * (x @ ways[2].w + ways[2].b) <= 0
    np.testing.assert_allclose(ways[3].w - ways[2].w, c * x)
    ring = next(line for line in ax.get_lines() if line.get_fillstyle() == "none")
    np.testing.assert_array_equal(np.ravel(ring.get_xydata()), x)


def test_progress_draws_all_and_ends_at_the_model(ax: Any) -> None:
    X, y = wm.datasets.blobs(30, 2, gap=0.3, seed=11)
    fit = wm.fit(X, y, **STEPS)
    wm.plots.progress(fit, X, y, ax=ax)
    np.testing.assert_allclose(fit.model.decision(np.array(hyperplanes(ax)[-1])), 0, atol=1e-9)
    assert 2 <= len(hyperplanes(ax)) <= 12


@pytest.mark.parametrize("d", [2, 30])
def test_mistakes_are_counted_on_all_rows(ax: Any, d: int) -> None:
    X, y = wm.datasets.blobs(100, d, gap=-0.4)
    fit = wm.fit(X, y, **STEPS, stop="max_passes:4")
    wm.plots.mistakes(fit, X, y, ax=ax)
    at, wrong = lines(ax)["after this update"]
    ways = list(updates(record(fit, X, y)))
    np.testing.assert_allclose(wrong, [np.mean(y * (X @ ways[k].w + ways[k].b) <= 0) for k in at])
    assert wrong[0] == 1  # w = 0: every margin is 0
    assert at[-1] == len(ways) - 1
    assert wrong[-1] == pytest.approx(fit.trace[-1].errors)
    np.testing.assert_array_equal(lines(ax)["best so far"][1], np.minimum.accumulate(wrong))


def test_wrong_rows_do_not_pass_for_the_right_ones() -> None:
    X, y = wm.datasets.blobs(60, 2, gap=-0.2)
    fit = wm.fit(X, y, **STEPS, stop="max_passes:2")
    for bad in (X[::-1], X + 1e-3, X * 2):
        with pytest.raises(wm.errors.InputError, match="these rows give"):
            wm.plots.mistakes(fit, bad, y)
    with pytest.raises(wm.errors.InputError, match="labels exchanged"):
        wm.plots.mistakes(fit, X, -y)
    with pytest.raises(wm.errors.InputError, match="these rows give"):
        wm.plots.mistakes(wm.fit(X, y, **STEPS, sample_weight=np.linspace(1, 3, 60), stop="max_passes:2"), X, y)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda X, y: wm.plots.progress(wm.fit(X, y), X, y), wm.errors.Refusal, "did not record its updates"),
        (lambda X, y: wm.plots.progress(wm.fit(X, y).model, X, y), wm.errors.InputTypeError, "got Model"),
        (lambda X, y: wm.plots.progress(wm.fit(X, y, **STEPS), X, y, update=10**6), wm.errors.OptionError, "fit made"),
        (lambda X, y: wm.plots.progress(wm.fit(X, y, **STEPS), X, y, update=0), wm.errors.OptionError, "whole number"),
        (lambda X, y: wm.plots.progress(wm.fit(X, y, **STEPS), X[:3], y[:3]), wm.errors.InputError, "X has 3 rows"),
        (lambda X, y: wm.plots.progress(wm.fit(X, y, **STEPS), X[:, :1], y), wm.errors.InputError, "1 columns"),
        (
            lambda X, y: wm.plots.progress(wm.fit(np.tile(X, 2), y, **STEPS), np.tile(X, 2), y),
            wm.errors.Refusal, "plots.mistakes",
        ),
        (
            lambda X, y: wm.plots.mistakes(
                wm.fit(X, y, loss="hinge", solver="sgd", trace="steps", stop="max_passes:2"), X, y
            ),
            wm.errors.Refusal, "without penalty",
        ),
    ],
)  # fmt: skip
def test_errors(call: Any, error: type[Exception], text: str) -> None:
    X, y = wm.datasets.blobs(40, 2, gap=0.5)
    with pytest.raises(error, match=text):
        call(X, y)


def test_a_thinned_record_is_refused() -> None:
    X, y = wm.datasets.blobs(400, 2, gap=-1)
    fit = wm.fit(X, y, **STEPS, stop="max_passes:300")
    assert fit.trace.steps.every > 1
    with pytest.raises(wm.errors.Refusal, match="fit fewer passes"):
        wm.plots.mistakes(fit, X, y)
