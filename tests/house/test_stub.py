"""The types that mypy reads for the core are those of the built core."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_stub_is_that_of_the_built_core() -> None:
    pytest.importorskip("nanobind")
    spec = importlib.util.spec_from_file_location("core_stub", ROOT / "tools" / "core_stub.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.TARGET.read_text(encoding="utf-8") == tool.stub(), "run python tools/core_stub.py"
