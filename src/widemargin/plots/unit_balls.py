"""{w : R(w) = c} in two dimensions: which weights a penalty holds to be equally large."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from widemargin._types import F64
from widemargin.errors import Refusal
from widemargin.penalty import CallablePenalty, Penalty, as_penalty, penalties
from widemargin.plots.reading import named
from widemargin.plots.style import axes, frame, legend, line
from widemargin.spec import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POWERS = (0.5, 1.0, 1.5, 2.0, 4.0, np.inf)
RAYS = 720  # a multiple of 8: the axes and the diagonals are among them, where corners are
FARTHEST = 1e100


def level_sets(
    *chosen: str | Penalty | CallablePenalty, ax: Axes | None = None, level: float = 1.0,
    labels: Iterable[str] | None = None,
) -> Axes:  # fmt: skip
    """Draw where penalties have one value; without names, p-norms from p = ½ to ∞."""
    found = [as_penalty(one) for one in chosen] or [penalties.p_norm(p) for p in POWERS]
    names = named(found, None if labels is None else list(labels), "level_sets")
    height = number("level", level, strict=True)
    sets = [level_set(penalty, height) for penalty in found]
    ax = axes(ax)
    for k, (penalty, w) in enumerate(zip(found, sets, strict=True)):
        ax.plot(*w.T, label=_label(penalty) if names is None else names[k], **line(k, ax)._asdict())
    reach = 1.12 * max(float(np.abs(w).max()) for w in sets)
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.set_aspect("equal")
    ax.locator_params(nbins=5)
    legend(ax, "beside")
    below = f"on each line R(w) = {height:g}; the smaller p, the more it stretches along the axes"
    if chosen:
        below = f"on each line R(w) = {height:g}"
    frame(ax, title="Equally large to a penalty", below=below, x="w₁", y="w₂")
    return ax


def level_set(penalty: Penalty | CallablePenalty, level: float) -> F64:
    """Points with R(w) = level, one on each ray from 0, the first again at the end: R grows along rays."""
    angle = np.arange(RAYS + 1) * (2 * np.pi / RAYS)
    rays = np.column_stack([np.cos(angle), np.sin(angle)])
    rays[np.abs(rays) < 1e-12] = 0.0
    return np.array([_reach(penalty, ray, level) * ray for ray in rays])


def _reach(penalty: Penalty | CallablePenalty, ray: F64, level: float) -> float:
    """t with R(t ray) = level."""
    from scipy.optimize import brentq

    high = 1.0
    while penalty.value(high * ray) < level and high < FARTHEST:
        high *= 4
    while penalty.value(high / 4 * ray) >= level and high > 1 / FARTHEST:
        high /= 4
    ends = penalty.value(high / 4 * ray) < level <= penalty.value(high * ray)
    t = float(brentq(lambda t: penalty.value(t * ray) - level, high / 4, high, xtol=1e-15 * high)) if ends else 0.0
    if not abs(penalty.value(t * ray) - level) <= 1e-9 * level:
        raise Refusal(f"penalty {penalty.text!r} has no line on which it is {level:g}: it jumps, or never gets there.")
    return t


def _label(penalty: Penalty | CallablePenalty) -> str:
    """The parameter where there is one, else the name."""
    if isinstance(penalty, Penalty) and penalty.parameter:
        at = "∞" if np.isinf(penalty.at) else f"{penalty.at:g}"
        return f"p = {at}" if penalty.parameter == "p" else f"{penalty.name}, {penalty.parameter} = {at}"
    return penalty.name
