"""Pictures over two parameters: contours of what was minimised, where they are touched, how they are descended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widemargin as wm
from drawn import contour_levels, lines

pytest.importorskip("matplotlib")


PENALTIES = ("l1", "l2", "elastic_net:0.5", "p_norm:1.5", "max_norm")
PAIRS = [  # a kink in both is for solvers that certify slowly
    (loss, penalty)
    for loss in ("logistic", "squared_hinge", "hinge")
    for penalty in PENALTIES
    if wm.losses[loss].smooth or penalty in ("l1", "l2")
]


def data(seed: int = 2) -> tuple[Any, Any]:
    return wm.datasets.blobs(120, 2, gap=-0.6, seed=seed)


def mean_loss(name: str, X: Any, y: Any, w: Any, b: float = 0.0) -> float:
    return float(np.mean(wm.losses[name].value(y * (X @ w + b))))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("loss", "penalty"), PAIRS)
def test_the_level_set_touches_the_contour_and_nothing_below_it(
    ax: Any, penalty: str, loss: str, intercept: bool
) -> None:
    X, y = data()
    fit = wm.fit(X, y, loss=loss, penalty=penalty, alpha=0.08, intercept=intercept, tol=1e-8)
    wm.plots.first_touch(fit, X, y, ax=ax)
    w, b = fit.model.weights, fit.model.intercept
    R, touched = wm.penalties.get(penalty.partition(":")[0]), mean_loss(loss, X, y, w, b)
    R = R(penalty.partition(":")[2]) if ":" in penalty else R
    (boundary,) = (np.column_stack(line) for label, line in lines(ax).items() if label.startswith("R(w)"))
    np.testing.assert_allclose([R.value(v) for v in boundary], R.value(w), rtol=1e-9)
    assert min(mean_loss(loss, X, y, v, b) for v in boundary) >= touched * (1 - 1e-5)
    found = [points for level, points in contour_levels(ax) if level == pytest.approx(touched)]
    assert len(found) == 1
    nearest = np.linalg.norm(found[0] - w, axis=1).min()
    assert nearest <= 0.05 * np.linalg.norm(w)


def test_contours_are_the_mean_loss(ax: Any) -> None:
    X, y = data()
    weights = np.linspace(0.5, 2, len(y))
    fit = wm.fit(X, y, alpha=0.1, sample_weight=weights)
    wm.plots.first_touch(fit, X, y, sample_weight=weights, ax=ax)
    drawn = contour_levels(ax)
    assert len(drawn) > 5
    for level, points in drawn:
        z = y[:, None] * (X @ points.T + fit.model.intercept)
        np.testing.assert_allclose(weights @ np.log1p(np.exp(-z)) / weights.sum(), level, rtol=2e-3)


def test_a_zero_is_named(ax: Any) -> None:
    X, y = wm.datasets.blobs(200, 2, gap=-0.6, seed=2)
    free = wm.fit(X, y, alpha=0, intercept=False)
    for penalty, zeros in (("l1", 1), ("l2", 0)):
        fit = wm.fit(X, y, penalty=penalty, alpha=0.1, intercept=False, tol=1e-10)
        assert np.sum(fit.model.weights == 0) == zeros
        ax.clear()
        wm.plots.first_touch(fit, X, y, unpenalised=free, ax=ax)
        label = next(name for name in lines(ax) if name.startswith("first touch"))
        assert label == ("first touch, w₁ = 0" if zeros else "first touch")
        np.testing.assert_array_equal(np.ravel(lines(ax)[label]), fit.model.weights)
        np.testing.assert_array_equal(np.ravel(lines(ax)["without penalty"]), free.model.weights)


@pytest.mark.parametrize("eta", [0.01, 0.2, 3.0])
def test_descent_is_the_way_that_was_gone(ax: Any, eta: float) -> None:
    X, y = data()
    events: list[Any] = []
    fit = wm.fit(X, y, loss="squared", alpha=0.05, intercept=False, solver="gd", schedule=f"constant:{eta}",
                 stop="max_passes:12", on_event=events.append)  # fmt: skip
    wm.plots.descent(fit, events, X, y, ax=ax)
    u, v = lines(ax)[f"{len(events)} steps"]
    near = len(u)
    assert near == len(events) + 1 or eta > 1
    np.testing.assert_array_equal(np.column_stack([u, v])[0], [0, 0])
    np.testing.assert_array_equal(np.column_stack([u, v])[1:], [event.W[:, 0] for event in events][: near - 1])
    for level, points in contour_levels(ax):
        z = y[:, None] * (X @ points.T)
        P = np.mean((1 - z) ** 2, axis=0) + 0.025 * (points**2).sum(axis=1)
        np.testing.assert_allclose(P, level, rtol=2e-2)


def test_descent_in_one_weight_and_its_intercept(ax: Any) -> None:
    X, y = wm.datasets.blobs(60, 1, gap=-0.5)
    start = wm.fit(X, y, alpha=10.0).model
    events: list[Any] = []
    fit = wm.fit(X, y, alpha=0.1, solver="gd", schedule="constant:0.5", stop="max_passes:8", warm=start,
                 on_event=events.append)  # fmt: skip
    best = wm.fit(X, y, alpha=0.1)
    wm.plots.descent(fit, events, X, y, start=start, optimum=best, ax=ax)
    drawn = lines(ax)
    way = np.column_stack(drawn[f"{len(events)} steps"])
    np.testing.assert_array_equal(way[0], [start.weights[0], start.intercept])
    np.testing.assert_array_equal(way[-1], [events[-1].W[0, 0], events[-1].b[0]])
    np.testing.assert_array_equal(np.ravel(drawn["optimum"]), [best.model.weights[0], best.model.intercept])
    assert ax.get_ylabel() == "b"


def test_step_sizes_are_the_traces(ax: Any) -> None:
    X, y = data()
    goal: dict[str, Any] = {"loss": "squared", "alpha": 0.05}
    fits = [
        wm.fit(X, y, **goal, solver="gd", schedule=f"constant:{eta}", stop="max_passes:40") for eta in (0.01, 0.2, 9)
    ]
    optimum = wm.fit(X, y, **goal, tol=1e-12)
    wm.plots.step_sizes(*fits, optimum=optimum, ax=ax)
    lowest = min(event.best for fit in [*fits, optimum] for event in fit.trace)
    assert list(lines(ax)) == ["η = 0.01", "η = 0.2", "η = 9"]
    for fit, (step, above) in zip(fits, lines(ax).values(), strict=True):
        known = [event for event in fit.trace if np.isfinite(event.objective)]
        np.testing.assert_array_equal(step, [event.iteration for event in known])
        np.testing.assert_allclose(above, [max(event.objective - lowest, 1e-14 * lowest) for event in known])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda X, y, fit: wm.plots.first_touch(wm.fit(X, y, alpha=0), X, y), wm.errors.Refusal, "nothing touches"),
        (
            lambda X, y, fit: wm.plots.first_touch(wm.fit(X, y, penalty="l1", alpha=9), X, y),
            wm.errors.Refusal,
            "smaller",
        ),
        (lambda X, y, fit: wm.plots.first_touch(fit, X[:, :1], y), wm.errors.InputError, "X has 1 columns"),
        (lambda X, y, fit: wm.plots.first_touch(fit.model, X, y), wm.errors.Refusal, "Model has none"),
        (lambda X, y, fit: wm.plots.first_touch(wm.fit(X[:, :1], y), X[:, :1], y), wm.errors.Refusal, "never sees"),
        (
            lambda X, y, fit: wm.plots.first_touch(wm.fit(np.tile(X, 2), y), np.tile(X, 2), y),
            wm.errors.Refusal,
            "has 4",
        ),
        (lambda X, y, fit: wm.plots.descent(fit, [], X, y), wm.errors.Refusal, "beside its intercept"),
        (lambda X, y, fit: wm.plots.descent(wm.fit(X, y, intercept=False), [], X, y), wm.errors.InputError, "on_event"),
        (lambda X, y, fit: wm.plots.step_sizes(), wm.errors.InputError, "without fits"),
        (lambda X, y, fit: wm.plots.step_sizes(fit, wm.fit(X, y, alpha=9)), wm.errors.Refusal, "different objectives"),
        (lambda X, y, fit: wm.plots.step_sizes(fit.model), wm.errors.InputTypeError, "got Model, which has none"),
    ],
)
def test_errors(call: Any, error: type[Exception], text: str) -> None:
    X, y = data()
    with pytest.raises(error, match=text):
        call(X, y, wm.fit(X, y, alpha=0.1))


def test_events_of_a_trace_hold_no_weights() -> None:
    X, y = data()
    fit = wm.fit(X, y, intercept=False, solver="gd", stop="max_passes:30")
    assert len(fit.trace) > 1
    with pytest.raises(wm.errors.InputError, match=r"on_event=events\.append"):
        wm.plots.descent(fit, fit.trace.events, X, y)
