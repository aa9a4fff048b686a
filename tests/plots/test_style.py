"""Lines stay apart on paper, in the dark and for eyes that see two colours, and so do letters."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import widemargin as wm

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.colors import to_rgb  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from widemargin.plots import style  # noqa: E402

GROUNDS = {"bright": ("black", "white"), "dark": ("white", "#121212"), "slate": ("#e2e4e9", "#1e2129")}
# linear RGB as eyes without red, green or blue cones see it: Machado, Oliveira, Fernandes 2009, severity 1
EYES = {
    "all": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


@pytest.fixture(params=GROUNDS)
def ground(request: pytest.FixtureRequest) -> Any:
    """Axes that write in one colour, and what lies behind."""
    ink, paper = GROUNDS[request.param]
    settings = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), ink)
    with matplotlib.rc_context(settings | {"figure.facecolor": "none", "axes.facecolor": "none"}):
        yield Figure().add_subplot(), to_rgb(paper)


def lab(colour: Any) -> np.ndarray:
    """CIE 1976 L*a*b* of linear RGB, D65."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.array(to_xyz) @ colour / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def seen(colour: Any, eyes: Any) -> np.ndarray:
    """What some eyes see of an sRGB colour."""
    c = np.array(colour)
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return lab(np.clip(np.array(eyes) @ linear, 0, 1))


def test_lines_stay_apart(ground: Any) -> None:
    ax, _ = ground
    many = [style.line(k, ax) for k in range(len(style.COLOURS) * len(style.DASHES))]
    assert len({(one.color, str(one.linestyle)) for one in many}) == len(many)
    pairs = itertools.pairwise(many[: len(style.COLOURS)])
    assert all(a.color != b.color and a.linestyle != b.linestyle for a, b in pairs)


@pytest.mark.parametrize("eyes", EYES)
def test_what_shares_a_dash_differs_in_colour_to_all_eyes(ground: Any, eyes: str) -> None:
    ax, _ = ground
    drawn = [style.line(k, ax) for k in range(len(style.COLOURS))]
    same = [(a, b) for a, b in itertools.combinations(drawn, 2) if a.linestyle == b.linestyle]
    assert same
    for a, b in same:
        assert np.linalg.norm(seen(a.color, EYES[eyes]) - seen(b.color, EYES[eyes])) > 20


@pytest.mark.parametrize("eyes", EYES)
def test_two_classes_differ_in_shape_and_in_colour_to_all_eyes(ground: Any, eyes: str) -> None:
    ax, _ = ground
    first, second = style.marker(0, ax), style.marker(1, ax)
    assert first["marker"] != second["marker"]
    assert np.linalg.norm(seen(first["color"], EYES[eyes]) - seen(second["color"], EYES[eyes])) > 40


def test_colours_stand_out_from_the_ground(ground: Any) -> None:
    ax, paper = ground
    for k in range(len(style.COLOURS)):
        assert style.contrast(style.tint(k, ax), paper) >= 2.9
    assert style.contrast(style.grey(ax), paper) >= 4.5  # letters: WCAG 2.1, AA


def test_contrast_is_that_of_the_standard() -> None:
    assert style.contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)
    assert style.contrast(to_rgb("#767676"), (1, 1, 1)) == pytest.approx(4.54, abs=0.01)  # W3C's own example


PICTURES: dict[str, Callable[[Any], Any]] = {
    "losses": wm.plots.losses,
    "zero_one": wm.plots.zero_one,
    "subgradients": lambda ax: wm.plots.subgradients(ax=ax),
    "level_sets": lambda ax: wm.plots.level_sets(ax=ax),
    "sigmoid": lambda ax: wm.plots.sigmoid(ax=ax),
    "schedules": lambda ax: wm.plots.schedules("harmonic", ax=ax),
}


@pytest.mark.parametrize("picture", PICTURES)
def test_nothing_that_is_drawn_drowns_in_the_ground(ground: Any, picture: str) -> None:
    ax, paper = ground
    PICTURES[picture](ax)
    inks = [to_rgb(line.get_color()) for line in ax.get_lines()]
    texts = [*ax.texts, ax.title, ax.xaxis.label, *ax.get_legend().get_texts()]
    letters = [to_rgb(text.get_color()) for text in texts]
    assert inks
    assert min(style.contrast(ink, paper) for ink in inks) >= 2.9
    assert min(style.contrast(ink, paper) for ink in letters) >= 4.5
