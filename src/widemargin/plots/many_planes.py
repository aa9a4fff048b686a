"""Several hyperplanes among the same rows: which one leaves the widest street, which one a few far rows pull over.

Geometric margin of a hyperplane: min_i y_i (w.x_i + b) / ||w||.  Outliers: Bishop 2006, figure 4.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputError, Refusal
from widemargin.model import Model
from widemargin.plots.reading import binary, feature, margins_of, model_of, named, norm_of, numbers_of, rows_of
from widemargin.plots.scene import dense, hyperplane, scale, scatter
from widemargin.plots.style import axes, foreground, frame, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTHS = (1.2, 3.0)  # of a line, and of that with the widest street


def hyperplanes(*fits: Any, X: Any, y: Any, ax: Axes | None = None, labels: Sequence[str] | None = None) -> Axes:
    """Draw the hyperplanes of several fits among rows of two features, strongest that with the largest margin.

    With each name stands its geometric margin: the distance of the nearest row, negative where one is misjudged.
    """
    models, points = _read(fits, X, y, "hyperplanes")
    labels = named(fits, labels, "hyperplanes")
    widths = [float(margins_of(model, X, y).min()) / norm_of(model) for model in models]
    ax = axes(ax)
    _rows(ax, models[0], points, y)
    for k, (model, width) in enumerate(zip(models, widths, strict=True)):
        style = line(k, ax)._replace(linewidth=WIDTHS[width == max(widths)])
        name = model.loss.name if labels is None else labels[k]
        hyperplane(ax, model.W[:, 0], float(model.b[0]), label=f"{name}: margin {width:.3g}", **style._asdict())
    legend(ax, "below")
    frame(ax, title="Which hyperplane?", below="strongest: the one that is furthest from its nearest rows",
          x=feature(models[0], 0), y=feature(models[0], 1))  # fmt: skip
    return ax


def outliers(
    *fits: Any, X: Any, y: Any, rows: Any = None, ax: Axes | None = None, labels: Sequence[str] | None = None
) -> Axes:
    """Draw the hyperplane of each fit among rows of two features; `rows` (numbers or a mask) are ringed."""
    models, points = _read(fits, X, y, "outliers")
    labels = named(fits, labels, "outliers")
    try:
        ringed = points[:0] if rows is None else points[np.asarray(rows)]
    except IndexError as error:
        raise InputError(f"rows = {rows!r:.60} chooses no rows of X: {error}. Pass row numbers, or a mask.") from None
    ax = axes(ax)
    _rows(ax, models[0], points, y)
    if len(ringed):
        ax.plot(*ringed.T, "o", color=foreground(ax), fillstyle="none", markersize=10, mew=1.0, label="outliers")
    for k, model in enumerate(models):
        style = line(k, ax)._replace(linewidth=2.0)
        name = model.loss.name if labels is None else labels[k]
        hyperplane(ax, model.W[:, 0], float(model.b[0]), label=name, **style._asdict())
    legend(ax, "below")
    frame(ax, title="What a few far rows do", below="squared loss also punishes rows that are right by far",
          x=feature(models[0], 0), y=feature(models[0], 1))  # fmt: skip
    return ax


def _read(fits: Sequence[Any], X: Any, y: Any, picture: str) -> tuple[list[Model], F64]:
    """Models of the same classes and two columns, each with a hyperplane; the rows as points."""
    named(fits, None, picture)
    models = [binary(model_of(fit), picture) for fit in fits]
    for model in models:
        if not np.array_equal(model.classes, models[0].classes) or len(model.W) != len(models[0].W):
            raise InputError("these fits know different classes or columns: draw them apart.")
        norm_of(model)
    seen = rows_of(models[0], X)
    if seen.d != 2:
        raise Refusal(f"{picture}() shows two features, and there are {seen.d}: plots.margins compares in any number.")
    numbers_of(models[0], y, seen.n)
    return models, dense(seen)


def _rows(ax: Axes, model: Model, points: F64, y: Any) -> None:
    scatter(ax, points, numbers_of(model, y, len(points)), model)
    scale(ax, points)
