"""Seconds against relative suboptimality as an inline SVG, both axes logarithmic; colours come from the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from bench.common import Row, seconds

WIDTH, HEIGHT = 560, 340
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 44
FLOOR = 1e-10  # below, a run counts as at the optimum
SHOWN = 7  # peers in a picture: those that get furthest, soonest
DASHES = ("", "7 3", "2 3")


def chosen(row: Row) -> list[Row]:
    """Ours, and the peers to show."""
    ours = [one for one in row["contenders"] if one["library"] == "ours" and one["points"]]
    peers = [one for one in row["contenders"] if one["library"] != "ours" and one["points"]]
    return ours + sorted(peers, key=_rank)[:SHOWN]


def _rank(one: Row) -> tuple[float, float]:
    reached = [-level for name, value in one["reach"].items() if value and (level := -math.log10(float(name)))]
    best = min(reached, default=0.0)
    return (best if best > -6 else -6.0, one["reach"].get("1e-06") or math.inf)


def frontier(one: Row) -> list[tuple[float, float]]:
    """(seconds, suboptimality), quickest first; only what is lower than everything before it."""
    points: list[tuple[float, float]] = []
    for seconds_, above in sorted((p["seconds"], max(p["above"], FLOOR)) for p in one["points"] if p["above"] < 10):
        if not points or above < points[-1][1]:
            points.append((seconds_, above))
    return points


def svg(row: Row) -> str:
    """The picture; nothing where no one got anywhere."""
    lines = [(one, frontier(one)) for one in chosen(row)]
    lines = [(one, points) for one, points in lines if points]
    if not lines:
        return ""
    times = [t for _, points in lines for t, _ in points]
    x = Axis(min(times) / 1.3, max(times) * 1.3, LEFT, WIDTH - RIGHT)
    y = Axis(FLOOR / 2, 10.0, HEIGHT - BOTTOM, TOP)
    drawn = [_curve(k, one["library"] == "ours", points, x, y) for k, (one, points) in enumerate(lines)]
    title = f"Seconds against relative suboptimality on {row['problem']}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        + _grid(x, y)
        + "".join(reversed(drawn))
        + "</svg>"
        + _legend([one["name"] for one, _ in lines])
    )


class Axis:
    """From a number to a place, by its logarithm."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value: float) -> float:
        """The place of a value."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Powers of ten; 2 and 5 times them where there are few."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        steps: Sequence[int] = (1,) if math.log10(self.high / self.low) > 2 else (1, 2, 5)
        return [k * 10.0**p for p in powers for k in steps if self.low <= k * 10.0**p <= self.high]


def _grid(x: Axis, y: Axis) -> str:
    parts = []
    for value in x.ticks():
        at = f"{x(value):.1f}"
        parts.append(f'<line class="grid" x1="{at}" x2="{at}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{at}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{seconds(value)}</text>')
    for value in y.ticks():
        at = f"{y(value):.1f}"
        label = f"10<tspan dy='-4' font-size='8'>{round(math.log10(value))}</tspan>".replace("-", "−", 0)
        kind = "level" if math.isclose(value, 1e-6) else "grid"
        parts.append(f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{label}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">seconds, everything included</text>')
    return "".join(parts)


def _curve(k: int, ours: bool, points: Sequence[tuple[float, float]], x: Axis, y: Axis) -> str:
    places = [(x(t), y(above)) for t, above in points]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    dash = f' stroke-dasharray="{DASHES[k % 3]}"' if DASHES[k % 3] and not ours else ""
    dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{3.5 if ours else 2.5}"/>' for a, b in places)
    return f'<g class="c{k}"><polyline points="{path}"{dash}/>{dots}</g>'


def _legend(names: Sequence[str]) -> str:
    items = []
    for k, name in enumerate(names):
        dash = f' stroke-dasharray="{DASHES[k % 3]}"' if DASHES[k % 3] and k else ""
        line = f'<svg class="key" viewBox="0 0 26 8"><g class="c{k}"><polyline points="1,4 25,4"{dash}/></g></svg>'
        items.append(f"<li>{line}{escape(name)}</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'
