"""Softmax loss and slopes to the last digits, also where a row is told so well that its loss is tiny."""

from __future__ import annotations

import numpy as np
import pytest

from problems import problem
from widemargin.objective import Theta


@pytest.mark.parametrize("lead", [0.0, 1.0, 20.0, 40.0, 300.0, 600.0, -30.0, -500.0])
@pytest.mark.parametrize("own", [0, 1, 2])
def test_loss_and_slope_keep_their_digits(lead: float, own: int) -> None:
    """l = log1p(sum of the others' e^(f_k - f_own)); its slope in the own score is -(sum of the others' P)."""
    f = np.array([-1.25, 0.5, 2.0])
    f[own] = np.delete(f, own).max() + lead
    X, y = np.vstack([np.eye(3), f]), np.array([0, 1, 2, own])
    made, _ = problem(X, y, loss="logistic", data={"sample_weight": [1e-300] * 3 + [1.0]})
    sums = made.fold("gradient", Theta(np.eye(3), np.zeros(3)))
    others = np.delete(f, own) - f[own]
    top = max(0.0, others.max())
    rest = float(np.exp(others - top).sum())
    loss = np.log1p(rest) if top == 0 else top + np.log(rest + np.exp(-top))
    np.testing.assert_allclose(sums.value[0], loss, rtol=4e-15 * (1 + abs(lead)))
    assert sums.gradient is not None
    slope = -rest / (np.exp(-top) + rest)
    np.testing.assert_allclose(sums.gradient.b[own], slope, rtol=4e-15 * (1 + abs(lead)))
