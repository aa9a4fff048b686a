"""A CSV file with a target column -> rows for training, rows held out, and how they were read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from widemargin._types import Array
from widemargin.data.csv_file import read_csv
from widemargin.data.schema import Column, Learned, Note, learn, listed
from widemargin.data.split import hold_out
from widemargin.datasets import Split
from widemargin.errors import InputError, OptionError, unknown

FEW = 20  # classes; more than these, and in every second row a new one: not a classification


class Labelled(NamedTuple):
    """The two parts of the table as numbers, and what was done to get them."""

    rows: Split
    learned: Learned
    unlabelled: int  # rows without a target, left out
    notes: list[Note]


def read_labelled(path: Path, target: str, drop: Iterable[str], share: float, seed: int) -> Labelled:
    """Read, hold a share of every class out, and learn the encoding from the other rows alone."""
    table: dict[str, Column] = dict(read_csv(path))
    for name in (target, *drop):
        if name not in table:
            raise unknown("column", name, table)
    y = np.array(table.pop(target))
    for name in drop:
        if table.pop(name, None) is None:
            raise OptionError(f"column {name!r} cannot be dropped: it is the target, or dropped twice")
    if not table:
        raise InputError(f"{path} has no column but {target!r}; expected at least one feature.")
    known = y != ""
    if not known.all():
        y = y[known]
        table = {name: list(compress(column, known.tolist())) for name, column in table.items()}
    _check_classes(y, target)
    held = hold_out(y, share, seed)
    learned = learn(table, ~held)
    X, notes = learned.schema.encode(table)
    rows = Split(X[~held], y[~held], X[held], y[held], learned.schema.features)
    return Labelled(rows, learned, int((~known).sum()), [*learned.notes, *notes])


def _check_classes(y: Array, target: str) -> None:
    classes = np.unique(y).tolist()
    count = len(classes)
    if count < 2:
        raise InputError(f"column {target!r} has {listed(classes)} and no other value; expected two classes or more.")
    if count > FEW and 2 * count > len(y):
        raise InputError(
            f"column {target!r} has {count} different values in {len(y)} rows: too many for classes. Is it a "
            "quantity? Then cut it into ranges. Is another column the target?"
        )
