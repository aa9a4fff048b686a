"""LIBSVM's and Vowpal Wabbit's text: numbers to the last bit, the hashes of Vowpal Wabbit, errors with their place."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from widemargin import _core
from widemargin.data.text_rows import libsvm_blocks, read_libsvm, read_vw, vw_blocks
from widemargin.errors import InputError, OptionError


def libsvm(text: bytes, threads: int = 1) -> dict[str, Any]:
    return _core.parse_libsvm(np.frombuffer(text, np.uint8), threads=threads)


def vw(text: bytes) -> dict[str, Any]:
    return _core.parse_vw(np.frombuffer(text, np.uint8), bits=18)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(text: bytes) -> Path:
        path = tmp_path / "rows.txt"
        path.write_bytes(text)
        return path

    return write


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map("{:.5e}".format),
    st.from_regex(r"\A[+-]?[0-9]{1,24}(\.[0-9]{0,24})?([eE][+-]?[0-9]{1,3})?\Z"),
    st.from_regex(r"\A[+-]?\.[0-9]{1,24}\Z"),
)


@given(st.lists(NUMBERS, min_size=1, max_size=30))
@settings(max_examples=150, deadline=None)
def test_numbers_are_rounded_as_python_rounds_them(numbers: list[str]) -> None:
    kept = [text for text in numbers if math.isfinite(float(text))]
    parsed = libsvm("".join(f"1 7:{text}\n" for text in numbers).encode())
    assert len(parsed["bad"]) == len(numbers) - len(kept)
    values = np.ones(len(kept)) if parsed["values"] is None else parsed["values"]
    np.testing.assert_array_equal(values, [float(text) for text in kept])


def test_a_file_is_read_as_scikit_learn_reads_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((3_000, 40)), 6) * (rng.random((3_000, 40)) < 0.3)
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, rng.choice([-1, 1], 3_000), str(path), zero_based=False)
    theirs, y = load_svmlight_file(str(path))
    for threads in (1, 2, 5):
        ours = read_libsvm(path, threads=threads)
        np.testing.assert_array_equal(ours.X.toarray(), theirs.toarray())
        np.testing.assert_array_equal(ours.y, y)
    blocks = list(libsvm_blocks(path, columns=40, piece=10_000))
    assert len(blocks) > 10
    np.testing.assert_array_equal(np.concatenate([b.X.toarray() for b in blocks]), theirs.toarray())
    packed = tmp_path / "rows.svm.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    np.testing.assert_array_equal(read_libsvm(packed).X.toarray(), theirs.toarray())


def test_a_file_of_many_pieces_is_the_same_at_any_thread_count() -> None:
    line = "-1 " + " ".join(f"{j}:{j / 7:.6g}" for j in range(1, 200)) + "\n"
    text = line.encode() * (3 * (1 << 20) // len(line)) + b"broken\n" + line.encode()
    one, two = libsvm(text, 1), libsvm(text, 3)
    for key in ("y", "indptr", "indices", "values", "bad", "lines"):
        np.testing.assert_array_equal(one[key], two[key])
    assert one["bad"] == [(one["lines"] - 1, 1, len(text) - len(line) - 7, len(text) - len(line) - 1, one["bad"][0][4])]


def test_what_is_no_feature_is_passed_over() -> None:
    parsed = libsvm(b"+1 qid:3 1:1 2:1 # 3:4\r\n\n# nothing\n  -1\t 2:1\n0")
    np.testing.assert_array_equal(parsed["y"], [1, -1, 0])
    np.testing.assert_array_equal(parsed["indptr"], [0, 2, 3, 3])
    assert parsed["values"] is None, "all ones are not stored"


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        ("x 1:2", 1, "label"), ("nan 1:2", 1, "label"), ("1,2 1:2", 1, "label"), ("1 2", 3, "index:value"),
        ("1 a:2", 3, "index:value"), ("1 -3:2", 3, "index:value"), ("1 1:2 :4", 7, "index:value"),
        ("1 1:", 5, "finite"), ("1 1:nan", 5, "finite"), ("1 1:1e999", 5, "finite"), ("1 1:2x", 5, "finite"),
        ("1 1:++2", 5, "finite"), ("1 2147483647:1", 3, "below"), ("1 99999999999999999999:1", 3, "index"),
        ("1 1:2:3", 5, "finite"), ("1:2 3:4", 1, "label"),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_with_its_place(
    written: Callable[[bytes], Path], line: str, column: int, expected: str
) -> None:
    path = written(f"1 1:1\n\n{line}\n-1 1:2\n".encode())
    with pytest.raises(InputError, match=f"rows.txt, line 3, column {column}: expected .*{expected}"):
        read_libsvm(path)
    rows = read_libsvm(path, bad_rows="skip")
    np.testing.assert_array_equal(rows.y, [1, -1])
    np.testing.assert_array_equal(rows.X.toarray(), [[1.0], [2.0]])
    assert [(bad.line, bad.column, bad.text) for bad in rows.bad] == [(3, column, line)]


def test_line_numbers_go_on_from_piece_to_piece(written: Callable[[bytes], Path]) -> None:
    path = written(b"1 1:1\n" * 1_000 + b"1 1\n")
    with pytest.raises(InputError, match="line 1001, column 3"):
        list(libsvm_blocks(path, columns=1, piece=100))


def test_where_columns_begin(written: Callable[[bytes], Path]) -> None:
    from_one = written(b"1 1:5 3:6\n")
    assert read_libsvm(from_one).X.shape == (1, 3)
    assert read_libsvm(from_one, zero_based=True).X.shape == (1, 4)
    assert read_libsvm(from_one, columns=9).X.shape == (1, 9)
    with pytest.raises(InputError, match="has the index 3; expected at most 2"):
        read_libsvm(from_one, columns=2)
    from_zero = written(b"1 0:5 3:6\n")
    assert read_libsvm(from_zero).X.shape == (1, 4)
    with pytest.raises(InputError, match="has the index 0"):
        read_libsvm(from_zero, zero_based=False)
    with pytest.raises(OptionError, match="zero_based"):
        read_libsvm(from_zero, zero_based="perhaps")


# told by Vowpal Wabbit 9.11 with --audit -b 18 --noconstant
AUDITED = [
    (b"1 2.0 'tag|a:2 x y:3 12 |b z:word :4", [(55432, 2), (42847, 6), (92606, 2), (235563, 1), (163331, 4)]),
    (b"1 | q", [(133608, 1)]),
    (b"1 |12 x 5", [(98015, 1), (17, 1)]),
    (b"1 | a:0 b c:-1.5e-3", [(163331, 1), (185951, -0.0015)]),
    (b"1 |x  a :3", [(167017, 1), (170779, 3)]),
    ("1 0.5 0.25 |ns:0.5 f:2 f:3 0001 é".encode(), [(182600, 1), (182600, 1.5), (120345, 0.5), (6385, 0.5)]),
    (b"1 |a :2 :3 b", [(92594, 2), (92595, 3), (144016, 1)]),
    (b"1 |a b:", [(144016, 1)]),
    (b"1 2|c d", [(68370, 1)]),
]


@pytest.mark.parametrize(("line", "features"), AUDITED, ids=lambda value: str(value)[:30])
def test_names_are_hashed_as_vowpal_wabbit_hashes_them(line: bytes, features: list[tuple[int, float]]) -> None:
    parsed = vw(line)
    values = np.ones(len(features)) if parsed["values"] is None else parsed["values"]
    assert list(zip(parsed["indices"].tolist(), values.tolist(), strict=True)) == features
    assert not parsed["bad"]


def test_labels_weights_offsets_and_tags(written: Callable[[bytes], Path]) -> None:
    path = written(b"1 2 0.5 'tag| a\n-1 'other |b c\n|b c\n-1 3 tag| a\n")
    rows = read_vw(path, dtype=np.float32)
    np.testing.assert_array_equal(rows.y, [1, -1, np.nan, -1])
    np.testing.assert_array_equal(rows.sample_weight, [2, 1, 1, 3])
    np.testing.assert_array_equal(rows.offset, [0.5, 0, 0, 0])
    assert rows.X.shape == (4, 2**18)
    assert sum(len(block.y) for block in vw_blocks(path, piece=1)) == 4


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("1 2 3 4 | a", 7),
        ("one |a b", 1),
        ("1 -2 |a b", 3),
        ("1 |a:x b", 6),
        ("1 |a b:inf", 8),
        ("1 |a b:2:3", 8),
        ("1 a b", 1),
    ],
)
def test_a_bad_example_is_told_with_its_place(written: Callable[[bytes], Path], line: str, column: int) -> None:
    with pytest.raises(InputError, match=f"line 2, column {column}: expected"):
        read_vw(written(f"1 | a\n{line}\n".encode()))


@given(st.lists(st.text("01:|.#-+e' \tqnaif\r", max_size=24), max_size=8))
@settings(max_examples=500, deadline=None)
def test_no_text_breaks_the_readers(lines: list[str]) -> None:
    text = "\n".join(lines).encode()
    for parsed in (libsvm(text), vw(text)):
        rows = len(parsed["y"])
        assert len(parsed["indptr"]) == rows + 1
        assert parsed["indptr"][-1] == len(parsed["indices"])
        assert rows + len(parsed["bad"]) + sum(not line.strip() or line.strip()[0] == "#" for line in lines) >= len(
            lines
        )
        assert parsed["values"] is None or np.isfinite(parsed["values"]).all()


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_libsvm(tmp_path / "none")
    with pytest.raises(InputError, match="is a folder"):
        read_vw(tmp_path)
    broken = tmp_path / "rows.gz"
    broken.write_bytes(gzip.compress(b"1 1:1\n" * 1000)[:-20])
    with pytest.raises(InputError, match="damaged gzip"):
        read_libsvm(broken)
    (tmp_path / "empty").write_bytes(b"")
    assert read_libsvm(tmp_path / "empty").X.shape == (0, 0)
