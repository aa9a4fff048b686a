"""demo.png: left the losses of the registry, right how several solvers close in on one optimum."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from widemargin import plots
from widemargin.plots.style import grey, require

if TYPE_CHECKING:
    from widemargin.fitting import Fit


def draw(fits: Sequence[Fit], labels: Sequence[str], caption: str, path: Path) -> None:
    """Write the picture; no window, no global state."""
    require()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 5.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    plots.losses(left, scaled=True)
    plots.convergence(*fits, ax=right, labels=labels)
    right.annotate(
        caption, (1, 1), (0, -12), xycoords="axes fraction", textcoords="offset points", ha="right",
        color=grey(right), fontsize="small",
    )  # fmt: skip
    figure.savefig(path, dpi=120)
