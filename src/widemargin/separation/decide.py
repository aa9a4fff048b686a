"""Complete: some w has A w > 0 (a direction proves it).  Not complete: lambda >= 0, A' lambda = 0 (Gordan 1873).
Quasi: also A w >= 0, A w != 0.  Overlapping: lambda > 0 in every row (Stiemke 1915).  Albert, Anderson 1984.

What is cheap comes first; what an algorithm finds is proved by the exact signs of A w, or by whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from widemargin._types import F64, I64
from widemargin.separation import cheap, programme, shortfall
from widemargin.separation.aligned import aligned
from widemargin.separation.conflict import Conflict, Separating, nearest
from widemargin.separation.epsilon import epsilon
from widemargin.separation.result import Direction, Kind, Witness
from widemargin.separation.scaling import rounded, unscaled
from widemargin.separation.signed import SMALLEST, Signed
from widemargin.separation.signs import margin_of, signs
from widemargin.separation.vanishing import Spread, Vanishing, spread, vanishing
from widemargin.separation.zoom import zoom

PROGRAMME = "a linear programme"
NEWTON = "the squared hinge loss"
EQUAL = "equal rows with different labels"
SMALL = 20_000  # numbers: a programme takes milliseconds
TRIES = 5  # times that rows which were taken wrongly go back into the programme


class Decided(NamedTuple):
    """The verdict about one A; rows are those of A."""

    kind: Kind
    exact: bool
    route: str
    direction: Direction | None = None
    whole: tuple[int, ...] | None = None
    witness: Witness | None = None
    overlap: Witness | None = None
    margin: float = 0.0
    epsilon: float = float("inf")


def decide(A: Signed) -> Decided:
    """The kind of separation of A, by the first route that proves it."""
    found = cheap.column(A)
    if found is not None:
        return _complete(A, *rounded(found), "a column that separates alone")
    S, columns = cheap.even(A)
    w = np.zeros(A.d)
    for route, w in cheap.directions(S) if A.n * A.d > SMALL else ():
        w, whole = unscaled(w, columns)
        if signs(A, w, whole).complete:
            return _complete(A, w, whole, route)
    both, pairs = Scales(A, S, columns), cheap.contradictions(A)
    if not len(pairs) and A.n * A.d > SMALL:
        known = _by_newton(both)
        if known is not None:
            return known
    rows = programme.first_rows(S, w, pairs)
    if len(pairs):
        return _not_complete(both, rows, Vanishing(np.sort(pairs[0]), (1, 1), [0], [_column_of(A, pairs[0, 0])]))
    return _by_programme(both, rows)


def _by_newton(both: Scales) -> Decided | None:
    """By Newton's method, where it costs less than a programme; where no programme can be had, it has the last word."""
    A, S, work = both.A, both.S, programme.effort(both.S)
    if work > programme.REACH:
        found: Separating | Conflict | None = shortfall.verdict(S)
    else:
        found = shortfall.separating(S) if shortfall.effort(S) < work else None
    if isinstance(found, Separating):
        return _complete(A, *unscaled(found.w, both.columns), NEWTON)
    if found is None:
        return None
    near = Witness(*found, None)
    return _touching(A, Decided("overlapping", False, NEWTON, witness=near, epsilon=max(epsilon(A, *found), SMALLEST)))


def _touching(A: Signed, known: Decided) -> Decided:
    """Not complete; quasi, if a column has no row on the wrong side and some off it."""
    whole = cheap.column(A, touching=True)
    if whole is None:
        return known
    w, told = rounded(whole)
    return known._replace(kind="quasi", exact=known.epsilon == 0, direction=_direction(A, w), whole=told)


def _column_of(A: Signed, row: int) -> int:
    """A column in which the row is not 0."""
    return int(A.entries(np.array([row])).column[-1])


class Scales(NamedTuple):
    """The rows, and the same with columns of like size, by which programmes are solved: S = A 2^columns."""

    A: Signed
    S: Signed
    columns: I64


def _by_programme(both: Scales, rows: I64) -> Decided:
    """First whether some rows conflict; where some do, whether a w has the others strictly on their side."""
    A = both.A
    for _ in range(TRIES):
        rows, found, w = programme.clash(both.S, rows)
        if found is not None:
            some = vanishing(A, found.rows, found.weights)
            return _unproved(both, rows, found) if some is None else _not_complete(both, rows, some)
        w, whole = unscaled(w, both.columns)
        seen = signs(A, w, whole)
        if seen.complete:
            return _complete(A, w, whole, PROGRAMME)
        more = np.setdiff1d(np.flatnonzero(seen.least <= 0), rows)
        if not len(more):
            break
        rows = np.union1d(rows, more[: programme.FEW])
    near = nearest(both.S.rows(rows))
    return _unproved(both, rows, near._replace(rows=rows[near.rows]))


def _unproved(both: Scales, rows: I64, found: Conflict) -> Decided:
    """Float64 does not tell the rows from conflicting ones: all rows together may, or coordinates near those rows."""
    A = both.A
    known = Decided("overlapping", False, PROGRAMME, witness=Witness(*found, None))
    known = _divided(both, rows, known._replace(epsilon=max(epsilon(A, *found), SMALLEST)))
    for _ in range(0 if known.exact else TRIES):
        near = zoom(A, rows)
        if isinstance(near, Vanishing):
            return _not_complete(both, rows, near)
        if near is None:
            break
        w, whole = rounded(near)
        seen = signs(A, w, whole)
        if seen.complete:
            return _complete(A, w, whole, "a linear programme, zoomed in")
        rows = np.union1d(rows, np.flatnonzero(seen.least <= 0)[: programme.FEW])
    return known


def _complete(A: Signed, w: F64, whole: tuple[int, ...] | None, route: str) -> Decided:
    margin = margin_of(A, w, signs(A, w, whole))
    return Decided("complete", True, route, _direction(A, w), whole, margin=margin)


def _direction(A: Signed, w: F64) -> Direction:
    return Direction(w[: A.X.d].copy(), float(w[-1]) if A.intercept else 0.0)


def _not_complete(both: Scales, rows: I64, some: Vanishing) -> Decided:
    """Some rows conflict.  Overlap, where they span all others; else there may be a direction for those."""
    route = EQUAL if len(some.rows) == 2 else PROGRAMME
    known = Decided("overlapping", False, route, witness=_witness(both.A, some), epsilon=0.0)
    every = spread(both.A, some) if len(some.chosen) > 1 or both.A.d == 1 else None  # one row spans few others
    return _divided(both, rows, known) if every is None else _overlapping(both.A, known, some, every)


def _divided(both: Scales, rows: I64, known: Decided) -> Decided:
    """Which rows can be strictly on their side: none, then all take part in some combination; else a direction."""
    A = both.A
    if programme.effort(both.S) > programme.REACH:
        return _touching(A, known)
    for _ in range(TRIES):
        rows, best, _ = programme.divide(both.S, rows)
        if best is None:
            break
        bound = rows[best.bound]
        some = vanishing(A, bound, best.weights[best.bound]) if best.bound.all() or known.epsilon > 0 else None
        if some is not None and known.epsilon > 0:
            known = known._replace(witness=_witness(A, some), epsilon=0.0)
        if best.bound.all():
            every = None if some is None else spread(A, some)
            return known if some is None or every is None else _overlapping(A, known, some, every)
        whole = aligned(both.S, bound, best.w)
        if whole is None or not any(whole):
            break
        w, told = unscaled(whole, both.columns)
        seen = signs(A, w, told)
        if seen.quasi:
            return known._replace(kind="quasi", exact=known.epsilon == 0, direction=_direction(A, w), whole=told)
        more = np.setdiff1d(np.flatnonzero(seen.least < 0), rows)
        if not len(more):
            break
        rows = np.union1d(rows, more[: programme.FEW])
    return known


def _overlapping(A: Signed, known: Decided, some: Vanishing, every: Spread) -> Decided:
    """All rows take part."""
    return known._replace(exact=True, overlap=_witness(A, some, every))


def _witness(A: Signed, some: Vanishing, every: Spread | None = None) -> Witness:
    """Weights that add up to 1 over all rows that take part."""
    listed, other = (some.counts, 0) if every is None else every
    total = sum(listed) + other * (A.n - len(some.rows))
    return Witness(some.rows, np.array([count / total for count in listed]), listed, other)
