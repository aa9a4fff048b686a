"""If y (w.x + b) <= 0: w <- w + eta y x, b <- b + eta y; the perceptron's hyperplane after each of its updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.errors import OptionError, Refusal
from widemargin.model import Model
from widemargin.plots.reading import count, feature
from widemargin.plots.replay import Record, Update, record, updates
from widemargin.plots.scene import dense, hyperplane, scale, scatter
from widemargin.plots.style import axes, foreground, frame, grey, legend, mixed, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from widemargin.fitting import Fit

LINES = 12  # of all updates at once: more would cover the rows
COUNTS = 400  # updates after which the errors are counted


def progress(
    fit: Fit, X: Any, y: Any, *, update: int | None = None, start: Model | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the hyperplanes that a perceptron went through, bright to dark; or what one `update` (from 1) did.

    The fit has two features and trace="steps" (or variant="voted"); `start` is its warm model, if it had one.
    """
    kept = record(fit, X, y, start)
    if kept.rows.d != 2:
        raise Refusal(
            f"progress() shows two features, and there are {kept.rows.d}: plots.mistakes counts in any number."
        )
    last = len(kept.updated)
    if update is not None and count("update", update) > last:
        raise OptionError(f"update = {update}; the fit made {last} updates.")
    ways = list(updates(kept))
    points, ax = dense(kept.rows), axes(ax)
    scatter(ax, points, np.where(kept.y > 0, 1, 0), fit.model)
    scale(ax, points)
    if update is None:
        _all(ax, ways)
        title, below = f"{last} updates", "faint: the first hyperplanes; bold: the last"
    else:
        _one(ax, ways[update - 1], ways[update], points)
        title, below = f"Update {update} of {last}", "dashed: before; the row in the ring pulls it over"
    legend(ax, "below")
    frame(ax, title=title, below=below, x=feature(fit.model, 0), y=feature(fit.model, 1))
    return ax


def _all(ax: Axes, ways: list[Update]) -> None:
    """Lines from faint to bold; of many, evenly chosen ones, the last among them."""
    real = [k for k, way in enumerate(ways) if way.w.any()]
    for k in (real[j] for j in np.unique(np.linspace(0, len(real) - 1, LINES).astype(int))) if real else ():
        age = k / max(1, len(ways) - 1)
        shade = mixed(foreground(ax), grey(ax, 0.0), age**2)
        text = f"after update {k}" if k in (real[0], real[-1]) else None
        hyperplane(ax, ways[k].w, ways[k].b, color=shade, linewidth=0.7 + 1.7 * age**2, label=text)


def _one(ax: Axes, old: Update, new: Update, points: F64) -> None:
    """The line before, the line after, the row between."""
    if old.w.any():
        hyperplane(ax, old.w, old.b, color=grey(ax), linewidth=1.2, linestyle=(0, (5, 3)), label="before")
    if new.w.any():
        hyperplane(ax, new.w, new.b, color=foreground(ax), linewidth=2.2, label="after")
    ax.plot(*points[new.row][:, None], "o", color=foreground(ax), fillstyle="none", markersize=13, mew=1.6, zorder=3)


def mistakes(fit: Fit, X: Any, y: Any, *, start: Model | None = None, ax: Axes | None = None) -> Axes:
    """Draw the share of training rows that are wrong after each update, and the smallest so far (the pocket's).

    Any number of features; of many updates, evenly chosen ones.  Gallant 1990.
    """
    kept = record(fit, X, y, start)
    at, wrong = wrong_after(kept)
    ax = axes(ax)
    ax.plot(at, wrong, color=tint(2, ax), linewidth=0.9, label="after this update")
    ax.step(at, np.minimum.accumulate(wrong), where="post", color=foreground(ax), linewidth=2.2, label="best so far")
    ax.set_ylim(bottom=0)
    legend(ax, "upper right")
    frame(ax, title="An update can undo what others did", below="rows with y (w·x + b) ≤ 0, all counted anew",
          x="update", y="share of rows that are wrong")  # fmt: skip
    return ax


def wrong_after(kept: Record) -> tuple[I64, F64]:
    """Updates (0: the start), and the share of rows with z <= 0 after each."""
    asked = np.unique(np.linspace(0, len(kept.updated), COUNTS).astype(np.int64))
    chosen = set(asked.tolist())
    wrong = [
        float(np.mean(kept.y * (kept.rows.times(way.w[:, None])[:, 0] + way.b) <= 0))
        for k, way in enumerate(updates(kept))
        if k in chosen
    ]
    return asked, np.array(wrong)
