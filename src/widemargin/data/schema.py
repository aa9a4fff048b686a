"""Columns of text -> features: (x - mean) / deviation for numbers, [x = level] for every level of the others.

Means, deviations and levels are those of the training rows; a Schema is plain data, kept in a model file.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.data.rows import Rows
from widemargin.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Column = Sequence[str]

GAPS = frozenset({"", "?", "na", "n/a", "nan", "none", "null"})  # where a number is missing
LARGEST = 1e100  # beyond, a deviation leaves float64
MANY = 50  # levels; more than these, and in every second row a new one: not a category


class Note(NamedTuple):
    """Something about a column that whoever reads the result should know."""

    column: str
    text: str


class Part(NamedTuple):
    """What one column adds to every row: one value at one of its features; place -1: nothing."""

    place: I64
    value: F64
    notes: list[Note]


@dataclass(frozen=True)
class Number:
    """(x - mean) / deviation; where the training rows have gaps, a second feature says that x is missing."""

    name: str
    mean: float
    deviation: float
    gaps: bool

    @property
    def features(self) -> list[str]:
        """Names of its features."""
        return [self.name, f"{self.name}=missing"] if self.gaps else [self.name]

    def encode(self, column: Column) -> Part:
        """A missing number is the mean, and is flagged if training had a flag for it."""
        x, strange = numbers(self.name, column)
        missing = np.isnan(x)
        place = np.where(missing, 1 if self.gaps else -1, 0)
        with np.errstate(over="ignore"):
            value = np.where(missing, 1.0, (x - self.mean) / self.deviation)
        if not np.isfinite(value).all():
            raise InputError(
                f"column {self.name!r} has a number too far from those of the training rows, of which the deviation is "
                f"{self.deviation:g}. Correct it, or empty the cell."
            )
        return Part(place, value, list(self._notes(strange, int(missing.sum()))))

    def _notes(self, strange: Mapping[str, int], missing: int) -> Iterator[Note]:
        if strange:
            shown = f"{cells(sum(strange.values()))} no number, such as {next(iter(strange))!r}"
            yield Note(self.name, f"{shown}: read as missing")
        if missing and not self.gaps:
            yield Note(self.name, f"{cells(missing)} missing, which training never saw: read as the mean")


@dataclass(frozen=True)
class Category:
    """[x = level] for every level of the training rows; an empty cell is a level of its own."""

    name: str
    levels: tuple[str, ...]

    @property
    def features(self) -> list[str]:
        """Names of its features."""
        return [f"{self.name}={level or 'missing'}" for level in self.levels]

    def encode(self, column: Column) -> Part:
        """A level that training never saw adds nothing."""
        number = {level: i for i, level in enumerate(self.levels)}
        place = np.fromiter(map(number.get, column, repeat(-1)), np.int64, len(column))
        notes = []
        new = Counter(compress(column, (place < 0).tolist()))
        if new:
            shown = f"{cells(sum(new.values()))} a level that training never saw, such as {next(iter(new))!r}"
            notes.append(Note(self.name, f"{shown}: none of its features is set"))
        return Part(place, np.ones(len(column)), notes)


class Encoded(NamedTuple):
    """The rows as numbers, and what was noticed on the way."""

    X: csr_array
    notes: list[Note]


class Read(NamedTuple):
    """The same for the core: no SciPy is imported."""

    rows: Rows
    notes: list[Note]


@dataclass(frozen=True)
class Schema:
    """How the columns of a table become features."""

    columns: tuple[Number | Category, ...]

    @property
    def features(self) -> list[str]:
        """Names of the features, in the order of the columns of X."""
        return [feature for column in self.columns for feature in column.features]

    def encode(self, table: Mapping[str, Column]) -> Encoded:
        """The rows of a table that has (at least) the columns of this schema."""
        rows, notes = self.read(table)
        return Encoded(rows.matrix, notes)

    def read(self, table: Mapping[str, Column]) -> Read:
        """The same rows, as the core has them."""
        lost = [column.name for column in self.columns if column.name not in table]
        if lost:
            what = f"{'columns' if len(lost) > 1 else 'the column'} {listed(lost)}"
            raise InputError(f"the table lacks {what} of the training table; it has {listed(list(table))}.")
        parts = [column.encode(table[column.name]) for column in self.columns]
        starts = np.cumsum([0, *(len(column.features) for column in self.columns)])
        shifted = [np.where(p.place < 0, -1, p.place + s) for p, s in zip(parts, starts[:-1], strict=True)]
        places = np.stack(shifted, axis=1)
        values = np.stack([part.value for part in parts], axis=1)
        present = places >= 0
        indptr = np.append(0, np.cumsum(present.sum(axis=1)))
        rows = Rows(len(places), int(starts[-1]), values[present], places[present].astype(np.int32), indptr)
        return Read(rows, [note for part in parts for note in part.notes])

    def plain(self) -> list[dict[str, Any]]:
        """As lists, texts and numbers."""
        return [dict(vars(column)) for column in self.columns]

    @classmethod
    def from_plain(cls, data: Any) -> Schema:
        """The schema that `plain` wrote; KeyError, TypeError or ValueError where it did not."""
        return cls(tuple(_column(entry) for entry in data))


def _column(entry: Mapping[str, Any]) -> Number | Category:
    name = str(entry["name"])
    if "levels" in entry:
        return Category(name, tuple(map(str, entry["levels"])))
    mean, deviation = float(entry["mean"]), float(entry["deviation"])
    if not (math.isfinite(mean) and 0 < deviation < math.inf):
        raise ValueError(f"column {name!r} has mean {mean} and deviation {deviation}")
    return Number(name, mean, deviation, bool(entry["gaps"]))


class Learned(NamedTuple):
    """A schema, the columns that it leaves out because they never vary, and what was noticed."""

    schema: Schema
    constant: list[str]
    notes: list[Note]


def learn(table: Mapping[str, Column], train: Array) -> Learned:
    """A column is one of numbers if every cell of the training rows is a number or a gap."""
    keep = train.tolist()
    found: list[Number | Category] = []
    constant: list[str] = []
    notes: list[Note] = []
    for name, column in table.items():
        seen = list(compress(column, keep))
        levels = sorted(set(seen))
        if len(levels) < 2:
            constant.append(name)
            continue
        x, strange = numbers(name, seen)
        known = x[~np.isnan(x)]
        if strange or not len(known):
            found.append(Category(name, tuple(levels)))
            notes += _doubts(name, len(seen), len(levels), len(known), next(iter(strange), ""))
        elif len(known) < len(x) or known.min() < known.max():
            found.append(Number(name, float(known.mean()), float(known.std()) or 1.0, len(known) < len(x)))
        else:
            constant.append(name)
    if not found:
        raise InputError(f"no column varies: {listed(list(table))}. Expected at least one feature that does.")
    return Learned(Schema(tuple(found)), constant, notes)


def _doubts(name: str, rows: int, levels: int, numeric: int, strange: str) -> Iterator[Note]:
    """What looks like a category only because something is wrong with the column."""
    if 2 * numeric > rows:
        yield Note(name, f"{numeric} of {rows} cells are numbers, but not {strange!r}: read as categories")
    elif levels > MANY and 2 * levels > rows:
        yield Note(name, f"{levels} levels in {rows} rows: an identifier or free text, better left out")


def numbers(name: str, column: Column) -> tuple[F64, Counter[str]]:
    """The cells as numbers, NaN for gaps; and the cells that are neither number nor gap, NaN as well."""
    value = {text: _number(text) for text in set(column)}
    strange = {text for text, x in value.items() if x is None}
    x = np.array(list(map(value.get, column)), dtype=float)  # None becomes NaN
    size = np.abs(x[~np.isnan(x)]).max(initial=0.0)
    if size > LARGEST:
        row = int(np.flatnonzero(np.abs(x) == size)[0])
        raise InputError(
            f"column {name!r} has {column[row]!r} in row {row + 1} below the header; expected finite numbers "
            f"of size at most {LARGEST:g}. Correct it, empty the cell, or leave the column out."
        )
    return x, Counter(text for text in column if text in strange) if strange else Counter()


def _number(text: str) -> float | None:
    """NaN for a gap, None for what is no number; Python's 1_000 is none either."""
    text = text.strip()
    if text.lower() in GAPS:
        return math.nan
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def cells(count: int) -> str:
    """1 cell is, 2 cells are."""
    return f"{count:,} {'cell is' if count == 1 else 'cells are'}"


def listed(names: Sequence[str], most: int = 8) -> str:
    """At most so many names, quoted."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(map(repr, names[:most]))}{more}" if names else "nothing"
