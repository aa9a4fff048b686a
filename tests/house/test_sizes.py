"""Files of at most 300 lines, functions of at most 40, a core of fewer than 6,600 beside its readers of text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".py", ".hpp", ".cpp"}  # a stub is made by a tool, as long as what it describes
FILES = sorted(p for top in ("src", "core", "tests", "bench", "tools") for p in (ROOT / top).rglob("*.*"))
SOURCES = [p for p in FILES if p.suffix in SUFFIXES]


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and length of every function, docstring not counted."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            start = first.end_lineno if ast.get_docstring(node) else node.lineno - 1
            assert node.end_lineno is not None
            assert start is not None
            yield node.name, node.end_lineno - start


def test_files_are_short() -> None:
    long = {str(p.relative_to(ROOT)): lines(p) for p in SOURCES if lines(p) > 300}
    assert not long, f"more than 300 lines; does the file hold more than one idea? {long}"


def test_functions_are_short() -> None:
    python = [p for p in SOURCES if p.suffix == ".py"]
    long = [f"{p.relative_to(ROOT)}:{name} {n}" for p in python for name, n in functions(p) if n > 40]
    assert not long, f"more than 40 lines: {long}"


def test_core_is_small() -> None:
    beside = [ROOT / "core" / name for name in ("tests", "parse", "bind/parse.cpp")]
    core = [p for p in SOURCES if p.is_relative_to(ROOT / "core") and not any(p.is_relative_to(b) for b in beside)]
    assert core
    assert sum(map(lines, core)) <= 6_600


@pytest.mark.parametrize("folder", sorted({p.parent for p in SOURCES if p.is_relative_to(ROOT / "src")}), ids=str)
def test_folders_are_packages(folder: Path) -> None:
    assert (folder / "__init__.py").exists() or folder == ROOT / "src", "the linters do not see it otherwise"
