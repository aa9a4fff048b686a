"""What is written comes back, from every version; a failed write changes nothing; loading is quick and light."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import widemargin as wm
from model_file.hostile import compact, joined, parts, with_document
from widemargin.errors import ModelFileError, Refusal
from widemargin.links import Link
from widemargin.loss import CallableLoss
from widemargin.model import Model
from widemargin.rules import Rule

GOLDEN = Path(__file__).parents[1] / "golden"
W2 = np.array([[0.5], [0.0], [3.0]])
W3 = np.array([[0.5, -1.25, 0.75], [0.0, 2.0, -2.0], [3.0, 1e-9, 0.1]])
ABOUT = {
    "loss": "logistic", "penalty": "l2", "alpha": 0.001, "intercept": "free", "solver": "newton", "objective": 0.25,
    "lower_bound": 0.24999, "relative_gap": 4e-05, "verdict": "tolerance",
}  # fmt: skip
UNBOUND = {**ABOUT, "loss": "hinge", "lower_bound": -np.inf, "relative_gap": np.inf, "verdict": "no_bound"}
SCHEMA = {
    "target": "kind",
    "columns": [{"name": "size", "mean": 2.0, "deviation": 0.5, "gaps": True}, {"name": "hue", "levels": ["", "red"]}],
}


def objects(*labels: Any) -> Any:
    found = np.empty(len(labels), dtype=object)
    for k, label in enumerate(labels):
        found[k] = label
    return found


def model(classes: Any, loss: str = "logistic", form: str = "binary", names: Any = None, about: Any = None) -> Model:
    two = form == "binary"
    W, b = (W2, np.array([-0.75])) if two else (W3, np.array([0.1, -0.3, 0.2]))
    return Model(classes, W, b, wm.losses[loss], form, names, about or {})


EXPECTED = {
    "text": model(np.array(["grün", "red", "ζ"]), form="softmax", names=("size", "colour=rød", "naïve"), about=ABOUT),
    "bytes": model(np.array([b"\xff\x00a", b"b"]), "hinge", about=UNBOUND),
    "bool": model(np.array([False, True]), "squared"),
    "int": model(np.array([-1, 3], dtype=np.int16), "modified_huber"),
    "float": model(np.array([0.5, 1.5, 2.5], dtype=np.float32), "squared_hinge", "crammer_singer"),
    "table": replace(
        model(np.array(["x", "y"]), names=("size", "size=missing", "hue=missing", "hue=red")),
        W=np.array([[0.5], [-1.0], [0.25], [2.0]]), about={**ABOUT, "schema": SCHEMA},
    ),
    "object": model(objects("a", ("b", 2), b"\xff"), form="ovr"),
    "learned": replace(
        model(np.array(["x", "y"]), "hinge"), rule=Rule("threshold", np.array(0.25)),
        calibration=Link("sigmoid", {"a": np.array([1.5]), "c": np.array([-0.5])}, np.array([0.5, 1.5])),
    ),
}  # fmt: skip


def check_same(found: Model, expected: Model) -> None:
    assert found.classes.dtype == expected.classes.dtype
    assert found.classes.tolist() == expected.classes.tolist()
    np.testing.assert_array_equal(found.W, expected.W)
    np.testing.assert_array_equal(found.b, expected.b)
    assert (found.loss, found.multiclass, found.feature_names) == (
        expected.loss, expected.multiclass, expected.feature_names
    )  # fmt: skip
    assert {**found.about, "provenance": None} == {**expected.about, "provenance": None}
    assert found.W.flags.writeable
    for own, expect in ((found.calibration, expected.calibration), (found.rule, expected.rule)):
        assert (own is None) == (expect is None)
    if expected.rule is not None and expected.calibration is not None:
        np.testing.assert_array_equal(found.predict(np.eye(3)), expected.predict(np.eye(3)))
        np.testing.assert_array_equal(found.probabilities(np.eye(3)), expected.probabilities(np.eye(3)))


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("v*.wm")), ids=lambda path: path.stem)
def test_every_version_stays_readable(path: Path) -> None:
    check_same(wm.load(path), EXPECTED[path.stem.partition("_")[2]])


def test_every_version_has_golden_files() -> None:
    versions = {path.stem.partition("_")[0] for path in GOLDEN.glob("v*.wm")}
    from widemargin.stored.container import VERSION

    assert versions == {f"v{k}" for k in range(1, VERSION + 1)}


LABELS = {
    **{f"{np.dtype(kind)}": np.array([0, 1], dtype=kind) for kind in "?bBhHiIqQfd"},
    "text": np.array(["", "a,\n\"'"]),
    "bytes": np.array([b"", b"\x80\x00a"]),
    "objects": objects("a", "b\x00"),
    "lone surrogate": objects("a", "\udc80"),
    "tuples": objects(("a", 1), ("a", 2)),
    "large": objects(10**30, 10**40),
    "dates": objects(datetime.date(2020, 2, 29), datetime.date(2024, 2, 29)),
    "days": np.array(["2020-02-29", "2024-02-29"], dtype="M8[D]"),
    "nanoseconds": np.array([1, 2**62], dtype="M8[ns]"),
    "durations": np.array([1, 3], dtype="m8[25s]"),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_any_kind(name: str, tmp_path: Path) -> None:
    given = model(LABELS[name], about={"gap": float("nan"), "inf": [-np.inf, {"of": np.float32(0.5)}], "none": None})
    given.save(tmp_path / "m.wm")
    found = wm.load(tmp_path / "m.wm")
    check_same(found, replace(given, about=found.about))
    assert np.isnan(found.about["gap"])
    assert (found.about["inf"], found.about["none"]) == ([-np.inf, {"of": 0.5}], None)
    assert found.predict(np.eye(3)).tolist() == given.predict(np.eye(3)).tolist()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (model(objects(None, "a")), "a label of type NoneType cannot be saved"),
        (model(objects("a", frozenset())), "a label of type frozenset cannot be saved"),
        (model(objects("a", float("nan"))), "a label of type float cannot be saved"),
        (model(np.array(["a", "b"]), about={"f": len}), r"about\['f'\] is of type builtin_function_or_method"),
        (replace(model(np.array(["a", "b"])), loss=CallableLoss(np.abs, np.sign)), "data only"),
    ],
)
def test_what_is_no_data_is_refused(given: Model, text: str, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=text):
        given.save(tmp_path / "m.wm")
    assert not list(tmp_path.iterdir())


def test_notes_and_provenance_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first, second = tmp_path / "1.wm", tmp_path / "2.wm"
    model(np.array(["a", "b"])).save(first, metrics={"auc": 0.9})
    found = wm.load(first)
    assert found.about["metrics"] == {"auc": 0.9}
    assert found.about["provenance"]["time"] == "2023-11-14T22:13:20Z"
    assert found.about["provenance"]["widemargin"] == wm.__version__
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    found.save(second)
    assert first.read_bytes() == second.read_bytes()  # saving again changes nothing


def test_a_later_version_says_so(tmp_path: Path) -> None:
    path = tmp_path / "m.wm"
    model(np.array(["a", "b"])).save(path)
    content = path.read_bytes()
    header, body = parts(content)
    document = json.loads(body[header["model.json"]["data_offsets"][0] :])
    header["__metadata__"]["version"] = "3"
    path.write_bytes(joined(compact(header), body))
    with pytest.raises(ModelFileError, match=r"version '3' of the format is unknown here; update"):
        wm.load(path)
    path.write_bytes(with_document(content, compact(document | {"needs": ["splines"], "knots": []})))
    with pytest.raises(ModelFileError, match="needs splines, unknown here; update"):
        wm.load(path)
    path.write_bytes(with_document(content, compact(document | {"remarks": "of no consequence"})))
    assert wm.load(path).classes.tolist() == ["a", "b"]


FULL = """
import resource, signal, sys
import widemargin as wm
model = wm.load(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
try:
    model.save(sys.argv[1], metrics={"text": "long" * 1000})
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """The limit on a file's size cuts the write in the middle, as a full disk does."""
    path = tmp_path / "m.wm"
    model(np.array(["a", "b"])).save(path)
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "File too large\n"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
def test_mode_and_link_of_the_old_file_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.wm", tmp_path / "link.wm"
    model(np.array(["a", "b"])).save(real)
    real.chmod(0o600)
    link.symlink_to(real)
    model(np.array(["a", "c"])).save(link)
    assert link.is_symlink()
    assert wm.load(real).classes.tolist() == ["a", "c"]
    assert real.stat().st_mode & 0o777 == 0o600


LIGHT = """
import sys, widemargin as wm
m = wm.load(sys.argv[1]); m.predict([[1.0, 2.0, 3.0]])
print(sorted({n.partition(".")[0] for n in sys.modules} & {"scipy", "click", "rich", "pyarrow", "pandas"}))
"""


def test_loading_is_light_and_quick(tmp_path: Path) -> None:
    path = tmp_path / "m.wm"
    model(np.array(["a", "b"])).save(path)
    done = subprocess.run(
        [sys.executable, "-c", LIGHT, str(path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
    names = tuple(f"word{k}" for k in range(50_000))
    Model(np.array(["a", "b"]), np.ones((50_000, 1)), np.zeros(1), wm.losses["logistic"], "binary", names).save(path)
    spent = []
    for _ in range(5):
        started = time.process_time()
        wm.load(path)
        spent.append(time.process_time() - started)
    assert min(spent) < 0.2  # measured: 12 ms
