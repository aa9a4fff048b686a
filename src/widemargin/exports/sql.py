"""A SELECT in standard SQL: scores, probabilities and the label of every row of a table.

Numbers are written as 1.5E0: approximate literals, so that no database computes in decimals.  Sums are trees: a parser
that counts nesting meets the logarithm of the number of terms.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from widemargin.exports.formula import Formula, Number
from widemargin.exports.link import Words
from widemargin.exports.rows import Answers, Sample, Untried

TABLE = "data"
MOST = 1990  # columns of a table, in SQLite as it is built
WORDS: Words = {"^": lambda a, b: f"POWER({a}, {b})", "sqrt": lambda a: f"SQRT({a})", "exp": lambda a: f"EXP({a})",
         "log": lambda a: f"LN({a})",
         "sigmoid": lambda a: f"CASE WHEN {a} < -7E2 THEN 0E0 WHEN {a} > 7E2 THEN 1E0 ELSE 1 / (1 + EXP(-({a}))) END",
         "clip": lambda a: f"CASE WHEN {a} > 1E0 THEN 1E0 WHEN {a} < -1E0 THEN -1E0 ELSE {a} END",
         }  # fmt: skip


def write(formula: Formula, name: str) -> bytes:
    """The text of the file; the table is called `data`."""
    columns = set(formula.names)
    f = [_free(f"decision_{label}" if formula.heads > 1 else "decision", columns) for label in _heads(formula)]
    scores = [f"{_score(formula, k)} AS {name}" for k, name in enumerate(f)]
    text = f"WITH scored AS (\n  SELECT {TABLE}.*,\n    " + ",\n    ".join(scores) + f"\n  FROM {TABLE}\n)"
    source = "scored"
    if formula.heads > 1 and formula.probable:
        scaled = _scaled(formula, f)
        shares = [_free(f"share {k}", columns) for k in range(formula.heads)]
        terms = [f"{_share(formula, scaled, k)} AS {share}" for k, share in enumerate(shares)]
        text += ",\nshared AS (\n  SELECT scored.*,\n    " + ",\n    ".join(terms) + "\n  FROM scored\n)"
        source = "shared"
        found = _normalised(formula, shares)
    else:
        found = _pair(formula, _scaled(formula, f)[0]) if formula.probable else []
    shown = f if formula.shift is None else [f"{x} + {number(s)}" for x, s in zip(f, formula.shift, strict=True)]
    names = [_free(f"probability_{label}", columns) for label in formula.labels]
    chosen = [f"{term} AS {name}" for term, name in zip(found, names, strict=False)]
    chosen.append(f"{_choice(formula, shown, [_label(v) for v in formula.labels])} AS {_free('prediction', columns)}")
    head = " ".join(f"-- {formula.about}".split())
    return f"{head}\n{text}\nSELECT {source}.*,\n  {(',' + chr(10) + '  ').join(chosen)}\nFROM {source}\n".encode()


def identifier(name: str) -> str:
    """A quoted name."""
    return '"' + name.replace('"', '""') + '"'


def _free(name: str, taken: set[str]) -> str:
    """A quoted name that no column of the model has."""
    folded = {other.casefold() for other in taken}
    while name.casefold() in folded:
        name = f"{name}_"
    return identifier(name)


def _heads(formula: Formula) -> Sequence[Any]:
    return formula.labels if formula.heads > 1 else formula.labels[1:]


def number(x: float) -> str:
    """An approximate literal, which reads back as the same number."""
    digits, _, power = f"{x:.16e}".partition("e")
    return f"{digits.rstrip('0').rstrip('.')}E{int(power)}"


def _label(label: Any) -> str:
    if isinstance(label, str):
        return "'" + label.replace("'", "''") + "'"
    return number(label) if isinstance(label, float) else str(int(label))


def _sum(terms: Sequence[str]) -> str:
    """As a tree."""
    if len(terms) <= 2:
        return " + ".join(terms)
    half = len(terms) // 2
    return f"({_sum(terms[:half])}) + ({_sum(terms[half:])})"


def _score(formula: Formula, k: int) -> str:
    terms = [number(formula.b[k])]
    for column in _used(formula):
        name, slope = identifier(column.name), number(column.slopes[k])
        term = f"({name} - {number(column.centre)}) * {slope}" if column.centre else f"{name} * {slope}"
        if column.missing is not None:
            term = f"CASE WHEN {name} IS NULL THEN {number(column.missing[k])} ELSE {term} END"
        terms.append(term)
    for levels in formula.levels:
        cases = [
            f"WHEN {_label(level)} THEN {number(w)}"
            for level, w in zip(levels.levels, levels.weights[:, k], strict=True)
        ]
        terms.append(f"CASE COALESCE({identifier(levels.name)}, '') {' '.join(cases)} ELSE 0E0 END")
    return _sum(terms)


def _used(formula: Formula) -> list[Number]:
    """The columns of numbers that move some score."""
    return [c for c in formula.numbers if c.slopes.any() or (c.missing is not None and c.missing.any())]


def _scaled(formula: Formula, f: Sequence[str]) -> Sequence[str]:
    """What the link is of."""
    if formula.gain is None or formula.lift is None:
        return f
    terms = zip(formula.gain, f, formula.lift, strict=True)
    return [f"({number(g)} * {x} + {number(c)})" for g, x, c in terms]


def _share(formula: Formula, f: Sequence[str], k: int) -> str:
    """What the probability of label k is in proportion to."""
    if formula.softmax:
        least = f"{f[k]} - ({_choice(formula, f, f)})"
        return f"CASE WHEN {least} < -7E2 THEN 0E0 ELSE EXP({least}) END"
    assert formula.link is not None
    return formula.link.written(WORDS, number, f[k])


def _pair(formula: Formula, f: str) -> list[str]:
    assert formula.link is not None
    second = formula.link.written(WORDS, number, f)
    return [f"1E0 - ({second})", second]


def _normalised(formula: Formula, shares: Sequence[str]) -> list[str]:
    total = _sum(shares)
    even = number(1 / len(shares))
    return [f"CASE WHEN {total} > 0E0 THEN {share} / ({total}) ELSE {even} END" for share in shares]


def _choice(formula: Formula, f: Sequence[str], values: Sequence[str]) -> str:
    """The value of the highest score, the first of equal ones."""
    if formula.heads == 1:
        return f"CASE WHEN {f[0]} >= 0E0 THEN {values[1]} ELSE {values[0]} END"
    cases = []
    for k in range(len(f) - 1):  # those before it are lower already
        above = " AND ".join(f"{f[k]} >= {other}" for other in f[k + 1 :])
        cases.append(f"WHEN {above} THEN {values[k]}")
    return f"CASE {' '.join(cases)} ELSE {values[-1]} END"


def run(path: Path, formula: Formula, sample: Sample) -> Answers:
    """What SQLite answers."""
    with closing(sqlite3.connect(":memory:")) as base:
        for name, function in (("EXP", math.exp), ("SQRT", math.sqrt), ("LN", math.log), ("POWER", pow)):
            base.create_function(name, -1, function)  # older builds come without them
        return query(base, path.read_text(encoding="utf-8"), formula, sample)


def query(base: Any, text: str, formula: Formula, sample: Sample) -> Answers:
    """What an open data base answers (of SQLite or DuckDB)."""
    place = _free("row", set(formula.names))
    used = _used(formula)
    if len(used) + len(formula.levels) > MOST:
        raise Untried(f"SQLite takes tables of at most {MOST} columns, and this one needs {len(used):,}")
    kept = {id(c) for c in used}
    if len({name.casefold() for name in formula.names}) < len(formula.names):
        raise Untried("names of columns differ by case alone, which SQLite takes to be the same")
    places = [j for j, c in enumerate(formula.numbers) if id(c) in kept]
    columns = [f"{identifier(c.name)} DOUBLE" for c in used]
    columns += [f"{identifier(c.name)} VARCHAR" for c in formula.levels]
    base.execute(f"CREATE TABLE {TABLE} ({place} INTEGER, {', '.join(columns)})")
    rows = [
        [i, *(None if x != x else x for x in numbers), *texts]
        for i, (numbers, texts) in enumerate(
            zip(sample.numbers[:, places].tolist(), sample.texts.tolist(), strict=True)
        )
    ]
    base.executemany(f"INSERT INTO {TABLE} VALUES ({', '.join('?' * (len(columns) + 1))})", rows)
    found = base.execute(f"{text} ORDER BY {place}").fetchall()
    scores = np.array([row[1 + len(columns) :][: formula.heads] for row in found], dtype=float)
    last = [row[-1 - len(formula.labels) : -1] for row in found]
    shares = np.array(last, dtype=float) if formula.probable else None
    return Answers(scores, shares, [type(formula.labels[0])(row[-1]) for row in found])
