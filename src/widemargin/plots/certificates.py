"""(P_best - D) / |P_best| against passes: how far from the optimum a fit can still be, as its trace recorded it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from widemargin._types import F64
from widemargin.plots.reading import describe, named, one_objective, traced
from widemargin.plots.style import axes, frame, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from widemargin.fitting import Fit

FLOOR = 1e-16  # below lies rounding
ROOM = 30  # times the largest number of passes: there the names stand, and no line
FEW = 40  # points that are marked one by one
BELOW = "thick: above the best bound that any of them proved; thin: above its own"


def convergence(*fits: Fit, ax: Axes | None = None, labels: Sequence[str] | None = None) -> Axes:
    """Draw how far the best objective so far lies above the best bound that any of the fits proved (thick),
    and above what each fit had proved by itself (thin), relative to the objective.

    The fits minimise one objective on the same rows.
    """
    labels = named(fits, labels, "convergence")
    traced(fits)
    one_objective(fits)
    ax = axes(ax)
    ax.set_xscale("log")
    ax.set_yscale("log")
    bound = max(float(np.nanmax(fit.trace.columns("bound"))) for fit in fits)
    for k, fit in enumerate(fits):
        style = line(k, ax)
        passes, above, own = distances(fit, bound)
        label, marker = fit.solver if labels is None else labels[k], "o" if len(passes) <= FEW else ""
        ax.plot(passes, above, label=label, marker=marker, markersize=4, **style._asdict())
        ax.plot(passes, own, **style._replace(linewidth=0.9)._asdict())
    title = f"{describe(fits[0].model)}: how far can the optimum still be?"
    frame(ax, title=title, below=BELOW, x="passes over the rows", y="(objective − bound) / objective")
    ax.set_xlim(right=ROOM * max(fit.trace[-1].passes for fit in fits))
    legend(ax, "center right")
    return ax


def distances(fit: Fit, bound: float) -> tuple[F64, F64, F64]:
    """Passes; (best objective - a proved bound) / |best objective|; the fit's own gap."""
    best = fit.trace.columns("best")
    above = np.maximum((best - bound) / np.abs(best), FLOOR)
    return fit.trace.columns("passes"), above, np.maximum(fit.trace.columns("gap"), FLOOR)
