"""What a file of data was: its name, its size and the SHA-256 of its bytes.  Another file has another one."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any


def fingerprint(path: str | Path) -> dict[str, Any]:
    """Plain data, for the model file."""
    with Path(path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"file": Path(path).name, "bytes": file.tell(), "sha256": digest}
