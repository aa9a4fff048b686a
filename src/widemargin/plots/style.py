"""Lines that stay apart in print, in the dark and for colour-blind eyes: colours of Okabe and Ito 2008, a dash each.

What is dark is read from the axes: names and lines take their colour from matplotlib's own settings.  A colour that
would not stand out (contrast as in WCAG 2.1) moves towards the foreground until it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from widemargin.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# without their yellow, which paper swallows; the first is the foreground
COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)))
MARKERS = "so^DvPX"
PAPER, NIGHT = (1.0, 1.0, 1.0), (0.12, 0.13, 0.16)  # what lies behind dark and bright lines
CONTRAST = {PAPER: 3.0, NIGHT: 4.5}  # at least; thin lines in the dark need more
SOFT = 0.7  # of the foreground in what is said in passing; the rest is middle grey

Colour = tuple[float, float, float]


class Line(NamedTuple):
    """How the k-th of several lines is drawn."""

    color: Colour
    linestyle: Any
    linewidth: float = 1.8


def line(k: int, ax: Axes) -> Line:
    """A colour, and a dash that changes with it: neighbours differ in both, and 28 lines in one of them."""
    again, colour = divmod(k, len(COLOURS))
    return Line(tint(colour, ax), DASHES[(colour + again) % len(DASHES)])


def tint(k: int, ax: Axes) -> Colour:
    """The k-th colour, legible on these axes."""
    from matplotlib.colors import to_rgb

    front = foreground(ax)
    if k % len(COLOURS) == 0:
        return front
    behind = NIGHT if dark(ax) else PAPER
    plain = to_rgb(COLOURS[k % len(COLOURS)])
    shares = (share / 20 for share in range(20))
    return next((c for s in shares if contrast(c := mixed(front, plain, s), behind) >= CONTRAST[behind]), front)


def marker(k: int, ax: Axes) -> dict[str, Any]:
    """How the points of the k-th class are drawn: a colour and a shape."""
    order = (2, 1, 3, 6, 4, 5, 0)  # blue and vermilion first: all eyes tell them apart
    return {"color": tint(order[k % len(order)], ax), "marker": MARKERS[k % len(MARKERS)], "linestyle": "none"}


def foreground(ax: Axes) -> Colour:
    """The colour in which these axes write."""
    from matplotlib.colors import to_rgb

    return to_rgb(ax.xaxis.label.get_color())


def dark(ax: Axes) -> bool:
    """Whether these axes write brightly on dark ground."""
    return luminance(foreground(ax)) > luminance((0.5, 0.5, 0.5))


def grey(ax: Axes, share: float = SOFT) -> Colour:
    """Between the foreground and the middle grey that is seen on any ground."""
    return mixed(foreground(ax), (0.5, 0.5, 0.5), share)


def mixed(a: Colour, b: Colour, share: float) -> Colour:
    """share a + (1 - share) b."""
    red, green, blue = (share * x + (1 - share) * y for x, y in zip(a, b, strict=True))
    return red, green, blue


def luminance(colour: Colour) -> float:
    """Relative luminance: WCAG 2.1."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: Colour, b: Colour) -> float:
    """(L_bright + 0.05) / (L_dark + 0.05): 1 to 21."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def require() -> None:
    """matplotlib is there, or an error that names what to install."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtra('pictures need matplotlib: pip install "widemargin[plot]"') from error


def axes(ax: Axes | None) -> Axes:
    """The given axes, or those of a new figure."""
    require()
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]


def frame(ax: Axes, *, title: str, below: str, x: str, y: str) -> None:
    """Names, a line that says how to read the picture, a faint grid, and no box."""
    ax.set_title(title, loc="left", fontsize="large", fontweight="bold", pad=24)
    ax.annotate(
        below, (0, 1), (0, 8), xycoords="axes fraction", textcoords="offset points", color=grey(ax), fontsize="small"
    )
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(color=foreground(ax), alpha=0.12, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def legend(ax: Axes, where: str = "best") -> None:
    """Names of the lines, without a box; "below" the axes where rows or contours fill them, "beside" on the right."""
    options: dict[str, Any] = {"loc": where, "frameon": False, "fontsize": "small", "handlelength": 3.0}
    if where == "below":
        options |= {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "borderaxespad": 4.6, "ncols": 2}
    elif where == "beside":
        options |= {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    ax.legend(**options)
