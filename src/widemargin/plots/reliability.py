"""Share of y = +1 among rows of about the same P(y = +1): on the diagonal, probabilities mean what they say.

Murphy, Winkler 1977; the bars are Wilson's 95 % intervals (1927).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64
from widemargin.errors import unknown
from widemargin.plots.reading import binary, count, describe, model_of, named, numbers_of, rows_of
from widemargin.plots.scene import shown
from widemargin.plots.style import MARKERS, axes, frame, grey, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPREAD = 1.959963984540054  # standard deviations: 95 %
BINS = ("even", "quantiles")


class Bins(NamedTuple):
    """Rows of about the same probability: the mean of it, the share of y = +1, its interval, and how many."""

    mean: F64
    share: F64
    low: F64
    high: F64
    rows: I64


def calibration(
    *fits: Any, X: Any, y: Any, bins: int = 10, cut: str = "even", ax: Axes | None = None,
    labels: Sequence[str] | None = None,
) -> Axes:  # fmt: skip
    """Draw how often y = +1 came true against the probability that fits gave; rows should be new to the fits.

    cut="even": bins of one width; cut="quantiles": of as many rows.
    """
    labels = named(fits, labels, "calibration")
    models = [binary(model_of(fit), "calibration") for fit in fits]
    if cut not in BINS:
        raise unknown("cut", cut, BINS)
    count("bins", bins, 2)
    groups = [_groups(model, X, y, bins, cut) for model in models]
    ax = axes(ax)
    ax.plot([0, 1], [0, 1], color=grey(ax), linewidth=1.0, label="means what it says")
    for k, (model, found) in enumerate(zip(models, groups, strict=True)):
        style = line(k, ax)
        text = describe(model) if labels is None else labels[k]
        ax.plot(found.mean, found.share, marker=MARKERS[k % len(MARKERS)], markersize=5, label=text, **style._asdict())
        ax.vlines(found.mean, found.low, found.high, color=style.color, linewidth=1.0)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    legend(ax, "upper left")
    label, below = shown(models[0].classes[1]), "bars: 95 % intervals, short where there are many rows"
    frame(
        ax,
        title="Do probabilities come true?",
        below=below,
        x=f"P({label}) that was given",
        y=f"share that was {label}",
    )
    return ax


def _groups(model: Any, X: Any, y: Any, bins: int, cut: str) -> Bins:
    rows = rows_of(model, X)
    true = numbers_of(model, y, rows.n) == 1
    p = model.probabilities(X)[:, 1]
    inner = np.arange(1, bins) / bins
    return grouped(p, true.astype(float), inner if cut == "even" else np.unique(np.quantile(p, inner)))


def grouped(p: F64, true: F64, edges: F64) -> Bins:
    """Mean probability and share of the rows between edges; empty bins are left out."""
    which = np.searchsorted(edges, p, side="right")
    size = np.bincount(which, minlength=len(edges) + 1)
    filled = np.flatnonzero(size)
    n = size[filled]
    mean = np.bincount(which, p, minlength=len(size))[filled] / n
    share = np.bincount(which, true, minlength=len(size))[filled] / n
    centre = (share + SPREAD**2 / (2 * n)) / (1 + SPREAD**2 / n)
    half = SPREAD / (1 + SPREAD**2 / n) * np.sqrt(share * (1 - share) / n + SPREAD**2 / (4 * n**2))
    return Bins(mean, share, np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0), n.astype(np.int64))
