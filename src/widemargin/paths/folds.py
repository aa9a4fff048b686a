"""Splits into rows to learn from and rows held out: by class, by group, in order of time, or by any splitter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.errors import InputError, OptionError


class Split(NamedTuple):
    """Which rows a fold learns from, and which it holds out: (n,) of truth values."""

    learn: Array
    held: Array


def splits_of(folds: Any, y: F64, seed: int, *, groups: Any = None, time: Any = None) -> list[Split]:
    """A number of folds, the fold of each row, a splitter as scikit-learn has them, or pairs of row numbers."""
    n = len(y)
    if groups is not None and time is not None:
        raise OptionError("groups and time came together; expected one of them: cut the groups' times into folds=")
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        return _counted(int(folds), y, seed, groups, time)
    if time is not None or (groups is not None and not hasattr(folds, "split")):
        raise OptionError("groups and time make the folds: pass folds= as their number")
    if hasattr(folds, "split") and not isinstance(folds, str):
        return _checked(_pairs(folds.split(np.zeros((n, 1)), y, groups), n), y)
    given = list(folds) if isinstance(folds, Iterable) and not isinstance(folds, np.ndarray | str) else folds
    if isinstance(given, list) and given and isinstance(given[0], tuple) and len(given[0]) == 2:
        return _checked(_pairs(given, n), y)
    given = np.asarray(given)
    if given.shape != (n,) or given.dtype.kind not in "iu":
        raise OptionError(
            f"folds = {folds!r}; expected a number of folds, the fold of each of the {n} rows, an object with "
            "split(X, y, groups), or pairs (rows to learn from, rows held out)"
        )
    _, numbers = np.unique(given, return_inverse=True)
    if numbers.max(initial=0) < 1:
        raise OptionError("folds: all rows are in one fold; expected at least two")
    return _checked(_each_held_out(numbers), y, given)


def _counted(count: int, y: F64, seed: int, groups: Any, time: Any) -> list[Split]:
    if count < 2:
        raise OptionError(f"folds = {count}; expected at least 2")
    if time is not None:
        return _checked(_in_order(count, column("time", time, len(y))), y)
    if groups is not None:
        return _checked(_each_held_out(_grouped(count, y, column("groups", groups, len(y)))), y)
    return _each_held_out(_dealt(count, y, seed))


def numbers_of(splits: list[Split]) -> I64:
    """(n,) the number of the last split that holds a row out; -1 where none does."""
    numbers = np.full(len(splits[0].held), -1, dtype=np.int64)
    for k, split in enumerate(splits):
        numbers[split.held] = k
    return numbers


def column(name: str, values: Any, n: int) -> Array:
    """One value a row."""
    found = np.asarray(values)
    if found.shape != (n,):
        raise InputError(f"{name} has shape {found.shape}; expected one value for each of the {n} rows")
    return found


def _each_held_out(numbers: I64) -> list[Split]:
    return [Split(numbers != k, numbers == k) for k in range(int(numbers.max()) + 1)]


def _checked(splits: list[Split], y: F64, names: Array | None = None) -> list[Split]:
    """Every class is learned from in every split, and some row is held out."""
    classes = len(np.unique(y))
    for k, split in enumerate(splits):
        name = k if names is None else names[split.held][0]
        if not split.held.any():
            raise InputError(f"fold {name} holds no row out")
        if len(np.unique(y[split.learn])) < classes:
            raise InputError(f"without the rows of fold {name} a class has no rows left")
    return splits


def _pairs(pairs: Iterable[tuple[Any, Any]], n: int) -> list[Split]:
    """(row numbers or truth values to learn from, and held out)."""
    found = []
    for pair in pairs:
        learn, held = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        try:
            for mask, rows in zip((learn, held), pair, strict=True):
                mask[np.asarray(rows) if len(rows) else np.empty(0, dtype=np.intp)] = True
        except IndexError as error:
            raise OptionError(f"folds: {error}; expected numbers of the {n} rows") from None
        if (learn & held).any():
            row = int((learn & held).argmax())
            raise OptionError(f"folds: row {row} is learned from and held out in one split; expected one or the other")
        found.append(Split(learn, held))
    if not found:
        raise OptionError("folds: no split came; expected at least one")
    return found


def _in_order(count: int, time: Array) -> list[Split]:
    """Rows cut by time into count + 1 blocks; each but the first is held out from a fit to all before it."""
    if time.dtype.kind not in "iufmMU":
        raise InputError(f"time has dtype {time.dtype}; expected what can be put in order: numbers or dates")
    moments, rank = np.unique(time, return_inverse=True)  # rows of one moment stay together
    if len(moments) <= count:
        raise InputError(f"time has {len(moments)} moments; expected more than the {count} folds")
    share = (np.cumsum(np.bincount(rank)) - 1) / len(time)
    block = np.minimum((share * (count + 1)).astype(np.int64), count)[rank]
    _, block = np.unique(block, return_inverse=True)
    return [Split(block < k, block == k) for k in range(1, int(block.max()) + 1)]


def _grouped(count: int, y: F64, groups: Array) -> I64:
    """No group is in two folds; the largest groups first, each to the fold that then is least above its share."""
    _, group = np.unique(groups, return_inverse=True)
    _, label = np.unique(y, return_inverse=True)
    table = np.zeros((group.max() + 1, label.max() + 1))
    np.add.at(table, (group, label), 1.0)
    if len(table) < count:
        raise InputError(f"{len(table)} groups cannot be dealt out to {count} folds; pass fewer folds")
    share, held = table / table.sum(axis=0), np.zeros((count, table.shape[1]))
    fold = np.empty(len(table), dtype=np.int64)
    for g in np.argsort(-table.sum(axis=1), kind="stable"):
        k = int(np.argmin(((held + share[g]) ** 2 - held**2).sum(axis=1)))
        held[k] += share[g]
        fold[g] = k
    return np.asarray(fold[group])


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
