"""Sums over long vectors: right, the same bits whatever lies around them, and on one thread."""

from __future__ import annotations

import numpy as np
import pytest

from widemargin import _core


@pytest.mark.parametrize("size", [0, 1, 7, 511, 512, 513, 100_003])
def test_inner_and_distance(size: int) -> None:
    random = np.random.default_rng(size)
    a, b = random.standard_normal((2, size))
    np.testing.assert_allclose(_core.inner(a, b), np.sum(a * b), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(_core.distance(a, b), np.sqrt(np.sum((a - b) ** 2)), rtol=1e-14)
    assert _core.distance(a, a) == 0.0


def test_any_order_is_read() -> None:
    A, B = np.random.default_rng(1).standard_normal((2, 300, 4))
    assert _core.inner(np.asfortranarray(A), B) == _core.inner(A, B)
    assert _core.distance(A[::2], B[::2]) == _core.distance(A[::2].copy(), B[::2].copy())


def test_a_long_step_overflows_to_inf_and_nan_is_not_hidden() -> None:
    huge, zero = np.full(3, 1e300), np.zeros(3)
    assert _core.distance(huge, zero) == np.inf
    assert np.isnan(_core.inner(np.array([np.nan]), np.ones(1)))


def test_sizes_must_agree() -> None:
    with pytest.raises(ValueError, match="different sizes"):
        _core.inner(np.ones(3), np.ones(4))
    with pytest.raises(ValueError, match="different sizes"):
        _core.distance(np.ones(3), np.ones(4))
