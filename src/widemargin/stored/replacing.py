"""A file is there as a whole or not at all: written beside the target, brought to the disk, then renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Put content at path; whatever goes wrong, a crash included, leaves what was there before."""
    target = Path(os.path.realpath(path))  # a link stays a link
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(part, flags, 0o666), "wb") as out:  # the mode of any new file: the umask is applied
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        if target.exists():
            part.chmod(target.stat().st_mode & 0o7777)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):  # the rename itself; folders cannot be opened everywhere
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
