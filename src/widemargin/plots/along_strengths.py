"""w_j and held-out scores against the strength alpha: which features come in, and where prediction is best.

Osborne, Presnell, Turlach 2000; Breiman, Friedman, Olshen, Stone 1984.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputTypeError, OptionError
from widemargin.paths.along import Path
from widemargin.paths.selection import CrossValidation
from widemargin.plots.reading import count as whole
from widemargin.plots.reading import describe_aim, feature, with_names
from widemargin.plots.scene import shown
from widemargin.plots.style import axes, frame, grey, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED = 7  # lines that differ in colour and dash; the others are faint


def coefficient_path(
    path: Path, *, label: Any = None, count: int = NAMED, names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw each weight along the strengths of widemargin.path, the strongest penalty on the left.

    The `count` features with the largest weights have names, the others are faint; of three classes or more, the
    weights for `label`.  `names` are those of the columns, where the fits saw none.
    """
    if not isinstance(path, Path):
        raise InputTypeError(f"coefficient_path() got {type(path).__name__}; expected what widemargin.path returns.")
    W, model = _weights(path, label), with_names(path.models[-1], names)
    order = np.argsort(-np.abs(W).max(axis=0), kind="stable")
    drawn = order[: min(whole("count", count), NAMED)]
    ax = axes(ax)
    ax.set_xscale("log")
    for j in order[len(drawn) :]:
        if W[:, j].any():
            ax.plot(path.alphas, W[:, j], color=grey(ax), alpha=0.45, linewidth=0.6)
    for k, j in enumerate(drawn):
        ax.plot(path.alphas, W[:, j], label=feature(model, int(j)), **line(k, ax)._asdict())
    ax.axhline(0, color=grey(ax), linewidth=0.9)
    ax.invert_xaxis()
    legend(ax, "below")
    used = f"{path.counts[0]:g} to {path.counts[-1]:g} of {W.shape[1]} features"
    of = "" if label is None else f" for {shown(label)}"
    frame(ax, title=f"Weights{of} as the penalty fades: {describe_aim(model)}", below=f"{used}; each point certified",
          x="α (right: less penalty)", y="weight")  # fmt: skip
    return ax


def _weights(path: Path, label: Any) -> F64:
    """(strengths, d), of one class."""
    W, classes = path.coefficients, path.models[0].classes.tolist()
    if W.ndim == 2:
        if label is not None:
            raise OptionError(f"label = {label!r}; two classes have one weight a feature, towards {classes[1]!r}.")
        return W
    if label not in classes:
        raise OptionError(f"label = {label!r}; expected one of the {len(classes)} classes: {classes}.")
    return np.asarray(W[:, :, classes.index(label)])


def cross_validation(found: CrossValidation, *, ax: Axes | None = None) -> Axes:
    """Draw the mean held-out score of each strength with its standard error, and what both rules take."""
    if not isinstance(found, CrossValidation):
        raise InputTypeError(
            f"cross_validation() got {type(found).__name__}; expected what widemargin.cross_validate returns."
        )
    mean, error, alphas = found.mean, found.standard_error, found.alphas
    ax = axes(ax)
    ax.set_xscale("log")
    style = line(2, ax)._replace(linestyle="-")
    if np.isfinite(error).all():
        ax.fill_between(alphas, mean - error, mean + error, color=style.color, alpha=0.2, linewidth=0)
    ax.plot(alphas, mean, marker="o", markersize=4, label=f"mean of {len(found.scores)} folds", **style._asdict())
    for k, (name, at) in enumerate((("best", found.best), ("one standard error", found.one_se))):
        ax.axvline(alphas[at], label=f"{name}: {mean[at]:.4g} at {alphas[at]:.3g}", **line(k + 3, ax)._asdict())
    ax.invert_xaxis()
    legend(ax, "below")
    frame(ax, title=f"Held-out {found.metric}: {describe_aim(found.fit.model)}", x="α (right: less penalty)",
          below="band: one standard error of the mean; smaller is better", y=found.metric)  # fmt: skip
    return ax
