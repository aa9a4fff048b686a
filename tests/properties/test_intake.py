"""The door changes nothing: the rows inside are the user's numbers, whatever they came in."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from widemargin.data.intake import intake, intake_rows
from widemargin.errors import InputError, InputTypeError

X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 6.0], [1.0, 1.0]])
Y = np.array([0, 1, 0, 1])
SINGLE = ["?", "i1", "u1", "i2", "u2", "f2", "f4"]
DOUBLE = ["i4", "u4", "i8", "u8", "f8", "g"]
FORMATS = st.sampled_from(["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])


def dense(rows: Any) -> Any:
    return rows.matrix.toarray() if rows.sparse else rows.matrix


@st.composite
def tables(draw: st.DrawFn) -> Any:
    """Small whole numbers of any dtype, byte order and memory order, thinned, reversed or read-only."""
    dtype = np.dtype(draw(st.sampled_from(SINGLE + DOUBLE))).newbyteorder(draw(st.sampled_from("<>")))
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=6))
    table = draw(hnp.arrays(np.uint8, shape, elements=st.integers(0, 9))).astype(dtype)
    table = np.asarray(table, order=draw(st.sampled_from("CF")))
    steps = draw(st.tuples(*[st.sampled_from([1, -1, 2, -2])] * 2))
    table = table[:: steps[0], :: steps[1]]
    table.flags.writeable = draw(st.booleans())
    return table


@given(tables())
def test_any_layout(table: Any) -> None:
    rows = intake_rows(table)
    assert np.array_equal(rows.matrix, table.astype(float))
    single = table.dtype.newbyteorder("=").str[1:] in SINGLE or table.dtype == bool
    assert rows.matrix.dtype == (np.float32 if single else np.float64)
    assert rows.values is not None
    if table.dtype.isnative and table.dtype.str[1:] not in ("f2", "f16"):
        assert rows.values is table
    assert np.array_equal(rows.times(np.ones((rows.d, 1)))[:, 0], table.astype(float).sum(axis=1))


@given(tables())
def test_lists_and_objects(table: Any) -> None:
    for form in (table.tolist(), table.astype(object), tuple(map(tuple, table.tolist()))):
        assert np.array_equal(intake_rows(form).matrix, table.astype(float))


@given(tables(), FORMATS, st.booleans())
def test_any_sparse_format(table: Any, form: str, matrix: bool) -> None:
    if table.dtype.kind == "f" and table.dtype.itemsize == 2:
        table = table.astype("f4")  # SciPy knows no float16
    table = table.astype(table.dtype.newbyteorder("="))
    given = getattr(sp, f"{form}_{'matrix' if matrix else 'array'}")(table)
    assert np.array_equal(dense(intake_rows(given)), table.astype(float))


@st.composite
def triples(draw: st.DrawFn) -> Any:
    """Values with their places, in any order, some of them repeated."""
    entry = st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from([0, 1, 100, -3]))
    entries = draw(st.lists(entry, min_size=1, max_size=20))
    row, column, value = (np.array(part) for part in zip(*entries, strict=True))
    return row, column, value.astype(draw(st.sampled_from(["i1", "i4", "i8", "f4", "f8"])))


@given(triples(), st.sampled_from(["coo", "csr", "csc"]), st.sampled_from([np.int32, np.int64]))
def test_unsorted_and_repeated(entries: Any, form: str, index: Any) -> None:
    row, column, value = entries
    expected = np.zeros((5, 4))
    np.add.at(expected, (row, column), value.astype(float))
    given = sp.coo_array((value, (row, column)), shape=(5, 4))
    if form != "coo":  # as they come: SciPy itself would sum them
        major, minor, size = (row, column, 5) if form == "csr" else (column, row, 4)
        order = np.argsort(major, kind="stable")
        starts = np.searchsorted(major[order], np.arange(size + 1)).astype(index)
        given = getattr(sp, f"{form}_array")((value[order], minor[order].astype(index), starts), shape=(5, 4))
    before = [getattr(given, name).copy() for name in ("data", "indices", "indptr") if hasattr(given, name)]
    rows = intake_rows(given)
    assert np.array_equal(dense(rows), expected)
    assert rows.indptr is not None
    assert rows.indices is not None
    assert all(len(set(part)) == len(part) for part in np.split(rows.indices, rows.indptr[1:-1])), "a column twice"
    after = [getattr(given, name) for name in ("data", "indices", "indptr") if hasattr(given, name)]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_borrowed(dtype: str) -> None:
    whole = np.arange(40, dtype=dtype).reshape(8, 5)
    whole.flags.writeable = False
    column, constant = whole[:, ::2][:, :1], np.broadcast_to(whole[0], (3, 5))
    turned = np.asfortranarray(whole)
    for table in (whole, whole[::2], whole[::-1], whole[:, 1:4], column, constant, whole[:, ::-2], whole.T):
        assert np.shares_memory(intake_rows(table).values, whole)
    assert np.shares_memory(intake_rows(turned).transposed.values, turned)
    csr = sp.csr_array(whole)
    rows = intake_rows(csr)
    assert np.shares_memory(rows.values, csr.data)
    assert np.shares_memory(rows.indices, csr.indices)
    columns = sp.csc_array(whole)
    assert np.shares_memory(intake_rows(columns).transposed.values, columns.data)


def test_unaligned_rows_are_copied() -> None:
    packed = np.frombuffer(bytes(1) + X.tobytes(), np.uint8)[1:].view("f8").reshape(X.shape)
    assert np.array_equal(intake_rows(packed).matrix, X)


def test_explicit_zeros_stay_and_surplus_behind_the_end_is_ignored() -> None:
    given = sp.csr_array(X + 1)
    given.data -= 1
    given.data, given.indices = np.append(given.data, np.nan), np.append(given.indices, 77)
    rows = intake_rows(given)
    assert np.array_equal(dense(rows), X)
    assert rows.nnz == 8


def test_no_rows_to_predict() -> None:
    assert intake_rows(np.empty((0, 2)), d=2).n == intake_rows(sp.csr_array((0, 2)), d=2).n == 0


SHARES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=4, max_size=4)


@given(SHARES.filter(lambda q: {0.25, 0.5} & set(q)))
def test_soft_labels_are_two_weighted_rows(q: list[float]) -> None:
    weight, shift = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.5, 0.0, 1.0, 2.0])
    for table in (X, sp.csr_array(X), X.astype("f4")):
        source, classes, _ = intake(table, q, sample_weight=weight, offset=shift)
        split = [(i, sign) for i in range(4) for sign in (1.0, -1.0) if (q[i] if sign > 0 else 1 - q[i]) > 0]
        index = [i for i, _ in split]
        assert np.array_equal(dense(source.X), X[index])
        assert classes.tolist() == [0.0, 1.0]
        assert source.y.tolist() == [sign for _, sign in split]
        assert source.s.tolist() == [weight[i] * (q[i] if sign > 0 else 1 - q[i]) for i, sign in split]
        assert source.o.tolist() == shift[index].tolist()


def test_labels_0_and_1_are_not_soft() -> None:
    source, classes, _ = intake(X, [0.0, 1.0, 0.0, 1.0])
    assert (source.n, source.s, classes.tolist()) == (4, None, [0.0, 1.0])
    assert intake(X, [0.0, 1.5, 0.5, 0.5])[1].tolist() == [0.0, 0.5, 1.5]


def test_weights() -> None:
    labels = np.array(["no", "yes", "no", "no"])
    weight = np.array([1, 2, 3, 0])
    assert intake(X, labels, sample_weight=np.ones(4), class_weight={"no": 1}).source.s is None
    alone = intake(X, labels, sample_weight=weight.astype(float)).source.s
    assert alone.tolist() == [1, 2, 3, 0]
    assert alone.flags.owndata
    both = intake(X, labels, sample_weight=weight, class_weight={np.str_("yes"): 0.5}).source.s
    assert both.tolist() == [1, 1, 3, 0]
    plain = intake(X, labels, class_weight="balanced").source.s
    assert np.allclose(plain, [2 / 3, 2, 2 / 3, 2 / 3])
    balanced = intake(X, labels, sample_weight=weight, class_weight="balanced").source.s
    assert np.allclose([balanced[labels == k].sum() for k in ("no", "yes")], 3)
    three = intake(X, [2, 0, 1, 1], class_weight={2: 3.0}).source
    assert (three.s.tolist(), three.classes) == ([3, 1, 1, 1], 3)


def test_offsets() -> None:
    assert intake(X, Y, offset=np.zeros(4)).source.o is None
    assert intake(X, Y, offset=[1, 2, 3, 4]).source.o.tolist() == [1, 2, 3, 4]
    wide = np.arange(12, dtype=np.float32).reshape(3, 4).T
    assert np.array_equal(intake(X, [0, 1, 2, 2], offset=wide).source.o, wide)


@pytest.fixture
def lib() -> SimpleNamespace:
    """The libraries of data frames; the package itself needs none of them."""
    names = ("narwhals", "pandas", "polars", "pyarrow")
    return SimpleNamespace(**{name: pytest.importorskip(name) for name in names})


NAMES = ("age", "height")


def frames(lib: Any) -> dict[str, Any]:
    """X under two names, from each library."""
    same = dict(zip(NAMES, X.T, strict=True))
    mixed = {"age": X[:, 0].astype("i2"), "height": X[:, 1]}
    frame = lib.pandas.DataFrame
    return {
        "pandas": frame(same),
        "pandas, mixed": frame(mixed),
        "pandas, nullable": frame(mixed).convert_dtypes(),
        "pandas, objects": frame(same, dtype=object),
        "pandas, sparse": frame(same).astype(lib.pandas.SparseDtype(float, 0.0)),
        "polars": lib.polars.DataFrame(same),
        "polars, mixed": lib.polars.DataFrame(mixed),
        "Arrow": lib.pyarrow.table(same),
        "Arrow batch": lib.pyarrow.record_batch(same),
    }


def test_frames(lib: Any) -> None:
    for label, frame in frames(lib).items():
        source, _, names = intake(frame, Y)
        assert names == NAMES, label
        assert np.array_equal(dense(source.X), X), label
        rows = intake_rows(frame, d=2, feature_names=NAMES)
        assert np.array_equal(dense(rows), X), label


def test_names_are_checked(lib: Any) -> None:
    wrong = {("height", "age"): "another order: column 0 is 'age'", ("age", "sex"): "Missing: 'sex'"}
    for frame in frames(lib).values():
        for fitted, says in wrong.items():
            with pytest.raises(InputError, match=says):
                intake_rows(frame, d=2, feature_names=fitted)
    unnamed = lib.pandas.DataFrame(X)
    assert intake(unnamed, Y).feature_names is None
    for table in (X, unnamed):
        assert intake_rows(table, d=2, feature_names=NAMES).n == 4


def test_columns_that_hold_no_numbers(lib: Any) -> None:
    text = {"age": [1, 2, 3, 4], "town": list("abca"), "job": list("abca")}
    day = {"born": np.array(["2000-01-01"] * 4, "M8[ns]")}
    mix = {"a": [1, "x", 2, 3]}
    both = r"'town' \(String\), 'job' \(String\)\. Drop them, or one-hot.*widemargin fit"
    cases = [
        (lib.pandas.DataFrame(text), both),
        (lib.polars.DataFrame(text), both),
        (lib.pyarrow.table(text), both),
        (lib.pandas.DataFrame(text).astype("category"), r"'age' \(Categorical\).*one-hot"),
        (lib.pandas.DataFrame(day), r"'born' \(Datetime.*days since"),
        (lib.polars.DataFrame({"a": [[1], [2], [3], [4]]}), r"'a' \(List.*a column of its own"),
        (lib.pandas.DataFrame({"a": [1j] * 4}), "column 'a' of X has dtype complex128"),
        (lib.pandas.DataFrame(mix, dtype=object), "column 'a' of X has the text 'x' at row 1"),
        (lib.polars.DataFrame({"a": [True, None, True, False]}), "column 'a' of X has None at row 1"),
        (lib.polars.LazyFrame(text), r"not in memory.*X.collect\(\)"),
    ]
    for frame, says in cases:
        with pytest.raises(InputTypeError, match=says):
            intake(frame, Y)


def test_wrong_numbers_in_frames(lib: Any) -> None:
    gap = {"a": [0, 1, 2, 3], "b": [1, None, 3, 4]}
    gap_at = r"nan at row 1 \(counted from 0\), column 'b'; expected finite numbers. Please fill it"
    ones = lib.pandas.SparseDtype(float, 1.0)
    cases = [
        (lib.pandas.DataFrame(gap, dtype="Int64"), gap_at),
        (lib.pandas.DataFrame(gap, dtype="Float64"), gap_at),
        (lib.polars.DataFrame(gap), gap_at),
        (lib.pyarrow.table(gap), gap_at),
        (
            lib.polars.DataFrame({"a": [2**53 + 1, 0, 1, 2]}),
            "'a' of X has the integer 9007199254740993 at row 0",
        ),
        (lib.pandas.DataFrame({"a": [1e200, 0, 1, 2]}), r"1e\+200 in column 'a'"),
        (lib.pandas.DataFrame(X, columns=["a", "a"]), "two columns of the same name"),
        (lib.pandas.Series([1, 2, 3, 4]), r"Series: 1-dimensional.*to_frame"),
        (lib.pyarrow.array([1, 2, 3, 4]), "Int64Array: 1-dimensional"),
        (lib.pandas.DataFrame(X).astype(ones), "fill value must be 0"),
    ]
    for frame, says in cases:
        with pytest.raises((InputError, InputTypeError), match=says):
            intake(frame, Y)


def test_narwhals_is_asked_for(lib: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(InputTypeError, match=r"pip install .widemargin\[frames\].*to_numpy"):
        intake(lib.pandas.DataFrame(X), Y)


def test_labels_of_other_libraries(lib: Any) -> None:
    text = ["no", "yes", "no", "yes"]
    plain, polars, arrow = lib.pandas.Series(text), lib.polars.Series(text), lib.pyarrow.array(text)
    views = [plain.astype(kind) for kind in ("category", "string", object)]
    views += [lib.pandas.Categorical(text), lib.pandas.Index(text), plain.to_frame(), plain.array]
    views += [polars.cast(lib.polars.Categorical), polars.to_frame(), lib.pyarrow.chunked_array([text])]
    for labels in [plain, polars, arrow, *views]:
        source, classes, _ = intake(X, labels)
        assert (classes.tolist(), source.y.tolist()) == (["no", "yes"], [-1, 1, -1, 1])
    for values in ([1, 0, None, 1], [True, False, None, True], ["a", "b", None, "a"]):
        plain = lib.pandas.Series(values)
        for labels in (plain, plain.convert_dtypes(), lib.polars.Series(values), lib.pyarrow.array(values)):
            with pytest.raises(InputError, match=r"at row 2 .*expected a label"):
                intake(X, labels)
