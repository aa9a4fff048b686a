"""The pages of losses and penalties say what the registries hold today."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import widemargin as wm

TOOL = Path(__file__).resolve().parents[2] / "tools" / "registry_pages.py"
MADE = runpy.run_path(str(TOOL))


@pytest.mark.parametrize("name", MADE["PAGES"])
def test_the_page_is_what_the_tool_makes(name: str) -> None:
    text = (MADE["DOCS"] / name).read_text(encoding="utf-8")
    assert text == MADE["PAGES"][name](), "run python tools/registry_pages.py"


@pytest.mark.parametrize(("name", "registry"), [("losses.md", wm.losses), ("penalties.md", wm.penalties)])
def test_every_entry_is_on_its_page(name: str, registry: dict[str, object]) -> None:
    page = MADE["PAGES"][name]()
    for entry in registry:
        assert page.count(f"<code>{entry}") >= 3  # once in each table at least
    rows = [line for line in page.splitlines() if line.startswith("|")]
    cells = {row.count("|") for row in rows}
    assert "nan" not in page
    assert len(rows) > 3 * len(registry)
    assert all(row.endswith(" |") for row in rows)
    assert len(cells) <= 5  # a bar inside a formula would make one more
