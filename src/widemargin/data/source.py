"""Source: where blocks come from.  ArraySource holds rows in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.data.block import Block
from widemargin.data.rows import Rows


class Source(Protocol):
    """Rows that can be passed over again and again."""

    @property
    def n(self) -> int:
        """Rows."""

    @property
    def d(self) -> int:
        """Columns."""

    @property
    def classes(self) -> int:
        """Number of classes, at least 2."""

    @property
    def nnz(self) -> int:
        """Stored values."""

    @property
    def total_weight(self) -> float:
        """Sum of the sample weights."""

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """All rows in order; cut anywhere, or at multiples of `rows`."""

    def whole(self) -> Block:
        """All rows as one block, or a one-sentence refusal."""


@dataclass(frozen=True, eq=False)
class ArraySource:
    """Rows in memory; `block_rows` cuts them only to show that the cut does not matter."""

    X: Rows
    y: F64
    s: F64 | None = None
    o: F64 | None = None
    classes: int = 2
    block_rows: int | None = None

    @property
    def n(self) -> int:
        """Rows."""
        return self.X.n

    @property
    def d(self) -> int:
        """Columns."""
        return self.X.d

    @property
    def nnz(self) -> int:
        """Stored values."""
        return self.X.nnz

    @cached_property
    def total_weight(self) -> float:
        """Sum of the sample weights."""
        return float(self.n) if self.s is None else float(np.sum(self.s))

    @cached_property
    def p(self) -> F64:
        """s / sum s, for all rows."""
        return np.full(self.n, 1.0 / self.n) if self.s is None else self.s / self.total_weight

    @cached_property
    def signs(self) -> F64:
        """(n, K) labels as -1/+1, one column a head; (n, 1) for two classes."""
        if self.classes == 2:
            return self.y[:, None]
        return np.where(self.y[:, None] == np.arange(self.classes), 1.0, -1.0)

    @property
    def in_memory(self) -> bool:
        """Whether all rows are: then they may be taken one by one, and in any order."""
        return True

    def largest(self, threads: int) -> float:
        """The largest |x|."""
        return float(_core.scan(self.X.core, threads)[2])

    def squared_norms(self) -> F64:
        """||x||^2 of every row."""
        out = np.empty(self.n)
        _core.sqnorms(self.X.core, out)
        return out

    def parts(self) -> Iterator[Block]:
        """As few blocks as memory allows: here one."""
        yield self.whole()

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """One block, or several of `block_rows` or `rows` rows."""
        step = self.block_rows or rows or max(self.n, 1)
        for start in range(0, self.n, step):
            stop = min(start + step, self.n)
            yield Block(
                self.X if step >= self.n else self.X.slice(start, stop),
                self.y[start:stop],
                None if self.s is None else self.s[start:stop],
                None if self.o is None else self.o[start:stop],
                start,
            )

    def whole(self) -> Block:
        """All rows."""
        return Block(self.X, self.y, self.s, self.o, 0)
