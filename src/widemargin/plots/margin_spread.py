"""F(z) = share of the rows with y (w.x + b) <= z: the distribution of the margins.  Schapire et al. 1998."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin.plots.reading import describe, margins_of, model_of, named, norm_of
from widemargin.plots.style import axes, frame, grey, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def margins(
    *fits: Any, X: Any, y: Any, ax: Axes | None = None, labels: Sequence[str] | None = None, geometric: bool = False
) -> Axes:
    """Draw for each margin the share of rows that have no larger one; at 0 it is the share of errors.

    `geometric` divides by ||w||: then margins are distances, and fits of different losses compare.
    """
    labels = named(fits, labels, "margins")
    models = [model_of(fit) for fit in fits]
    spreads = [np.sort(margins_of(model, X, y) / (norm_of(model) if geometric else 1.0)) for model in models]
    ax = axes(ax)
    for k, (model, z) in enumerate(zip(models, spreads, strict=True)):
        share = np.arange(1, len(z) + 1) / len(z)
        wrong = float(np.mean(z <= 0))
        text = f"{describe(model) if labels is None else labels[k]}: {100 * wrong:.3g} % wrong"
        ax.step(z, share, where="post", label=text, **line(k, ax)._asdict())
    ax.axvline(0, color=grey(ax), linewidth=0.9)
    low = min(float(np.quantile(z, 0.002)) for z in spreads)
    high = max(float(np.quantile(z, 0.998)) for z in spreads)
    room = 0.05 * max(high - low, 1e-12)
    ax.set_xlim(min(low, 0.0) - room, max(high, 0.0) + room)
    ax.set_ylim(0, 1.02)
    legend(ax, "upper left")
    x = "signed distance y (w·x + b) / ‖w‖" if geometric else "margin z = y (w·x + b)"
    frame(ax, title="How sure of how many rows", below="left of 0 are the errors; the further right, the safer",
          x=x, y="share of rows with at most this margin")  # fmt: skip
    return ax
