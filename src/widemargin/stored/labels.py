"""Labels of any kind <-> JSON: {"dtype": ..., "values": [...]}.

Numbers, truth values and texts are themselves; bytes are {"bytes": hex}, tuples {"tuple": [...]}, dates {"date": ISO}.
None is no label: at the door it stands for one that is missing.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.errors import ModelFileError, Refusal
from widemargin.stored.plain import DEEPEST

NUMBERS = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float32", "float64")
TEXTS = {"U": "str", "S": "bytes", "O": "object"}
CODES: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "date": (datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
}


def plain_labels(classes: Array) -> dict[str, Any]:
    """As JSON has them; a refusal for labels that are no data."""
    dtype = classes.dtype
    if dtype.name in NUMBERS:
        return {"dtype": dtype.name, "values": classes.tolist()}
    if dtype.kind in "mM":
        return {"dtype": dtype.newbyteorder("=").str[1:], "values": classes.astype(np.int64).tolist()}
    if dtype.kind not in TEXTS:
        raise Refusal(f"labels of dtype {dtype} cannot be saved. Make them text or whole numbers, and fit again.")
    return {"dtype": TEXTS[dtype.kind], "values": [_tagged(label) for label in classes.tolist()]}


def _tagged(label: Any) -> Any:
    if isinstance(label, np.generic):
        label = label.item()
    if type(label) in (str, bool, int) or (type(label) is float and math.isfinite(label)):
        return label
    if type(label) is tuple:
        return {"tuple": [_tagged(part) for part in label]}
    for name, (kind, code, _) in CODES.items():
        if type(label) is kind:
            return {name: code(label)}
    raise Refusal(
        f"a label of type {type(label).__name__} cannot be saved: a model file holds data only. "
        "Make the labels text or numbers, and fit again."
    )


def labels_from(entry: Any) -> Array:
    """The labels that `plain_labels` wrote; a ValueError or TypeError where it did not."""
    dtype, values = entry["dtype"], entry["values"]
    if type(dtype) is not str or type(values) is not list:
        raise ModelFileError("damaged: labels are neither named nor listed")
    if dtype in NUMBERS:
        kinds = {"b": (bool,), "f": (float, int)}.get(np.dtype(dtype).kind, (int,))
        found = _typed(values, kinds, np.dtype(dtype))
        if found.tolist() != values or not np.isfinite(found).all():
            raise ModelFileError(f"damaged: a label is no number of type {dtype}")
    elif re.fullmatch(r"[mM]8\[\d*\w+\]", dtype):
        found = _typed(values, (int,), np.dtype(np.int64)).view(np.dtype(dtype))
    elif dtype in TEXTS.values():
        found = _texts(dtype, [_untagged(value) for value in values])
    else:
        raise ModelFileError(f"labels of type {dtype!r} are unknown here; update widemargin")
    if len(set(found.tolist())) < len(found):
        raise ModelFileError("damaged: the same label twice")
    return found


def _typed(values: list[Any], kinds: tuple[type, ...], dtype: np.dtype[Any]) -> Array:
    if any(type(value) not in kinds for value in values):
        raise ModelFileError(f"damaged: a label is not of type {dtype}")
    return np.array(values, dtype=dtype)


def _texts(dtype: str, values: list[Any]) -> Array:
    kind = {"str": str, "bytes": bytes}.get(dtype)
    if kind is not None:
        if any(type(value) is not kind for value in values):
            raise ModelFileError(f"damaged: a label is not of type {dtype}")
        return np.array(values, dtype=kind)
    found = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):  # one by one, since a label may be a tuple
        found[k] = value
    return found


def _untagged(value: Any, depth: int = 0) -> Any:
    if type(value) in (str, bool, int) or (type(value) is float and math.isfinite(value)):
        return value
    if type(value) is not dict or len(value) != 1 or depth > DEEPEST:
        raise ModelFileError("damaged: a label that is none")
    ((name, inner),) = value.items()
    if name == "tuple":
        return tuple(_untagged(part, depth + 1) for part in inner)
    return CODES[name][2](inner)
