"""inspect, explain, export, import: what they say is what the library knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import widemargin as wm
from widemargin.cli import main
from widemargin.data.csv_file import read_csv
from widemargin.table_model import table_of

FILES = Path(__file__).parents[1] / "imports" / "files"


def run(*words: Any, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of two classes and one of three, and a model of each."""
    found = tmp_path_factory.mktemp("commands")
    draw = np.random.default_rng(0)
    rows = [(round(float(draw.normal()), 2), "rgb"[int(draw.integers(3))], "same") for _ in range(120)]
    for name, kinds in (("two", "no yes"), ("three", "a b c")):
        words = kinds.split()
        lines = [f"{x},{hue},{one},{words[('rgb'.index(hue) + (x > 0)) % len(words)]}" for x, hue, one in rows]
        (found / f"{name}.csv").write_text("\n".join(["size,hue,one,kind", *lines, ""]))
        run("fit", found / f"{name}.csv", "--target", "kind", "--alpha", "0.01", "--model", found / f"{name}.wm")
    return found


@pytest.mark.parametrize("name", ["two", "three"])
def test_explain_adds_up(name: str, folder: Path) -> None:
    model = wm.load(folder / f"{name}.wm")
    table = table_of(model)
    assert table is not None
    X = table.schema.encode(read_csv(folder / f"{name}.csv")).X
    for row in (1, 7, 120):
        words = ["explain", folder / f"{name}.wm", folder / f"{name}.csv", "--row", row]
        found = json.loads(run(*words, "--json").stdout)
        assert found["score"] == pytest.approx(found["intercept"] + sum(part["adds"] for part in found["parts"]))
        assert found["label"] == model.predict(X)[row - 1]
        k = model.classes.tolist().index(found["towards"])
        assert found["probabilities"][found["towards"]] == pytest.approx(model.probabilities(X)[row - 1, k])
        assert np.ravel(model.scores(X)[row - 1])[-1 if name == "two" else k] == pytest.approx(found["score"])
        shown = run(*words, "--top", 1).stdout
        assert f"row {row}: {found['label']}" in shown
        assert found["parts"][0]["feature"] in shown
        assert "more features" in shown


def test_inspect_a_model(folder: Path) -> None:
    model, path = wm.load(folder / "two.wm"), folder / "two.wm"
    found = json.loads(run("inspect", path, "--json").stdout)
    assert (found["classes"], found["features"], found["used"]) == (["no", "yes"], len(model.W), len(model.W))
    assert found["about"]["data"]["rows"] + found["about"]["data"]["held_out"] == 120
    assert found["about"]["data"]["file"] == "two.csv"
    assert set(found["about"]["provenance"]) == {"widemargin", "python", "numpy", "machine", "time"}
    shown = run("inspect", path).stdout
    for text in ("logistic loss, 0.01 l2; binary", "no, yes", "4 of 4 used", "hue=", "relative gap", "sha256", "error"):
        assert text in shown
    assert " → " in run("inspect", folder / "three.wm").stdout


def test_inspect_a_table(folder: Path) -> None:
    shown = run("inspect", folder / "two.csv").stdout
    for text in ("120 rows, 4 columns", "numbers, mean", "categories: b, g, r", "the same in every row"):
        assert text in shown
    found = json.loads(run("inspect", folder / "two.csv", "--json").stdout)
    assert [column["name"] for column in found["columns"]] == ["size", "hue", "kind"]
    assert found["constant_columns"] == ["one"]


def test_export_tries_the_file(folder: Path, tmp_path: Path) -> None:
    words = ["export", folder / "three.wm", tmp_path / "m.py"]
    assert "tried by Python on 200 rows" in run(*words).stdout
    found = json.loads(run(*words, "--check", folder / "three.csv", "--json").stdout)
    assert (found["rows"], found["labels"], found["tried_by"]) == (120, 0, "Python")
    assert max(found["decision"], found["probability"]) < 1e-13
    assert "One of: onnx, sql, c, javascript, python." in " ".join(run("export", "--help").stdout.split())


def test_import(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.wm"
    assert (
        "3 classes, 5 of 5 features used), classes 5, 6, 7" in run("import", FILES / "liblinear_lr3.model", out).stdout
    )
    assert wm.load(out).loss.name == "logistic"
    run("import", FILES / "vw_names.txt", out)
    assert "size" in (wm.load(out).feature_names or ())
    names = tmp_path / "names.txt"
    names.write_text("size\nhue\n7\nsecond^größe\nsecond^a_b\n")
    run("import", FILES / "vw_logistic.txt", out, "--features", names, "--from", "vw")
    assert wm.load(out).feature_names == ("size", "hue", "7", "second^größe", "second^a_b")


def test_an_imported_model_predicts(tmp_path: Path) -> None:
    model, table, answers = tmp_path / "m.wm", tmp_path / "new.csv", json.loads((FILES / "answers.json").read_text())
    rows = answers["rows"]
    head = ["size", "hue", "7", "second^größe", "second^a_b"]
    lines = [",".join(map(str, row)) for row in rows]
    table.write_text("\n".join([",".join(head), *lines, ""]))
    run("import", FILES / "liblinear_lr3.model", model)  # without names: all columns
    found = run("predict", model, table).stdout.split()[1:]
    assert found == [str(label) for label in answers["liblinear"]["lr3"]["labels"]]
    run("import", FILES / "vw_names.txt", model)  # with names, in another order
    found = run("predict", model, table).stdout.split()[1:]
    assert found == [str(label) for label in np.where(np.array(answers["vw"]["logistic"]) >= 0.5, 1, -1)]
    parts = json.loads(run("explain", model, table, "--row", 2, "--json").stdout)
    assert parts["score"] == pytest.approx(parts["intercept"] + sum(part["adds"] for part in parts["parts"]))
    table.write_text(",".join(head) + "\n1,2,,4,5\n")
    assert "column '7': 1 cell is missing, which" in run("predict", model, table, code=2).stderr
    table.write_text("a,b\n1,2\n")
    assert "lacks columns" in run("predict", model, table, code=2).stderr
    run("import", FILES / "liblinear_lr3.model", model)
    assert "5 features without names, and the table has 2 columns" in run("predict", model, table, code=2).stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["inspect", "absent"], "absent: no such file"),
        (["explain", "two.wm", "two.csv", "--row", "121"], "has 120 rows; --row 121 is beyond them"),
        (["explain", "two.wm", "three.wm"], "three.wm is not text in UTF-8"),
        (["explain", "two.csv", "two.csv"], "two.csv: not a widemargin model"),
        (["export", "two.wm", "m.txt"], "m.txt: the ending says no format; expected one of .onnx"),
        (["export", "two.wm", "m.py", "--format", "pyton"], "Did you mean 'python'?"),
        (["export", "absent.wm", "m.py"], "absent.wm: No such file or directory"),
        (["import", "two.csv", "m.wm"], "no line `w` in the first 20; expected a model of LIBLINEAR"),
        (["predict", "two.wm", "absent.csv"], "absent.csv: no such file"),
    ],
)
def test_what_is_wrong_is_one_line(words: list[str], text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = run(*words, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert text in result.stderr
    assert not (folder / "m.py").exists()


@pytest.mark.parametrize("name", main.list_commands(None))  # type: ignore[arg-type]
def test_every_command_has_help(name: str) -> None:
    shown = run(name, "--help").stdout
    assert shown.startswith("Usage: ")
    assert "-h, --help" in shown
