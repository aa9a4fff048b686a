"""An ONNX model in double precision: `decision`, `probabilities` and `label` of rows.

Inputs: `X` (rows, features) for a model of numbers; for one of tables a column (rows, 1) each, by its name: doubles,
where NaN is a gap, and texts.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import numpy as np

from widemargin.exports.formula import Formula
from widemargin.exports.link import Expression
from widemargin.exports.onnx_graph import BOOL, DOUBLE, INT64, STRING, Graph
from widemargin.exports.rows import Answers, Sample

NEEDS = "onnxruntime"
OPERATORS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "^": "Pow"}
FUNCTIONS = {"sigmoid": "Sigmoid", "sqrt": "Sqrt", "exp": "Exp", "log": "Log"}


def write(formula: Formula, name: str) -> bytes:
    """The bytes of the file."""
    g, taken = Graph(), set(formula.names if formula.table else ())
    scores = _scores(g, formula)
    shifted = scores if formula.shift is None else g.node("Add", scores, g.constant(formula.shift[None, :]))
    index = _index(g, formula, shifted)
    kind = {str: STRING, int: INT64, float: DOUBLE, bool: BOOL}[type(formula.labels[0])]
    labels = g.constant(np.array(formula.labels, dtype=object if kind == STRING else None))
    g.output(g.node("Gather", labels, index, axis=0), free("label", taken), kind)
    if formula.probable:
        g.output(_probabilities(g, formula, scores), free("probabilities", taken), DOUBLE, len(formula.labels))
    g.output(scores, free("decision", taken), DOUBLE, formula.heads)
    return g.model(formula.about)


def free(name: str, taken: Container[str]) -> str:
    """The name of an output, which is that of no column."""
    return free(f"{name}_", taken) if name in taken else name


def _scores(g: Graph, formula: Formula) -> str:
    """(rows, K)."""
    parts = [g.constant(formula.b[None, :])]
    if not formula.table:
        x = g.input("X", DOUBLE, len(formula.numbers))
        parts.append(g.node("MatMul", x, g.constant(formula.slopes)))
    elif formula.numbers:
        columns = [g.input(column.name, DOUBLE, 1) for column in formula.numbers]
        x = g.node("Concat", *columns, axis=1) if len(columns) > 1 else columns[0]
        gap = g.node("IsNaN", x)
        moved = g.node("Sub", x, g.constant(np.array([[column.centre for column in formula.numbers]])))
        known = g.node("Where", gap, g.constant(np.zeros((1, 1))), moved)
        parts.append(g.node("MatMul", known, g.constant(formula.slopes)))
        parts.append(g.node("MatMul", g.node("Cast", gap, to=DOUBLE), g.constant(formula.gaps)))
    for column in formula.levels:
        text = g.input(column.name, STRING, 1)
        same = g.node("Equal", text, g.constant(np.array([column.levels], dtype=object)))
        parts.append(g.node("MatMul", g.node("Cast", same, to=DOUBLE), g.constant(column.weights)))
    total = parts[0]
    for part in parts[1:]:
        total = g.node("Add", total, part)
    return total


def _index(g: Graph, formula: Formula, scores: str) -> str:
    """(rows): the place of the label."""
    if formula.heads > 1:
        return g.node("ArgMax", scores, axis=1, keepdims=0)
    second = g.node("GreaterOrEqual", scores, g.constant(np.zeros((1, 1))))
    return g.node("Squeeze", g.node("Cast", second, to=INT64), g.constant(np.array([1])))


def _probabilities(g: Graph, formula: Formula, scores: str) -> str:
    """(rows, classes)."""
    if formula.gain is not None and formula.lift is not None:
        scaled = g.node("Mul", scores, g.constant(formula.gain[None, :]))
        scores = g.node("Add", scaled, g.constant(formula.lift[None, :]))
    if formula.softmax:
        return g.node("Softmax", scores, axis=1)
    assert formula.link is not None
    q = _linked(g, formula.link, scores)
    if formula.heads == 1:
        return g.node("Concat", g.node("Sub", g.constant(np.ones((1, 1))), q), q, axis=1)
    total = g.node("ReduceSum", q, g.constant(np.array([1])), keepdims=1)
    some = g.node("Greater", total, g.constant(np.zeros((1, 1))))
    safe = g.node("Where", some, total, g.constant(np.ones((1, 1))))
    even = g.constant(np.full((1, formula.heads), 1 / formula.heads))
    return g.node("Where", some, g.node("Div", q, safe), even)


def _linked(g: Graph, link: Expression, scores: str) -> str:
    inner = [_linked(g, part, scores) for part in link.parts]
    if link.head == "f":
        return scores
    if not inner:
        return g.constant(np.array([[float(link.head)]]))
    if link.head == "clip":
        return g.node("Clip", *inner, g.constant(np.array(-1.0)), g.constant(np.array(1.0)))
    return g.node((OPERATORS if len(inner) == 2 else FUNCTIONS)[link.head], *inner)


def run(path: Path, formula: Formula, sample: Sample) -> Answers:
    """What onnxruntime answers."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    feeds = {"X": sample.numbers}
    if formula.table:
        feeds = {c.name: sample.numbers[:, j : j + 1] for j, c in enumerate(formula.numbers)}
        feeds |= {c.name: sample.texts[:, j : j + 1] for j, c in enumerate(formula.levels)}
    label, *shares, scores = session.run(None, feeds)
    return Answers(scores, shares[0] if shares else None, label.tolist())
