"""l(z) >= l(z0) + g (z - z0) for every slope g in the subdifferential of l at z0.  Rockafellar 1970."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.errors import Refusal
from widemargin.loss import CallableLoss, Loss, as_loss
from widemargin.plots.loss_curves import MARGIN, curve, grid
from widemargin.plots.reading import count, several
from widemargin.plots.style import axes, frame, grey, legend, line, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def subgradients(
    loss: str | Loss | CallableLoss = "hinge", at: Any = None, *, ax: Axes | None = None, z: Any = None, lines: int = 5
) -> Axes:
    """Draw a loss, and lines that touch it at its kinks (or `at` other margins) and nowhere lie above it."""
    found, lines = as_loss(loss), count("lines", lines, 2)
    if not found.convex:
        raise Refusal(f"loss {found.name!r} is not convex: no line touches it from below. Choose a convex loss.")
    if at is None and not found.kinks:
        raise Refusal(f"loss {found.name!r} has no kink: say where lines should touch it, as in at=[0, 1].")
    touched = several("at", found.kinks if at is None else at, positive=False)
    margins, ax = grid(z, 2.5), axes(ax)
    x, values = curve(found, np.union1d(margins, touched), False)
    ax.plot(x, values, label=found.name, **line(0, ax)._replace(linewidth=3.0)._asdict())
    for k, z0 in enumerate(touched, 1):
        _fan(ax, k, found, float(z0), margins, lines)
    shown = values[np.isfinite(values)]
    room = 0.35 * (shown.max() - shown.min())
    ax.set_xlim(margins[0], margins[-1])
    ax.set_ylim(shown.min() - room, shown.max() + 0.1 * room)
    legend(ax, "upper right")
    frame(ax, title=f"Slopes of the {found.name} loss", below="each line touches the loss and lies below it everywhere",
          x=MARGIN, y="loss ℓ(z)")  # fmt: skip
    return ax


def _fan(ax: Axes, k: int, loss: Loss | CallableLoss, z0: float, z: F64, most: int) -> None:
    """The lines through one point of the loss, with the ground between the outermost shaded."""
    at = np.array([z0])
    height, (low, high) = float(loss.value(at)[0]), (float(slope[0]) for slope in loss.subdifferential(at))
    slopes = np.unique(np.linspace(low, high, most))
    for j, g in enumerate(slopes):
        text = f"z = {z0:g}: slope {low:.3g}" + (f" to {high:.3g}" if high > low else "")
        style = line(k, ax)._replace(linewidth=1.1)
        ax.plot(z, height + g * (z - z0), label=text if j == 0 else None, **style._asdict())
    if high > low:
        ax.fill_between(z, height + low * (z - z0), height + high * (z - z0), color=tint(k, ax), alpha=0.12, lw=0)
    ax.plot([z0], [height], "o", color=grey(ax, 1.0), markersize=6)
