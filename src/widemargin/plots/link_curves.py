"""P(y = +1 | f) of a loss at f = k (w.x + b): the same hyperplane, ever more certain as w grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin.errors import Refusal
from widemargin.loss import losses as registry
from widemargin.plots.loss_curves import grid
from widemargin.plots.reading import binary, model_of, norm_of, numbers_of, rows_of, scores_of, several
from widemargin.plots.style import axes, foreground, frame, legend, line, marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIMES = (0.25, 1.0, 4.0, 16.0)
TICKS = 400  # rows drawn of each class


def sigmoid(
    fit: Any = None, X: Any = None, y: Any = None, *, times: Sequence[float] = TIMES, ax: Axes | None = None,
    z: Any = None,
) -> Axes:  # fmt: skip
    """Draw the probability that a score implies, with w and b multiplied by each of `times`.

    Without a fit: the logistic sigmoid.  With one: its own link against the distance from its hyperplane, and its
    rows as ticks, above those of the second class, below those of the first.
    """
    factors = several("times", times)
    loss, size, reach, x = registry["logistic"], 1.0, 6.0, "score w·x + b"
    if fit is not None:
        model = binary(model_of(fit), "sigmoid")
        loss, size, x = model.loss, norm_of(model), "signed distance (w·x + b) / ‖w‖"
        if loss.probability is None or not (loss.link or not hasattr(loss, "threshold")):
            raise Refusal(f"loss {loss.name!r} implies no probabilities. Fit with loss='logistic'.")
        reach = 6.0 / size
    ticks = None if fit is None or X is None else _ticks(fit, X, y)
    if ticks is not None:
        reach = max(float(np.abs(ticks[0]).max()), 1e-12)
    at, ax = grid(z, reach), axes(ax)
    for k, factor in enumerate(factors):
        width = 2.6 if factor == 1 else 1.5
        text = "w" if factor == 1 else f"{factor:g} w"
        style = line(k, ax)._replace(linewidth=width)
        ax.plot(at, loss.probability(factor * size * at), label=text, **style._asdict())
    if ticks is not None:
        for number, height in ((0, -0.04), (1, 1.04)):
            points = ticks[0][ticks[1] == number]
            shown = np.sort(points)[:: max(1, len(points) // TICKS)]
            style_ = marker(number ^ 1, ax) | {"marker": "|"}
            ax.plot(shown, np.full(len(shown), height), markersize=7, alpha=0.6, **style_)
    ax.axhline(0.5, color=foreground(ax), alpha=0.35, linewidth=0.8)
    ax.set_xlim(at[0], at[-1])
    ax.set_ylim(-0.09, 1.09)
    legend(ax, "center right")
    frame(ax, title="What scaling w does", below="the hyperplane stays; the larger w, the more certain", x=x,
          y="P(y = +1 | x)")  # fmt: skip
    return ax


def _ticks(fit: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Distances of the rows, and their class numbers."""
    model = model_of(fit)
    rows = rows_of(model, X)
    return scores_of(model, rows)[:, 0] / norm_of(model), numbers_of(model, y, rows.n)
