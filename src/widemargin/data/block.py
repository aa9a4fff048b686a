"""Block: rows with their labels, weights and offsets."""

from __future__ import annotations

from typing import NamedTuple

from widemargin._types import F64
from widemargin.data.rows import Rows


class Block(NamedTuple):
    """Rows start, start + 1, ... of a source.

    y is -1/+1 for two classes, the class number 0..K-1 for more.
    s are sample weights (None: all 1); o are offsets, (n,) or (n, K) (None: none).
    """

    X: Rows
    y: F64
    s: F64 | None
    o: F64 | None
    start: int

    def part(self, rows: slice) -> Block:
        """Some adjacent rows, as views."""
        if rows.stop - rows.start == self.X.n:
            return self
        y, s, o = (None if array is None else array[rows] for array in (self.y, self.s, self.o))
        assert y is not None
        return Block(self.X.slice(rows.start, rows.stop), y, s, o, self.start + rows.start)
