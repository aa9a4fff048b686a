"""The page of pictures: every function is on it, every picture is there, bright and dark, and nothing is cut off."""

from __future__ import annotations

import itertools
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import widemargin as wm

mpl = pytest.importorskip("matplotlib")
pytest.importorskip("PIL")

TOOL = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "make_pictures.py"))
PAGE = TOOL["PAGE"].read_text(encoding="utf-8")
PICTURES = list(TOOL["pictures"](PAGE))
FOLDER = TOOL["DOCS"] / "pictures"
EDGE = 1.5  # pixels by which antialiasing may blur


def test_every_function_is_on_the_page() -> None:
    called = set(re.findall(r"wm\.plots\.(\w+)\(", "".join(picture.code for picture in PICTURES)))
    assert called == set(wm.plots.__all__)


def test_every_picture_is_there_bright_and_dark_and_nothing_else() -> None:
    names = [picture.name for picture in PICTURES]
    assert len(names) == len(set(names)) > 20
    expected = {f"{name}{ending}.png" for name in names for ending in TOOL["STYLES"]}
    assert {path.name for path in FOLDER.iterdir()} == expected
    for name in names:
        assert f"](pictures/{name}-dark.png#only-dark)" in PAGE


def test_every_block_belongs_to_a_picture() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert "".join(blocks) == "".join(picture.code for picture in PICTURES)
    assert all(picture.code for picture in PICTURES)


def test_other_pages_show_pictures_that_are_made() -> None:
    made = {path.name for path in FOLDER.iterdir()}
    for page in TOOL["DOCS"].rglob("*.md"):
        shown = re.findall(r"\]\([./]*pictures/([\w-]+\.png)", page.read_text(encoding="utf-8"))
        assert set(shown) <= made, f"{page.name} shows pictures that docs/pictures.md does not make"


@pytest.mark.slow
def test_no_words_are_cut_off_or_lie_on_each_other() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    names: dict[str, Any] = {}
    with mpl.rc_context():
        for picture in PICTURES:
            exec(compile(picture.code, picture.name, "exec"), names)
            figure = pyplot.gcf()
            figure.draw_without_rendering()
            _check(figure, picture.name)
            pyplot.close("all")


def _check(figure: Any, name: str) -> None:
    """Every text lies within the figure, and no two overlap."""
    whole = figure.bbox.padded(EDGE)
    boxes = [(text, text.get_window_extent()) for ax in figure.axes for text in _texts(ax)]
    for text, box in boxes:
        inside = whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1
        assert inside, f"{name}: {text.get_text()!r} is cut off"
    for (a, first), (b, second) in itertools.combinations(boxes, 2):
        overlap = first.padded(-EDGE).overlaps(second.padded(-EDGE))
        assert not overlap, f"{name}: {a.get_text()!r} lies on {b.get_text()!r}"


def _texts(ax: Any) -> list[Any]:
    """Titles, names of the axes, numbers along them, the legend and notes."""
    legend = ax.get_legend()
    found = [
        *(ax._left_title, ax.xaxis.label, ax.yaxis.label),
        *ax.texts,
        *(legend.get_texts() if legend else ()),
        *(label for axis in (ax.xaxis, ax.yaxis) for label in _numbers(axis)),
    ]
    return [text for text in found if text.get_visible() and text.get_text()]


def _numbers(axis: Any) -> list[Any]:
    """The numbers that are drawn along an axis: those within its limits."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
