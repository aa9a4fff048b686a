"""The model file: data only, never code.  docs/model-file.md describes every byte.

Version 2 is a safetensors file: the weights as arrays, all else as one JSON document.  Version 1 is read for ever.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from widemargin.errors import ModelFileError
from widemargin.model import Model
from widemargin.stored import version_1
from widemargin.stored.container import LENGTH, PREFIX, check_start, pack, unpack
from widemargin.stored.document import document, model_from
from widemargin.stored.replacing import replace_file

__all__ = ["decode", "encode", "read", "write"]

START = LENGTH + len(PREFIX)  # bytes that tell a model from anything else

# What a damaged document may raise on the way to a model; each becomes a ModelFileError.
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError, MemoryError)


def write(model: Model, path: str | Path) -> None:
    """Write beside the target, then rename: a crash or a full disk leaves the old file as it was."""
    replace_file(Path(path), encode(model))


def encode(model: Model) -> bytes:
    """The bytes of the file."""
    return pack(*document(model))


def read(path: str | Path) -> Model:
    """The model in a file, or a ModelFileError that says what is wrong with it."""
    with Path(path).open("rb") as file:
        return decode(_content(file, path), path)


def is_model(path: str | Path) -> bool:
    """Whether a file begins as a model does."""
    with Path(path).open("rb") as file:
        return _begins(file.read(START))


def _begins(start: bytes) -> bool:
    return start.startswith(version_1.MAGIC) or start[LENGTH:] == PREFIX


def decode(content: bytes, name: str | Path = "model") -> Model:
    """The model in the bytes of a file; errors call it by this name."""
    try:
        if content.startswith(version_1.MAGIC):
            return version_1.model_from(content)
        check_start(content[:START], len(content))
        return model_from(*unpack(content))
    except DAMAGE as error:
        text = str(error) if isinstance(error, ModelFileError) else f"damaged: {_cause(error)}"
        raise ModelFileError(f"{name}: {text}") from None


def _content(file: BinaryIO, path: str | Path) -> bytes:
    """All of a file whose beginning is that of a model; nothing is read, and no memory taken, beyond its size."""
    about = os.fstat(file.fileno())
    if not stat.S_ISREG(about.st_mode):
        raise ModelFileError(f"{path}: not a regular file; a model is read from a file on disk")
    start = file.read(START)
    return start + file.read(about.st_size) if _begins(start) else start


def _cause(error: BaseException) -> str:
    kind = type(error).__name__
    return f"no {error} in it" if isinstance(error, KeyError) else str(error)[:200] or kind
