"""w_{t+1} = w_t - eta_t P'(w_t): what constant steps that are too short, good or too long do to an objective."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputError
from widemargin.events import Event
from widemargin.model import Model
from widemargin.plots.contours import Plane, Window, around, plane
from widemargin.plots.reading import describe, named, one_objective, traced
from widemargin.plots.style import axes, frame, grey, legend, line, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from widemargin.fitting import Fit

FLOOR = 1e-14  # relative: below lies rounding
CEILING = 1e4  # times the first distance; what diverges goes on
FAR = 1.5  # times the way from the start to the best point: beyond, a path leaves the picture
LEVELS = 14


def step_sizes(
    *fits: Fit, ax: Axes | None = None, labels: Sequence[str] | None = None, optimum: Fit | None = None
) -> Axes:
    """Draw how far the objective lies above the optimum after each step, from the traces of fits of one objective.

    `optimum` is a fit of the same objective to a small gap; without it the best point of all fits stands in.
    """
    labels = named(fits, labels, "step_sizes")
    known = fits if optimum is None else (*fits, optimum)
    traced(known)
    one_objective(known)
    lowest = min(float(np.nanmin(fit.trace.columns("best"))) for fit in known)
    ax = axes(ax)
    ax.set_yscale("log")
    for k, fit in enumerate(fits):
        steps, above = excess(fit, lowest)
        text = f"η = {fit.trace[0].step:.3g}" if labels is None else labels[k]
        ax.plot(steps, above, label=text, **line(k, ax)._asdict())
    first = max(fit.trace[0].objective for fit in fits) - lowest
    if np.isfinite(first) and first > 0:
        ax.set_ylim(top=10 * first)
    legend(ax)
    frame(ax, title=f"Step sizes: {describe(fits[0].model)}", below="too short creeps, too long climbs or swings",
          x="step", y="objective − best known")  # fmt: skip
    return ax


def excess(fit: Fit, lowest: float) -> tuple[F64, F64]:
    """Steps whose objective is finite; their distance above the lowest objective, at least rounding."""
    step, objective = fit.trace.columns("iteration").astype(float), fit.trace.columns("objective")
    finite = np.isfinite(objective)
    return step[finite], np.maximum(objective[finite] - lowest, FLOOR * abs(lowest))


def descent(
    fit: Fit, events: Sequence[Event], X: Any, y: Any, *, optimum: Fit | None = None, start: Model | None = None,
    ax: Axes | None = None, sample_weight: Any = None,
) -> Axes:  # fmt: skip
    """Draw the way of a fit over the contours of its objective, step by step.

    Collect `events` while it runs: events = []; fit = wm.fit(..., on_event=events.append).  It has two parameters:
    two columns with intercept=False, or one column.  `optimum` is a fit of the same objective to a small gap (without
    it: the best point met), `start` the warm model, if there was one.
    """
    drawn = plane(fit, X, y, sample_weight=sample_weight, fixed=False)
    way = path(drawn, events, start)
    one_objective([fit] if optimum is None else [fit, optimum])
    best = fit.model if optimum is None else optimum.model
    goal = drawn.point(best.W, best.b)
    window = _window(way, goal)
    ax = axes(ax)
    _levels(ax, drawn, window)
    near = way[np.abs(way - way[0]).max(axis=1) < 1e6 * (window[1] - window[0])]  # a diverging line stays drawable
    style = line(1, ax)._replace(linestyle="-", linewidth=1.2)
    ax.plot(*near.T, marker=".", markersize=6, label=f"{len(way) - 1} steps", **style._asdict())
    ax.plot(*way[0], "s", color=grey(ax, 1.0), markersize=6, label="start")
    text = "best point met" if optimum is None else "optimum"
    ax.plot(*goal, "*", color=grey(ax, 1.0), markersize=12, label=text)
    legend(ax, "below")
    title = f"Steps of η = {events[0].step:.3g}"
    frame(ax, title=title, below=f"contours of {describe(fit.model)}", x=drawn.names[0], y=drawn.names[1])
    return ax


def path(drawn: Plane, events: Sequence[Event], start: Model | None) -> F64:
    """(steps + 1, 2) points, the start first."""
    if not len(events) or any(event.W is None or event.b is None for event in events):
        raise InputError(
            "descent() needs the events with their weights, and a trace keeps those of its newest only: collect them "
            "by wm.fit(..., on_event=events.append)."
        )
    zero = np.zeros_like(drawn.fit.model.W), np.zeros_like(drawn.fit.model.b)
    first = drawn.point(*zero) if start is None else drawn.point(start.W, start.b)
    if any(event.W.shape != zero[0].shape for event in events if event.W is not None):
        raise InputError(f"the events are of another fit: expected weights of shape {zero[0].shape}.")
    rest = [drawn.point(event.W, event.b) for event in events if event.W is not None and event.b is not None]
    way = np.array([first, *rest])
    return np.asarray(way[np.isfinite(way).all(axis=1)])


def _window(way: F64, best: F64) -> Window:
    """Around the start, the best point, and what of the path is not too far off."""
    reach = max(FAR * float(np.linalg.norm(best - way[0])), 1e-12)
    near = way[np.linalg.norm(way - best, axis=1) <= reach]
    return around(np.concatenate([way[:1], best[None], 2 * best[None] - way[:1], near]), 0.1)


def _levels(ax: Axes, drawn: Plane, window: Window) -> None:
    x, y, P = drawn.over(window, penalty=True)
    low = min(float(P.min()), drawn.fit.certificate.objective)
    high = float(P[np.isfinite(P)].max())
    levels = low + (high - low) * np.linspace(0, 1, LEVELS + 1)[1:] ** 2.5
    ax.contour(x, y, P, levels=levels, colors=[tint(2, ax)], linewidths=0.7, alpha=0.8)
    ax.set_xlim(*window[:2])
    ax.set_ylim(*window[2:])
    ax.set_aspect("equal")
