"""A C99 file without dependencies: scores, probabilities, and the number of the label."""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from widemargin.exports.formula import Formula, Levels
from widemargin.exports.link import Words
from widemargin.exports.rows import Answers, Sample

NEEDS = "cc"
WORDS: Words = {"^": lambda a, b: f"pow({a}, {b})", "clip": lambda a: f"fmax(-1, fmin(1, {a}))",
         "sigmoid": lambda a: f"1 / (1 + exp(-({a})))"}  # fmt: skip

CODE = """
/* The scores, one for two classes, else one a class. */
void NAME_decision(ARGUMENTS, double scores[HEADS]) {
  for (int k = 0; k < HEADS; k++) scores[k] = intercepts[k];
NUMBERSTEXTS}

/* The place of the label in NAME_labels. */
int NAME_predict(ARGUMENTS) {
  double scores[HEADS];
  NAME_decision(VALUES, scores);
SHIFTCHOICE}
"""
NUMBERS = """  for (int j = 0; j < COUNT; j++)
    for (int k = 0; k < HEADS; k++)
      scores[k] += TERM;
"""
TERM = "(numbers[j] - centres[j]) * slopes[j][k]"
GAPS = "numbers[j] != numbers[j] ? gaps[j][k] : "
TEXTS = """  for (int j = 0; j < COUNT; j++)
    for (const struct level *level = levels[j]; level->text; level++)
      if (!strcmp(level->text, texts[j] ? texts[j] : "")) {
        for (int k = 0; k < HEADS; k++) scores[k] += level->weights[k];
        break;
      }
"""
SHIFT = "  for (int k = 0; k < HEADS; k++) scores[k] += shifts[k];\n"
SCALE = "  for (int k = 0; k < HEADS; k++) scores[k] = gains[k] * scores[k] + lifts[k];\n"
TWO = "  return scores[0] >= 0;\n"
MANY = """  int best = 0;
  for (int k = 1; k < HEADS; k++)
    if (scores[k] > scores[best]) best = k;
  return best;
"""
PROBABILITIES = """
/* The probability of each label. */
void NAME_probabilities(ARGUMENTS, double shares[CLASSES]) {
  double scores[HEADS], total = 0;
  NAME_decision(VALUES, scores);
SCALEBODY}
"""
PAIR = """  total = scores[0];
  shares[1] = LINK;
  shares[0] = 1 - shares[1];
"""
LINKED = """  for (int k = 0; k < HEADS; k++) total += shares[k] = LINK;
  for (int k = 0; k < HEADS; k++) shares[k] = total > 0 ? shares[k] / total : 1.0 / HEADS;
"""
SOFTMAX = """  double most = scores[0];
  for (int k = 1; k < HEADS; k++) most = fmax(most, scores[k]);
  for (int k = 0; k < HEADS; k++) total += shares[k] = exp(scores[k] - most);
  for (int k = 0; k < HEADS; k++) shares[k] /= total;
"""


def write(formula: Formula, name: str) -> bytes:
    """The text of the file."""
    code = CODE + (PROBABILITIES if formula.probable else "")
    fills = {  # each may hold words of those behind it
        "NUMBERS": _numbers(formula),
        "TEXTS": TEXTS.replace("COUNT", str(len(formula.levels))) if formula.levels else "",
        "SHIFT": "" if formula.shift is None else SHIFT, "SCALE": "" if formula.gain is None else SCALE,
        "CHOICE": TWO if formula.heads == 1 else MANY, "BODY": _shares(formula) if formula.probable else "",
        "ARGUMENTS": "const double *numbers" + (", const char *const *texts" if formula.levels else ""),
        "VALUES": "numbers" + (", texts" if formula.levels else ""),
        "HEADS": str(formula.heads), "CLASSES": str(len(formula.labels)), "NAME": identifier(name),
    }  # fmt: skip
    for word, text in fills.items():
        code = code.replace(word, text)
    head = "#include <math.h>\n#include <string.h>\n\n"
    return (_comment(formula) + head + _labels(formula, identifier(name)) + _data(formula) + code).encode()


def identifier(name: str) -> str:
    """A name that C takes."""
    return re.sub(r"^(?=\d)", "_", re.sub(r"\W", "_", name, flags=re.ASCII)) or "model"


def _numbers(formula: Formula) -> str:
    if not formula.numbers:
        return ""
    term = GAPS + TERM if formula.table else TERM
    return NUMBERS.replace("TERM", term).replace("COUNT", str(len(formula.numbers)))


def _shares(formula: Formula) -> str:
    if formula.softmax:
        return SOFTMAX
    assert formula.link is not None
    return (PAIR if formula.heads == 1 else LINKED).replace(
        "LINK", formula.link.written(WORDS, repr, "total" if formula.heads == 1 else "scores[k]")
    )


def _comment(formula: Formula) -> str:
    lines = [formula.about, *(f"numbers[{j}]: {c.name}" for j, c in enumerate(formula.numbers))]
    lines += [f"texts[{j}]: {c.name}" for j, c in enumerate(formula.levels)]
    if formula.table:
        lines.append("A missing number is NaN, a missing text NULL or empty.  Texts are UTF-8.")
    safe = (
        "".join(c if c.isprintable() else " " for c in line).replace("*/", "* /").replace("/*", "/ *") for line in lines
    )
    return "/* " + "\n   ".join(safe) + " */\n"


def literal(text: str) -> str:
    """A text as C writes it; bytes beyond ASCII in octal digits, which cannot run into what follows."""
    plain = set(range(32, 127)) - set(b'"\\?')
    return '"' + "".join(chr(c) if c in plain else f"\\{c:03o}" for c in text.encode("utf-8", "surrogatepass")) + '"'


def _labels(formula: Formula, name: str) -> str:
    kind = type(formula.labels[0])
    word = {str: "char *const", int: "long long", float: "double", bool: "int"}[kind]
    text = ", ".join(literal(v) if isinstance(v, str) else repr(float(v)) if kind is float else str(int(v))
                     for v in formula.labels)  # fmt: skip
    return f"const {word} {name}_labels[{len(formula.labels)}] = {{{text}}};\n\n"


def _data(formula: Formula) -> str:
    K, n = formula.heads, len(formula.numbers)
    lines = [f"static const double intercepts[{K}] = {_row(formula.b)};"]
    if n:
        lines.append(f"static const double centres[{n}] = {_row(c.centre for c in formula.numbers)};")
        lines.append(f"static const double slopes[{n}][{K}] = {_table(formula.slopes)};")
    if n and formula.table:
        lines.append(f"static const double gaps[{n}][{K}] = {_table(formula.gaps)};")
    for name, values in (("gains", formula.gain), ("lifts", formula.lift), ("shifts", formula.shift)):
        if values is not None:
            lines.append(f"static const double {name}[{K}] = {_row(values)};")
    if formula.levels:
        lines.append(f"struct level {{ const char *text; double weights[{K}]; }};")
        lines += [_column(j, column) for j, column in enumerate(formula.levels)]
        names = ", ".join(f"level{j}" for j in range(len(formula.levels)))
        lines.append(f"static const struct level *const levels[{len(formula.levels)}] = {{{names}}};")
    return "\n".join(lines) + "\n"


def _column(j: int, column: Levels) -> str:
    rows = "".join(f"  {{{literal(t)}, {_row(w)}}},\n" for t, w in zip(column.levels, column.weights, strict=True))
    return f"static const struct level level{j}[] = {{\n{rows}  {{0, {{0}}}}}};"


def _row(values: Iterable[float]) -> str:
    return "{" + ", ".join(repr(float(x)) for x in values) + "}"


def _table(values: Iterable[Any]) -> str:
    return "{\n" + "".join(f"  {_row(row)},\n" for row in values) + "}"


def run(path: Path, formula: Formula, sample: Sample) -> Answers:
    """What the file answers, compiled by cc."""
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "model.so"
        command = ["cc", "-std=c99", "-O2", "-shared", "-fPIC", "-o", str(built), str(path.resolve()), "-lm"]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        return _called(ctypes.CDLL(str(built)), identifier(path.stem), formula, sample)


def _called(library: Any, name: str, formula: Formula, sample: Sample) -> Answers:
    n = len(sample.numbers)
    numbers, scores = np.ascontiguousarray(sample.numbers), np.empty((n, formula.heads))
    shares, labels = np.empty((n, len(formula.labels))), []
    texts = [(ctypes.c_char_p * len(row))(*(text.encode() for text in row)) for row in sample.texts.tolist()]
    for i in range(n):
        row = [numbers[i].ctypes.data_as(ctypes.c_void_p), *([texts[i]] if formula.levels else [])]
        library[f"{name}_decision"](*row, scores[i].ctypes.data_as(ctypes.c_void_p))
        if formula.probable:
            library[f"{name}_probabilities"](*row, shares[i].ctypes.data_as(ctypes.c_void_p))
        labels.append(formula.labels[library[f"{name}_predict"](*row)])
    return Answers(scores, shares if formula.probable else None, labels)
