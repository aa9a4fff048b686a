"""Sparse rows from text: LIBSVM's "label index:value ..." and Vowpal Wabbit's "label |namespace name:value ...".

Chang & Lin 2011; Weinberger et al. 2009.  The core reads lines by many threads; here are files, columns and errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin import _core
from widemargin._threads import available_threads
from widemargin._types import F64, Array
from widemargin.data.opened import PIECE, pieces, whole
from widemargin.errors import InputError, OptionError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SHOWN = 60  # characters of a bad line in a message
BITS = 18  # Vowpal Wabbit's default


@dataclass(frozen=True)
class BadLine:
    """A line that is no row: where, what was expected there, and its text."""

    file: str
    line: int
    column: int
    expected: str
    text: str

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= SHOWN else self.text[: SHOWN - 1] + "…"
        return f"{self.file}, line {self.line}, column {self.column}: expected {self.expected}; the line is {shown!r}"


@dataclass(frozen=True, eq=False)
class TextRows:
    """Rows of a file: X y, and weights and offsets where the format has them (else None)."""

    X: csr_array
    y: F64
    sample_weight: F64 | None
    offset: F64 | None
    bad: tuple[BadLine, ...] = ()  # lines left out


def read_libsvm(
    path: str | Path, *, columns: int | None = None, zero_based: bool | str = "auto", dtype: Any = np.float64,
    bad_rows: str = "error", threads: int | None = None,
) -> TextRows:  # fmt: skip
    """Read `label index:value ...  # comment`; gzip is recognised, "-" is standard input.

    Indices count from 1, as LIBSVM writes them, unless index 0 is met ("auto") or zero_based=True says otherwise.
    columns fixes the width, for a test file beside its training file.  bad_rows="skip" leaves out what is no row and
    tells it in `bad`.
    """
    if zero_based not in (True, False, "auto"):
        raise OptionError(f"zero_based = {zero_based!r}; expected True, False or 'auto'")
    parsed = _parsed(whole(path), str(path), _core.parse_libsvm, dtype, bad_rows, threads)
    first = _first_index(parsed, str(path), zero_based)
    return _rows(parsed, first, columns, str(path))


def libsvm_blocks(
    path: str | Path, *, columns: int, zero_based: bool = False, dtype: Any = np.float64, bad_rows: str = "error",
    piece: int = PIECE, threads: int | None = None,
) -> Iterator[TextRows]:  # fmt: skip
    """As read_libsvm, some rows at a time, for files larger than memory; the width has to be known."""
    for parsed in _pieces(path, _core.parse_libsvm, dtype, bad_rows, piece, threads):
        yield _rows(parsed, _first_index(parsed, str(path), zero_based), columns, str(path))


def read_vw(
    path: str | Path, *, bits: int = BITS, dtype: Any = np.float64, bad_rows: str = "error", threads: int | None = None
) -> TextRows:
    """Read Vowpal Wabbit's text; names are hashed to 2^bits columns as Vowpal Wabbit does.

    The number after the label is the row's weight, a third one its offset; tags are passed over.  Where there is no
    label, y is NaN.
    """
    parse = _vw(bits)
    return _rows(_parsed(whole(path), str(path), parse, dtype, bad_rows, threads), 0, 1 << bits, str(path))


def vw_blocks(
    path: str | Path, *, bits: int = BITS, dtype: Any = np.float64, bad_rows: str = "error", piece: int = PIECE,
    threads: int | None = None,
) -> Iterator[TextRows]:  # fmt: skip
    """As read_vw, some rows at a time."""
    for parsed in _pieces(path, _vw(bits), dtype, bad_rows, piece, threads):
        yield _rows(parsed, 0, 1 << bits, str(path))


def _vw(bits: int) -> Callable[..., dict[str, Any]]:
    if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= 30:
        raise OptionError(f"bits = {bits!r}; expected a whole number from 1 to 30: there are 2^bits columns")
    return partial(_core.parse_vw, bits=bits)


def _pieces(
    path: str | Path, parse: Callable[..., dict[str, Any]], dtype: Any, bad_rows: str, piece: int, threads: int | None
) -> Iterator[dict[str, Any]]:
    """Parsed pieces; line numbers go on from piece to piece."""
    lines = 0
    for text in pieces(path, piece):
        parsed = _parsed(text, str(path), parse, dtype, bad_rows, threads, lines)
        lines += parsed["lines"]
        yield parsed


def _parsed(
    text: Array, name: str, parse: Callable[..., dict[str, Any]], dtype: Any, bad_rows: str, threads: int | None,
    lines: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """What the core reads, with bad lines raised or made readable."""
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise OptionError(f"dtype = {dtype!r}; expected float32 or float64")
    if bad_rows not in ("error", "skip"):
        raise OptionError(f"bad_rows = {bad_rows!r}; expected 'error' or 'skip'")
    parsed = parse(text, narrow=np.dtype(dtype) == np.float32, threads=threads or available_threads())
    bad = tuple(
        BadLine(name, lines + line, column, expected, text[start:end].tobytes().decode(errors="replace"))
        for line, column, start, end, expected in parsed["bad"]
    )
    if bad and bad_rows == "error":
        more = f" ({len(bad) - 1} more such lines)" if len(bad) > 1 else ""
        raise InputError(f"{bad[0]}{more}. Mend the file, or leave such lines out with bad_rows='skip'.")
    parsed["bad"] = bad
    return parsed


def _first_index(parsed: dict[str, Any], name: str, zero_based: bool | str) -> int:
    """The index of the first column: 0 or 1."""
    if zero_based == "auto":
        return 0 if parsed["least"] == 0 else 1
    if not zero_based and parsed["least"] == 0:
        raise InputError(f"{name} has the index 0; expected indices from 1. Say zero_based=True.")
    return 0 if zero_based else 1


def _rows(parsed: dict[str, Any], first: int, columns: int | None, name: str) -> TextRows:
    from scipy.sparse import csr_array

    width = max(parsed["most"] + 1 - first, 0)
    if columns is not None and width > columns:
        raise InputError(
            f"{name} has the index {parsed['most']}; expected at most {columns - 1 + first} (columns={columns})."
        )
    indices, values = parsed["indices"], parsed["values"]
    indices -= np.int32(first)
    values = np.ones(len(indices), np.float32) if values is None else values
    n = len(parsed["y"])
    if parsed["indptr"][-1] <= np.iinfo(np.int32).max:
        parsed["indptr"] = parsed["indptr"].astype(np.int32)  # as SciPy would on its own, with a copy of all
    X = csr_array((values, indices, parsed["indptr"]), shape=(n, width if columns is None else columns))
    s, o = parsed["s"], parsed["o"]
    return TextRows(X, parsed["y"], s if (s != 1).any() else None, o if o.any() else None, parsed["bad"])
