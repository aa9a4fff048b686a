"""Coordinate descent meets its goal: what it asks of the slopes gets stricter until the gap closes."""

from __future__ import annotations

import numpy as np
import pytest

import widemargin as wm
from problems import CONVEX, overlapping, separable, takes

SMOOTH = [loss for loss in CONVEX if wm.losses[loss].smooth]
EASY = separable(150, 4)


@pytest.mark.parametrize("penalty", ["l1", "elastic_net", "elastic_net:0.1", "none"])
@pytest.mark.parametrize("loss", SMOOTH)
def test_few_steps_are_enough(loss: str, penalty: str) -> None:
    """A goal that is too lax would be met again and again without a step; one that is too strict burns sweeps."""
    for data in (EASY, overlapping(2), overlapping(3)):
        if penalty == "none" and data is EASY:
            continue  # some of these have no minimum
        options = {"loss": loss, "penalty": penalty, "alpha": 1 / 150, "solver": "cd", "multiclass": "ovr"}
        assert takes(data, **options)
        for tol in (1e-6, 1e-10):
            fit = wm.fit(data.X, data.y, tol=tol, **options)
            assert fit.certificate.relative_gap <= tol
            events = fit.trace
            assert len(events) <= 30
            stood_still = np.diff(events.columns("objective")) == 0
            assert stood_still.sum() <= 9 or penalty == "none"
