"""Is there a choice of points, of weight at most r, without which all others can be right?  Depth first, all of them.

    choices(C, r):  a conflict S that C does not settle;  choices(C + i, r - s_i) for each i in S, i barred in the next

Where C settles all conflicts known, the other points are asked for more, and the tree goes on below C: no branch is
walked twice.  Conflicts are sets of bits.  Bounded search trees: Downey, Fellows 1999.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from widemargin._types import F64
from widemargin.fewest.pool import Pool

SEEN = 60  # conflicts among which a branch takes that of the fewest points
NODES = 2_000_000
DEEPEST = 12  # units of weight: beyond, a tree has too many branches
WIDEST = 20_000  # points: beyond, sets of bits are long


class Ended(Exception):
    """Time, patience or the answers ran out."""


class Masks(NamedTuple):
    """Bits: the points of each conflict, and the conflicts of each point."""

    points: list[int]
    conflicts: dict[int, int]


class Tree:
    """All choices within a weight; `ask` adds conflicts that a choice does not settle to the pool, if there are any."""

    def __init__(
        self, pool: Pool, s: F64, unit: float, ask: Callable[[list[int]], bool], late: Callable[[], bool]
    ) -> None:
        self.pool, self.ask, self.late = pool, ask, late
        self.s = [round(x / unit) for x in s.tolist()]
        self.least = min(self.s)
        self.masks = Masks([], {})
        self.nodes = 0

    def none_within(self, room: int) -> bool:
        """True: every choice costs more units than `room`.  False: not known."""
        self.nodes = 0
        try:
            self._choices([], (1 << len(self.s)) - 1, room)
        except Ended:
            return False
        return True

    def _choices(self, chosen: list[int], allowed: int, room: int) -> None:
        """Refute all choices that contain `chosen` and otherwise only points that are allowed."""
        self._count()
        left = self._open(chosen)
        while not left:
            left = self._more(chosen)
        if room < self.least:
            return
        if room < 2 * self.least:
            self._last(chosen, left, allowed, room)
            return
        fewest = min((self.masks.points[k] & allowed for k in _bits(left, SEEN)), key=int.bit_count)
        for i in sorted(_bits(fewest), key=lambda i: -(self.masks.conflicts[i] & left).bit_count()):
            if self.s[i] <= room:
                self._choices([*chosen, i], allowed, room - self.s[i])
            allowed &= ~(1 << i)

    def _last(self, chosen: list[int], left: int, allowed: int, room: int) -> None:
        """One point more, at most: it must be in all conflicts that are left."""
        while True:
            common = allowed
            for k in _bits(left):
                common &= self.masks.points[k]
                if not common:
                    return
            i = next((i for i in _bits(common) if self.s[i] <= room), None)
            if i is None:
                return
            self._count()
            self._more([*chosen, i])
            left = self._open(chosen)

    def _more(self, chosen: list[int]) -> int:
        """The conflicts, just found, that the choice does not settle."""
        if not self.ask(chosen):
            raise Ended
        left = self._open(chosen)
        if not left:
            raise Ended
        return left

    def _open(self, chosen: list[int]) -> int:
        """The conflicts that the choice does not settle."""
        masks, known = self.masks, len(self.masks.points)
        for k, conflict in enumerate(self.pool.conflicts[known:], known):
            rows = conflict.rows.tolist()
            masks.points.append(sum(1 << i for i in rows))
            for i in rows:
                masks.conflicts[i] = masks.conflicts.get(i, 0) | 1 << k
        left = (1 << len(masks.points)) - 1
        for i in chosen:
            left &= ~masks.conflicts[i]
        return left

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > NODES or (self.nodes % 64 == 0 and self.late()):
            raise Ended


def _bits(mask: int, most: int = -1) -> Iterator[int]:
    """The places of the ones, lowest first."""
    while mask and most:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
        most -= 1
