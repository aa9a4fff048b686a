"""The formats that a model can be exported to.  A new one is one file, and a line here."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from widemargin.exports import c_source, javascript, onnx, python_source, sql
from widemargin.exports.formula import Formula
from widemargin.exports.rows import Answers, Sample
from widemargin.loss import Registry


@dataclass(frozen=True)
class Format:
    """How a file is written, and how it is tried."""

    name: str
    suffix: str
    summary: str
    write: Callable[[Formula, str], bytes]
    run: Callable[[Path, Formula, Sample], Answers]
    needs: str = ""  # a program or package without which it is written, but not tried

    @property
    def tried_by(self) -> str:
        """What is needed to try it, or "" where that is not here."""
        here = not self.needs or shutil.which(self.needs) or importlib.util.find_spec(self.needs)
        return (self.needs or {"sql": "SQLite", "python": "Python"}[self.name]) if here else ""


formats = Registry(
    "format",
    {
        entry.name: entry
        for entry in (
            Format("onnx", ".onnx", "ONNX, opset 19, in double precision", onnx.write, onnx.run, onnx.NEEDS),
            Format("sql", ".sql", "a SELECT in standard SQL", sql.write, sql.run),
            Format("c", ".c", "C99 without dependencies", c_source.write, c_source.run, c_source.NEEDS),
            Format("javascript", ".js", "for browsers and Node", javascript.write, javascript.run, javascript.NEEDS),
            Format("python", ".py", "Python without dependencies", python_source.write, python_source.run),
        )
    },
)
