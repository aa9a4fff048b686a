"""How many threads this process may keep busy: its affinity, and the share of the machine that its container grants."""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")


def available_threads() -> int:
    """CPUs that this process may use."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(allowed, _granted()))


@cache
def _granted() -> int:
    """The limit of the control group, rounded up; read once, as it hardly changes while a process runs."""
    return math.ceil(min([1e9, *granted(MEMBERSHIP, GROUPS)]))


def granted(membership: Path, groups: Path) -> list[float]:
    """CPUs granted by each group that this process is in and by those around it; none where nothing limits it."""
    found = []
    for line in _lines(membership):
        _, kinds, path = line.split(":", 2)
        top = groups if not kinds else groups / kinds
        inner = top / path.lstrip("/")
        for group in (inner, *inner.parents):
            if not group.is_relative_to(top):
                break
            quota, period = _quota(group, bool(kinds))
            if quota > 0 and period > 0:
                found.append(quota / period)
    return found


def _quota(group: Path, first_version: bool) -> tuple[float, float]:
    """(quota, period); a quota of 0 is none."""
    if first_version:
        said = [*_lines(group / "cpu.cfs_quota_us"), *_lines(group / "cpu.cfs_period_us")]
    else:
        said = [word for line in _lines(group / "cpu.max") for word in line.split()]
    try:
        quota, period = map(float, said)
    except ValueError:  # "max", or nothing at all
        return 0.0, 0.0
    return quota, period


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []
