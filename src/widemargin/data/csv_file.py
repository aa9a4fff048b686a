"""A CSV file with a header row -> its columns as text; what is wrong with the file is said with its line."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, cast

from widemargin.errors import InputError

Columns = dict[str, tuple[str, ...]]

DELIMITERS = ",;\t|"  # of equally frequent ones the first
GZIP = b"\x1f\x8b"
SAVE = "save the table as CSV with a header row"


def read_csv(path: str | Path) -> Columns:
    """The columns in their order, every cell as it stands; gzip and the delimiter are recognised."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; expected a CSV file. Give one of the files in it.")
    try:
        with path.open("rb") as raw:
            return columns(raw, str(path))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; expected a CSV file.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None


def columns(raw: IO[bytes], name: str) -> Columns:
    """The columns of an open file that goes by this name in messages."""
    packed = raw.read(2) == GZIP
    raw.seek(0)
    stream = gzip.GzipFile(fileobj=raw) if packed else raw
    text = io.TextIOWrapper(cast(IO[bytes], stream), encoding="utf-8-sig", newline="")
    try:
        return _columns(text, name)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not text in UTF-8 (byte {error.object[error.start]:#04x}). If it is text in another "
            f"encoding, convert it (iconv -f latin1 -t utf-8); if it is no text at all, {SAVE}."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{name} is a damaged gzip file: {error}. Fetch or compress it again.") from None
    finally:
        text.detach()


def _columns(text: io.TextIOWrapper, name: str) -> Columns:
    first = text.readline()
    reader = csv.reader(chain([first], text), delimiter=max(DELIMITERS, key=first.count), strict=True)
    try:
        head = next(reader, [])
        _check_header(head, name)
        rows = list(_rows(reader, len(head), name))
    except csv.Error as error:
        raise InputError(
            f"{name}, line {reader.line_num}: {error}. Is a quotation mark opened and not closed?"
        ) from None
    if not rows:
        raise InputError(f"{name} has a header and no rows; expected one row per example below it.")
    return dict(zip(head, zip(*rows, strict=True), strict=True))


def _check_header(head: list[str], name: str) -> None:
    """Names that tell the columns apart."""
    if not any(head):
        raise InputError(f"{name} is empty, or has no names of columns in line 1. Please {SAVE}.")
    if "" in head:
        raise InputError(
            f"{name}: column {head.index('') + 1} has no name. Name it in the header. The index of a data "
            "frame is left out by to_csv(..., index=False)."
        )
    twice = next((column for column in head if head.count(column) > 1), None)
    if twice is not None:
        raise InputError(f"{name}: the header has the column {twice!r} twice. Rename one of them.")


def _rows(reader: Iterator[list[str]], width: int, name: str) -> Iterator[list[str]]:
    """Rows of the right length; blank lines are passed over."""
    for row in reader:
        if len(row) == width:
            yield row
        elif row:
            line = reader.line_num  # type: ignore[attr-defined]
            raise InputError(
                f"{name}, line {line}: {len(row)} values where the header has {width} columns. "
                "Put values that hold the delimiter in quotation marks."
            )
