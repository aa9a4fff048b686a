"""Largest resident memory of this process since a reset, from /proc; None elsewhere."""

from __future__ import annotations

import gc
from pathlib import Path

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def begin() -> int | None:
    """Forget the peak so far; resident bytes now."""
    gc.collect()
    try:
        RESET.write_text("5")
        return _field("VmRSS")
    except OSError:
        return None


def peak(since: int | None) -> int | None:
    """Bytes above those at `begin`."""
    return None if since is None else max(0, _field("VmHWM") - since)


def _field(name: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return 1024 * int(line.split()[1])
