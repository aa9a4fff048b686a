"""eta_t, sum eta_t and sum eta_t^2 against t: which steps reach everywhere, and whose noise dies out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from widemargin._types import F64
from widemargin.errors import unknown
from widemargin.plots.reading import count, named
from widemargin.plots.style import axes, frame, legend, line
from widemargin.schedules import Schedule, parse, robbins_monro

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# what is drawn of the steps, and how the picture is named and read
QUANTITIES: dict[str, tuple[Callable[[F64], F64], str, str, str]] = {
    "steps": (lambda eta: eta, "How long the steps are", "step η(t)", "on logarithmic scales a power of t is straight"),
    "sum": (np.cumsum, "How far they reach", "Σ η(t)", "without bound: the steps can reach any point"),
    "squares": (
        lambda eta: np.cumsum(eta**2),
        "How noisy they are",
        "Σ η(t)²",
        "bounded: the noise of the steps dies out",
    ),
}
WORDS = {True: "∞", False: "< ∞", None: "unknown"}


def schedules(
    *rules: str | Schedule | Callable[[int], float], of: str = "steps", steps: int = 10_000, ax: Axes | None = None,
    labels: Sequence[str] | None = None,
) -> Axes:  # fmt: skip
    """Draw the steps of schedules, their sum (of="sum") or the sum of their squares (of="squares").

    With the names stands what is known of the infinite sum: finite, infinite, or unknown.
    """
    labels = named(rules, labels, "schedules")
    if of not in QUANTITIES:
        raise unknown("quantity", of, QUANTITIES)
    function, title, name, below = QUANTITIES[of]
    t = np.arange(1, count("steps", steps, 2) + 1, dtype=float)
    found = [parse(rule) for rule in rules]
    values = [function(np.asarray(rule(t))) for rule in found]
    ax = axes(ax)
    for k, (rule, value) in enumerate(zip(found, values, strict=True)):
        text = (repr(rule) if labels is None else labels[k]) + _fate(rule, of)
        ax.plot(t, value, label=text, **line(k, ax)._asdict())
    ax.set_xscale("log")
    ax.set_yscale("log")
    legend(ax)
    frame(ax, title=title, below=below, x="t", y=name)  # fmt: skip
    return ax


def _fate(rule: Schedule, of: str) -> str:
    """What the infinite sum comes to."""
    known = robbins_monro(rule)
    if of == "steps":
        return ""
    infinite = (
        known.sum_diverges if of == "sum" else None if known.squares_converge is None else not known.squares_converge
    )
    return f": {WORDS[infinite]}"
