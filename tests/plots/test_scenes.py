"""Pictures of rows and hyperplanes: every line lies where w.x + b says, in two dimensions and in many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

import widemargin as wm
from drawn import hyperplanes, lines
from widemargin.plots.scene import scene

pytest.importorskip("matplotlib")


def slack_ways(ax: Any) -> np.ndarray:
    """(slacks, 2, 2): the ends of each."""
    return np.array([way for found in ax.collections for way in found.get_segments()])


@pytest.mark.parametrize("loss", [name for name, loss in wm.losses.items() if loss.convex])
def test_lines_lie_where_the_score_is_0_and_at_the_margin(ax: Any, loss: str) -> None:
    X, y = wm.datasets.blobs(60, 2, gap=-0.2)
    options = {"solver": "perceptron", "stop": "max_passes:3"} if loss == "perceptron" else {"alpha": 0.05}
    model = wm.fit(X, y, loss=loss, **options).model
    wm.plots.boundary(model, X, y, ax=ax)
    t = wm.losses[loss].threshold
    heights = [0.0, -t, t] if 0 < t < np.inf else [0.0]
    drawn = hyperplanes(ax)
    assert len(drawn) == len(heights)
    for ends, height in zip(drawn, heights, strict=True):
        np.testing.assert_allclose(np.array(ends) @ model.weights + model.intercept, height, atol=1e-12)


def test_support_vectors_and_slacks_of_a_hinge_are_its_margins(ax: Any) -> None:
    X, y = wm.datasets.blobs(60, 2, gap=-0.2)
    model = wm.fit(X, y, loss="hinge", alpha=0.05).model
    wm.plots.boundary(model, X, y, ax=ax)
    z = y * model.decision(X)
    ringed = np.column_stack(lines(ax)[f"support vectors ({np.sum(z <= 1.001)})"])
    np.testing.assert_array_equal(ringed, X[z <= 1.001])
    ways, short = slack_ways(ax), np.flatnonzero(z < 0.999)
    assert len(ways) == len(short) > 5
    np.testing.assert_array_equal(ways[:, 0], X[short])
    np.testing.assert_allclose(y[short] * model.decision(ways[:, 1]), 1, atol=1e-12)
    lengths = np.linalg.norm(ways[:, 1] - ways[:, 0], axis=1)
    np.testing.assert_allclose(lengths, (1 - z[short]) / np.linalg.norm(model.weights))


@pytest.mark.parametrize("C", [0.3, 10.0, np.inf])
def test_a_margin_programme_shows_its_own_support_and_slacks(ax: Any, C: float) -> None:
    X, y = wm.datasets.blobs(50, 2, gap=0.4)
    result = wm.soft_margin(X, y, C=C) if np.isfinite(C) else wm.hard_margin(X, y)
    wm.plots.boundary(result, X, y, ax=ax)
    ringed = np.column_stack(lines(ax)[f"support vectors ({len(result.support)})"])
    np.testing.assert_array_equal(ringed, X[result.support])
    short = np.flatnonzero(result.slacks > 1e-3)
    ways = slack_ways(ax)
    assert len(ways) == len(short)
    for way, i in zip(ways, short, strict=True):
        assert np.linalg.norm(way[1] - way[0]) == pytest.approx(result.slacks[i] * result.margin)
    said = "hard margin" if np.isinf(C) else f"soft margin, C = {C:g}"
    assert f"{said}: half the street is 1/‖w‖ = {result.margin:.3g} wide" in [text.get_text() for text in ax.texts]


def test_the_hard_margin_leaves_nothing_in_the_street(ax: Any) -> None:
    X, y = wm.datasets.blobs(50, 2, gap=0.4)
    wm.plots.boundary(wm.hard_margin(X, y), X, y, ax=ax)
    (middle, *_), lower, upper = hyperplanes(ax)
    normal = np.array(upper[0]) - np.array(lower[0])
    half = np.linalg.norm(normal) / 2
    distance = (X - middle) @ normal / np.linalg.norm(normal)
    assert np.abs(distance).min() >= half * (1 - 1e-6)


@pytest.mark.parametrize("d", [1, 2, 3, 40])
@pytest.mark.parametrize("sparse", [False, True])
def test_in_the_plane_of_a_picture_the_score_is_exact(d: int, sparse: bool) -> None:
    X, y = wm.datasets.blobs(50, d, gap=-0.5, seed=2)
    X = csr_array(X) if sparse else X
    model = wm.fit(X, y, alpha=0.01).model
    view = scene(model, X, y)
    np.testing.assert_allclose(view.points @ view.w + view.b, model.decision(X), atol=1e-12)
    if d == 2:
        np.testing.assert_array_equal(view.points, X.toarray() if sparse else X)


def test_the_second_direction_is_the_widest_across_w() -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((400, 6)) * [9, 2, 4, 1, 1, 1] + 7.0  # widest of all is w itself
    y = np.where(X[:, 0] > 7, 1, -1)
    model = wm.fit(X, y, alpha=0.01).model
    across = scene(model, X, y).points[:, 1]
    w = model.weights / np.linalg.norm(model.weights)
    rest = X - np.outer(X @ w, w)
    widest = np.linalg.eigvalsh(np.cov(rest.T, bias=True))[-1]
    assert np.var(across) == pytest.approx(widest, rel=1e-6)


def test_text_is_drawn_without_becoming_dense(ax: Any) -> None:
    random = np.random.default_rng(0)
    X = random_array((300, 50_000), density=4e-4, rng=random, format="csr")
    y = np.where(random.random(300) < 0.5, "a", "b")
    wm.plots.boundary(wm.fit(X, y, loss="hinge", alpha=0.01), X, y, ax=ax)
    assert sum(len(x) for label, (x, _) in lines(ax).items() if label[0] in "ab") == 300


def test_rows_that_do_not_vary_across_w_are_drawn(ax: Any) -> None:
    X = np.outer([1.0, 2.0, -1.0, -3.0], [1.0, 2.0, 3.0])
    wm.plots.boundary(wm.fit(X, [1, 1, 0, 0], loss="hinge", alpha=0.1), X, [1, 1, 0, 0], ax=ax)
    assert all(np.isfinite(points).all() for pair in lines(ax).values() for points in pair)


def test_regions_are_what_is_predicted(ax: Any) -> None:
    random = np.random.default_rng(1)
    label = np.arange(90) % 3
    X = random.standard_normal((90, 2)) + 3 * np.array([[0, 0], [1, 0], [0, 1]])[label]
    y = np.array(["x", "y", "z"])[label]
    model = wm.fit(X, y).model
    wm.plots.boundary(model, X, y, ax=ax)
    assert list(lines(ax)) == ["x (30)", "y (30)", "z (30)"]
    (filled,) = (c for c in ax.collections if getattr(c, "filled", False))
    paths, points = filled.get_paths(), X + 0.01
    inside = np.array([path.contains_points(points) for path in paths]).T
    scores = np.sort(model.decision(points), axis=1)
    clear = scores[:, -1] - scores[:, -2] > 0.2
    np.testing.assert_array_equal(model.classes[inside.argmax(axis=1)][clear], model.predict(points)[clear])
    assert clear.sum() > 60


def test_hyperplanes_say_their_margin_and_the_widest_is_strongest(ax: Any) -> None:
    X, y = wm.datasets.blobs(40, 2, gap=0.5, seed=5)
    best, other = wm.hard_margin(X, y), wm.fit(X, y, solver="perceptron", seed=1)
    wm.plots.hyperplanes(other, best, X=X, y=y, ax=ax, labels=["perceptron", "widest"])
    thin, strong = (line for line in ax.get_lines() if hasattr(line, "get_xy1"))
    assert strong.get_linewidth() > thin.get_linewidth()
    assert strong.get_label() == f"widest: margin {best.margin:.3g}"
    margin = np.min(y * other.model.decision(X)) / np.linalg.norm(other.model.weights)
    assert thin.get_label() == f"perceptron: margin {margin:.3g}"
    assert 0 < margin < best.margin


@pytest.mark.parametrize("rows", [np.arange(50, 54), np.arange(54) >= 50, [50, 51, 52, 53]])
def test_outliers_are_ringed_among_the_lines(ax: Any, rows: Any) -> None:
    X, y = wm.datasets.blobs(50, 2, gap=1.0)
    X, y = np.vstack([X, np.full((4, 2), 9.0)]), np.append(y, [1, 1, 1, 1])
    fits = [wm.fit(X, y, loss=loss, alpha=0.01) for loss in ("squared", "logistic")]
    wm.plots.outliers(*fits, X=X, y=y, rows=rows, ax=ax)
    np.testing.assert_array_equal(np.column_stack(lines(ax)["outliers"]), X[50:])
    for fit, ends in zip(fits, hyperplanes(ax), strict=True):
        np.testing.assert_allclose(fit.model.decision(np.array(ends)), 0, atol=1e-12)
