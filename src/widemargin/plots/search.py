"""Incumbent and bound against seconds: the fewest errors found, and the number below which no hyperplane gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputError, InputTypeError
from widemargin.plots.reading import named
from widemargin.plots.style import axes, frame, legend, line, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 2.2  # times the fewest found: a search begins with all rows wrong
FIELDS = ("seconds", "incumbent", "bound")


def fewest(*results: Any, ax: Axes | None = None, labels: Sequence[str] | None = None) -> Axes:
    """Draw how a search for the fewest errors closed in: from above the best found, from below what was proved.

    A result has `.trace` (or is one) with arrays `seconds`, `incumbent` and `bound`.
    """
    labels = named(results, labels, "fewest")
    curves = [search(result) for result in results]
    ax = axes(ax)
    for k, (seconds, incumbent, bound) in enumerate(curves):
        style, name = line(k, ax), "" if labels is None else f"{labels[k]}: "
        end = f"{incumbent[-1]:g}" if incumbent[-1] == bound[-1] else f"{bound[-1]:g} to {incumbent[-1]:g}"
        ax.step(seconds, incumbent, where="post", label=f"{name}best found ({end})", **style._asdict())
        lower = style._replace(linewidth=1.0)
        ax.step(seconds, bound, where="post", label=f"{name}no fewer than", **lower._asdict())
        ax.fill_between(seconds, bound, incumbent, step="post", color=tint(k, ax), alpha=0.12, linewidth=0)
    ax.set_ylim(0, TOP * max(float(incumbent[-1]) for _, incumbent, _ in curves) or None)
    ax.locator_params(axis="y", integer=True)
    legend(ax)
    frame(ax, title="The fewest errors", below="where the lines meet, fewer is proved to be impossible",
          x="seconds", y="rows that are wrong")  # fmt: skip
    return ax


def search(result: Any) -> tuple[F64, F64, F64]:
    """The three arrays, of one length, the bound never above what was found."""
    trace = getattr(result, "trace", result)
    missing = [name for name in FIELDS if not hasattr(trace, name)]
    if missing:
        raise InputTypeError(
            f"{type(result).__name__} has no {', '.join(missing)}; expected what a search returns, with arrays "
            f"{', '.join(FIELDS)} in its trace."
        )
    seconds, incumbent, bound = (np.asarray(getattr(trace, name), dtype=float) for name in FIELDS)
    if seconds.ndim != 1 or not len(seconds) or not seconds.shape == incumbent.shape == bound.shape:
        shapes = f"{seconds.shape}, {incumbent.shape}, {bound.shape}"
        raise InputError(f"seconds, incumbent and bound have shapes {shapes}; expected three arrays of one length.")
    if np.any(bound > incumbent):
        k = int(np.argmax(bound > incumbent))
        raise InputError(f"entry {k} has a bound of {bound[k]:g} above {incumbent[k]:g} errors that were found.")
    return seconds, incumbent, bound
