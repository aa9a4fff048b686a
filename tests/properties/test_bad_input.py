"""Everything wrong that users bring gives an error of our own tree that says what came and what to do."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from widemargin.data.intake import intake, intake_rows
from widemargin.errors import InputError, InputTypeError, OptionError, Refusal, WidemarginError

X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 6.0], [1.0, 1.0]])
Y = np.array([0, 1, 0, 1])
ONES = np.ones(4)
THREE = [0, 1, 2, 2]
MANY = np.arange(60.0).reshape(30, 2)
Table = dict[type[WidemarginError], dict[str, tuple[Any, str]]]  # error: {name: (what came, pattern)}


def spoilt(value: Any, dtype: Any = None) -> Any:
    """X with one cell replaced."""
    table = X.astype(dtype or X.dtype)
    table[2, 1] = value
    return table


def damaged(form: Any = sp.csr_array, **parts: Any) -> Any:
    """A sparse matrix whose arrays were changed behind SciPy's back."""
    matrix = form(np.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 5], [0, 6, 0]]))
    for name, value in parts.items():
        setattr(matrix, name, np.asarray(value))
    return matrix


def repeated(value: Any) -> Any:
    """Labels of which one is wrong."""
    return np.array(["a", "b", value, "a"], dtype=object)


X_SHAPES: Table = {
    InputTypeError: {
        "X none": (None, "X is None; expected a table"),
        "X scalar": (3.0, "X is of type float; expected a table"),
        "X a file name": ("adult.csv", "type str.*widemargin fit"),
        "X a dict": ({"a": [1, 2, 3, 4]}, "type dict; expected a table.*data frame"),
        "X a generator": ((row for row in X), "type generator; expected a table"),
        "ragged lists": ([[1, 2], [3, 4], [5], [6, 7]], "row 2 has 1 values where row 0 has 2"),
    },
    InputError: {
        "X 0-d": (np.array(1.0), r"0-dimensional, shape \(\); expected a table"),
        "X 1-d": (X[:, 0], r"1-dimensional.*X\[:, None\].*X\[None, :\]"),
        "X 1-d list": ([1, 2, 3, 4], r"1-dimensional.*X\[:, None\].*X\[None, :\]"),
        "X 3-d": (X[None], r"3-dimensional.*X.reshape\(len\(X\), -1\)"),
        "no columns": (X[:, :0], r"shape \(4, 0\): no columns; expected at least one"),
        "too many columns": (np.broadcast_to(np.float32(0), (2, 2**31)), r"more columns than 2\*\*31 - 1"),
    },
}
X_VALUES: Table = {
    InputTypeError: {
        "complex X": (X.astype(complex), "complex128, complex numbers; expected real"),
        "complex in objects": (spoilt(1j, "O"), "type complex, at row 2, column 1"),
        "dates": (X.astype("datetime64[D]"), "dates or durations; expected numbers.*days since"),
        "durations": (X.astype("timedelta64[s]"), "dates or durations"),
        "records": (np.zeros((4, 2), "f8,f8"), "records.*structured_to_unstructured"),
        "text": (X.astype(str), r"'0\.0' at row 0, column 0.*astype\(float\).*one-hot"),
        "bytes": (X.astype("S3"), r"the text b'0\.0' at row 0, column 0"),
        "text among objects": (spoilt("red", "O"), "'red' at row 2, column 1.*one-hot"),
        "text among lists": ([[1, 2], [3, "x"], [5, 6], [7, 8]], "'x' at row 1, column 1"),
        "None among objects": (spoilt(None, "O"), "None at row 2, column 1.*missing: fill it"),
        "None among lists": ([[1, 2], [3, None], [5, 6], [7, 8]], "None at row 1, column 1"),
    },
    InputError: {
        "NaN in X": (spoilt(np.nan), "nan at row 2, column 1 .*fill it"),
        "inf in X": (spoilt(np.inf), "inf at row 2, column 1 .*replace it"),
        "-inf in float32 X": (spoilt(-np.inf, "f4"), "-inf at row 2, column 1"),
        "1e300 in X": (spoilt(-1e300), r"1e\+300 in column 1; .*Divide that column by a constant"),
        "longdouble beyond float64": (spoilt(np.longdouble("1e400"), "g"), "inf at row 2, column 1"),
        "int64 beyond 2**53": (spoilt(2**53 + 1, "i8"), r"9007199254740993 at row 2, column 1.*2\*\*53"),
        "int64 far below": (spoilt(-(2**62) - 1, "i8"), "-4611686018427387905 at row 2, column 1"),
        "uint64 beyond 2**53": (spoilt(2**64 - 1, "u8"), "18446744073709551615 at row 2, column 1"),
        "Python int beyond 2**53": (spoilt(2**53 + 1, "O"), "9007199254740993 at row 2, column 1"),
        "Python int beyond float64": (spoilt(10**5000, "O"), "16610 binary digits at row 2, column 1"),
        "masked value": (np.ma.masked_equal(X, 6.0), r"masked value at index \(2, 1\).*X.filled"),
    },
}
X_SPARSE: Table = {
    InputTypeError: {
        "sparse complex": (sp.csr_array(X.astype(complex)), "complex numbers; expected real"),
    },
    InputError: {
        "sparse 1-d": (sp.coo_array(np.arange(4.0)), r"1-dimensional.*X.reshape\(-1, 1\)"),
        "column index too large": (damaged(indices=[0, 9, 1, 0, 2, 1]), "column index 9, expected 0 to 2"),
        "column index negative": (damaged(indices=[0, -1, 1, 0, 2, 1]), "column index -1, expected 0"),
        "row index too large": (damaged(sp.csc_array, indices=[0, 7, 1, 3, 0, 2]), "row index 7, expected"),
        "coo index too large": (damaged(sp.coo_array, col=[0, 9, 1, 0, 2, 1]), "column index 9, expected"),
        "coo index negative": (damaged(sp.coo_array, row=[0, -5, 1, 0, 2, 1]), "row index -5, expected"),
        "coo values too few": (damaged(sp.coo_array, data=[1.0]), "6 rows, 6 columns, 1 values, expected"),
        "bsr index too large": (damaged(sp.bsr_array, indices=[5] * 6), "column index 5, expected"),
        "indptr falls": (damaged(indptr=[0, 2, 1, 5, 6]), "indptr falls from 2 to 1 at entry 2"),
        "indptr too long an end": (damaged(indptr=[0, 2, 3, 5, 60]), "indptr ends at 60, .* 6 values"),
        "indptr starts late": (damaged(indptr=[1, 2, 3, 5, 6]), "indptr starts at 1, expected 0"),
        "indptr too short": (damaged(indptr=[0, 2, 3, 6]), "indptr has 4 entries, expected 5"),
        "sparse, 2**31 columns": (sp.csr_array((4, 2**31)), r"more columns than 2\*\*31 - 1"),
        "sparse, 2**40 columns": (sp.coo_array((4, 2**40)), "1099511627776 columns"),
        "sparse, 2**40 rows": (sp.coo_array((2**40, 4)), r"more rows than 2\*\*31 - 1"),
        "sparse NaN": (sp.csc_array(spoilt(np.nan) * [0, 1]), "nan at row 2, column 1"),
        "sparse 1e300": (sp.csr_array(spoilt(1e300) * [0, 1]), r"1e\+300 in column 1;.*Divide"),
        "sparse int64": (sp.coo_array(spoilt(2**53 + 1, "i8")), "9007199254740993 at row 2, column 1"),
    },
}
LABELS: Table = {
    InputTypeError: {
        "y none": (None, "y is None; expected one label per row"),
        "y scalar": (1, "y is of type int; expected one label per row"),
        "y text": ("abab", "y is of type str; expected one label per row"),
        "y sparse": (sp.csr_array(Y[:, None]), r"y is sparse.*toarray\(\)"),
        "text and number": (["a", "b", 3, "a"], r"'a' \(str\) at row 0 and 3 \(int\) at row 2"),
        "bytes and text": ([b"a", "b", "b", b"a"], r"b'a' \(bytes\) at row 0 and 'b' \(str\) at row 1"),
        "a list for a label": (repeated([1, 2]), "y has a list at row 2; expected one label"),
        "complex labels": ([1j, 2, 1j, 2], "y has dtype complex128; expected one label"),
    },
    InputError: {
        "too few labels": (Y[:3], "y has 3 labels but X has 4 rows"),
        "one-hot labels": (np.eye(2)[Y], r"y has shape \(4, 2\).*argmax"),
        "labels in a row": (Y[None, :], r"y has shape \(1, 4\); expected .*\(4,\)"),
        "one class": (["no"] * 4, "all 4 labels are 'no': only one class"),
        "None label": (repeated(None), "y has None at row 2.*expected a label"),
        "NaN among text": (repeated(np.nan), "y has nan at row 2.*expected a label"),
        "NaN label": ([0.0, 1.0, np.nan, 1.0], "y has nan at row 2.*expected a label"),
        "inf label": ([0.0, 1.0, np.inf, 1.0], "y has inf at row 2"),
        "no date": (np.array(["2020", "2021", "NaT", "2020"], "M8[Y]"), "y has NaT at row 2"),
        "masked label": (np.ma.masked_equal([0, 1, 7, 1], 7), r"masked value at index \(2,\)"),
    },
}
OPTIONS: Table = {
    InputTypeError: {
        "weight scalar": ({"sample_weight": 2.0}, r"sample_weight is of type float; .* \(4,\)"),
        "weight None": ({"sample_weight": [1, 1, 1, None]}, "sample_weight has None at row 3"),
        "weight text": ({"sample_weight": list("abcd")}, "sample_weight has the text 'a' at row 0"),
        "offset scalar": ({"offset": 0.5}, r"offset is of type float; .* \(4,\)"),
    },
    InputError: {
        "no rows": ({"X": X[:0], "y": Y[:0]}, r"shape \(0, 2\): no rows; expected at least two"),
        "no rows, list": ({"X": [], "y": []}, "1-dimensional"),
        "one row": ({"X": X[:1], "y": Y[:1]}, "all 1 labels are 0: only one class"),
        "regression target": ({"X": MANY, "y": MANY[:, 0] / 7}, "continuous.*regression target.*classes"),
        "weights too few": ({"sample_weight": [1, 2, 3]}, r"sample_weight has shape \(3,\); .* \(4,\)"),
        "weights 2-d": ({"sample_weight": ONES[:, None]}, r"shape \(4, 1\).*one weight per row"),
        "weight NaN": ({"sample_weight": [1, 1, 1, np.nan]}, "sample_weight has nan at row 3"),
        "weight inf": ({"sample_weight": [1, 1, 1, np.inf]}, "sample_weight has inf at row 3"),
        "weight negative": ({"sample_weight": [1, -2, 1, 1]}, r"-2\.0 at row 1 .*no negative weight"),
        "weights all zero": ({"sample_weight": ONES * 0}, "0 for all rows; expected some"),
        "one class weighs 0": ({"sample_weight": 1 - Y}, "only one class has weight: .*class 1"),
        "one of three weighs 0": ({"y": THREE, "class_weight": {1: 0}}, "no weight: .*class 1"),
        "weights overflow": ({"sample_weight": ONES * 1e308}, "add up to inf.*constant"),
        "weights underflow": ({"sample_weight": ONES * 5e-324}, "add up to 2e-323.*constant"),
        "offset too short": ({"offset": ONES[:3]}, r"offset has shape \(3,\); .* \(4,\)"),
        "offset NaN": ({"offset": ONES * np.nan}, "offset has nan at row 0"),
        "offset 1e300": ({"offset": ONES * 1e300}, "offset has numbers beyond 1e100"),
        "offset of 3 classes": ({"y": THREE, "offset": ONES}, r"\(4,\); .*\(4, 3\).*own column"),
    },
    OptionError: {
        "class weight unknown": ({"class_weight": {2: 1.0}}, "label 2, not among those of y: 0, 1"),
        "class weight negative": ({"class_weight": {1: -1}}, r"\[1\] = -1; expected a finite"),
        "class weight NaN": ({"class_weight": {1: np.nan}}, r"\[1\] = nan; expected"),
        "class weight text": ({"class_weight": {1: "2"}}, r"\[1\] = '2'; expected"),
        "class weight misspelt": ({"class_weight": "ballanced"}, "Did you mean 'balanced'"),
        "class weight list": ({"class_weight": [1, 2]}, "of type list; expected None"),
    },
}
OF_FIT: Table = {  # options that intake does not know
    OptionError: {
        "loss misspelt": ({"loss": "hinges"}, "unknown loss 'hinges'.*Did you mean 'hinge'"),
        "penalty misspelt": ({"penalty": "l3"}, "unknown penalty 'l3'.*Did you mean 'l"),
        "solver misspelt": ({"solver": "newtn"}, "unknown solver 'newtn'.*Did you mean 'newton'"),
        "schedule misspelt": ({"schedule": "invers:1"}, "unknown schedule 'invers'.*Did you mean 'inverse'"),
        "stop misspelt": ({"stop": "gapp:1"}, "unknown stop 'gapp'.*Did you mean 'gap'"),
        "multiclass misspelt": ({"multiclass": "softmx"}, "Did you mean 'softmax'"),
        "penalty out of range": ({"penalty": "elastic_net:2"}, "elastic_net: l1_ratio must lie in"),
        "loss a number": ({"loss": 3}, "loss must be a name.*got int"),
        "alpha negative": ({"alpha": -1}, "alpha = -1; expected a number of at least 0"),
        "alpha NaN": ({"alpha": np.nan}, "alpha = nan; expected a finite number"),
        "alpha text": ({"alpha": "1"}, "alpha = '1'; expected a finite number"),
        "tol zero": ({"tol": 0}, "tol = 0; expected a number above 0"),
        "intercept none": ({"intercept": None}, "intercept = None; expected True"),
        "seed negative": ({"seed": -1}, "seed = -1; expected a whole number"),
        "no threads": ({"threads": 0}, "threads = 0; expected None or a whole number"),
    },
    Refusal: {
        "softmax hinge": ({"loss": "hinge", "multiclass": "softmax"}, "with 'hinge' use 'ovr'"),
        "Newton for the hinge": ({"loss": "hinge", "solver": "newton"}, "second derivative.*use solver="),
        "Newton for L1": ({"penalty": "l1", "solver": "newton"}, "'l2' or 'none'.*use solver="),
        "dual descent for L1": ({"penalty": "l1", "solver": "dual_cd"}, "'l2' with alpha > 0.*use solver="),
        "closed form of the hinge": ({"loss": "hinge", "solver": "closed_form"}, "squared loss.*use solver="),
    },
}


class Case(NamedTuple):
    """What comes, the class of the error, and a pattern that its message holds."""

    name: str
    data: dict[str, Any]
    error: type[WidemarginError]
    says: str


def cases(table: Table, key: str) -> list[Case]:
    """`key`: which argument the table is about; empty where each case names its own."""
    return [
        Case(name, {"X": X, "y": Y} | ({key: came} if key else came), error, says)
        for error, rows in table.items()
        for name, (came, says) in rows.items()
    ]


REFUSED = [case for table in (X_SHAPES, X_VALUES, X_SPARSE) for case in cases(table, "X")]
REFUSED += cases(LABELS, "y") + cases(OPTIONS, "")
KNOCKS = [(intake, case) for case in REFUSED] + [(wm.fit, case) for case in REFUSED + cases(OF_FIT, "")]


@pytest.mark.parametrize(("door", "case"), KNOCKS, ids=lambda part: getattr(part, "name", None))
def test_refused(door: Callable[..., object], case: Case) -> None:
    with pytest.raises(WidemarginError, match=case.says) as caught:
        door(**case.data)
    assert type(caught.value) is case.error
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


class Right(NamedTuple):
    """Odd data that are right, and what they mean."""

    name: str
    X: Any
    y: Any
    signs: list[float]
    classes: list[Any]


PLUS = [-1.0, 1.0, -1.0, 1.0]
DAYS = [datetime.date(2020, 1, 1 + k) for k in (0, 1, 0, 1)]
ACCEPTED = [
    Right("constant column", np.ones((4, 1)), Y, PLUS, [0, 1]),
    Right("all zero, sparse", sp.csr_array((4, 3)), Y, PLUS, [0, 1]),
    Right("1e-300", X * 1e-300, Y, PLUS, [0, 1]),
    Right("1e99", X * 1e98, Y, PLUS, [0, 1]),
    Right("nothing masked", np.ma.masked_equal(X, 77.0), Y, PLUS, [0, 1]),
    Right("numpy.matrix", X.view(np.matrix), Y.view(np.matrix).T, PLUS, [0, 1]),
    Right("large exact integer", (X * 2**60).astype(np.int64) // 8, Y, PLUS, [0, 1]),
    Right("bool labels", X, Y == 1, PLUS, [False, True]),
    Right("bytes labels", X, [b"n", b"y", b"n", b"y"], PLUS, [b"n", b"y"]),
    Right("bytes with a final zero", X, np.array([b"a", b"a\0", b"a", b"a\0"], object), PLUS, [b"a", b"a\0"]),
    Right("text labels, reversed", X, np.array(["z", "a", "z", "a"]), [1.0, -1.0, 1.0, -1.0], ["a", "z"]),
    Right("variable text", X, np.array(["no", "yes"], np.dtypes.StringDType())[Y], PLUS, ["no", "yes"]),
    Right("objects of text", X, np.array(["no", "yes"], object)[Y], PLUS, ["no", "yes"]),
    Right("objects of numbers", X, np.array([0, 1.5, 0, 1.5], object), PLUS, [0.0, 1.5]),
    Right("days", X, DAYS, PLUS, DAYS[:2]),
    Right("tuples", X, np.array([(0, 1), (0, 2), (0, 1), (0, 2), None], object)[:4], PLUS, [(0, 1), (0, 2)]),
    Right("column of labels", X, Y[:, None], PLUS, [0, 1]),
    Right("large labels", X, Y + 2**62, PLUS, [2**62, 2**62 + 1]),
    Right("three int8", X, np.array([127, -128, 0, 0], np.int8), [2.0, 0.0, 1.0, 1.0], [-128, 0, 127]),
    Right("three far integers", X, [2**62, -(2**62), 0, 0], [2.0, 0.0, 1.0, 1.0], [-(2**62), 0, 2**62]),
    Right("three uint64", X, np.array([2**64 - 1, 0, 5, 5], "u8"), [2.0, 0.0, 1.0, 1.0], [0, 5, 2**64 - 1]),
    Right("three big-endian", X, np.array([5, 1, 3, 3], ">i4"), [2.0, 0.0, 1.0, 1.0], [1, 3, 5]),
    Right("three texts", X, list("cabb"), [2.0, 0.0, 1.0, 1.0], ["a", "b", "c"]),
    Right("three floats", X, [2.5, -1, 0, 0], [2.0, 0.0, 1.0, 1.0], [-1.0, 0.0, 2.5]),
    Right("many integers are no regression", MANY, np.arange(30), list(range(30)), list(range(30))),
    Right("ten floats", MANY, np.arange(30) // 3 / 2, [*np.arange(30) // 3], [*np.arange(10) / 2]),
]


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case.name)
def test_right_answer(case: Right) -> None:
    source, classes, names = intake(case.X, case.y)
    given = case.X.toarray() if sp.issparse(case.X) else np.asarray(case.X)
    seen = source.X.matrix
    np.testing.assert_array_equal(seen.toarray() if sp.issparse(seen) else seen, given)
    np.testing.assert_array_equal(source.y, case.signs)
    assert source.y.dtype == np.float64
    assert classes.tolist() == case.classes
    assert (source.classes, source.s, source.o, names) == (len(classes), None, None, None)
    fit = wm.fit(case.X, case.y)
    assert fit.certificate.verdict.success
    assert set(fit.model.predict(case.X).tolist()) <= set(case.classes)


def test_rows_to_predict_refused() -> None:
    narrow = "X has 1 columns; the model was fitted on 2"
    wrong = [(X[:, :1], narrow), (sp.csr_array(X[:, :1]), narrow), (spoilt(np.nan), "nan at row 2, column 1")]
    model = wm.fit(X, Y).model
    for table, says in [*wrong, (X[0], r"1-dimensional.*X\[None, :\]")]:
        for door in (lambda rows: intake_rows(rows, d=2), model.predict, model.decision):
            with pytest.raises(InputError, match=says):
                door(table)
