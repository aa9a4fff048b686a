"""`widemargin demo --quick`: two tables, a summary, one picture."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from widemargin.cli import main
from widemargin.cli.demonstration import QUESTIONS, RUNS


@pytest.mark.slow
def test_demo(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = CliRunner(env={"COLUMNS": "100"}).invoke(main, ["demo", "--quick", "--out", str(tmp_path / "new")])
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    for name in QUESTIONS:
        assert f"{name}: the best test error is " in result.stdout
    rows = [line for line in result.stdout.splitlines() if re.search(r"%\s+\d+\.\d\d$", line)]
    assert len(rows) == len(QUESTIONS) * len(RUNS)
    picture = tmp_path / "new" / "demo.png"
    assert str(picture) in result.stdout.replace("\n", "")
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_demo_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = CliRunner(env={"COLUMNS": "100"}).invoke(main, ["demo", "--quick", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert result.stderr == 'note: no picture: pictures need matplotlib: pip install "widemargin[plot]"\n'
    assert "Most telling for spam:" in result.stdout
