"""Reads a worked example out of CONTRIBUTING.md and applies it to a copy of the sources."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = re.compile(r"`(?P<path>[\w/]+\.\w+)`:\n\n```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL)


def blocks(title: str) -> list[tuple[str, str, str]]:
    """(path, language, text) of every block of the section that is announced by a path and a colon."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return [(m["path"], m["language"], m["text"]) for m in FILE.finditer(section)]


def apply(title: str, copy: Path) -> None:
    """A `diff` block changes the file that is there; any other is a new file."""
    found = blocks(title)
    assert found, f"CONTRIBUTING.md has no example under {title!r}"
    for path, language, text in found:
        target = copy / path
        if language == "diff":
            target.write_text(patched(target.read_text(encoding="utf-8"), text), encoding="utf-8")
        else:
            assert not target.exists(), f"{path} is there already"
            target.write_text(text, encoding="utf-8")


def patched(text: str, diff: str) -> str:
    """The text with the added lines; the others must stand in it, together, exactly once."""
    lines = diff.splitlines(keepends=True)
    assert all(line[0] in " +" for line in lines), "an addition takes nothing away"
    old = "".join(line[1:] for line in lines if line[0] == " ")
    assert text.count(old) == 1, f"these lines are not there:\n{old}"
    return text.replace(old, "".join(line[1:] for line in lines))
