"""Where Vowpal Wabbit keeps a feature: MurmurHash3 (32 bits, Appleby) of its name, seeded by that of its namespace.

A name that is a whole number is itself, plus the seed.
"""

from __future__ import annotations

MASK = 0xFFFFFFFF
CONSTANT = 11650396


def place(feature: str, bits: int, every: bool = False) -> int:
    """The place of "name" or "namespace^name", below 2^bits; `every` is --hash all."""
    space, caret, name = feature.partition("^")
    if not caret:
        space, name = "", feature
    seed = murmur(space.encode(), 0) if space else 0
    whole = name.isascii() and name.isdigit() and not every
    return (int(name) + seed if whole else murmur(name.encode(), seed)) & ((1 << bits) - 1)


def murmur(data: bytes, seed: int) -> int:
    """MurmurHash3_x86_32."""
    h, whole = seed, len(data) & ~3
    for k in range(0, whole, 4):
        h = _rotated(h ^ _mixed(int.from_bytes(data[k : k + 4], "little")), 13)
        h = (5 * h + 0xE6546B64) & MASK
    h ^= _mixed(int.from_bytes(data[whole:], "little")) ^ len(data)
    h = ((h ^ h >> 16) * 0x85EBCA6B) & MASK
    h = ((h ^ h >> 13) * 0xC2B2AE35) & MASK
    return h ^ h >> 16


def _mixed(k: int) -> int:
    return _rotated((k * 0xCC9E2D51) & MASK, 15) * 0x1B873593 & MASK


def _rotated(x: int, r: int) -> int:
    return (x << r | x >> (32 - r)) & MASK
