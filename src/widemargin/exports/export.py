"""A model -> a file of another language, tried on rows: the largest difference from the model's own answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from widemargin.errors import OptionError, unknown
from widemargin.exports.formats import Format, formats
from widemargin.exports.formula import formula_of
from widemargin.exports.rows import Answers, Untried, answers, drawn, sample_of
from widemargin.model import Model
from widemargin.stored.replacing import replace_file


@dataclass(frozen=True)
class Exported:
    """What was written, and how well it agrees."""

    path: Path
    format: str
    tried_by: str
    untried: str  # why it was not tried, or ""
    rows: int
    decision: float  # largest difference of a score, as a share of the largest score where that is above 1
    probability: float  # largest difference of a probability; NaN: the loss implies none
    labels: int  # rows with another label

    @property
    def text(self) -> str:
        """In one line."""
        if self.untried:
            return f"{self.path}: written, not tried: {self.untried}"
        shares = "" if np.isnan(self.probability) else f", of probabilities {self.probability:.1e}"
        return (
            f"{self.path}: tried by {self.tried_by} on {self.rows:,} rows: largest difference of decisions "
            f"{self.decision:.1e}{shares}; {self.labels} labels differ"
        )


def export(model: Model, path: str | Path, *, format: str | None = None, check: Any = None) -> Exported:
    """Write the model in the format that the name's ending says: .onnx, .sql, .c, .js or .py; and try the file.

    check: rows to try it on, as for `predict`, or a mapping of columns if the model was fitted to a table by the
    command line; without it rows are drawn.
    """
    path = Path(path)
    chosen = _format(path, format)
    formula = formula_of(model)
    sample = drawn(formula) if check is None else sample_of(formula, check)
    replace_file(path, chosen.write(formula, path.stem))
    if not chosen.tried_by:
        return _untried(path, chosen, f"{chosen.needs} is not installed")
    try:
        return _compared(path, chosen, answers(model, formula, sample), chosen.run(path, formula, sample))
    except Untried as reason:
        return _untried(path, chosen, str(reason))


def _untried(path: Path, chosen: Format, reason: str) -> Exported:
    return Exported(path, chosen.name, "", reason, 0, np.nan, np.nan, 0)


def _compared(path: Path, chosen: Format, own: Answers, found: Answers) -> Exported:
    size = max(1.0, float(np.abs(own.scores).max(initial=0.0)))
    decision = float(np.abs(own.scores - found.scores).max(initial=0.0)) / size
    probability = np.nan
    if own.probabilities is not None and found.probabilities is not None:
        probability = float(np.abs(own.probabilities - found.probabilities).max(initial=0.0))
    labels = sum(a != b for a, b in zip(own.labels, found.labels, strict=True))
    return Exported(path, chosen.name, chosen.tried_by, "", len(own.scores), decision, probability, labels)


def _format(path: Path, name: str | None) -> Format:
    for entry in formats.values():
        if name == entry.name or (name is None and path.suffix.lower() == entry.suffix):
            found: Format = entry
            return found
    if name is not None:
        raise unknown("format", name, formats)
    endings = ", ".join(f"{entry.suffix} ({entry.name})" for entry in formats.values())
    raise OptionError(f"{path}: the ending says no format; expected one of {endings}, or format=")
