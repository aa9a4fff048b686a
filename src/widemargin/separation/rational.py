"""G u = h over the rationals: digits of u in base P, one after the other, then the fractions that they belong to.

    x = G^-1 c mod P,   c <- (c - G x) / P:   u = x_0 + x_1 P + x_2 P^2 + ...

Dixon 1982.  P is a prime below 2^26, so that sums of a thousand products of two residues stay exact in 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

import numpy as np

from widemargin._types import F64, I64, Array

P = 67_108_859
LARGEST = 800  # unknowns: the time grows with their third power, the memory of the digits with their square
LIMB = 16  # bits: 16 + 26 + log2(LARGEST) <= 53


def independent(rows: Array, most: int) -> tuple[list[int], list[int]]:
    """Rows, first come first kept, and as many columns, on which whole numbers form a matrix regular modulo P."""
    width = rows.shape[1]
    E = np.zeros((min(most, width), width), dtype=np.int64)  # the identity on the columns kept
    kept: list[int] = []
    columns: list[int] = []
    for i, given in enumerate(rows):
        if len(kept) == len(E):
            break
        row = (given % P).astype(np.int64)
        row = (row - row[columns] @ E[: len(kept)]) % P
        nonzero = np.flatnonzero(row)
        if len(nonzero) == 0:
            continue
        j = int(nonzero[0])
        row = row * pow(int(row[j]), -1, P) % P
        above = E[: len(kept)]
        above -= above[:, j, None] * row
        above %= P
        E[len(kept)] = row
        kept.append(i)
        columns.append(j)
    return kept, columns


def solve(G: Array, h: Array) -> list[Fraction] | None:
    """The u with G u = h, G square and of whole numbers; None if G is singular modulo P."""
    k = len(G)
    inverse = _inverse((G % P).astype(np.int64))
    if inverse is None:
        return None
    if k == 0:
        return []
    digits: list[I64] = []
    limbs, places = _limbs(G)
    c, end, attempt = h.copy(), _enough(G, h), 4
    while True:
        while len(digits) < min(attempt, end):
            x = inverse @ (c % P).astype(np.int64) % P
            digits.append(x)
            parts = (limbs @ x.astype(np.float64)).astype(np.int64).reshape(places, k)
            c = (c - sum(part.astype(object) << LIMB * l for l, part in enumerate(parts))) // P
        u = _fractions(digits)
        if u is not None and (len(digits) == end or _solves(G, u, h)):
            return u
        if len(digits) == end:
            return None  # not reached: the bound of Hadamard holds
        attempt *= 2


def _inverse(G: I64) -> I64 | None:
    """G^-1 modulo P, by Gauss and Jordan."""
    k = len(G)
    M = np.concatenate([G, np.eye(k, dtype=np.int64)], axis=1)
    for j in range(k):
        nonzero = np.flatnonzero(M[j:, j])
        if len(nonzero) == 0:
            return None
        i = j + int(nonzero[0])
        M[[i, j]] = M[[j, i]]
        M[j] = M[j] * pow(int(M[j, j]), -1, P) % P
        factors = M[:, j].copy()
        factors[j] = 0
        M[:, j:] = (M[:, j:] - factors[:, None] * M[j, j:]) % P
    return M[:, k:]


def _limbs(G: Array) -> tuple[F64, int]:
    """G = sum_l G_l 2^(16 l), the G_l one below the other."""
    places = max(1, -(-max(abs(int(g)).bit_length() for g in G.flat) // LIMB))
    sign = np.where(G < 0, -1.0, 1.0)
    size = np.abs(G)
    parts = [((size >> LIMB * l) & ((1 << LIMB) - 1)).astype(np.float64) * sign for l in range(places)]
    return np.concatenate(parts), places


def _enough(G: Array, h: Array) -> int:
    """Digits that determine u: P^digits > 2 (numerator) (denominator), both bounded as Hadamard bounds determinants."""
    rows = sorted((sum(int(g) * int(g) for g in row) for row in np.concatenate([G, h[:, None]], axis=1)), reverse=True)
    bits = sum((size.bit_length() + 1) / 2 for size in rows)
    return int(2 * bits + 2) // 25 + 2


def _fractions(digits: Sequence[I64]) -> list[Fraction] | None:
    """Fractions n/m = u modulo P^digits, n and m below the square root of half of it; None if one has none."""
    modulus = P ** len(digits)
    bound = isqrt(modulus // 2)
    denominator, out = 1, []
    for column in np.stack(digits, axis=1).tolist():  # one after the other: too few digits show in the first ones
        scaled = _number(column) * denominator % modulus  # the denominators have much in common
        found = _fraction(scaled, modulus, bound)
        if found is None:
            return None
        n, m = found
        denominator *= m
        if denominator > bound:
            return None
        out.append(Fraction(n, denominator))
    return out


def _number(digits: list[int]) -> int:
    """digits_0 + digits_1 P + digits_2 P^2 + ..., by halves."""
    base = P
    while len(digits) > 1:
        pairs = zip(digits[::2], [*digits[1::2], 0], strict=False)
        digits, base = [low + high * base for low, high in pairs], base * base
    return digits[0]


def _fraction(value: int, modulus: int, bound: int) -> tuple[int, int] | None:
    """n, m with n = m value modulo `modulus`: Euclid's algorithm, stopped half-way.  Wang 1981."""
    if value <= bound:
        return value, 1
    if modulus - value <= bound:
        return value - modulus, 1
    r0, r1, t0, t1 = modulus, value, 0, 1
    while r1 > bound:
        q = r0 // r1
        r0, r1, t0, t1 = r1, r0 - q * r1, t1, t0 - q * t1
    if t1 == 0 or abs(t1) > bound:
        return None
    return (r1, t1) if t1 > 0 else (-r1, -t1)


def _solves(G: Array, u: Sequence[Fraction], h: Array) -> bool:
    """Whether G u = h, in whole numbers."""
    denominator = max(x.denominator for x in u)
    for x in u:
        if denominator % x.denominator:
            denominator *= x.denominator
    scaled = np.array([x.numerator * (denominator // x.denominator) for x in u], dtype=object)
    return bool((G @ scaled == h * denominator).all())
