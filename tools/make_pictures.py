"""Draw every picture of docs/pictures.md into docs/pictures/, twice: on bright ground, and for dark pages.

    python tools/make_pictures.py [NAME ...]

The code of a picture stands in that page and nowhere else: the blocks run in order, and what the last one before a
picture drew is saved under its name.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure
from PIL import Image

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "pictures.md"
PART = re.compile(r"```python\n(?P<code>.*?)```|!\[[^\]]*\]\(pictures/(?P<name>\w+)\.png#only-light\)", re.DOTALL)
DPI = 144  # twice the size on the page
BRIGHT, NIGHT = "#e2e4e9", "#1e2129"  # letters and ground of the documentation's dark pages
INK = (
    "text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor", "xtick.color", "ytick.color",
    "legend.labelcolor",
)  # fmt: skip
STYLES: dict[str, dict[str, Any]] = {
    "": {},
    "-dark": dict.fromkeys(INK, BRIGHT) | dict.fromkeys(("figure.facecolor", "axes.facecolor"), NIGHT),
}


class Picture(NamedTuple):
    """A name, and the code up to it since the picture before."""

    name: str
    code: str


def pictures(page: str) -> Iterator[Picture]:
    """The pictures of a page in order."""
    code = ""
    for part in PART.finditer(page):
        code += part["code"] or ""
        if part["name"]:
            yield Picture(part["name"], code)
            code = ""


def draw(found: list[Picture], ending: str, wanted: set[str], folder: Path) -> None:
    """Run all code in one namespace; save the wanted pictures."""
    from matplotlib import pyplot

    names: dict[str, Any] = {}
    with mpl.rc_context(STYLES[ending]):
        for picture in found:
            exec(compile(picture.code, f"{PAGE.name}: {picture.name}", "exec"), names)
            if picture.name in wanted:
                path = folder / f"{picture.name}{ending}.png"
                save(pyplot.gcf(), path)
                print(f"{path.name}: {path.stat().st_size // 1000} kB")
            pyplot.close("all")


def save(figure: Figure, path: Path) -> None:
    """A PNG of 256 colours, none further than 7 of 255 from the drawn one: a third of the size."""
    with io.BytesIO() as drawn:
        figure.savefig(drawn, dpi=DPI)
        few = Image.open(drawn).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.save(path, optimize=True)


def main(wanted: set[str], folder: Path = DOCS / "pictures") -> None:
    """Both versions of the wanted pictures, or of all."""
    mpl.use("Agg")
    found = list(pictures(PAGE.read_text(encoding="utf-8")))
    unknown = wanted - {picture.name for picture in found}
    if unknown:
        sys.exit(f"{PAGE.name} has no picture {', '.join(sorted(unknown))}")
    folder.mkdir(exist_ok=True)
    for ending in STYLES:
        draw(found, ending, wanted or {picture.name for picture in found}, folder)


if __name__ == "__main__":
    main(set(sys.argv[1:]))
