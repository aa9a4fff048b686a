"""Far more rows on the margin than unknowns, as one-hot columns have: duals are many, w is one."""

from __future__ import annotations

import numpy as np
import pytest

import widemargin as wm
from svm.cases import optimum


def levels(n: int, seed: int, fields: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """One-hot fields of k levels, separated by whole weights."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, k, (n, fields))
    X = (codes[:, :, None] == np.arange(k)).reshape(n, -1).astype(float)
    z = X @ random.integers(-3, 4, fields * k)
    return X, np.where(z > np.median(z) + 0.5, 1.0, -1.0)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("off", [0.0, 1e-7, 1e-6])
def test_a_row_that_nearly_touches_the_margin_does_not_spoil_the_others(seed: int, off: float) -> None:
    X, y = levels(300, seed, 6, 3)
    first = wm.hard_margin(X, y)
    w, chosen = first.model.weights, first.support[:3]
    assert len(first.support) > 3 * X.shape[1]
    X = np.vstack([X, X[chosen] + off * y[chosen, None] * w / (w @ w)])
    y = np.append(y, y[chosen])
    found = wm.hard_margin(X, y)
    assert found.kkt.worst <= 1e-9
    assert found.objective == pytest.approx(optimum(X, y, None, True), rel=1e-6)
    assert found.verify(X, y).ok
