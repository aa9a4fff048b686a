"""The list of libraries; each is one file with PACKAGE and contenders(problem)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

MODULES = (
    "ours", "scikit_learn", "liblinear", "liblinear_multicore", "snapml", "cyanure", "skglm", "celer", "glum",
    "adelie", "lightning",
)  # fmt: skip


def module(name: str) -> ModuleType:
    """One library's file: imports nothing of the library."""
    return import_module(f"bench.engine.peers.{name}")


def known(names: Sequence[str] = MODULES) -> dict[str, ModuleType]:
    """Files by name."""
    return {name: module(name) for name in names}
