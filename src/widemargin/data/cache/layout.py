"""What lies in the folder of a cache.

rows-000000.bin ...   one block of rows each: arrays one after the other, little-endian, at multiples of 64 bytes
journal.jsonl         a line per finished block, with its checksum: what a broken-off build goes on from
header.json           written last, by renaming: with it the cache is whole

Arrays of a block: "values" (rows, d) when dense; "indptr", "indices" and, unless all are 1, "values" when sparse;
"label" (numbers into the block's own list of labels), and "s", "o" where there are weights and offsets.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.errors import CacheError

VERSION = 1
HEADER, JOURNAL = "header.json", "journal.jsonl"
ALIGNED = 64
AGAIN = "Remove the folder (wm.Cache.open(folder).remove(), or by hand) and build it again"


@dataclass(frozen=True)
class Part:
    """One block: its file, rows, stored values, labels, and where each array lies."""

    file: str
    start: int
    rows: int
    d: int
    nnz: int
    sparse: bool
    largest: float  # |x|
    size: int  # bytes of the file
    checksum: int  # CRC-32 of them
    labels: tuple[str, list[Any]]  # kind of label, the distinct ones
    arrays: dict[str, tuple[str, tuple[int, ...], int]]  # name -> dtype, shape, first byte

    @classmethod
    def of_plain(cls, plain: dict[str, Any]) -> Part:
        """From what `plain` made."""
        arrays = {k: (str(t), tuple(map(int, shape)), int(at)) for k, (t, shape, at) in plain.pop("arrays").items()}
        kind, values = plain.pop("labels")
        return cls(**plain, labels=(str(kind), list(values)), arrays=arrays)

    def plain(self) -> dict[str, Any]:
        """What a line of the journal says."""
        return asdict(self)

    def view(self, name: str, content: memoryview) -> Array | None:
        """One array of the file's bytes; None where the block has none of that name."""
        if name not in self.arrays:
            return None
        dtype, shape, at = self.arrays[name]
        return np.frombuffer(content, dtype, count=int(np.prod(shape)), offset=at).reshape(shape)


def write_part(folder: Path, file: str, arrays: Mapping[str, Array]) -> tuple[int, int, dict[str, Any]]:
    """Write a block under another name, then rename it; its size, its checksum, where its arrays lie."""
    at, checksum, places = 0, 0, {}
    unfinished = folder / (file + ".part")
    try:
        with unfinished.open("wb") as out:
            for name, array in arrays.items():
                raw = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
                places[name] = (raw.dtype.str, raw.shape, at)
                padding = bytes(-raw.nbytes % ALIGNED)
                for piece in (raw.reshape(-1).view(np.uint8).data, padding):
                    out.write(piece)
                    checksum = zlib.crc32(piece, checksum)
                    at += len(piece)
            out.flush()
            os.fsync(out.fileno())
        unfinished.replace(folder / file)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise CacheError(
            f"{folder / file} cannot be written: {error.strerror or error} ({at >> 20} MB of this block were). "
            "Make room or choose another folder; what is finished stays, and the same call goes on from there."
        ) from error
    return at, checksum, places


def write_text(path: Path, text: str) -> None:
    """A small file, whole or not at all."""
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise CacheError(f"{path} cannot be written: {error.strerror or error}.") from error


def read_header(folder: Path) -> dict[str, Any]:
    """The header of a whole cache."""
    path = folder / HEADER
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
        version = header["version"]
        if header["format"] != "widemargin cache" or not isinstance(version, int):
            raise ValueError("it is the header of something else")
    except FileNotFoundError:
        unfinished = (folder / JOURNAL).exists()
        text = "holds an unfinished cache: build it again to go on" if unfinished else "holds no cache: build one first"
        raise CacheError(f"{folder} {text} (wm.Cache.build).") from None
    except OSError as error:
        raise CacheError(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, KeyError, TypeError) as error:
        raise CacheError(f"{path} is damaged: {error}. {AGAIN}.") from None
    if version != VERSION:
        raise CacheError(f"{path} is of version {version}; this program reads version {VERSION}. {AGAIN}.")
    return dict(header)


def read_journal(folder: Path) -> tuple[str | None, list[Part]]:
    """The fingerprint of what was being built, and the blocks that are whole; a last line cut short is forgotten."""
    try:
        lines = (folder / JOURNAL).read_text(encoding="utf-8").splitlines()
        fingerprint = json.loads(lines[0])["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None, []
    parts = []
    for line in lines[1:]:
        try:
            part = Part.of_plain(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError):
            break
        file = folder / part.file
        if not file.is_file() or file.stat().st_size != part.size:
            break
        parts.append(part)
    return fingerprint, parts
