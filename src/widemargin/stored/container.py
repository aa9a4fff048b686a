"""Arrays and a document in one safetensors file:  length N (8 bytes)  |  header, N bytes of JSON  |  arrays.

The header begins with the SHA-256 of the whole file, taken with 64 zeros in its own place, so that not one bit can
change unnoticed.  Arrays lie one behind the other without gaps, little-endian, in C order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.errors import ModelFileError
from widemargin.stored.plain import parsed

VERSION = 2
LENGTH = 8  # bytes of the header's length
PREFIX = b'{"__metadata__":{"sha256":"'
DIGITS = 64
LARGEST_HEADER = 1 << 20
DOCUMENT = "model.json"  # the array of bytes that is the document
DTYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "|u1", "BOOL": "|b1"}
NAMES = {np.dtype(text): name for name, text in DTYPES.items()}
DEEPEST = 2  # dimensions of an array


def pack(document: bytes, arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a file; the document comes last, since it alone may end anywhere."""
    header: dict[str, Any] = {"__metadata__": {"sha256": "0" * DIGITS, "format": "widemargin", "version": str(VERSION)}}
    parts, end = [], 0
    for name, array in {**arrays, DOCUMENT: np.frombuffer(document, np.uint8)}.items():
        little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        parts.append(little.tobytes())
        start, end = end, end + len(parts[-1])
        header[name] = {"dtype": NAMES[little.dtype], "shape": list(array.shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # arrays begin at a multiple of 8 bytes
    content = b"".join([len(text).to_bytes(LENGTH, "little"), text, *parts])
    place = LENGTH + len(PREFIX)
    return content[:place] + _digest(content) + content[place + DIGITS :]


def _digest(content: bytes) -> bytes:
    """SHA-256 with zeros in its own place."""
    place = LENGTH + len(PREFIX)
    view = memoryview(content)
    found = hashlib.sha256(view[:place])
    found.update(b"0" * DIGITS)
    found.update(view[place + DIGITS :])
    return found.hexdigest().encode()


def check_start(start: bytes, size: int) -> None:
    """Whether the first bytes, of so many, may be those of a model: told before anything large is read."""
    length = int.from_bytes(start[:LENGTH], "little")
    if len(start) < LENGTH + len(PREFIX) or start[LENGTH:] != PREFIX:
        other = " (a safetensors file of another program)" if start[LENGTH:].startswith(b'{"') else ""
        raise ModelFileError(f"not a widemargin model{other}")
    if length > min(LARGEST_HEADER, size - LENGTH):
        raise ModelFileError(f"damaged: the header claims {length} bytes, and the file has {size}")


def unpack(content: bytes) -> tuple[bytes, dict[str, Array]]:
    """The document and the arrays, copied out of the file; a ValueError where anything is not as `pack` makes it."""
    place, end = LENGTH + len(PREFIX), LENGTH + int.from_bytes(content[:LENGTH], "little")
    header = parsed(content[LENGTH:end])
    told = header.pop("__metadata__")
    if told["format"] != "widemargin":
        raise ModelFileError(f"a file of format {told['format']!r}, not of a widemargin model")
    if told["version"] != str(VERSION):
        raise ModelFileError(f"version {told['version']!r} of the format is unknown here; update widemargin")
    if content[place : place + DIGITS] != _digest(content):
        raise ModelFileError("damaged: its bytes are not those that were written (the checksum differs)")
    arrays: dict[str, Array] = {}
    for name, entry in header.items():
        arrays[name], end = _array(entry, content, LENGTH + int.from_bytes(content[:LENGTH], "little"), end)
    if end != len(content):
        raise ModelFileError(f"damaged: {len(content) - end} bytes behind the last array")
    return arrays.pop(DOCUMENT).tobytes(), arrays


def _array(entry: Mapping[str, Any], content: bytes, base: int, begin: int) -> tuple[Array, int]:
    """One array, which must begin where the last one ended; and its end."""
    dtype, shape = np.dtype(DTYPES[entry["dtype"]]), entry["shape"]
    start, stop = entry["data_offsets"]
    if any(type(k) is not int or k < 0 for k in (*shape, start, stop)) or len(shape) > DEEPEST:
        raise ModelFileError("damaged: an array has a shape or place that none can have")
    if stop - start != prod(shape) * dtype.itemsize or base + start != begin or base + stop > len(content):
        raise ModelFileError("damaged: an array does not lie where the one before it ends, or leaves the file")
    found = np.frombuffer(content, dtype, prod(shape), begin).reshape(shape)
    return found.astype(dtype.newbyteorder("=")), base + stop
