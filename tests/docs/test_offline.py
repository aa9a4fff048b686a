"""The documentation fetches nothing from elsewhere; links may lead there."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

HOOK = runpy.run_path(str(Path(__file__).resolve().parents[2] / "docs" / "offline.py"))


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://example.org/math.js"></script>',
        "<img alt='' src='//example.org/a.png'>",
        '<link rel="stylesheet" href="http://example.org/fonts.css">',
    ],
)
def test_what_a_page_would_fetch_is_an_error(page: str) -> None:
    with pytest.raises(HOOK["FetchError"], match="would fetch"):
        HOOK["on_post_page"](f"<p>text</p>{page}", page=None, config=None)


@pytest.mark.parametrize(
    "page",
    [
        '<a href="https://example.org/">elsewhere</a>',
        '<script src="assets/a.js"></script><img src="../pictures/a.png">',
        '<link rel="canonical" href="https://example.org/a.html">',
        "<code>&lt;script src=</code>",
    ],
)
def test_links_and_files_of_the_site_pass(page: str) -> None:
    assert HOOK["on_post_page"](page, page=None, config=None) == page
