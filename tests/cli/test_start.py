"""The command starts fast, ends quietly, and says in one line what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import widemargin as wm
from widemargin.cli import main

HEAVY = {"numpy", "scipy", "rich", "matplotlib"}
PROBE = """
import atexit, json, sys, time
from widemargin.cli import main
def say():
    heavy = sorted({module.partition(".")[0] for module in sys.modules})
    print(json.dumps([time.process_time(), heavy]), file=sys.stderr)
atexit.register(say)
main(sys.argv[1:], prog_name="widemargin")
"""
ROWS = "size,kind\n" + "".join(f"{k},{'ab'[k > 20]}\n" for k in range(40))


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    path.write_text(ROWS)
    return str(path)


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["predict", "--help"], ["demo", "--help"]], ids=" ".join)
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    done = [python("-c", PROBE, *words) for _ in range(3)]
    reports = [json.loads(one.stderr.splitlines()[-1]) for one in done]
    assert all(one.returncode == 0 for one in done)
    assert not HEAVY & set(reports[0][1])
    assert min(seconds for seconds, _ in reports) < 0.25


def test_module_runs() -> None:
    assert python("-m", "widemargin", "--version").stdout == f"widemargin, version {wm.__version__}\n"


def test_fit_help_names_the_registries() -> None:
    shown = "".join(CliRunner().invoke(main, ["fit", "--help"]).stdout.split())
    for names in (wm.losses, wm.penalties, wm.solvers):
        assert ",".join(names) in shown


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--loss", "hing"], "unknown loss 'hing'. Did you mean 'hinge'?"),
        (["--penalty", "l3"], "unknown penalty 'l3'"),
        (["--penalty", "elastic_net:7"], "l1_ratio must lie in"),
        (["--solver", "newtn"], "unknown solver 'newtn'. Did you mean 'newton'?"),
        (["--solver", "sgd:batch=-1"], "it must be a whole number"),
        (["--schedule", "pwer:1,2"], "unknown schedule 'pwer'. Did you mean 'power'?"),
        (["--stop", "max_pass:3"], "unknown stop 'max_pass'. Did you mean 'max_passes'?"),
        (["--multiclass", "ova"], "unknown multiclass 'ova'"),
        (["--alpha", "-1"], "alpha = -1.0; expected a number of at least 0"),
        (["--tol", "0"], "tol = 0.0; expected a number above 0"),
        (["--budget-seconds", "0"], "seconds = 0.0; it must be a positive, finite number"),
        (["--loss", "hinge", "--solver", "newton"], "Newton needs a loss with a second derivative"),
        (["--target", "knd"], "unknown column 'knd'. Did you mean 'kind'?"),
        (["--drop", "other"], "unknown column 'other'"),
        (["--drop", "kind"], "column 'kind' cannot be dropped: it is the target"),
        (["--drop", "size"], "has no column but 'kind'"),
        (["--model", "absent/model.wm"], "there is no folder 'absent' to write the model to"),
    ],
)
def test_wrong_options_are_one_line(table: str, words: list[str], text: str) -> None:
    result = CliRunner().invoke(main, ["fit", table, "--target", "kind", *words])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert text in result.stderr


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "is empty, or has no names of columns"),
        ("a,kind\n", "has a header and no rows"),
        ("a,kind\n1,x\n2\n", "line 3: 1 values where the header has 2 columns"),
        ("a,a,kind\n1,2,x\n", "the header has the column 'a' twice"),
        ("kind\nx\ny\n", "has no column but 'kind'"),
        ("a,kind\n1,x\n2,x\n", "column 'kind' has 'x' and no other value"),
        ("a,kind\n1,\n2,\n", "column 'kind' has nothing and no other value"),
        ("a,kind\n1,x\n1,y\n", "no column varies: 'a'"),
        ("a,kind\n1,x\ninf,y\n2,x\n3,y\n", "column 'a' has 'inf' in row 2 below the header"),
        ("a,kind\n" + "".join(f"{k},{k}.5\n" for k in range(30)), "30 different values in 30 rows: too many"),
    ],
)
def test_wrong_files_are_one_line(tmp_path: Path, content: str, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content)
    result = CliRunner().invoke(main, ["fit", str(path), "--target", "kind"])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert text in result.stderr


def test_a_file_that_is_not_there() -> None:
    result = CliRunner().invoke(main, ["fit", "absent.csv", "--target", "kind"])
    assert (result.exit_code, result.stderr) == (2, "error: absent.csv: no such file; expected a CSV file.\n")


def test_debug_shows_where() -> None:
    result = CliRunner().invoke(main, ["--debug", "fit", "absent.csv", "--target", "kind"])
    assert isinstance(result.exception, wm.WidemarginError)


def test_interrupted(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("widemargin.data.csv_file.columns", interrupt)
    result = CliRunner().invoke(main, ["fit", table, "--target", "kind"])
    assert (result.exit_code, result.stdout) == (130, "")


def test_a_bug_is_ours(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("surprise")

    monkeypatch.setattr("widemargin.data.csv_file.columns", fail)
    result = CliRunner().invoke(main, ["fit", table, "--target", "kind"])
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ZeroDivisionError: surprise. This should not happen")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_closed_pipe_is_quiet() -> None:
    command = f"{sys.executable} -c 'import time; time.sleep(1)'"  # reads nothing
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m widemargin losses --json | {command}"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr == ""
