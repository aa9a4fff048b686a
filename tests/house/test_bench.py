"""Every measurement runs, on small synthetic data; the pages say what the result files say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="measurements compare with scikit-learn: pip install 'widemargin[sklearn]'")

NAMES = ("row_solvers", "closed_form", "certified", "small", "drop_in")


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m ...` from the checkout."""
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_measurement_runs(name: str, root: Path, tmp_path: Path) -> None:
    done = run(root, "bench", name, "--tiny", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert found["rows"]
    assert {"processor", "cores", "load", "versions", "date"} <= set(found["machine"])
    assert "---" in done.stdout, "a table has a rule under its head"


def test_tiny_numbers_never_replace_real_ones(root: Path) -> None:
    done = run(root, "bench", "small", "--tiny")
    assert done.returncode == 2
    assert "--results" in done.stderr


def test_pages_say_what_the_results_say(root: Path) -> None:
    done = run(root, "bench.page", "--check")
    assert done.returncode == 0, done.stderr
