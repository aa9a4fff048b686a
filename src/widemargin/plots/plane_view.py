"""The hyperplane w.x + b = 0, its margins w.x + b = -t and t, the rows that hold it, and how far some fall short.

Slack: xi_i = (t - y_i (w.x_i + b))+, drawn along w with length xi_i / ||w||.  Cortes, Vapnik 1995.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64
from widemargin.errors import InputError, Refusal
from widemargin.model import Model
from widemargin.plots.reading import describe, feature, model_of, norm_of, numbers_of, rows_of
from widemargin.plots.scene import Scene, dense, hyperplane, scale, scatter, scene
from widemargin.plots.style import axes, foreground, frame, grey, legend, marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEAR = 1e-3  # a row whose margin is this close to the threshold lies on it
FEW = 400  # slacks drawn unasked
RINGS = 100  # around support vectors: more are drawn small
PIXELS = 300  # along each side where regions are coloured


class Held(NamedTuple):
    """What holds a hyperplane: rows with a loss or on its edge, and how far each row falls short."""

    height: float  # of the margin lines: 1 for hinges
    support: I64
    slacks: F64


def boundary(fit: Any, X: Any, y: Any, *, ax: Axes | None = None, slacks: bool | None = None) -> Axes:
    """Draw the decision boundary among the rows, with margins, support vectors and slacks where the loss has them.

    Takes what wm.fit, wm.hard_margin and wm.soft_margin return, or a model.  Two features are drawn as they are; of
    more, the plane along w and the direction in which the rows vary most across it: distances from the boundary
    are exact.  Several classes are drawn as regions of two features.
    """
    model = model_of(fit)
    if len(model.b) > 1:
        return _regions(model, X, y, ax)
    view = scene(model, X, y)
    held = holding(fit, model, view)
    ax = axes(ax)
    scatter(ax, view.points, view.numbers, model)
    scale(ax, view.points)
    hyperplane(ax, view.w, view.b, color=foreground(ax), linewidth=2.0, label="w·x + b = 0")
    below = _named(fit, model)
    if held is not None:
        _margins(ax, view, held, len(held.slacks.nonzero()[0]) <= FEW if slacks is None else slacks)
        below = f"{below}: half the street is {held.height:g}/‖w‖ = {held.height / norm_of(model):.3g} wide"
    legend(ax, "below")
    frame(ax, title="The boundary and what holds it" if held else "The decision boundary", below=below,
          x=view.names[0], y=view.names[1])  # fmt: skip
    return ax


def _named(fit: Any, model: Model) -> str:
    """What was fitted: of a margin programme its kind, and C where it has one."""
    if getattr(fit, "support", None) is None or not hasattr(fit, "kind"):
        return describe(model)
    strength = getattr(fit, "C", np.inf)
    return f"{fit.kind} margin" + (f", C = {strength:g}" if np.isfinite(strength) else "")


def holding(fit: Any, model: Model, view: Scene) -> Held | None:
    """From a result that says its support and slacks; else from the loss: rows up to where it is 0.

    None for losses that never are, such as the logistic: every row holds the boundary.
    """
    signs = np.where(view.numbers == 1, 1.0, -1.0)
    z = signs * (view.points @ view.w + view.b)
    if getattr(fit, "support", None) is not None:
        support = np.asarray(fit.support)
        if support.size and support.max() >= len(z):
            raise InputError(
                f"the support vectors include row {support.max()}, and X has {len(z)}: pass the training X."
            )
        given = getattr(fit, "slacks", None)
        xi = np.maximum(1.0 - z, 0.0) if given is None else np.asarray(given, dtype=float)
        if xi.shape != z.shape:
            raise InputError(f"the result has {xi.size} slacks, and X has {len(z)} rows: pass the training X.")
        return Held(1.0, support, np.where(xi > NEAR, xi, 0.0))
    t = model.loss.threshold
    if not np.isfinite(t) or t <= 0:
        return None
    return Held(t, np.flatnonzero(z <= t * (1 + NEAR)), np.where(z < t * (1 - NEAR), t - z, 0.0))


def _margins(ax: Axes, view: Scene, held: Held, slacks: bool) -> None:
    """Two dashed lines, rings around what holds them, and how far rows are on the wrong side of theirs."""
    for sign in (-1, 1):
        text = f"w·x + b = ±{held.height:g}" if sign > 0 else None
        hyperplane(ax, view.w, view.b, sign * held.height, color=grey(ax), linewidth=1.1, linestyle=(0, (5, 3)),
                   label=text)  # fmt: skip
    ring = view.points[held.support]
    few = len(ring) <= RINGS
    ax.plot(*ring.T, "o", color=foreground(ax), fillstyle="none", markersize=10 if few else 6, mew=1.2 if few else 0.5,
            zorder=3, label=f"support vectors ({len(ring)})")  # fmt: skip
    if not slacks or not held.slacks.any():
        return
    from matplotlib.collections import LineCollection

    short = np.flatnonzero(held.slacks)
    ways = slack_lines(view, held)
    lines = LineCollection([*ways], colors=[grey(ax)], linewidths=1.0, zorder=1, label=f"slacks ξ ({len(short)})")
    ax.add_collection(lines, autolim=False)


def slack_lines(view: Scene, held: Held) -> F64:
    """(slacks, 2, 2): from each row that falls short to the margin line of its class, along w."""
    short = np.flatnonzero(held.slacks)
    signs = np.where(view.numbers[short] == 1, 1.0, -1.0)
    way = (signs * held.slacks[short])[:, None] * view.w / (view.w @ view.w)
    return np.stack([view.points[short], view.points[short] + way], axis=1)


def _regions(model: Model, X: Any, y: Any, ax: Axes | None) -> Axes:
    """Where each of several classes is predicted."""
    rows = rows_of(model, X)
    own = numbers_of(model, y, rows.n)
    if rows.d != 2:
        raise Refusal(
            f"regions of {len(model.b)} classes are drawn for two features, and there are {rows.d}: choose two "
            "columns, or fit one class against the rest, as in wm.fit(X, y == label)."
        )
    points, ax = dense(rows), axes(ax)
    scatter(ax, points, own, model)
    scale(ax, points)
    u, v = np.linspace(*ax.get_xlim(), PIXELS), np.linspace(*ax.get_ylim(), PIXELS)
    grid = np.stack(np.meshgrid(u, v), axis=-1)
    scores = grid @ model.W + model.b
    colours = [marker(k, ax)["color"] for k in range(len(model.classes))]
    ax.contourf(u, v, scores.argmax(axis=-1), levels=np.arange(len(colours) + 1) - 0.5, colors=colours, alpha=0.2)
    for k in range(len(colours)):
        lead = scores[..., k] - np.delete(scores, k, axis=-1).max(axis=-1)
        ax.contour(u, v, lead, levels=[0.0], colors=[foreground(ax)], linewidths=1.2)
    legend(ax, "below")
    frame(ax, title="Where each class is predicted", below=describe(model), x=feature(model, 0), y=feature(model, 1))
    return ax
