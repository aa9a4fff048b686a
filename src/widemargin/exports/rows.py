"""Rows to try an exported model on: the user's own, or some that are drawn; and what the model itself says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, Array
from widemargin.data.intake import intake_rows
from widemargin.data.rows import Rows
from widemargin.data.schema import numbers
from widemargin.errors import InputError
from widemargin.exports.formula import Formula
from widemargin.model import Model
from widemargin.table_model import table_of

DRAWN = 200


class Sample(NamedTuple):
    """n rows as columns of the formula: numbers with NaN for a gap, texts with "" for one."""

    numbers: F64  # (n, columns of numbers)
    texts: Array  # (n, columns of texts), of str


class Untried(Exception):
    """The file cannot be tried here, for this reason."""


class Answers(NamedTuple):
    """What a model says of rows."""

    scores: F64  # (n, K)
    probabilities: F64 | None  # (n, classes)
    labels: list[Any]


def drawn(formula: Formula, n: int = DRAWN, seed: int = 0) -> Sample:
    """Rows with gaps, rare and unknown levels, far from the mean and near it."""
    draw = np.random.default_rng(seed)
    d = len(formula.numbers)
    centre = np.array([number.centre for number in formula.numbers])
    scale = np.array([number.scale for number in formula.numbers])
    x = centre + scale * draw.standard_t(4, (n, d))
    if formula.table:
        x[draw.random((n, d)) < 0.1] = np.nan
    texts = np.empty((n, len(formula.levels)), dtype=object)
    for k, column in enumerate(formula.levels):
        choices = [*column.levels, "", "never seen"]
        texts[:, k] = [choices[i] for i in draw.integers(len(choices), size=n)]
    return Sample(x, texts)


def sample_of(formula: Formula, given: Any) -> Sample:
    """The user's rows: a table by name for a model of tables, else whatever `predict` takes."""
    if not formula.table and not isinstance(given, Mapping):
        rows = intake_rows(given, d=len(formula.numbers), feature_names=None)
        matrix = rows.matrix if isinstance(rows.matrix, np.ndarray) else rows.matrix.toarray()
        return Sample(matrix.astype(float), np.empty((rows.n, 0), dtype=object))
    if not isinstance(given, Mapping):
        raise InputError("the model reads tables: give its check a mapping of columns, or the name of a CSV file")
    lost = [name for name in formula.names if name not in given]
    if lost:
        raise InputError(f"the table lacks the column {lost[0]!r}; it has {', '.join(map(repr, list(given)[:8]))}")
    n = len(next(iter(given.values())))
    x = np.empty((n, len(formula.numbers)))
    for j, number in enumerate(formula.numbers):
        x[:, j] = numbers(number.name, [_cell(value) for value in given[number.name]])[0]
    texts = np.empty((n, len(formula.levels)), dtype=object)
    for k, column in enumerate(formula.levels):
        texts[:, k] = [_cell(value) for value in given[column.name]]
    return Sample(x, texts)


def _cell(value: object) -> str:
    return "" if value is None or value != value else str(value)


def answers(model: Model, formula: Formula, sample: Sample) -> Answers:
    """The model's own."""
    X = _rows(model, formula, sample)
    scores = model.decision(X).reshape(len(sample.numbers), -1)
    return Answers(scores, model.link(scores) if formula.probable else None, model.predict(X).tolist())


def _rows(model: Model, formula: Formula, sample: Sample) -> Rows | F64:
    table = table_of(model)
    if table is None:
        return sample.numbers
    cells: dict[str, Sequence[str]] = {
        number.name: ["" if x != x else repr(x) for x in column]
        for number, column in zip(formula.numbers, sample.numbers.T.tolist(), strict=True)
    }
    cells |= {column.name: sample.texts[:, k].tolist() for k, column in enumerate(formula.levels)}
    return table.schema.read(cells).rows
