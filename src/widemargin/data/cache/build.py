"""Blocks of rows -> files, one by one; what is finished survives whatever happens next."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from widemargin._types import F64, Array
from widemargin.data.cache.layout import HEADER, JOURNAL, VERSION, Part, read_journal, write_part, write_text
from widemargin.data.intake import checked_rows
from widemargin.data.labels import column, labels, numbered, one_class
from widemargin.data.rows import Rows
from widemargin.data.weights import offsets, row_weights
from widemargin.errors import CacheError, InputError, InputTypeError, OptionError

Blocks = Iterable[tuple[Any, ...]] | Callable[[int], Iterable[tuple[Any, ...]]]
LABELS = "biufU"  # kinds of labels that a header holds as they are


def build(folder: Path, blocks: Blocks, *, fingerprint: str | None, dtype: Any, threads: int) -> None:
    """Write what is missing; the header comes last."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CacheError(f"{folder} cannot be made: {error.strerror or error}. Choose another folder.") from None
    known, parts = read_journal(folder)
    strange = [p.name for p in folder.iterdir() if not p.name.startswith(("rows-", JOURNAL, HEADER))]
    if strange:
        raise CacheError(f"{folder} holds {strange[0]!r}, which is no part of a cache. Choose an empty folder.")
    if known != fingerprint or fingerprint is None:
        parts = []
    start_journal(folder, fingerprint, parts)
    names: tuple[str, ...] | None = None
    for block in remaining(blocks, len(parts)):
        part, names = _add(folder, block, parts, names, dtype, threads)
        with (folder / JOURNAL).open("a", encoding="utf-8") as journal:
            journal.write(json.dumps(part.plain()) + "\n")
            journal.flush()
            os.fsync(journal.fileno())
        parts.append(part)
    if not parts:
        raise InputError("no block of rows came; expected at least one, as (X, y)")
    finish(folder, parts, names, fingerprint)


def start_journal(folder: Path, fingerprint: str | None, parts: list[Part]) -> None:
    """A journal of the blocks that are kept; everything else goes."""
    (folder / HEADER).unlink(missing_ok=True)
    lines = [json.dumps({"fingerprint": fingerprint}), *(json.dumps(part.plain()) for part in parts)]
    write_text(folder / JOURNAL, "\n".join(lines) + "\n")
    kept = {part.file for part in parts}
    for file in folder.glob("rows-*"):
        if file.name not in kept:
            file.unlink()


def remaining(blocks: Blocks, done: int) -> Iterator[tuple[Any, ...]]:
    """The blocks that are not there yet; a function is told how many are, so that it need not make them again."""
    if callable(blocks):
        yield from blocks(done)
        return
    for k, block in enumerate(blocks):
        if k >= done:
            yield block


def _add(
    folder: Path, block: Any, parts: list[Part], names: tuple[str, ...] | None, dtype: Any, threads: int
) -> tuple[Part, tuple[str, ...] | None]:
    if not isinstance(block, tuple) or not 2 <= len(block) <= 4:
        raise InputTypeError(
            f"block {len(parts)} is of type {type(block).__name__}; expected a tuple (X, y), (X, y, weights) or "
            "(X, y, weights, offsets)"
        )
    X, y, s, o = (*block, None, None)[:4]
    rows, found, largest = checked_rows(X, threads)
    if parts and (rows.d, rows.sparse) != (parts[0].d, parts[0].sparse):
        kinds = ("dense", "sparse")
        raise InputError(
            f"block {len(parts)} has {rows.d} {kinds[rows.sparse]} columns; the first one has {parts[0].d} "
            f"{kinds[parts[0].sparse]} ones. Expected the same columns in every block."
        )
    if names is not None and found != names:
        raise InputError(f"block {len(parts)} has other column names than the first. Select the columns by name.")
    kind, distinct, codes = _labels(y, rows.n)
    arrays = _row_arrays(rows, dtype) | {"label": codes}
    if s is not None:
        weights = row_weights(s, rows.n)
        arrays["s"] = np.ones(rows.n) if weights is None else weights
    if o is not None:
        shift = offsets(o, rows.n, 2)
        arrays["o"] = np.zeros(rows.n) if shift is None else shift
    file = f"rows-{len(parts):06d}.bin"
    size, checksum, places = write_part(folder, file, arrays)
    start = parts[-1].start + parts[-1].rows if parts else 0
    part = Part(
        file, start, rows.n, rows.d, rows.nnz, rows.sparse, largest, size, checksum, (kind, distinct), places
    )  # fmt: skip
    return part, found


def _row_arrays(rows: Rows, dtype: Any) -> dict[str, Array]:
    """As little as holds the same numbers: float32 stays float32 unless asked otherwise, ones are not stored."""
    if not rows.sparse:
        M = rows.matrix
        return {"values": M if dtype is None else M.astype(dtype)}
    assert rows.indices is not None
    assert rows.indptr is not None
    low, high = int(rows.indptr[0]), int(rows.indptr[-1])
    arrays: dict[str, Array] = {"indptr": rows.indptr - low, "indices": rows.indices[low:high]}
    if rows.values is not None:
        values = rows.values[low:high]
        arrays["values"] = values if dtype is None else values.astype(dtype)
    return arrays


def _labels(y: Any, n: int) -> tuple[str, list[Any], Array]:
    """Kind, distinct labels of a block, and which row has which; one class is enough here."""
    given = column(y, n)
    distinct, found = numbered(given)
    if len(distinct) > 1 and labels(given, n).soft:
        raise OptionError("soft labels cannot be cached: give each row twice, with weights q and 1 - q")
    codes = found if len(distinct) > 2 else (found + 1) / 2 if len(distinct) == 2 else np.zeros(n)
    if distinct.dtype.kind not in LABELS and not all(isinstance(v, str) for v in distinct.tolist()):
        raise InputTypeError(f"labels of dtype {distinct.dtype} cannot be cached. Make them numbers or text.")
    kind = distinct.dtype.str if distinct.dtype.kind in LABELS else "O"
    return kind, distinct.tolist(), codes.astype(np.int32)


def finish(folder: Path, parts: list[Part], names: tuple[str, ...] | None, fingerprint: str | None) -> None:
    """The header: with it the cache is whole."""
    labels_of(parts)  # whether they are those of a classification is said now, not by the first fit
    header = {
        "format": "widemargin cache", "version": VERSION, "fingerprint": fingerprint,
        "rows": parts[-1].start + parts[-1].rows, "columns": parts[0].d, "feature_names": names,
        "parts": [part.plain() for part in parts],
    }  # fmt: skip
    write_text(folder / HEADER, json.dumps(header))


def labels_of(parts: list[Part]) -> tuple[Array, list[F64]]:
    """All classes, and for every block y of each of its distinct labels."""
    every = [value for part in parts for value in part.labels[1]]
    text = [part.labels[0].lstrip("<>|=")[0] in "UO" for part in parts]
    if len(set(text)) > 1:
        k = text.index(not text[0])
        raise InputError(
            f"the labels of block 0 are {'text' if text[0] else 'numbers'}, those of block {k} are not. "
            "Make all labels of one type."
        )
    kinds = {part.labels[0] for part in parts}
    classes, y = numbered(np.array(every, dtype=object if (len(kinds) > 1 and text[0]) or "O" in kinds else None))
    if len(classes) == 1:
        raise one_class(classes, parts[-1].start + parts[-1].rows)
    ends = np.cumsum([len(part.labels[1]) for part in parts])
    return classes, np.split(y, ends[:-1])
