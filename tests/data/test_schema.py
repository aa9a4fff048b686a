"""Columns of text become features: learned on training rows, kept as plain data, honest about what is new."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.data.schema import Category, Number, Schema, learn
from widemargin.data.split import hold_out
from widemargin.errors import InputError

CELL = st.sampled_from(["", "?", "NA", "1", "2.5", "-3e2", " 7 ", "red", "blue", "1_000", "grün"])


def everything(rows: int) -> Any:
    return np.ones(rows, dtype=bool)


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=30), st.data())
def test_every_training_cell_sets_one_feature(rows: list[tuple[str, str, str]], data: st.DataObject) -> None:
    table = dict(zip("abc", zip(*rows, strict=True), strict=True))
    train = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    try:
        schema, constant, _ = learn(table, train)
    except InputError:
        return
    assert {column.name for column in schema.columns} | set(constant) == set(table)
    X = schema.encode(table).X
    assert X.shape == (len(rows), len(schema.features))
    assert X.has_sorted_indices
    np.testing.assert_array_equal(np.diff(X.indptr)[train], len(schema.columns))
    numbers = [j for j, name in enumerate(schema.features) if "=" not in name]
    filled = X.toarray()[train][:, numbers]
    np.testing.assert_allclose(filled.mean(axis=0), 0, atol=1e-9)


@given(st.lists(st.tuples(CELL, CELL), min_size=2, max_size=20))
def test_a_schema_survives_json(rows: list[tuple[str, str]]) -> None:
    table = dict(zip("ab", zip(*rows, strict=True), strict=True))
    try:
        schema = learn(table, everything(len(rows))).schema
    except InputError:
        return
    assert Schema.from_plain(json.loads(json.dumps(schema.plain()))) == schema


def test_a_gap_is_the_mean_and_has_a_flag() -> None:
    schema = learn({"x": ["1", "", "3"]}, everything(3)).schema
    assert schema.columns == (Number("x", 2.0, 1.0, True),)
    assert schema.features == ["x", "x=missing"]
    np.testing.assert_array_equal(schema.encode({"x": ["1", "na", "3"]}).X.toarray(), [[-1, 0], [0, 1], [1, 0]])


def test_what_training_never_saw_is_counted() -> None:
    schema = learn({"x": ["1", "3"], "c": ["a", "b"]}, everything(2)).schema
    X, notes = schema.encode({"x": ["", "two", "3"], "c": ["a", "new", "new"], "more": ["", "", ""]})
    np.testing.assert_array_equal(X.toarray(), [[0, 1, 0], [0, 0, 0], [1, 0, 0]])
    texts = [f"{note.column}: {note.text}" for note in notes]
    assert texts == [
        "x: 1 cell is no number, such as 'two': read as missing",
        "x: 2 cells are missing, which training never saw: read as the mean",
        "c: 2 cells are a level that training never saw, such as 'new': none of its features is set",
    ]


def test_columns_that_never_vary_are_left_out() -> None:
    table = {"same": ["1", "1", "1.0"], "word": ["a", "a", "a"], "x": ["1", "2", "3"]}
    schema, constant, _ = learn(table, everything(3))
    assert constant == ["same", "word"]
    assert schema.features == ["x"]
    with pytest.raises(InputError, match="no column varies: 'word'"):
        learn({"word": ["a", "a"]}, everything(2))


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ([*map(str, range(99)), "abc"], "99 of 100 cells are numbers, but not 'abc'"),
        ([f"id{i}" for i in range(100)], "100 levels in 100 rows: an identifier or free text"),
    ],
)
def test_doubtful_categories_are_noted(column: list[str], text: str) -> None:
    (note,) = learn({"c": column}, everything(100)).notes
    assert text in note.text


def test_levels_come_from_training_rows_alone() -> None:
    schema = learn({"c": ["a", "b", "z"]}, np.array([True, True, False])).schema
    assert schema.columns == (Category("c", ("a", "b")),)


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e200"])
def test_numbers_out_of_range_are_named(cell: str) -> None:
    with pytest.raises(InputError, match=f"column 'x' has '{cell}' in row 2 below the header"):
        learn({"x": ["1", cell, "3"]}, everything(3))


def test_a_missing_column_is_named() -> None:
    schema = learn({"x": ["1", "3"], "c": ["a", "b"]}, everything(2)).schema
    with pytest.raises(InputError, match=r"lacks the column 'c' of the training table; it has 'x', 'd'"):
        schema.encode({"x": ["1"], "d": ["a"]})


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [{}],
        ["x"],
        [{"name": "x", "mean": 0.0, "deviation": 0.0, "gaps": False}],
        [{"name": "x", "mean": float("nan"), "deviation": 1.0, "gaps": False}],
    ],
)
def test_damaged_schemas_are_refused(plain: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Schema.from_plain(plain)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=40), st.floats(0, 1), st.integers(0, 5))
def test_hold_out_keeps_every_class(labels: list[str], share: float, seed: int) -> None:
    y = np.array(labels)
    held = hold_out(y, share, seed)
    assert set(y[~held]) == set(labels)
    np.testing.assert_array_equal(held, hold_out(y, share, seed))
    for label in set(labels):
        of_label = y == label
        assert held[of_label].sum() == min(round(share * of_label.sum()), of_label.sum() - 1)
