"""f_k = b_k + sum over columns of (x - centre) s_k, or m_k where x is missing, or t_k[x] where x is a text.

What every exporter writes down: a model without its scaling and encoding, which are folded into s, m and t.  The label
is the largest f_k + shift_k (of two classes, the second where f + shift >= 0), probabilities are a link of gain_k f_k +
lift_k: what was learned of them, or of thresholds, is in these numbers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from widemargin._types import F64
from widemargin.data import schema as tables
from widemargin.errors import Refusal
from widemargin.exports.link import Expression, parse
from widemargin.loss import Loss
from widemargin.model import Model
from widemargin.table_model import table_of

SIGMOID = parse("sigmoid(f)")


class Number(NamedTuple):
    """A column of numbers; `scale` is how far they spread; `missing` is None where every row must have one."""

    name: str
    centre: float
    scale: float
    slopes: F64  # (K,)
    missing: F64 | None  # (K,)


class Levels(NamedTuple):
    """A column of texts; one that is not listed adds nothing, one that is missing is ""."""

    name: str
    levels: tuple[str, ...]
    weights: F64  # (L, K)


@dataclass(frozen=True, eq=False)
class Formula:
    """All that a model computes."""

    numbers: tuple[Number, ...]
    levels: tuple[Levels, ...]
    b: F64  # (K,)
    labels: tuple[str | int | float | bool, ...]
    softmax: bool
    link: Expression | None  # P(y | f) per score; None: the loss implies no probabilities
    gain: F64 | None  # (K,), with lift; None: the link is of f itself
    lift: F64 | None
    shift: F64 | None  # (K,); None: 0
    table: bool  # columns are those of a table, with gaps and texts; else the features themselves
    about: str

    @property
    def names(self) -> list[str]:
        """Of all columns: numbers first."""
        return [*(column.name for column in self.numbers), *(column.name for column in self.levels)]

    @property
    def heads(self) -> int:
        """1 for two classes, else their number."""
        return len(self.b)

    @property
    def probable(self) -> bool:
        """Whether there are probabilities."""
        return self.softmax or self.link is not None

    @property
    def slopes(self) -> F64:
        """(columns of numbers, K)."""
        return np.array([number.slopes for number in self.numbers]).reshape(-1, self.heads)

    @property
    def gaps(self) -> F64:
        """(columns of numbers, K): what a missing number adds."""
        zero = np.zeros(self.heads)
        found = [zero if number.missing is None else number.missing for number in self.numbers]
        return np.array(found).reshape(-1, self.heads)


def formula_of(model: Model) -> Formula:
    """The formula of a model; a refusal where another language has no word for a part of it."""
    from widemargin import __version__

    labels = model.classes.tolist()
    strange = next((label for label in labels if type(label) not in (str, int, float, bool)), None)
    large = any(type(label) is int and not -(2**63) <= label < 2**63 for label in labels)
    if strange is not None or large or len({type(label) for label in labels}) > 1:
        raise Refusal(
            f"labels such as {labels[0] if strange is None else strange!r} cannot be exported; expected texts, or "
            "numbers of one type that fit in 64 bits. Fit with such labels, or use the .wm file."
        )
    table = table_of(model)
    numbers, levels = _plain(model) if table is None else _columns(model, table.schema)
    names = [*(column.name for column in numbers), *(column.name for column in levels)]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise Refusal(f"two features are called {twice!r}: an exported file could not tell them apart. Rename one.")
    kind = f"{model.loss.name} loss, {len(labels)} classes, {len(model.W):,} features"
    softmax, link, gain, lift = _link(model)
    return Formula(
        tuple(numbers), tuple(levels), model.b, tuple(labels), softmax, link, gain, lift, _shift(model),
        table is not None, f"A linear classifier: {kind}. Written by widemargin {__version__}.",
    )  # fmt: skip


def _link(model: Model) -> tuple[bool, Expression | None, F64 | None, F64 | None]:
    """Softmax or a function of each score; and gain and lift, where they were learned."""
    learned, K = model.calibration, len(model.b)
    if learned is not None and (learned.priors is not None or learned.kind == "isotonic"):
        what = "an isotonic link" if learned.kind == "isotonic" else "priors"
        raise Refusal(f"{what} cannot be exported. Calibrate with 'sigmoid' or 'temperature', or use the .wm file.")
    if learned is None or learned.kind == "own":
        own = model.loss.link if isinstance(model.loss, Loss) else ""
        softmax = model.multiclass == "softmax"
        return softmax, None if softmax or not own else parse(own), None, None
    if learned.kind == "sigmoid":
        gain, lift = (np.broadcast_to(learned.arrays[name], K).astype(float) for name in ("a", "c"))
        return False, SIGMOID, gain, lift
    gain = np.broadcast_to(learned.arrays["beta"], K).astype(float)
    return K > 1, None if K > 1 else SIGMOID, gain, np.zeros(K)


def _shift(model: Model) -> F64 | None:
    """f >= t where f - t >= 0: in floating point, too."""
    rule = model.rule
    if rule is None:
        return None
    if rule.kind == "costs":
        raise Refusal("a rule of costs cannot be exported. Take its threshold or offsets, or use the .wm file.")
    return np.array([-float(rule.values)]) if rule.kind == "threshold" else np.asarray(rule.values, dtype=float)


def _plain(model: Model) -> tuple[list[Number], list[Levels]]:
    names = model.feature_names or tuple(f"x{j}" for j in range(len(model.W)))
    return [Number(name, 0.0, 1.0, w, None) for name, w in zip(names, model.W, strict=True)], []


def _columns(model: Model, schema: tables.Schema) -> tuple[list[Number], list[Levels]]:
    numbers: list[Number] = []
    levels: list[Levels] = []
    start = 0
    for column in schema.columns:
        w = model.W[start : start + len(column.features)]
        start += len(w)
        if isinstance(column, tables.Number):
            gap = w[1] if column.gaps else np.zeros(w.shape[1])
            with np.errstate(over="ignore"):
                slope = w[0] / column.deviation
            if not np.isfinite(slope).all():
                raise Refusal(
                    f"column {column.name!r} varies so little that its slope leaves float64: export is refused"
                )
            numbers.append(Number(column.name, column.mean, column.deviation, slope, gap))
        else:
            levels.append(Levels(column.name, column.levels, w))
    return numbers, levels
