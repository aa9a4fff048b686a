"""Ten thousand damaged and lying files: an error of this library's tree or a sound model; no crash, no bomb."""

from __future__ import annotations

import tracemalloc
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import widemargin as wm
from model_file.hostile import compact, damaged, joined, lying, parts, reseal, with_document
from widemargin.errors import ModelFileError
from widemargin.links import Link
from widemargin.model import Model
from widemargin.model_file import decode, encode
from widemargin.rules import Rule

FILES = 10_000
MOST = 30 << 20  # bytes that reading a file of two kilobytes may take
GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file that holds everything a file can hold."""
    path = tmp_path_factory.mktemp("sound") / "m.wm"
    classes = np.empty(3, dtype=object)
    classes[:] = ["a", ("b", 2), b"\xff"]
    about = {"relative_gap": float("inf"), "schema": {"columns": [{"name": "x", "mean": 1.5}]}, "list": [1, [2]]}
    W = np.arange(12.0).reshape(4, 3)
    points = {"f": np.arange(6.0), "q": np.linspace(0, 1, 6), "starts": np.array([0.0, 2, 3, 6])}
    link, rule = Link("isotonic", points, np.ones(3)), Rule("costs", 1 - np.eye(3))
    names = ("p", "q", "r", "s")
    Model(classes, W, np.zeros(3), wm.losses["logistic"], "softmax", names, about, link, rule).save(path)
    return path.read_bytes()


def answer(content: bytes) -> Model | None:
    """The model in the bytes of a file, or None where they are refused as they should be."""
    try:
        return decode(content, "m.wm")
    except ModelFileError as refusal:
        text = str(refusal)
    assert text.startswith("m.wm: ")
    assert len(text) < 1000
    return None


def check_sound(model: Model) -> None:
    """What was accepted can be used, and saved and read again."""
    with np.errstate(all="ignore"):  # weights may be huge
        scores = model.decision(np.ones((2, len(model.W))))
        model.predict(np.ones((2, len(model.W))))
    assert scores.shape[0] == 2
    assert len(set(model.classes.tolist())) == len(model.classes) >= 2
    assert np.isfinite(model.W).all()
    again = decode(encode(model))
    assert again.classes.tolist() == model.classes.tolist()
    assert np.array_equal(again.W, model.W)


def test_no_damage_is_accepted(sound: bytes) -> None:
    for content in islice(damaged(sound, np.random.default_rng(1)), FILES // 2):
        assert answer(content) is None or content == sound


def test_no_lie_does_harm(sound: bytes) -> None:
    accepted = 0
    for content in islice(lying(sound, np.random.default_rng(2)), FILES // 2):
        model = answer(content)
        if model is not None:
            check_sound(model)
            accepted += 1
    assert 0 < accepted < FILES / 4  # some lies are other models (a weight, an unknown remark): most are found


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.glob("v1_*.wm")))
def test_the_first_version_is_no_way_round(name: str) -> None:
    """It had no checksum, so damage may pass for another model, but never for a broken one."""
    for content in islice(damaged((GOLDEN / name).read_bytes(), np.random.default_rng(3)), FILES // 20):
        model = answer(content)
        if model is not None:
            check_sound(model)


def test_files_are_as_their_bytes(sound: bytes, tmp_path: Path) -> None:
    for content in islice(damaged(sound, np.random.default_rng(4)), 60):
        path = tmp_path / "m.wm"
        path.write_bytes(content)
        if content != sound:
            with pytest.raises(ModelFileError, match=r"m\.wm: "):
                wm.load(path)


def test_reading_takes_no_more_memory_than_the_file(sound: bytes) -> None:
    """Shapes, lengths and nesting beyond all bounds, with lengths that agree where they can."""
    header, body = parts(sound)
    huge = []
    for shape in ([10**9, 10**9], [2**62], [2**63, 0], [0, 2**62], [1] * 64):
        bytes_ = 8 * int(np.prod([float(k) for k in shape]))
        huge.append(
            joined(compact(header | {"W": {"dtype": "F64", "shape": shape, "data_offsets": [0, bytes_]}}), body)
        )
    huge += [length.to_bytes(8, "little") + sound[8:] for length in (2**20, 2**33, 2**63, 2**64 - 1)]
    huge += [
        with_document(sound, b"[" * 10**6),
        with_document(sound, b'{"a":' * 10**5),
        with_document(sound, b"1" * 10**6),
    ]
    tracemalloc.start()
    try:
        for content in huge:
            assert answer(reseal(content)) is None
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_what_never_ends_is_not_read(path: str) -> None:
    if not Path(path).exists():
        pytest.skip("no such device")
    with pytest.raises(ModelFileError, match="not a regular file"):
        wm.load(path)


def test_other_files_are_told_at_their_beginning(tmp_path: Path) -> None:
    path = tmp_path / "m.wm"
    for content, text in {
        b"": "not a widemargin model",
        b"a,b\n1,2\n" * 10: "not a widemargin model",
        (16).to_bytes(8, "little") + b'{"W":{"dtype":"F64"}}' + b" " * 30: "a safetensors file of another program",
    }.items():
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=text):
            wm.load(path)
