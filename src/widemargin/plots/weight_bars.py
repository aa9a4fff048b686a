"""w_j of the features with the largest |w_j|: what moves the score, and to which side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin.errors import Refusal
from widemargin.model import top_features
from widemargin.plots.reading import count as whole
from widemargin.plots.reading import describe, model_of, with_names
from widemargin.plots.scene import shown
from widemargin.plots.style import axes, foreground, frame, marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST = 34  # letters of a name


def coefficients(
    fit: Any, *, count: int = 15, names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:  # fmt: skip
    """Draw the largest weights as bars, the largest on top; of several classes, which class each speaks of.

    `names` are those of the columns, where the fit saw none.
    """
    model = with_names(model_of(fit), names)
    weights = top_features(model, whole("count", count))
    if not weights:
        raise Refusal("all weights are 0: there is no bar to draw. Use a smaller alpha.")
    two = len(model.b) == 1
    ax = axes(ax)
    values = np.array([weight.value for weight in weights])
    colours = [marker(0 if v > 0 else 1, ax)["color"] for v in values]
    bars = ax.barh(np.arange(len(values)), values, color=colours, height=0.7)
    for bar, v in zip(bars, values, strict=True):
        bar.set(hatch="" if v > 0 else "///", edgecolor=foreground(ax), linewidth=0.5)
    features = [_short(w.feature if two else f"{w.feature} → {shown(w.label)}") for w in weights]
    ax.set_yticks(np.arange(len(values)), features, fontsize="small")
    ax.invert_yaxis()
    ax.axvline(0, color=foreground(ax), linewidth=0.9)
    below = f"right (plain): towards {shown(model.classes[1])}; left (hatched): towards {shown(model.classes[0])}"
    frame(ax, title=f"The {len(values)} largest weights", below=below if two else "each for or against its class",
          x=f"weight ({describe(model)})", y="")  # fmt: skip
    ax.grid(visible=False, axis="y")
    return ax


def _short(name: str) -> str:
    return name if len(name) <= WIDEST else f"{name[: WIDEST - 1]}…"
