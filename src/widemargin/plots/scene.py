"""Rows in two dimensions in which w.x + b is exact: the two features, or along w and the widest direction across it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64
from widemargin.data.rows import Rows
from widemargin.model import Model
from widemargin.plots.reading import feature, norm_of, numbers_of, rows_of, scores_of
from widemargin.plots.style import marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TURNS = 60  # power iterations: the picture needs a wide direction, not the widest to the last digit
SQUARE = 4.0  # spans that differ by less are drawn to one scale, so that what is perpendicular looks so
THIN = 0.75  # the shorter side of such a picture, at least
ROOM = 0.08  # around the points, as a share
MANY = 2000  # points: more are drawn small


class Scene(NamedTuple):
    """points.w + b = w.x + b of the model, for every row."""

    points: F64  # (n, 2)
    w: F64  # (2,)
    b: float
    numbers: I64  # class numbers
    names: tuple[str, str]


def scene(model: Model, X: Any, y: Any) -> Scene:
    """The rows as points of a plane, and the hyperplane as a line in it."""
    rows = rows_of(model, X)
    own = numbers_of(model, y, rows.n)
    size = norm_of(model)
    w, b = model.W[:, 0], float(model.b[0])
    if rows.d == 2:
        return Scene(dense(rows), w, b, own, (feature(model, 0), feature(model, 1)))
    if rows.d == 1:
        share = (np.arange(rows.n) + 0.5) / rows.n
        return Scene(np.column_stack([dense(rows), share]), np.array([w[0], 0.0]), b, own,
                     (feature(model, 0), "row (in order)"))  # fmt: skip
    along = scores_of(model, rows)[:, 0] / size
    across = rows.times(widest(rows, w / size)[:, None])[:, 0]
    return Scene(np.column_stack([along, across]), np.array([size, 0.0]), 0.0, own,
                 ("signed distance (w·x + b) / ‖w‖", "widest direction across w"))  # fmt: skip


def dense(rows: Rows) -> F64:
    """The rows as an array of float64."""
    matrix = rows.matrix
    return np.asarray(matrix if isinstance(matrix, np.ndarray) else matrix.toarray(), dtype=float)


def widest(rows: Rows, u: F64) -> F64:
    """A unit vector across u along which the rows vary most: power iteration on their covariance."""
    mean = rows.transposed_times(np.full((rows.n, 1), 1.0 / rows.n))
    v = np.random.default_rng(0).standard_normal((rows.d, 1))
    for _ in range(TURNS):
        v -= u[:, None] * (u @ v)
        size = np.linalg.norm(v)
        if not size > 0:
            break
        v /= size
        moved = rows.transposed_times(rows.times(v) - mean.T @ v)
        if not np.linalg.norm(moved - u[:, None] * (u @ moved)) > 0:
            break  # the rows do not vary across u
        v = moved
    v -= u[:, None] * (u @ v)
    return np.asarray(v[:, 0] / max(float(np.linalg.norm(v)), 1e-300))


def scatter(ax: Axes, points: F64, numbers: I64, model: Model) -> None:
    """The rows of each class in its colour and shape; of two classes y = +1 comes first."""
    size = 5.0 if len(points) <= MANY else 2.5
    for k in ranked(model):
        chosen = points[numbers == k]
        text = f"{shown(model.classes[k])} ({len(chosen)})"
        ax.plot(*chosen.T, label=text, markersize=size, alpha=0.85, zorder=2, **marker(ranked(model).index(k), ax))


def ranked(model: Model) -> list[int]:
    """Class numbers in the order in which they take colours and shapes."""
    return [1, 0] if len(model.classes) == 2 else list(range(len(model.classes)))


def shown(label: Any) -> str:
    """A label as one would write it: 1, not 1.0."""
    return f"{label:g}" if isinstance(label, float | np.floating) else str(label)


def scale(ax: Axes, points: F64) -> None:
    """Limits around the points; one scale for both directions where that leaves no side too thin."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, span = (low + high) / 2, np.where(high > low, high - low, 1.0)
    if span.max() < SQUARE * span.min():
        span = np.maximum(span, THIN * span.max())
        ax.set_aspect("equal")
    half = (0.5 + ROOM) * span
    ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
    ax.set_ylim(middle[1] - half[1], middle[1] + half[1])


def hyperplane(ax: Axes, w: F64, b: float, height: float = 0.0, **style: Any) -> None:
    """The line w.p + b = height, without end."""
    foot = w * ((height - b) / (w @ w))
    ax.axline(tuple(foot), tuple(foot + np.array([-w[1], w[0]]) / np.linalg.norm(w)), **style)
