"""What a picture holds, read back from its axes."""

from __future__ import annotations

from typing import Any

import numpy as np


def lines(ax: Any) -> dict[str, tuple[Any, Any]]:
    """The named lines of a picture; lines without end are not among them."""
    drawn = {artist.get_label(): artist for artist in ax.get_lines() if not endless(artist)}
    return {
        label: (np.asarray(artist.get_xdata()), np.asarray(artist.get_ydata()))
        for label, artist in drawn.items()
        if not label.startswith("_")
    }


def endless(artist: Any) -> bool:
    """Whether a line goes on for ever, through two points."""
    return hasattr(artist, "get_xy1")


def hyperplanes(ax: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Two points of each line without end."""
    return [(np.array(a.get_xy1()), np.array(a.get_xy2())) for a in ax.get_lines() if endless(a)]


def contour_levels(ax: Any) -> list[tuple[float, np.ndarray]]:
    """(level, points) of each contour line."""
    sets = [c for c in ax.collections if type(c).__name__ == "QuadContourSet" and not c.filled]
    return [
        (float(level), path.vertices)
        for found in sets
        for level, path in zip(found.levels, found.get_paths(), strict=True)
        if len(path.vertices)
    ]
