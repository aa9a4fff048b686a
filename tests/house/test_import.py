"""`import widemargin` is cheap, and brings exactly the public names."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

import pytest

import widemargin as wm

HEAVY = {"scipy", "click", "rich", "matplotlib", "sklearn", "pandas", "polars", "pyarrow", "narwhals"}


def python(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def seconds(module: str) -> float:
    """CPU time of one import in a fresh interpreter."""
    return float(python(f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"))


def test_names_are_unique_and_resolve() -> None:
    assert len(wm.__all__) == len(set(wm.__all__))  # ruff keeps them in order
    for name in wm.__all__:
        assert getattr(wm, name) is not None
    assert set(wm.__all__) <= set(dir(wm))


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        wm.no_such_name  # noqa: B018


def test_import_is_lazy() -> None:
    code = "import sys, json, widemargin; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    assert not HEAVY & set(json.loads(python(code)))


@pytest.mark.slow
def test_import_costs_little_more_than_numpy() -> None:
    pairs = [(seconds("numpy"), seconds("widemargin")) for _ in range(12)][1:]  # the first pair writes caches
    ours, numpy = (statistics.median(column) for column in zip(*((w, n) for n, w in pairs), strict=True))
    assert ours <= 1.3 * numpy, f"{1e3 * ours:.0f} ms against {1e3 * numpy:.0f} ms"
