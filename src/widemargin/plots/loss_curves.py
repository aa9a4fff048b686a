"""l(z) against z = y (w.x + b): every loss as a function of the margin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.loss import CallableLoss, Loss, as_loss
from widemargin.loss import losses as registry
from widemargin.plots.reading import column, several
from widemargin.plots.style import axes, frame, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 4.5  # of the picture; losses go on
SCALED = "each times the factor that makes it an upper bound of zero-one (*: there is none)"
WIDTHS = (4.0, 1.4)  # of the first line and the last
MARGIN = "margin z = y (w·x + b)"


def losses(
    ax: Axes | None = None, names: Iterable[str | Loss | CallableLoss] | None = None, z: Any = None, *,
    scaled: bool = False,
) -> Axes:  # fmt: skip
    """Draw losses of the registry, all unless named; zero-one jumps where z = 0.

    `scaled` multiplies each by what makes it an upper bound of zero-one; what nothing makes one stays as it is.
    """
    at = grid(z, 2.5)
    chosen = [as_loss(name) for name in (registry if names is None else [names] if isinstance(names, str) else names)]
    ax = axes(ax)
    for k, loss in enumerate(chosen):
        x, values = curve(loss, at, scaled)
        width = np.interp(k, [0, max(1, len(chosen) - 1)], WIDTHS)  # a line that is covered stays visible around it
        ax.plot(x, values, label=_label(loss, scaled), **line(k, ax)._replace(linewidth=width)._asdict())
    ax.set_xlim(at[0], at[-1])
    ax.set_ylim(-0.03 * TOP, TOP)
    legend(ax, "upper right")
    below = SCALED if scaled else "as they are defined"
    frame(ax, title="Every loss is a function of the margin", below=below, x=MARGIN, y="loss ℓ(z)")
    return ax


def zero_one(ax: Axes | None = None, z: Any = None, *, steepness: Sequence[float] = (1, 4, 16)) -> Axes:
    """Draw zero-one and its S-curve at k z: the steeper, the nearer to the step, and the flatter everywhere else."""
    at, steep = grid(z, 4.0), several("steepness", steepness)
    ax = axes(ax)
    x, values = curve(registry["zero_one"], at, False)
    ax.plot(x, values, label="zero-one", **line(0, ax)._replace(linewidth=WIDTHS[0])._asdict())
    for k, times in enumerate(steep, 1):
        ax.plot(
            at,
            registry["sigmoid"].value(times * at),
            label=f"S-curve of {'' if times == 1 else f'{times:g} '}z",
            **line(k, ax)._asdict(),
        )
    ax.set_xlim(at[0], at[-1])
    ax.set_ylim(-0.05, 1.25)
    legend(ax, "upper right")
    below = "the S-curve has a slope everywhere, yet bends both ways: not convex"
    frame(ax, title="Zero-one jumps; an S-curve leads down", below=below, x=MARGIN, y="loss ℓ(z)")
    return ax


def grid(z: Any, reach: float) -> F64:
    """The margins asked for, in order; else evenly from -reach to reach."""
    return np.linspace(-reach, reach, 501) if z is None else np.sort(column("z", z))


def curve(loss: Loss | CallableLoss, z: F64, scaled: bool) -> tuple[F64, F64]:
    """Points of the line; at a jump both of its ends, so that a step is upright."""
    factor = loss.bound_scale if scaled and np.isfinite(loss.bound_scale) else 1.0
    jumps = [kink for kink in loss.kinks if z[0] < kink < z[-1] and not loss.convex]
    x = np.sort(np.concatenate([z, jumps, np.nextafter(jumps, np.inf)]))
    return x, factor * np.asarray(loss.value(x))


def _label(loss: Loss | CallableLoss, scaled: bool) -> str:
    """Its name, and the factor; * where there is none."""
    if not scaled or loss.bound_scale == 1:
        return loss.name
    return f"{loss.name} × {loss.bound_scale:.3g}" if np.isfinite(loss.bound_scale) else f"{loss.name} *"
