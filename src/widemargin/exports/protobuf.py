"""The wire format of protocol buffers, as far as ONNX needs it: numbers, bytes, and messages in messages."""

from __future__ import annotations

from collections.abc import Iterable

Value = int | str | bytes | Iterable["Value"]


def message(fields: Iterable[tuple[int, Value]]) -> bytes:
    """Fields (number, value): whole numbers as varints, texts and messages by length, lists field by field."""
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: Value) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return b"".join(_field(number, part) for part in value)


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; negative numbers in 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
