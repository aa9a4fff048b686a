"""min f(w) + alpha R(w): where a level set of R, growing from 0, first touches a contour of the mean loss f.

At that point -f'(w) lies in alpha dR(w); R with corners on the axes is touched there, and weights are 0.
Tibshirani 1996.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.errors import Refusal
from widemargin.plots.contours import Plane, Window, around, plane
from widemargin.plots.reading import describe
from widemargin.plots.style import axes, frame, grey, legend, line, tint
from widemargin.plots.unit_balls import level_set

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from widemargin.fitting import Fit

GROWTH = (1 / 3, 2 / 3)  # of the touching level: those on the way
WIDER = 12  # contours of the loss beside the one that is touched
ZERO = 1e-9  # times the largest weight


def first_touch(
    fit: Fit, X: Any, y: Any, *, unpenalised: Fit | None = None, ax: Axes | None = None, sample_weight: Any = None
) -> Axes:
    """Draw the loss's contours and the penalty's level sets over the two weights of a fit, and where they touch.

    `unpenalised` is a fit without penalty on the same rows: where the contours come from.  A free intercept stays
    where the fit has it.
    """
    drawn = plane(fit, X, y, sample_weight=sample_weight, fixed=True)
    if drawn.moves_b:
        raise Refusal("first_touch() shows two weights, and this fit has one: the penalty never sees the intercept.")
    penalty, w = fit.certificate.problem.penalty, drawn.point(fit.model.W, fit.model.b)
    level = float(penalty.value(w))
    if fit.certificate.problem.alpha == 0 or level == 0:
        raise Refusal(
            "nothing touches: alpha = 0, or the penalty is 0 at w. Choose alpha > 0, and smaller where w = 0."
        )
    sets = [level_set(penalty, share * level) for share in (*GROWTH, 1.0)]
    points = [sets[-1], w[None]] + ([] if unpenalised is None else [_weights(unpenalised)])
    ax = axes(ax)
    _contours(ax, drawn, w, around(np.concatenate(points), 0.1))
    for k, line_ in enumerate(sets):
        last = k == len(sets) - 1
        style = line(1, ax)._replace(linewidth=2.2 if last else 1.0)
        ax.plot(*line_.T, label=f"R(w) = {level:.3g}" if last else None, **style._asdict())
    zeros = [name for name, v in zip(("w₁", "w₂"), w, strict=True) if abs(v) <= ZERO * np.abs(w).max()]
    text = f"first touch{''.join(f', {name} = 0' for name in zeros)}"
    ax.plot(*w[:, None], "o", color=grey(ax, 1.0), markersize=8, label=text, zorder=4)
    if unpenalised is not None:
        ax.plot(*_weights(unpenalised).T, "+", color=tint(2, ax), markersize=11, mew=2, label="without penalty")
    legend(ax, "below")
    frame(ax, title=describe(fit.model), below="thin: contours of the mean loss; thick: the one that R first touches",
          x=f"w₁ ({drawn.names[0]})", y=f"w₂ ({drawn.names[1]})")  # fmt: skip
    return ax


def _weights(fit: Fit) -> F64:
    return fit.model.W.T


def _contours(ax: Axes, drawn: Plane, w: F64, window: Window) -> None:
    """The loss over the window: a thick line through w, thin ones below and above."""
    x, y, f = drawn.over(window, penalty=False)
    touched, top = drawn.value(w, penalty=False), float(f[np.isfinite(f)].max())
    bottom = min(float(f.min()), touched)
    shares = np.linspace(0, 1, WIDER + 1)[1:] ** 2  # denser near the minimum
    levels = np.unique([v for v in bottom + (top - bottom) * shares if v != touched])
    ax.contour(x, y, f, levels=levels, colors=[tint(2, ax)], linewidths=0.7, alpha=0.8)
    ax.contour(x, y, f, levels=[touched], colors=[tint(2, ax)], linewidths=2.0)
    ax.set_xlim(*window[:2])
    ax.set_ylim(*window[2:])
    ax.set_aspect("equal")
    for spine in (ax.axhline, ax.axvline):
        spine(0, color=grey(ax), linewidth=0.8)
