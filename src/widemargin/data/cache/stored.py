"""Rows that lie on disk: a source whose passes read block after block, the next one while this one is worked on."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from widemargin import _core
from widemargin._types import F64, Array
from widemargin.data.block import Block
from widemargin.data.cache.layout import AGAIN, Part
from widemargin.data.rows import Rows
from widemargin.data.source import ArraySource
from widemargin.errors import CacheError, Refusal

ABSENT = "this needs all rows in memory, and they lie on disk: load a part of them"


class Pages:
    """The files of a cache, read into two buffers in turn; a file's checksum is looked at when it is first read."""

    def __init__(self, folder: Path, parts: tuple[Part, ...]) -> None:
        self.folder, self.parts = folder, parts
        self._sound: set[int] = set()

    def read(self, k: int, into: memoryview) -> memoryview:
        """The bytes of block k."""
        part = self.parts[k]
        path, content = self.folder / part.file, into[: part.size]
        try:
            with path.open("rb", buffering=0) as file:
                at = 0
                while at < part.size and (count := file.readinto(content[at:])):
                    at += count
        except OSError as error:
            raise CacheError(f"{path} cannot be read: {error.strerror or error}. {AGAIN}.") from None
        if at < part.size:
            raise CacheError(f"{path} has {at} bytes; expected {part.size}. {AGAIN}.")
        if k not in self._sound and zlib.crc32(content) != part.checksum:
            raise CacheError(f"{path} is damaged: its checksum is not that of what was written. {AGAIN}.")
        self._sound.add(k)
        return content

    def walk(self) -> Iterator[tuple[Part, memoryview]]:
        """All blocks in order.  What is yielded is overwritten by the block after the next."""
        largest = max((part.size for part in self.parts), default=0)
        buffers = [memoryview(bytearray(largest)) for _ in range(min(2, len(self.parts)))]
        with ThreadPoolExecutor(1, "widemargin-read") as reader:
            ahead: Future[memoryview] | None = None
            for k, part in enumerate(self.parts):
                content = reader.submit(self.read, k, buffers[0]).result() if ahead is None else ahead.result()
                following = k + 1
                if following < len(self.parts):
                    ahead = reader.submit(self.read, following, buffers[following % 2])
                yield part, content


def _rows(part: Part, content: memoryview) -> Rows:
    values = part.view("values", content)
    if not part.sparse:
        return Rows(part.rows, part.d, values)
    return Rows(part.rows, part.d, values, part.view("indices", content), part.view("indptr", content))


@dataclass(frozen=True, eq=False)
class StoredRows(Rows):
    """What is known of rows of which only blocks are ever in memory."""

    pages: Pages = field(kw_only=True)

    def __post_init__(self) -> None:
        """No view for the core: it comes block by block."""

    @property
    def sparse(self) -> bool:
        """Whether blocks are CSR."""
        return any(part.sparse for part in self.pages.parts)

    @property
    def nnz(self) -> int:
        """Stored values of all blocks."""
        return sum(part.nnz for part in self.pages.parts)

    @property
    def nbytes(self) -> int:
        """Bytes that one pass streams."""
        return sum(part.size for part in self.pages.parts)

    @property
    def matrix(self) -> Any:
        """What `verify` multiplies with, in plain NumPy, block by block."""
        return Walked(self)

    def __getattr__(self, name: str) -> Any:
        if name in ("core", "transposed"):
            raise Refusal(ABSENT)
        raise AttributeError(name)

    def slice(self, start: int, stop: int) -> Rows:
        """A refusal."""
        raise Refusal(ABSENT)

    def take(self, index: Array, threads: int = 1) -> Rows:
        """A refusal."""
        raise Refusal(ABSENT)

    def blocks(self) -> Iterator[tuple[int, Rows]]:
        """First row and rows of every block; good until the block after the next is asked for."""
        for part, content in self.pages.walk():
            yield part.start, _rows(part, content)


class Walked:
    """A matrix as far as products go: M @ W, M.T @ R, |M|, each a pass in plain NumPy and SciPy."""

    dtype = np.dtype(np.float64)

    def __init__(self, rows: StoredRows, turned: bool = False, change: Callable[[Any], Any] | None = None) -> None:
        self.rows, self.turned, self.change = rows, turned, change

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d), or (d, n)."""
        return (self.rows.d, self.rows.n) if self.turned else (self.rows.n, self.rows.d)

    @property
    def T(self) -> Walked:
        """Turned."""
        return Walked(self.rows, not self.turned, self.change)

    def __abs__(self) -> Walked:
        return Walked(self.rows, self.turned, abs)

    def parts(self) -> Iterator[tuple[int, Any]]:
        """First row and float64 matrix of every block."""
        for start, rows in self.rows.blocks():
            M = rows.matrix.astype(np.float64)
            yield start, M if self.change is None else self.change(M)

    def __matmul__(self, R: F64) -> F64:
        if self.turned:
            return np.asarray(sum(M.T @ R[start : start + M.shape[0]] for start, M in self.parts()))
        out = np.empty((self.rows.n, *R.shape[1:]))
        for start, M in self.parts():
            out[start : start + M.shape[0]] = M @ R
        return out


@dataclass(frozen=True, eq=False)
class DiskSource(ArraySource):
    """Labels, weights and offsets in memory, rows on disk."""

    X: StoredRows

    @property
    def in_memory(self) -> bool:
        """Only blocks are."""
        return False

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """The blocks as they lie on disk, cut further at multiples of `rows`."""
        for start, part in self.X.blocks():
            step = rows or part.n
            for low in range(0, part.n, step):
                high = min(low + step, part.n)
                here = slice(start + low, start + high)
                yield Block(
                    part if step >= part.n else part.slice(low, high),
                    self.y[here],
                    None if self.s is None else self.s[here],
                    None if self.o is None else self.o[here],
                    start + low,
                )

    def parts(self) -> Iterator[Block]:
        """The blocks as they lie on disk."""
        yield from self.blocks()

    def whole(self) -> Block:
        """A refusal."""
        raise Refusal(ABSENT)

    def largest(self, threads: int) -> float:
        """The largest |x|: known since the rows were written."""
        return max(part.largest for part in self.X.pages.parts)

    def squared_norms(self) -> F64:
        """||x||^2 of every row."""
        out = np.empty(self.n)
        for start, rows in self.X.blocks():
            _core.sqnorms(rows.core, out[start : start + rows.n])
        return out
