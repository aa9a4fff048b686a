"""A metric, or the cost, at every threshold on the score; and at the one that was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from widemargin.decisions.tuning import Decision
from widemargin.errors import InputTypeError
from widemargin.plots.scene import shown
from widemargin.plots.style import axes, frame, grey, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def thresholds(decision: Decision, *, ax: Axes | None = None) -> Axes:
    """Draw what each threshold would have come to on held-out rows, what was chosen, and what to expect of it."""
    if not isinstance(decision, Decision):
        raise InputTypeError(
            f"thresholds() got {type(decision).__name__}; expected what widemargin.tune_threshold returns."
        )
    t, values, second = decision.thresholds, decision.values, shown(decision.model.classes[1])
    ax = axes(ax)
    ax.step(t, values, where="mid", label="on the rows that choose", **line(2, ax)._replace(linestyle="-")._asdict())
    ax.axvline(0.0, color=grey(ax), linewidth=1.0, label=f"no rule: {decision.default:.4g}")
    if decision.rule.kind == "threshold":
        at = decision.threshold
        ax.axvline(at, label=f"chosen: {at:.3g}", **line(1, ax)._asdict())
        ax.errorbar(
            [at], [decision.value], [decision.standard_error], fmt="o", capsize=4, color=line(0, ax).color,
            label=f"to expect: {decision.value:.4g} ± {decision.standard_error:.2g}",
        )  # fmt: skip
    ax.set_xlim(*_span(decision))
    legend(ax, "below")
    frame(ax, title=f"When to say {second}", below="point: rows that did not choose, each by the rule of the others",
          x=f"threshold: {second} where the score is at least this", y=decision.metric)  # fmt: skip
    return ax


def _span(decision: Decision) -> tuple[float, float]:
    """Where most scores lie, and all that is marked."""
    low, high = np.quantile(decision.thresholds, [0.005, 0.995])
    marked = [0.0, decision.threshold] if decision.rule.kind == "threshold" else [0.0]
    room = 0.03 * max(float(high - low), 1e-12)
    return min(float(low), *marked) - room, max(float(high), *marked) + room
