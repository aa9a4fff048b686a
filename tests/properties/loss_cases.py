"""What the tests of losses share: the registry cut by metadata, margins to look at, slopes by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import widemargin as wm
from widemargin._types import F64
from widemargin.loss import Loss

EPS = float(np.finfo(float).eps)
LOSSES: list[Loss] = list(wm.losses.values())
CONVEX = [loss for loss in LOSSES if loss.convex]
FAR = np.array([-999.5, -620.25, -300.0, -75.5, 75.5, 300.0, 620.25, 999.5])
WIDE = np.sort(np.concatenate([FAR, np.linspace(-40, 40, 16001) + 0.00123]))


def over(losses: list[Loss]) -> pytest.MarkDecorator:
    """One test for each of these losses."""
    assert losses, "nothing left to test"
    return pytest.mark.parametrize("loss", losses, ids=lambda loss: loss.name)


def away(z: F64, marks: tuple[float, ...], distance: float) -> F64:
    """The margins that are not near a mark."""
    return z[np.all([np.abs(z - mark) > distance for mark in marks], axis=0)] if marks else z


def slope(function: Callable[[F64], F64], z: F64, h: float = 1e-4) -> F64:
    """f'(z) by central differences of fourth order."""
    with np.errstate(invalid="ignore"):
        near, far = function(z + h) - function(z - h), function(z + 2 * h) - function(z - 2 * h)
        return (8 * near - far) / (12 * h)
