"""A file of lines as bytes: whole, or in pieces that end where a line ends.

Packed with gzip or not; "-" is standard input.
"""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from widemargin._types import Array
from widemargin.errors import InputError

GZIP, ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
PIECE = 64 << 20  # bytes that are read at a time


@contextmanager
def opened(path: str | Path) -> Iterator[IO[bytes]]:
    """The unpacked bytes; what the system or the packing says of a bad file becomes an InputError."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; expected a file. Give one of the files in it.")
    try:
        with path.open("rb") as raw:
            start = raw.read(4)
            raw.seek(0)
            if start == ZSTANDARD:
                raise InputError(f"{path} is packed with Zstandard, which is not read here. Unpack it first: zstd -d.")
            yield cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if start[:2] == GZIP else raw
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. Check its name and folder.") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is a damaged gzip file: {error}. Fetch or compress it again.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None


def whole(path: str | Path) -> Array:
    """All bytes at once; a plain file stays on disk and is paged in as it is read."""
    with opened(path) as stream:
        if _plain(stream):
            size = Path(path).stat().st_size
            return np.memmap(path, np.uint8, "r") if size else np.empty(0, np.uint8)
        return np.frombuffer(stream.read(), np.uint8)


def pieces(path: str | Path, size: int = PIECE) -> Iterator[Array]:
    """About `size` bytes at a time, each piece ending where a line ends."""
    rest = b""
    with opened(path) as stream:
        while read := stream.read(max(1, size - len(rest))):
            cut = read.rfind(b"\n") + 1
            if cut:
                yield np.frombuffer(rest + read[:cut], np.uint8)
                rest = read[cut:]
            else:  # a line longer than a piece
                rest, size = rest + read, max(size, 2 * len(rest + read))
    if rest:
        yield np.frombuffer(rest, np.uint8)


def _plain(stream: Any) -> bool:
    return not isinstance(stream, gzip.GzipFile) and stream is not sys.stdin.buffer
