"""A Python file that needs nothing but Python."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np

from widemargin.exports.formula import Formula
from widemargin.exports.link import Words
from widemargin.exports.rows import Answers, Sample

WORDS: Words = {"^": lambda a, b: f"({a} ** {b})", "clip": lambda a: f"max(-1.0, min(1.0, {a}))",
         "sqrt": lambda a: f"math.sqrt({a})", "exp": lambda a: f"math.exp({a})", "log": lambda a: f"math.log({a})",
         }  # fmt: skip

BODY = '''

def decision(row):
    """The scores: one for two classes, else one a class.  row: values in the order of COLUMNS, or a dict by name."""
    if not isinstance(row, dict):
        if len(row) != len(COLUMNS):
            raise ValueError(f"{len(row)} values came, {len(COLUMNS)} were expected")
        row = dict(zip(COLUMNS, row))
    elif not TABLE and not row.keys() <= KNOWN:
        raise KeyError(f"unknown: {sorted(row.keys() - KNOWN)}")
    scores = list(INTERCEPTS)
    for name, (centre, slopes, missing) in NUMBERS.items():
        x = row[name] if TABLE else row.get(name, 0.0)
        if TABLE and (x is None or x != x):
            scores = [f + m for f, m in zip(scores, missing)]
        else:
            scores = [f + (x - centre) * s for f, s in zip(scores, slopes)]
    for name, levels in TEXTS.items():
        weights = levels.get(row[name] or "")
        if weights:
            scores = [f + w for f, w in zip(scores, weights)]
    return scores


def predict(row):
    """The label."""
    scores = SHIFTED
    if len(scores) == 1:
        return LABELS[1 if scores[0] >= 0 else 0]
    return LABELS[scores.index(max(scores))]
'''
SIGMOID = """

def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(max(x, -745.0)) / (1.0 + math.exp(max(x, -745.0)))
"""
SOFTMAX = '''

def probabilities(row):
    """The probability of each label."""
    scores = SCALED
    most = max(scores)
    shares = [math.exp(f - most) for f in scores]
    return [share / sum(shares) for share in shares]
'''
LINKED = '''

def probabilities(row):
    """The probability of each label."""
    shares = [LINK for f in SCALED]
    if len(shares) == 1:
        return [1.0 - shares[0], shares[0]]
    total = sum(shares)
    return [share / total if total > 0 else 1.0 / len(shares) for share in shares]
'''


def write(formula: Formula, name: str) -> bytes:
    """The text of the file."""
    shifted = "decision(row)" if formula.shift is None else "[f + s for f, s in zip(decision(row), SHIFTS)]"
    scaled = "decision(row)" if formula.gain is None else "[g * f + c for g, f, c in zip(GAINS, decision(row), LIFTS)]"
    parts = [f'"""{formula.about}"""\n\nimport math\n\n', _data(formula), BODY.replace("SHIFTED", shifted)]
    if formula.softmax:
        parts.append(SOFTMAX.replace("SCALED", scaled))
    elif formula.link is not None:
        link = formula.link.written(WORDS, repr, "f")
        parts += [SIGMOID if "sigmoid" in link else "", LINKED.replace("LINK", link).replace("SCALED", scaled)]
    return "".join(parts).encode()


def _data(formula: Formula) -> str:
    numbers = {c.name: (c.centre, tuple(c.slopes.tolist()), _missing(c.missing)) for c in formula.numbers}
    texts = {
        c.name: {level: tuple(w) for level, w in zip(c.levels, c.weights.tolist(), strict=True)} for c in formula.levels
    }
    lines = {
        "LABELS": repr(formula.labels), "INTERCEPTS": repr(tuple(formula.b.tolist())), "TABLE": repr(formula.table),
        "COLUMNS": _long(formula.names), "KNOWN": "frozenset(COLUMNS)",
        "NUMBERS": _long(numbers), "TEXTS": _long(texts),
    }  # fmt: skip
    for name, values in (("GAINS", formula.gain), ("LIFTS", formula.lift), ("SHIFTS", formula.shift)):
        if values is not None:
            lines[name] = repr(tuple(values.tolist()))
    comment = "# name: (centre, slopes, what a missing number adds);  name: {text: what it adds}\n"
    return comment + "".join(f"{name} = {text}\n" for name, text in lines.items())


def _missing(missing: Any) -> tuple[float, ...] | None:
    return None if missing is None else tuple(missing.tolist())


def _long(value: Any) -> str:
    """One entry a line, so that editors can show it."""
    if isinstance(value, dict):
        return "{\n" + "".join(f"    {key!r}: {part!r},\n" for key, part in value.items()) + "}"
    return "[\n" + "".join(f"    {part!r},\n" for part in value) + "]"


def run(path: Path, formula: Formula, sample: Sample) -> Answers:
    """What the file answers."""
    module = runpy.run_path(str(path))
    rows = [
        [*(None if x != x else x for x in numbers), *texts]
        for numbers, texts in zip(sample.numbers.tolist(), sample.texts.tolist(), strict=True)
    ]
    shares = np.array([module["probabilities"](row) for row in rows]) if formula.probable else None
    return Answers(
        np.array([module["decision"](row) for row in rows]), shares, [module["predict"](row) for row in rows]
    )
