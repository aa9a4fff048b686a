"""MkDocs hook: a page that would fetch something from elsewhere is an error; the documentation is read offline too."""

from __future__ import annotations

import re
from typing import Any

FETCHED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|link(?![^>]*rel=\"canonical\"))\b[^>]*?"
    r"\b(?:src|srcset|href)=[\"']?(?:https?:)?//[^\"'\s>]*"
)


class FetchError(ValueError):
    """Something that a browser would load from another place."""


def on_post_page(text: str, **_: Any) -> str:
    """The page as it is, or an error that names what it would fetch."""
    found = FETCHED.search(text)
    if found:
        raise FetchError(f"the page would fetch {found[0]!r}: put the file beside the page")
    return text
