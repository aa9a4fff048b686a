"""From a CSV file to a model file and back to labels."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import widemargin as wm
from widemargin.cli import main
from widemargin.data.schema import Schema

COLOURS = ["red", "green", "blue", ""]


def rows(count: int, classes: str = "xy", seed: int = 0) -> list[dict[str, str]]:
    """Size and colour say the kind; some sizes are missing."""
    draw = random.Random(seed)
    found = []
    for k in range(count):
        kind = k % len(classes)
        size = "" if draw.random() < 0.1 else f"{kind + draw.gauss(0, 0.4):.4f}"
        colour = COLOURS[kind] if draw.random() < 0.7 else draw.choice(COLOURS)
        found.append({"size": size, "colour": colour, "kind": classes[kind], "same": "1"})
    return found


def write(path: Path, table: list[dict[str, str]]) -> str:
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, table[0])
        writer.writeheader()
        writer.writerows(table)
    return str(path)


def run(*words: str) -> Result:
    result = CliRunner(env={"COLUMNS": "1000"}).invoke(main, words)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def table(tmp_path: Path) -> str:
    return write(tmp_path / "table.csv", rows(200))


def test_summary(table: str) -> None:
    lines = run("fit", table, "--target", "kind").stdout.splitlines()
    told = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines}
    assert list(told) == ["data", "columns", "rows", "objective", "solver", "optimum", "verdict", "error", "weights"]
    assert told["data"] == f"{table}: 200 rows; kind is x 50.0%, y 50.0%"
    assert told["columns"] == (
        "1 of numbers, standardised, 1 of them with gaps filled by the mean and flagged; "
        "1 of categories, 4 levels, one feature each; left out because constant: 'same'"
    )
    assert told["rows"] == "150 for training, 50 held out (seed 0)"
    assert told["objective"] == "mean logistic loss + 0.001 l2; intercept free"
    assert told["verdict"] == "the relative gap is within the tolerance"
    assert told["weights"].startswith("towards y: size +")


def test_the_same_seed_gives_the_same_summary(table: str) -> None:
    def summary(seed: str) -> Any:
        found = json.loads(run("fit", table, "--target", "kind", "--seed", seed, "--json").stdout)
        return {key: value for key, value in found.items() if key != "seconds"}

    assert summary("1") == summary("1")
    assert summary("1")["weights"] != summary("2")["weights"]


def test_json_tells_what_the_model_file_holds(table: str, tmp_path: Path) -> None:
    path = str(tmp_path / "m.wm")
    found = json.loads(run("fit", table, "--target", "kind", "--model", path, "--json").stdout)
    model = wm.load(path)
    assert found["relative_gap"] <= 1e-6
    assert found["success"] is True
    assert found["lower_bound"] <= found["objective"]
    assert found["rows"] == {"train": 150, "held_out": 50, "without_target": 0}
    assert found["data"] == table
    assert found["columns"] == model.about["schema"]["columns"]
    assert model.feature_names == tuple(Schema.from_plain(found["columns"]).features)
    assert model.feature_names[:2] == ("size", "size=missing")
    assert set(model.feature_names[2:]) == {"colour=missing", "colour=red", "colour=green", "colour=blue"}
    top = found["weights"][0]
    assert top["value"] == model.weights[model.feature_names.index(top["feature"])]
    assert abs(top["value"]) == np.abs(model.weights).max()


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_round_trip(tmp_path: Path, suffix: str) -> None:
    import gzip

    plain = tmp_path / "plain.csv"
    write(plain, rows(200))
    path = tmp_path / f"table{suffix}"
    path.write_bytes(gzip.compress(plain.read_bytes()) if suffix.endswith("gz") else plain.read_bytes())
    model = str(tmp_path / "m.wm")
    words = ["fit", str(path), "--target", "kind", "--test-fraction", "0", "--model", model, "--json"]
    summary = json.loads(run(*words).stdout)
    result = run("predict", model, str(path), "--probabilities")
    found = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(found[0]) == ["prediction", "probability_x", "probability_y"]
    truth = [row["kind"] for row in rows(200)]
    wrong = sum(row["prediction"] != kind for row, kind in zip(found, truth, strict=True))
    assert wrong / 200 == summary["error"]["train"] < 0.2
    assert f"note: 'kind' is in the file: {wrong} of 200 labels differ" in result.stderr
    for row in found:
        assert float(row["probability_x"]) + float(row["probability_y"]) == pytest.approx(1)
        assert (float(row["probability_y"]) >= 0.5) == (row["prediction"] == "y")


def test_predict_reads_by_name_and_notes_what_is_new(table: str, tmp_path: Path) -> None:
    model, out = str(tmp_path / "m.wm"), tmp_path / "out.csv"
    run("fit", table, "--target", "kind", "--model", model)
    new = [{"more": "?", "colour": "violet", "size": "1.0"}, {"more": "", "colour": "red", "size": "huge"}]
    result = run("predict", model, write(tmp_path / "new.csv", new), "-o", str(out))
    assert result.stdout == ""
    assert "note: column 'colour': 1 cell is a level that training never saw, such as 'violet'" in result.stderr
    assert "note: column 'size': 1 cell is no number, such as 'huge': read as missing" in result.stderr
    assert out.read_text() == "prediction\ny\nx\n"


def test_three_classes(tmp_path: Path) -> None:
    path, model = write(tmp_path / "table.csv", rows(300, "abc")), str(tmp_path / "m.wm")
    assert " → " in run("fit", path, "--target", "kind", "--model", model).stdout
    head, *body = run("predict", model, path, "--probabilities").stdout.splitlines()
    assert head == "prediction,probability_a,probability_b,probability_c"
    assert len(body) == 300


def test_options_reach_the_fit(table: str) -> None:
    words = ["--loss", "squared_hinge", "--penalty", "elastic_net:0.2", "--alpha", "0.01", "--no-intercept"]
    found = json.loads(run("fit", table, "--target", "kind", *words, "--class-weight", "balanced", "--json").stdout)
    told = [found[key] for key in ("loss", "penalty", "alpha", "intercept")]
    assert told == ["squared_hinge", "elastic_net:0.2", 0.01, "none"]


def test_a_solver_without_an_optimum_says_so(table: str) -> None:
    shown = run("fit", table, "--target", "kind", "--solver", "pa", "--stop", "max_passes:3").stdout
    assert "pa has an aim of its own and minimises nothing" in shown


def test_not_converged_is_a_warning_and_exit_0(table: str) -> None:
    result = run("fit", table, "--target", "kind", "--solver", "gd", "--tol", "1e-300", "--budget-seconds", "1e-9")
    assert result.stderr.startswith("warning: gd: the budget ran out before the tolerance")


def test_rows_without_target_and_dropped_columns(tmp_path: Path) -> None:
    table = rows(200)
    table[3]["kind"] = table[5]["kind"] = ""
    path = write(tmp_path / "table.csv", table)
    found = json.loads(run("fit", path, "--target", "kind", "--drop", "colour", "--json").stdout)
    assert found["rows"]["without_target"] == 2
    assert [column["name"] for column in found["columns"]] == ["size"]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda about: {}, "the table lacks"),
        (lambda about: {"schema": {"target": "kind", "columns": [{"name": "x"}]}}, "damaged: the schema lacks 'mean'"),
        (lambda about: {"schema": {"target": "kind", "columns": [3]}}, "damaged"),
        (
            lambda about: {"schema": {**about["schema"], "columns": about["schema"]["columns"][:1]}},
            "features, 6 weights",
        ),
    ],
)
def test_models_that_cannot_read_a_table(table: str, tmp_path: Path, change: Any, text: str) -> None:
    from dataclasses import replace

    path = tmp_path / "m.wm"
    run("fit", table, "--target", "kind", "--model", str(path))
    model = wm.load(path)
    replace(model, about=change(model.about)).save(path)
    result = CliRunner().invoke(main, ["predict", str(path), table])
    assert result.exit_code == 2
    assert text in result.stderr


def test_predict_errors(table: str, tmp_path: Path) -> None:
    model = str(tmp_path / "m.wm")
    run("fit", table, "--target", "kind", "--loss", "hinge", "--model", model)
    cases = {
        (model, write(tmp_path / "new.csv", [{"size": "1"}])): "lacks the column 'colour' of the training table",
        (model, table, "--probabilities"): "loss 'hinge' implies no probabilities",
        (table, table): "not a widemargin model",
        ("absent.wm", table): "absent.wm: No such file or directory",
    }
    for words, text in cases.items():
        result = CliRunner().invoke(main, ["predict", *words])
        assert result.exit_code == 2
        assert result.stderr.startswith("error: ")
        assert text in result.stderr
        assert result.stdout == ""
