"""Exported files answer as the model does, in every language that is here; and the check would tell if they did not."""

from __future__ import annotations

import math
import re
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnx
import pytest

import widemargin as wm
from widemargin.errors import InputError, OptionError, Refusal
from widemargin.exports.export import export
from widemargin.exports.formats import formats
from widemargin.exports.formula import formula_of
from widemargin.exports.link import parse
from widemargin.exports.python_source import WORDS
from widemargin.exports.rows import answers, drawn
from widemargin.exports.sql import query
from widemargin.links import Link
from widemargin.model import Model
from widemargin.rules import Rule

SCHEMA = {
    "target": "kind",
    "columns": [
        {"name": 'si"ze, in \\ */ mm', "mean": 2.0, "deviation": 0.5, "gaps": True},
        {"name": "größe", "mean": -1e6, "deviation": 1e-3, "gaps": False},
        {"name": "prediction", "levels": ["", "r'ed", 'b"lue\n\\0', "??/", "grün\t1", "${x}"]},
        {"name": "hue", "levels": ["a", "b"]},
    ],
}
NAMES = ("x", "x 1", "é", "SELECT", "'", "/*", "-")
WORDS_OF_ALL = np.array(["it's", 'a "b"', "c\\d ??/ é"])


def drawn_model(classes: Any, loss: str, form: str, d: int = 7, **more: Any) -> Model:
    draw = np.random.default_rng(5)
    K = 1 if len(classes) == 2 else len(classes)
    return Model(np.asarray(classes), draw.normal(size=(d, K)), draw.normal(size=K), wm.losses[loss], form, **more)


MODELS = {
    "numbers": drawn_model([0, 1], "logistic", "binary"),
    "named": drawn_model(["no", "yes"], "exponential", "binary", feature_names=NAMES),
    "hinge": drawn_model([False, True], "hinge", "binary"),
    "softmax": drawn_model(WORDS_OF_ALL, "logistic", "softmax"),
    "one against the rest": drawn_model([1.5, 2.5, 3.5, -4.0], "squared", "ovr"),
    "rivals": drawn_model([10, 20, 30], "hinge", "crammer_singer"),
    "table": drawn_model(["no", "yes"], "logistic", "binary", d=11, about={"schema": SCHEMA}),
    "table of three": drawn_model(WORDS_OF_ALL, "modified_huber", "ovr", d=11, about={"schema": SCHEMA}),
}  # fmt: skip
MODELS |= {
    "calibrated": replace(
        MODELS["hinge"], calibration=Link("sigmoid", {"a": np.array([1.7]), "c": np.array([-0.3])}),
        rule=Rule("threshold", np.array(0.8)),
    ),
    "warm": replace(MODELS["numbers"], calibration=Link("temperature", {"beta": np.array(0.6)})),
    "one sigmoid a class": replace(
        MODELS["one against the rest"], rule=Rule("offsets", np.array([0.5, -1.0, 0.0, 2.0])),
        calibration=Link("sigmoid", {"a": np.array([1.0, 2, 0.5, 3]), "c": np.array([0.1, -1, 0, 0.3])}),
    ),
    "warm softmax": replace(MODELS["softmax"], calibration=Link("temperature", {"beta": np.array(1.4)})),
}  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", formats)
def test_every_format_answers_alike(name: str, model: str, tmp_path: Path) -> None:
    entry = formats[name]
    if not entry.tried_by:
        pytest.skip(f"{entry.needs} is not installed")
    found = export(MODELS[model], tmp_path / f"1st model{entry.suffix}")
    assert found.rows == 200
    assert found.decision < 1e-14
    assert found.labels == 0
    assert math.isnan(found.probability) == (model in ("hinge", "rivals"))
    assert not found.probability >= 1e-13
    assert "labels differ" in found.text


@pytest.mark.parametrize("loss", [name for name, loss in wm.losses.items() if loss.link])
def test_every_link_is_read_as_the_core_computes_it(loss: str) -> None:
    def sigmoid(x: float) -> float:
        return 1 / (1 + math.exp(-x))

    text = parse(wm.losses[loss].link).written(WORDS, repr, "f")
    for f in np.linspace(-30, 30, 121).tolist():
        found = eval(text, {"math": math, "sigmoid": sigmoid}, {"f": f})
        assert found == pytest.approx(wm.losses[loss].probability(f), rel=1e-12, abs=1e-300)


def test_links_of_the_kind_that_a_new_loss_may_have() -> None:
    for text, value in {
        "(1 + f / sqrt(4 + f^2)) / 2": 0.8535533905932737,
        "exp -f 2": 2 * math.exp(-2),
        "2^-1^2 f": 4,
    }.items():
        assert eval(parse(text).written(WORDS, repr, "f"), {"math": math}, {"f": 2.0}) == pytest.approx(value)
    for text in ("", "tan(f)", "(f", "f)", "f +", "1 & f"):
        with pytest.raises(Refusal, match="cannot be exported"):
            parse(text)


@pytest.mark.skipif(not formats["c"].tried_by, reason="cc is not installed")
def test_the_c_file_compiles_without_a_warning(tmp_path: Path) -> None:
    for key, model in MODELS.items():
        path = tmp_path / f"{key}.c"
        path.write_bytes(formats["c"].write(formula_of(model), key))
        strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
        subprocess.run(["cc", *strict, str(path)], check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize("model", MODELS)
def test_the_onnx_file_is_valid(model: str) -> None:
    loaded = onnx.load_from_string(formats["onnx"].write(formula_of(MODELS[model]), "m"))
    onnx.checker.check_model(loaded, full_check=True)
    assert "widemargin" in (loaded.producer_name, loaded.graph.name)


@pytest.mark.parametrize("model", MODELS)
def test_duckdb_answers_alike(model: str) -> None:
    formula = formula_of(MODELS[model])
    sample = drawn(formula)
    with closing(duckdb.connect()) as base:
        found = query(base, formats["sql"].write(formula, "m").decode(), formula, sample)
    own = answers(MODELS[model], formula, sample)
    np.testing.assert_allclose(found.scores, own.scores, rtol=1e-12, atol=1e-9)
    assert found.labels == own.labels
    if own.probabilities is not None:
        np.testing.assert_allclose(found.probabilities, own.probabilities, atol=1e-13)


@pytest.mark.parametrize("name", ["python", "sql"])
def test_extreme_scores(name: str, tmp_path: Path) -> None:
    """Where exp overflows, and where two scores are equal."""
    W = np.array([[800.0, 0.0, -800.0], [1.0, 1.0, 1.0]])
    for model in (
        Model(np.array(["a", "b", "c"]), W, np.zeros(3), wm.losses["logistic"], "softmax"),
        Model(np.array(["a", "b"]), W[:, :1], np.zeros(1), wm.losses["logistic"], "binary"),
    ):
        rows = [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.0, 1e-300], [1e3, 1.0], [-1e3, 1.0]]
        found = export(model, tmp_path / "m", format=name, check=rows)
        assert (found.rows, found.labels) == (6, 0)
        assert max(found.decision, found.probability) < 1e-14


def test_columns_with_names_that_files_use_themselves(tmp_path: Path) -> None:
    """Also names that differ by case alone, which a data base may not tell apart."""
    names = ["decision", "label", "probabilities", "data", "prediction", "row", "v1", "scored", "X", "x"]
    columns = [{"name": name, "mean": 0.5, "deviation": 2.0, "gaps": False} for name in names]
    for last in (10, 9):
        about = {"schema": {"target": "y", "columns": columns[:last]}}
        model = drawn_model(["a", "b"], "logistic", "binary", d=last, about=about)
        for entry in formats.values():
            found = export(model, tmp_path / f"m{entry.suffix}")
            assert found.labels == 0
            assert found.decision < 1e-14 or "differ by case" in found.untried or not entry.tried_by


def test_the_check_tells_when_an_answer_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = formats["python"]

    def wrong(formula: Any, name: str) -> bytes:
        return re.sub(rb"INTERCEPTS = \(", b"INTERCEPTS = (3 + ", entry.write(formula, name))

    changed = {**formats._entries, "python": type(entry)(**{**vars(entry), "write": wrong})}
    monkeypatch.setattr(formats, "_entries", changed)
    found = export(MODELS["numbers"], tmp_path / "m.py")
    assert found.decision > 0.1
    assert found.probability > 0.1
    assert found.labels > 10


def test_rows_of_the_user(tmp_path: Path) -> None:
    table = {
        "größe": [1.0, "2"],
        'si"ze, in \\ */ mm': ["", None],
        "prediction": ["r'ed", None],
        "hue": ["a", "z"],
        "more": [1, 2],
    }
    assert export(MODELS["table"], tmp_path / "m.py", check=table).rows == 2
    assert export(MODELS["numbers"], tmp_path / "m.py", check=np.eye(7)).rows == 7
    with pytest.raises(InputError, match="lacks the column"):
        export(MODELS["table"], tmp_path / "m.py", check={"hue": ["a"]})
    with pytest.raises(InputError, match="mapping of columns"):
        export(MODELS["table"], tmp_path / "m.py", check=np.eye(7))


def test_the_python_file_refuses_what_would_be_silently_wrong(tmp_path: Path) -> None:
    import runpy

    export(MODELS["named"], tmp_path / "m.py")
    module = runpy.run_path(str(tmp_path / "m.py"))
    assert module["decision"]({"x": 1.0}) == module["decision"]([1.0, 0, 0, 0, 0, 0, 0])
    with pytest.raises(KeyError, match="unknown"):
        module["decision"]({"y": 1.0})
    with pytest.raises(ValueError, match="1 values came, 7 were expected"):
        module["decision"]([1.0])


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="labels such as b'a' cannot be exported"):
        export(drawn_model([b"a", b"b"], "hinge", "binary"), tmp_path / "m.py")
    points = {"f": np.array([0.0, 1.0]), "q": np.array([0.0, 1.0]), "starts": np.array([0.0, 2.0])}
    for text, learned in {
        "isotonic link": {"calibration": Link("isotonic", points)},
        "priors": {"calibration": Link("own", {}, np.ones(2))},
        "costs": {"rule": Rule("costs", 1 - np.eye(2))},
    }.items():  # fmt: skip
        with pytest.raises(Refusal, match=f"{text} cannot be exported"):
            export(replace(MODELS["numbers"], **learned), tmp_path / "m.py")
    with pytest.raises(Refusal, match="two features are called 'a'"):
        export(drawn_model([0, 1], "hinge", "binary", d=2, feature_names=("a", "a")), tmp_path / "m.py")
    with pytest.raises(Refusal, match="that fit in 64 bits"):
        export(drawn_model(np.array([0, 10**30], dtype=object), "hinge", "binary"), tmp_path / "m.py")
    with pytest.raises(OptionError, match=r"the ending says no format; expected one of \.onnx"):
        export(MODELS["numbers"], tmp_path / "m.txt")
    with pytest.raises(OptionError, match="Did you mean 'onnx'"):
        export(MODELS["numbers"], tmp_path / "m.txt", format="onx")
    assert not list(tmp_path.iterdir())


def test_wide_models_in_sql(tmp_path: Path) -> None:
    wide = drawn_model([0, 1], "logistic", "binary", d=5000)
    assert "at most 1990 columns" in export(wide, tmp_path / "m.sql").text
    wide.W[30:] = 0  # as L1 leaves it: only the columns in use are asked for
    assert export(wide, tmp_path / "m.sql").decision < 1e-14
    assert len((tmp_path / "m.sql").read_text()) < 3000


def test_without_what_runs_it_a_file_is_written_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    found = export(MODELS["numbers"], tmp_path / "m.js")
    assert found.text.endswith("written, not tried: node is not installed")
    assert (tmp_path / "m.js").exists()
