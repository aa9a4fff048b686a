"""Estimates and their intervals, of the coefficients that widemargin.infer or widemargin.firth found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from widemargin.errors import InputError, InputTypeError
from widemargin.inference.result import Inference
from widemargin.plots.style import axes, foreground, frame, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def intervals(found: Inference, *, names: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw each coefficient with its interval, in the order of the columns; those that hold 0 are hollow.

    `names` are those of the columns, where the fit saw none.
    """
    if not isinstance(found, Inference):
        raise InputTypeError(f"intervals() got {type(found).__name__}; expected what widemargin.infer returns.")
    own = found.names
    if names is not None:
        ending = own[len(names) :]
        if isinstance(names, str) or len(names) > len(own) or ending not in ((), ("intercept",)):
            raise InputError(f"{len(names)} names for {len(own)} coefficients; expected one for each column.")
        own = (*map(str, names), *ending)
    ax = axes(ax)
    at, style = np.arange(len(own)), line(2, ax)
    low, high = found.intervals.T
    ax.axvline(0, color=foreground(ax), linewidth=0.9)
    ax.hlines(at, low, high, color=style.color, linewidth=style.linewidth)
    apart = (low > 0) | (high < 0)
    for rows, fill in ((apart, style.color), (~apart, "none")):
        ax.plot(found.estimates[rows], at[rows], "o", markersize=6, color=style.color, markerfacecolor=fill)
    ax.set_yticks(at, own, fontsize="small")
    ax.invert_yaxis()
    below = f"{found.kind}, {100 * found.level:g} % intervals, {found.rows:g} rows; hollow: 0 lies within"
    frame(ax, title="Coefficients and how sure they are", below=below, x="coefficient", y="")
    ax.grid(visible=False, axis="y")
    return ax
