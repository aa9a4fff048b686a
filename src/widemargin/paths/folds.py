"""Folds: every row is held out once; of each class every fold has its share."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.errors import InputError, OptionError


def folds_of(folds: Any, y: F64, seed: int) -> I64:
    """(n,) the number of the fold that holds each row out."""
    n = len(y)
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        if folds < 2:
            raise OptionError(f"folds = {folds}; expected at least 2")
        return _dealt(int(folds), y, seed)
    given = np.asarray(folds)
    if given.shape != (n,) or given.dtype.kind not in "iu":
        raise OptionError(f"folds = {folds!r}; expected a number of folds, or the fold of each of the {n} rows")
    _, numbers = np.unique(given, return_inverse=True)
    if numbers.max(initial=0) < 1:
        raise OptionError("folds: all rows are in one fold; expected at least two")
    for fold in range(int(numbers.max()) + 1):
        if len(np.unique(y[numbers != fold])) < len(np.unique(y)):
            raise InputError(f"without the rows of fold {given[numbers == fold][0]} a class has no rows left")
    return numbers.astype(np.int64)


def _dealt(count: int, y: F64, seed: int) -> I64:
    """The rows of each class shuffled and dealt out, going on where the last class ended."""
    random, numbers, start = np.random.default_rng(seed), np.empty(len(y), dtype=np.int64), 0
    for label in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == label))
        if len(rows) < 2:
            raise InputError("a class has a single row, which cannot be held out and learned from; pass more rows")
        numbers[rows] = (start + np.arange(len(rows))) % count
        start += len(rows)
    if len(np.unique(numbers)) < count:
        raise InputError(f"{len(y)} rows cannot be dealt out to {count} folds; pass fewer folds")
    return numbers
