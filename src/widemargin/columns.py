"""penalty_factor=, bounds= and scale= -> Terms: what the user says of single columns, checked.

sd_j^2 = sum_i p_i (x_ij - m_j)^2, m = sum p x: weighted, from sums over the rows as they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from widemargin._types import F64
from widemargin.data.intake import Dataset
from widemargin.data.source import ArraySource
from widemargin.errors import InputError, OptionError, Refusal, unknown
from widemargin.objective import Objective
from widemargin.penalty import CallablePenalty
from widemargin.solve.interior_design import mean_squares
from widemargin.solve.protocol import Reducer
from widemargin.terms import Terms

SIGNS: dict[str, tuple[float, float]] = {
    "nonnegative": (0.0, np.inf), "nonpositive": (-np.inf, 0.0), "free": (-np.inf, np.inf)
}  # fmt: skip
CANCELLED = 1e-6  # variance beside the mean square: below, the difference of the two has lost digits
CONSTANT = 1e-14  # spread beside size: below, rounding is all that varies
TILE = 1 << 20


def terms(
    objective: Objective, data: Dataset, reducer: Reducer, *, penalty_factor: Any, bounds: Any, scale: Any
) -> Terms | None:
    """What differs from column to column; None where nothing does."""
    if not isinstance(scale, bool | np.bool_):
        raise OptionError(f"scale = {scale!r}; expected True or False")
    if penalty_factor is None and bounds is None and not scale:
        return None
    source, d = data.source, data.source.d
    factor = np.ones(d) if penalty_factor is None else _factors(penalty_factor, data)
    low, high = _box(bounds, data, objective.K)
    sd = spread(source, reducer) if scale else np.ones(d)
    excluded = np.isinf(factor) | (sd == 0)
    if ((low > 0) | (high < 0))[excluded].any():
        raise OptionError("bounds ask for a weight other than 0 in a column that penalty_factor or scale leaves out")
    low, high = np.where(excluded[:, None], 0.0, low), np.where(excluded[:, None], 0.0, high)
    factor, sd = np.where(excluded, 1.0, factor), np.where(sd == 0, 1.0, sd)
    found = Terms(factor[:, None], sd[:, None], low, high, bool(scale))
    if not found.boxed and (objective.alpha == 0 or np.all(found.size == 1)) and not scale:
        return None
    _check(objective, found)
    return found


def _check(objective: Objective, found: Terms) -> None:
    if isinstance(objective.penalty, CallablePenalty) and objective.alpha > 0:
        raise Refusal("penalty_factor, bounds and scale need a penalty of the registry, such as penalty='l2'")
    if found.boxed and not found.only_excludes and objective.separable is None:
        raise Refusal(
            f"bounds need a penalty that is a sum over columns, not {objective.penalty.text!r}: use penalty='l2', 'l1' "
            "or 'elastic_net'"
        )


def _column(name: Any, data: Dataset) -> int:
    """The number of a column that is named by its feature name or number."""
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        if not 0 <= name < data.source.d:
            raise OptionError(f"column {name} is not among the {data.source.d} columns of X, which count from 0")
        return int(name)
    if data.feature_names is None:
        raise OptionError(f"X has no column names; call column {name!r} by its number")
    if name not in data.feature_names:
        raise unknown("column", name, data.feature_names)
    return data.feature_names.index(name)


def _factors(given: Any, data: Dataset) -> F64:
    """(d,) numbers of at least 0, infinity allowed."""
    d = data.source.d
    if isinstance(given, Mapping):
        found = np.ones(d)
        for name, value in given.items():
            found[_column(name, data)] = _number("penalty_factor", value)
    else:
        found = _array("penalty_factor", given)
        if found.shape != (d,):
            raise InputError(f"penalty_factor has shape {found.shape}; expected one number per column, shape ({d},)")
    wrong = ~(found >= 0)
    if wrong.any():
        j = int(wrong.argmax())
        raise OptionError(f"penalty_factor[{j}] = {found[j]:g}; expected 0 (unpenalised), more, or inf (left out)")
    return found


def _box(given: Any, data: Dataset, K: int) -> tuple[F64, F64]:
    """(low, high), each (d, 1) or (d, K)."""
    d = data.source.d
    if given is None:
        given = "free"
    if isinstance(given, Mapping):
        low, high = np.full((d, 1), -np.inf), np.full((d, 1), np.inf)
        for name, pair in given.items():
            j = _column(name, data)
            low[j, 0], high[j, 0] = (_end(x, side) for x, side in zip(_pair(pair), (-np.inf, np.inf), strict=True))
    elif isinstance(given, str):
        low, high = (np.full((d, 1), end) for end in _pair(given))
    elif isinstance(given, Sequence | np.ndarray) and len(given) == d and all(isinstance(x, str) for x in given):
        low, high = (np.array(ends)[:, None] for ends in zip(*map(_pair, given), strict=True))
    else:
        low, high = (_ends(x, d, K, side) for x, side in zip(_pair(given), (-np.inf, np.inf), strict=True))
    if (low > high).any() or (low == np.inf).any() or (high == -np.inf).any():
        j = int(((low > high) | (low == np.inf) | (high == -np.inf)).any(axis=1).argmax())
        raise OptionError(f"bounds of column {j} leave no room: low {low[j].max():g}, high {high[j].min():g}")
    return low, high


def _pair(given: Any) -> tuple[Any, Any]:
    """(low, high) from a word or a pair."""
    if isinstance(given, str):
        if given not in SIGNS:
            raise unknown("bounds", given, SIGNS)
        return SIGNS[given]
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise OptionError(
            "bounds must be 'nonnegative', 'nonpositive', a pair (low, high), one such word per column, or a dict from "
            f"columns to words and pairs; got {type(given).__name__}"
        )
    return given[0], given[1]


def _ends(given: Any, d: int, K: int, nothing: float) -> F64:
    """One end for all columns: a number, (d,), or (d, K)."""
    if given is None or isinstance(given, Real):
        return np.full((d, 1), _end(given, nothing))
    found = _array("bounds", given)
    if found.shape not in ((d,), (d, 1), (d, K)):
        raise InputError(f"an end of bounds has shape {found.shape}; expected a number, ({d},) or ({d}, {K})")
    if np.isnan(found).any():
        raise OptionError("bounds hold NaN; expected numbers, or -inf and inf where there is no end")
    return found.reshape(d, -1)


def _end(given: Any, nothing: float) -> float:
    return nothing if given is None else _number("bounds", given)


def _number(name: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, Real) or np.isnan(float(given)):
        raise OptionError(f"{name}: {given!r} is not a number")
    return float(given)


def _array(name: str, given: Any) -> F64:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name} cannot be read as numbers: {type(given).__name__}") from None


def spread(source: ArraySource, reducer: Reducer) -> F64:
    """(d,) weighted standard deviations; 0 where a column is constant to rounding."""
    mean, square = mean_squares(source, reducer)
    variance = square - mean**2
    again = np.flatnonzero(variance <= CANCELLED * square)
    variance[again] = _centred(source, again, mean[again])
    sd = np.sqrt(np.maximum(variance, 0.0))
    return np.where(sd <= CONSTANT * np.sqrt(square), 0.0, sd)


def _centred(source: ArraySource, columns: Any, mean: F64) -> F64:
    """sum p (x - m)^2 of some columns, tile by tile."""
    p, out = source.p, np.zeros(len(columns))
    if not len(columns):
        return out
    for block in source.blocks(max(1, TILE // len(columns))):
        i, part = block.start, block.X.matrix
        step = part.shape[0]
        if not block.X.sparse:
            out += p[i : i + step] @ (part[:, columns] - mean) ** 2
            continue
        part = part[:, columns].tocoo()
        held = p[i : i + step][part.row]
        away = held * (part.data - mean[part.col]) ** 2
        empty = np.bincount(part.col, minlength=len(columns)) < part.shape[0]
        share = np.where(empty, p[i : i + step].sum() - np.bincount(part.col, held, len(columns)), 0.0)
        out += np.bincount(part.col, away, len(columns)) + share * mean**2
    return out
