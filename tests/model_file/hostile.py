"""Damaged and hostile model files, drawn at random: plain damage, and lies that carry a right checksum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np

JUNK: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**31, 2**63, 10**30, -(10**30), 1.5, 1e308, "", "F64", "\ud800", "a" * 300, [], {},
    [[]], {"$float": "nan"}, {"$float": []}, {"bytes": "zz"}, {"tuple": [{"tuple": 3}]}, {"date": "yesterday"},
    [0, 10**18],
)  # fmt: skip
WORDS = (b"NaN", b"Infinity", b"1e999", b"[" * 5000, b'{"a":' * 3000, b'{"a":1,"a":2}', b"9" * 5000, b"\xff", b"{}")


def reseal(content: bytes) -> bytes:
    """The same bytes with the checksum that fits them; what is too short or has no place for it stays as it is."""
    place = 8 + len(b'{"__metadata__":{"sha256":"')
    blank = content[:place] + b"0" * 64 + content[place + 64 :]
    return content[:place] + hashlib.sha256(blank).hexdigest().encode() + content[place + 64 :]


def parts(content: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and all that follows it."""
    end = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:end]), content[end:]


def joined(header: bytes, body: bytes) -> bytes:
    header += b" " * (-len(header) % 8)
    return reseal(len(header).to_bytes(8, "little") + header + body)


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def with_document(content: bytes, document: bytes) -> bytes:
    """Another document in place of a file's own, all lengths right."""
    header, body = parts(content)
    start = header["model.json"]["data_offsets"][0]
    header["model.json"] |= {"shape": [len(document)], "data_offsets": [start, start + len(document)]}
    return joined(compact(header), body[:start] + document)


def damaged(content: bytes, draw: np.random.Generator) -> Iterator[bytes]:
    """Without end: bits flipped, ends cut, bytes put in, taken out or doubled."""
    n = len(content)
    while True:
        i, j = sorted(draw.integers(0, n, 2).tolist())
        flipped = bytearray(content)
        for place in draw.integers(0, n, draw.integers(1, 9)).tolist():
            flipped[place] ^= 1 << int(draw.integers(8))
        yield bytes(flipped)
        yield content[:j]
        yield content[:i] + draw.bytes(int(draw.integers(1, 40))) + content[i:]
        yield content[:i] + content[j + 1 :]
        yield content[: j + 1] + content[i:]
        yield int(draw.integers(0, 2**63)).to_bytes(8, "little") + content[8:]


def lying(content: bytes, draw: np.random.Generator) -> Iterator[bytes]:
    """Without end: headers, documents and arrays that say something else, under a right checksum."""
    header, body = parts(content)
    start = header["model.json"]["data_offsets"][0]
    document = json.loads(body[start:])
    while True:
        yield joined(compact(spoilt(header, draw)), body)
        yield with_document(content, compact(spoilt(document, draw)))
        yield with_document(content, worded(body[start:], draw))
        yield joined(worded(compact(header), draw), body)
        numbers = np.frombuffer(body[:start], "<f8").copy()
        numbers[draw.integers(len(numbers))] = draw.choice([np.nan, np.inf, -np.inf, 1e308, 5e-324, -0.0])
        yield joined(compact(header), numbers.tobytes() + body[start:])
        yield reseal(next(damaged(content, draw)))


def spoilt(value: Any, draw: np.random.Generator) -> Any:
    """A copy in which one or more places hold junk, are gone, or are somewhere else."""
    copy = json.loads(json.dumps(value))
    for _ in range(int(draw.integers(1, 4))):
        holder = copy
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = keys[int(draw.integers(len(keys)))]
            if isinstance(holder[key], dict | list) and draw.random() < 0.8:
                holder = holder[key]
                continue
            if draw.random() < 0.2:
                del holder[key]
            else:
                holder[key] = deepcopy(JUNK[int(draw.integers(len(JUNK)))])  # a later place may lie inside it
            break
    return copy


def worded(text: bytes, draw: np.random.Generator) -> bytes:
    """A text of JSON in which one word is another."""
    places = [k for k, c in enumerate(text) if c in b":,["]
    place = places[int(draw.integers(len(places)))] + 1
    end = min((text.find(c, place) % (len(text) + 1) for c in (b",", b"}", b"]")), default=place)
    return text[:place] + WORDS[int(draw.integers(len(WORDS)))] + text[end:]
