"""Plain data <-> strict JSON: no name twice, no NaN or infinity, no deep nesting, nothing but data.

A float that JSON has no word for is {"$float": "nan"}, "inf" or "-inf".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from widemargin.errors import ModelFileError, Refusal

DEEPEST = 32
FLOAT = "$float"


def parsed(text: bytes) -> Any:
    """The value of a JSON text; a ValueError where it is not strict."""
    return restored(json.loads(text.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refused))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ModelFileError("damaged: the same name twice in one object")
    return found


def _refused(text: str) -> Any:
    raise ModelFileError(f"damaged: {text} is no number of JSON")


def restored(value: Any, depth: int = 0) -> Any:
    """Floats that were written as text become floats again."""
    if depth > DEEPEST:
        raise ModelFileError(f"damaged: nested more than {DEEPEST} deep")
    if isinstance(value, dict):
        if value.keys() == {FLOAT}:
            return float(value[FLOAT])
        return {key: restored(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list):
        if depth < DEEPEST and all(type(part) is str for part in value):
            return value  # names, of which there may be many
        return [restored(part, depth + 1) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelFileError("damaged: a number beyond what float64 holds")
    return value


def plain(value: Any, where: str, depth: int = 0) -> Any:
    """The value as JSON has it; a refusal where it is no data."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {FLOAT: repr(float(value))}
    if depth < DEEPEST and isinstance(value, Mapping):
        return {str(key): plain(part, f"{where}[{key!r}]", depth + 1) for key, part in value.items()}
    if depth < DEEPEST and isinstance(value, list | tuple | np.ndarray):
        return [plain(part, f"{where}[{k}]", depth + 1) for k, part in enumerate(value)]
    raise Refusal(
        f"{where} is of type {type(value).__name__}, or too deep: a model file holds numbers, texts, lists and mappings"
    )
