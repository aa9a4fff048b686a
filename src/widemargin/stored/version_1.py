"""Version 1, read only: magic, length of the header (8 bytes), JSON header, raw arrays.  It had no checksum."""

from __future__ import annotations

import json
from math import prod
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.errors import ModelFileError
from widemargin.model import Model
from widemargin.stored.document import assembled

MAGIC = b"WIDEMARGIN\x00\x01"
LARGEST_HEADER = 64 << 20
KINDS = "fiub"  # of arrays; labels that are text are in the header


def model_from(content: bytes) -> Model:
    """The model; a ModelFileError, or another error of damage, where there is none."""
    start = len(MAGIC) + 8
    length = int.from_bytes(content[len(MAGIC) : start], "little")
    if length > min(LARGEST_HEADER, len(content) - start):
        raise ModelFileError(f"damaged: the header claims {length} bytes")
    header = json.loads(content[start : start + length])
    if header["version"] != 1:
        raise ModelFileError(f"version {header['version']} of the format is unknown here; update widemargin")
    arrays = {name: _array(entry, content, start + length) for name, entry in header["arrays"].items()}
    names = header["feature_names"]
    weights = {name: arrays[name].astype(float) for name in ("W", "b")}
    header["about"] = dict(header["about"])
    return assembled(weights, _labels(header, arrays), header, None if names is None else tuple(map(str, names)))


def _array(entry: dict[str, Any], content: bytes, base: int) -> Array:
    dtype, shape, start = np.dtype(str(entry["dtype"])), tuple(map(int, entry["shape"])), int(entry["start"])
    if dtype.kind not in KINDS or any(k < 0 for k in shape) or len(shape) > 2:
        raise ModelFileError("damaged: an array has a type or shape that no model has")
    if start < 0 or base + start + prod(shape) * dtype.itemsize > len(content):
        raise ModelFileError("damaged: an array reaches beyond the end of the file")
    found = np.frombuffer(content, dtype=dtype, count=prod(shape), offset=base + start).reshape(shape)
    return found.astype(dtype.newbyteorder("="))


def _labels(header: dict[str, Any], arrays: dict[str, Array]) -> Array:
    if "classes" in arrays:
        found = arrays["classes"]
        if found.ndim != 1 or len(set(found.tolist())) < len(found) or not np.isfinite(found).all():
            raise ModelFileError("damaged: labels in a table, one of them twice, or not finite")
        return found
    texts, kind = [str(text) for text in header["labels"]], header["label_kind"]
    if len(set(texts)) < len(texts):
        raise ModelFileError("damaged: the same label twice")
    if kind == "S":
        return np.array([text.encode("utf-8", "surrogateescape") for text in texts])
    return np.array(texts, dtype=object if kind == "O" else None)
