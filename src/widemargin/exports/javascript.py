"""A JavaScript file for browsers (a script that defines `widemargin`) and for Node (require)."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from widemargin.exports.formula import Formula
from widemargin.exports.link import Words
from widemargin.exports.rows import Answers, Sample

NEEDS = "node"
WORDS: Words = {"^": lambda a, b: f"Math.pow({a}, {b})", "clip": lambda a: f"Math.max(-1, Math.min(1, {a}))",
         "sigmoid": lambda a: f"1 / (1 + Math.exp(-({a})))", "sqrt": lambda a: f"Math.sqrt({a})",
         "exp": lambda a: f"Math.exp({a})", "log": lambda a: f"Math.log({a})",
         }  # fmt: skip

BODY = """
  // The scores: one for two classes, else one a class.  row: an array in the order of columns, or an object by name.
  function decision(row) {
    if (!Array.isArray(row)) row = named(row);
    if (row.length !== columns.length)
      throw new RangeError(row.length + " values came, " + columns.length + " were expected");
    const scores = intercepts.slice();
    numbers.forEach(function (column, j) {
      const x = row[j], gap = table && (x === null || x === undefined || Number.isNaN(x));
      for (let k = 0; k < scores.length; k++)
        scores[k] += gap ? column.missing[k] : (x - column.centre) * column.slopes[k];
    });
    texts.forEach(function (column, j) {
      const weights = column.levels.get(row[numbers.length + j] || "");
      if (weights) for (let k = 0; k < scores.length; k++) scores[k] += weights[k];
    });
    return scores;
  }

  function named(row) {
    const unknown = table ? undefined : Object.keys(row).find((name) => !places.has(name));
    if (unknown !== undefined) throw new RangeError("unknown: " + unknown);
    return columns.map(function (name) {
      if (name in row) return row[name];
      if (table) throw new RangeError("missing: " + name);
      return 0;
    });
  }

  // The label.
  function predict(row) {
    const scores = SHIFTED;
    if (scores.length === 1) return labels[scores[0] >= 0 ? 1 : 0];
    return labels[scores.reduce((best, f, k) => (f > scores[best] ? k : best), 0)];
  }
"""
SOFTMAX = """
  // The probability of each label.
  function probabilities(row) {
    const scores = SCALED, most = scores.reduce((a, b) => Math.max(a, b));
    const shares = scores.map((f) => Math.exp(f - most)), total = shares.reduce((a, b) => a + b);
    return shares.map((share) => share / total);
  }
"""
LINKED = """
  // The probability of each label.
  function probabilities(row) {
    const shares = SCALED.map((f) => LINK);
    if (shares.length === 1) return [1 - shares[0], shares[0]];
    const total = shares.reduce((a, b) => a + b);
    return shares.map((share) => (total > 0 ? share / total : 1 / shares.length));
  }
"""
TRY = """
const model = require(process.argv[1]), rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
const shares = model.probabilities ? rows.map(model.probabilities) : null;
console.log(JSON.stringify([rows.map(model.decision), shares, rows.map(model.predict)]));
"""


def write(formula: Formula, name: str) -> bytes:
    """The text of the file."""
    public = ["columns", "labels", "decision", "predict"]
    extra = ""
    if formula.softmax:
        extra = SOFTMAX
    elif formula.link is not None:
        extra = LINKED.replace("LINK", formula.link.written(WORDS, repr, "f"))
    shifted = "decision(row)" if formula.shift is None else "decision(row).map((f, k) => f + shifts[k])"
    scaled = "decision(row)" if formula.gain is None else "decision(row).map((f, k) => gains[k] * f + lifts[k])"
    code = (BODY + extra).replace("SHIFTED", shifted).replace("SCALED", scaled)
    if extra:
        public.append("probabilities")
    head = f"// {formula.about}\n(function (root) {{\n" + '  "use strict";\n'
    foot = (
        f"\n  const model = {{ {', '.join(public)} }};\n"
        '  if (typeof module === "object" && module.exports) module.exports = model;\n'
        "  else root.widemargin = model;\n})(this);\n"
    )
    return (head + _data(formula) + code + foot).encode()


def _data(formula: Formula) -> str:
    numbers = [
        {"centre": c.centre, "slopes": c.slopes.tolist(), "missing": None if c.missing is None else c.missing.tolist()}
        for c in formula.numbers
    ]
    texts = [
        f"{{ levels: new Map({json.dumps(list(zip(c.levels, c.weights.tolist(), strict=True)))}) }}"
        for c in formula.levels
    ]
    lines = {
        "columns": json.dumps(formula.names),
        "labels": json.dumps(formula.labels),
        "table": json.dumps(formula.table),
        "intercepts": json.dumps(formula.b.tolist()),
        "numbers": _long([json.dumps(number) for number in numbers]),
        "texts": _long(texts),
        "places": "new Set(columns)",
    }
    for name, values in (("gains", formula.gain), ("lifts", formula.lift), ("shifts", formula.shift)):
        if values is not None:
            lines[name] = json.dumps(values.tolist())
    return "".join(f"  const {name} = {text};\n" for name, text in lines.items())


def _long(entries: list[str]) -> str:
    return "[\n" + "".join(f"    {entry},\n" for entry in entries) + "  ]"


def run(path: Path, formula: Formula, sample: Sample) -> Answers:
    """What the file answers in Node."""
    rows = [
        [*(None if x != x else x for x in numbers), *texts]
        for numbers, texts in zip(sample.numbers.tolist(), sample.texts.tolist(), strict=True)
    ]
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(rows).encode())
        file.seek(0)
        command = ["node", "-e", TRY, str(path.resolve())]
        done = subprocess.run(command, stdin=file, capture_output=True, check=True, timeout=300)
    scores, shares, labels = json.loads(done.stdout)
    return Answers(np.array(scores), None if shares is None else np.array(shares), labels)
