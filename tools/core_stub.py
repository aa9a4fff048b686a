"""Write src/widemargin/_core.pyi from the built core: what mypy knows of the C++ side."""

from __future__ import annotations

import sys
from pathlib import Path

from nanobind.stubgen import StubGen

from widemargin import _core

TARGET = Path(__file__).resolve().parents[1] / "src" / "widemargin" / "_core.pyi"


def stub() -> str:
    """nanobind's stub, with the element types that mypy --strict asks for."""
    generator = StubGen(_core)
    generator.put(_core)
    text = generator.get()
    text = text.replace("-> list:", "-> list[dict[str, Any]]:").replace("-> tuple:", "-> tuple[Any, ...]:")
    text = text.replace("-> dict:", "-> dict[str, Any]:")
    text = text.replace("NDArray,", "NDArray[Any],")
    return text.replace("from typing import Annotated", "from typing import Any, Annotated", 1)


if __name__ == "__main__":
    TARGET.write_text(stub(), encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET.name}\n")
