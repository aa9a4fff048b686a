"""Axes of a figure that no window and no global state knows."""

from __future__ import annotations

from typing import Any

import pytest

Figure = pytest.importorskip("matplotlib.figure").Figure


@pytest.fixture
def ax() -> Any:
    return Figure(layout="constrained").add_subplot()
