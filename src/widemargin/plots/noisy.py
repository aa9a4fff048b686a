"""P(w_t) and min_{s <= t} P(w_s): a stochastic objective goes up and down, the best point so far only down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputError
from widemargin.plots.reading import describe, named, one_objective, traced
from widemargin.plots.style import axes, frame, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from widemargin.fitting import Fit


def best_so_far(*fits: Fit, ax: Axes | None = None, labels: Sequence[str] | None = None) -> Axes:
    """Draw the objective after each pass (thin) and the best so far (thick), from the traces."""
    labels = named(fits, labels, "best_so_far")
    traced(fits)
    one_objective(fits)
    lines = [ways(fit) for fit in fits]
    ax = axes(ax)
    for k, (fit, (passes, objective, best)) in enumerate(zip(fits, lines, strict=True)):
        style = line(k, ax)
        ax.plot(passes, objective, **style._replace(linewidth=0.9, linestyle="-")._asdict())
        text = fit.solver if labels is None else labels[k]
        ax.step(passes, best, where="post", label=text, **style._replace(linewidth=2.4)._asdict())
    top = max(float(np.quantile(objective, 0.98)) for _, objective, _ in lines)
    low = min(float(best.min()) for _, _, best in lines)
    if top > low:
        ax.set_ylim(low - 0.05 * (top - low), top + 0.15 * (top - low))
    legend(ax, "upper right")
    frame(ax, title="Keep the best point so far", below="thin: the objective where it was looked at; thick: the best",
          x="passes over the rows", y=f"objective: {describe(fits[0].model)}")  # fmt: skip
    return ax


def ways(fit: Fit) -> tuple[F64, F64, F64]:
    """Passes, objective and best where the objective was evaluated and is finite."""
    passes, objective, best = (fit.trace.columns(name) for name in ("passes", "objective", "best"))
    known = np.isfinite(objective) & np.isfinite(best)
    if not known.any():
        raise InputError(
            f"the trace of the fit by {fit.solver} has no finite objective: {fit.certificate.verdict.text}."
        )
    return passes[known], objective[known], best[known]
