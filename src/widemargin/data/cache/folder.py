"""Cache: rows on disk as a user holds them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from widemargin._threads import available_threads
from widemargin._types import F64, Array
from widemargin.data.cache.build import Blocks, build, labels_of
from widemargin.data.cache.layout import AGAIN, HEADER, JOURNAL, Part, read_header
from widemargin.data.cache.stored import DiskSource, Pages, StoredRows
from widemargin.errors import CacheError, OptionError


@dataclass(frozen=True, eq=False)
class Cache:
    """Rows in a folder, in binary; `wm.fit(cache)` trains on them in passes, a few blocks in memory at a time."""

    folder: Path
    source: DiskSource
    classes: Array
    feature_names: tuple[str, ...] | None

    @classmethod
    def build(
        cls, folder: str | Path, blocks: Blocks, *, fingerprint: str | None = None, dtype: Any = None,
        threads: int | None = None,
    ) -> Cache:  # fmt: skip
        """Write blocks (X, y), (X, y, weights) or (X, y, weights, offsets), each as wm.fit would take it.

        fingerprint is any text that changes when the input does.  With it, a cache of the same input is opened as it
        is, and one that was broken off goes on; blocks may then be a function that is told how many blocks are there.
        dtype=numpy.float32 halves the bytes of a pass.
        """
        if dtype is not None and np.dtype(dtype) not in (np.float32, np.float64):
            raise OptionError(f"dtype = {dtype!r}; expected None, float32 or float64")
        place = Path(folder)
        if fingerprint is not None and (place / HEADER).exists():
            known = read_header(place)
            if known.get("fingerprint") == fingerprint:
                return cls.open(place)
        build(place, blocks, fingerprint=fingerprint, dtype=dtype, threads=threads or available_threads())
        return cls.open(place)

    @classmethod
    def open(cls, folder: str | Path) -> Cache:
        """What `build` has finished."""
        place = Path(folder)
        header = read_header(place)
        try:
            parts = [Part.of_plain(plain) for plain in header["parts"]]
            names = header["feature_names"]
            classes, ys = labels_of(parts)
            y, s, o = _of_rows(place, parts, ys)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            if isinstance(error, CacheError):
                raise
            raise CacheError(f"{place / HEADER} is damaged: {error}. {AGAIN}.") from None
        n, d = len(y), parts[0].d
        rows = StoredRows(n, d, None, pages=Pages(place, tuple(parts)))
        source = DiskSource(rows, y, s, o, len(classes))
        return cls(place, source, classes, None if names is None else tuple(names))

    @property
    def n(self) -> int:
        """Rows."""
        return self.source.n

    @property
    def d(self) -> int:
        """Columns."""
        return self.source.d

    @property
    def nbytes(self) -> int:
        """Bytes on disk, which one pass reads."""
        return self.source.X.nbytes

    def remove(self) -> None:
        """Delete the files of the cache, and the folder if nothing else is in it."""
        for file in [HEADER, JOURNAL, *(part.file for part in self.source.X.pages.parts)]:
            (self.folder / file).unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            shutil.rmtree(self.folder)

    def __repr__(self) -> str:
        return f"Cache({str(self.folder)!r}: {self.n:,} rows, {self.d:,} columns, {self.nbytes / 1e6:,.0f} MB)"


def _of_rows(folder: Path, parts: list[Part], ys: list[F64]) -> tuple[F64, F64 | None, F64 | None]:
    """y, s and o of all rows: what stays in memory."""
    n = parts[-1].start + parts[-1].rows
    y = np.empty(n)
    found = {
        name: np.full(n, usual) for name, usual in (("s", 1.0), ("o", 0.0)) if any(name in p.arrays for p in parts)
    }
    for part, of_label in zip(parts, ys, strict=True):
        here = slice(part.start, part.start + part.rows)
        y[here] = of_label[_array(folder, part, "label")]
        for name, array in found.items():
            if name in part.arrays:
                array[here] = _array(folder, part, name)
    return y, found.get("s"), found.get("o")


def _array(folder: Path, part: Part, name: str) -> Array:
    """One array of a block, the rest of its file unread."""
    dtype, shape, at = part.arrays[name]
    try:
        with (folder / part.file).open("rb") as file:
            file.seek(at)
            return np.frombuffer(file.read(int(np.prod(shape)) * np.dtype(dtype).itemsize), dtype).reshape(shape)
    except (OSError, ValueError) as error:
        raise CacheError(f"{folder / part.file} cannot be read: {error}. {AGAIN}.") from None
