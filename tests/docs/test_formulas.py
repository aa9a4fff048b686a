"""Every formula of the pages becomes MathML, and one that cannot be is an error, not red ink on the page."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import widemargin as wm

DOCS = Path(__file__).resolve().parents[2] / "docs"
HOOK = runpy.run_path(str(DOCS / "formulas.py"))
TABLES = runpy.run_path(str(DOCS / "registries.py"))
NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
FENCED = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(?!\s)([^$\n]+?)(?<!\s)\$", re.DOTALL)
PAGES = sorted(DOCS.glob("**/*.md"))


def formulas(page: str) -> list[str]:
    """The TeX of a page, outside of code."""
    return [found[1] or found[2] for found in FORMULA.finditer(FENCED.sub("", page))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_the_formulas_of_a_page_are_mathml(path: Path) -> None:
    for tex in formulas(path.read_text(encoding="utf-8")):
        root = ElementTree.fromstring(HOOK["mathml"](tex))
        assert root.tag == f"{NAMESPACE}math"
        assert "\\" not in "".join(root.itertext())


def test_there_are_formulas() -> None:
    assert sum(len(formulas(path.read_text(encoding="utf-8"))) for path in PAGES) > 30


@pytest.mark.parametrize(
    "entry", [*wm.losses.values(), *wm.penalties.values(), *wm.conventions.values()], ids=lambda entry: entry.name
)
def test_what_a_registry_writes_is_mathml_and_fits_in_a_cell(entry: Any) -> None:
    written = TABLES["formula"](entry.tex)
    assert "|" not in written
    ElementTree.fromstring(HOOK["mathml"](written.strip("$")))


@pytest.mark.parametrize("tex", [r"\widemargin x", "a & b", r"\frac{1}{", r"\begin{cases} 1", r"x^{2"])
def test_what_cannot_be_converted_is_an_error(tex: str) -> None:
    with pytest.raises(HOOK["FormulaError"], match="formula"):
        HOOK["mathml"](tex)


def test_the_hook_takes_what_markdown_hands_on() -> None:
    page = (
        '<p>where <span class="arithmatex">\\(z &lt; 1\\)</span></p><div class="arithmatex">\\[\n\\frac12\n\\]</div>'
        "<code>a & \\b</code>"
    )
    made = HOOK["on_page_content"](page, page=None, config=None, files=None)
    assert "arithmatex" not in made
    assert made.count("<math") == 2
    assert 'display="block"' in made
    assert "&lt;" in made
    assert made.endswith("<code>a & \\b</code>")  # code is left alone


@pytest.mark.parametrize(
    ("tex", "signs"), [(r"e^{-z}", 1), (r"\max(0, -z)", 1), (r"1 - z", 0), (r"(1) - z = -1", 1), (r"\|w\| - 1", 0)]
)
def test_a_sign_belongs_to_what_follows_where_nothing_precedes_it(tex: str, signs: int) -> None:
    assert HOOK["mathml"](tex).count('form="prefix"') == signs
