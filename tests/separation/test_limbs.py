"""Sums of many rows in limbs are those of Python's integers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from widemargin.data.rows import Rows
from widemargin.separation import limbs
from widemargin.separation.epsilon import epsilon
from widemargin.separation.integers import combined, power
from widemargin.separation.limbs import weighted_sums
from widemargin.separation.signed import Signed

RANDOM = np.random.default_rng(0)
DENSE = RANDOM.standard_normal((300, 7)) * np.where(
    RANDOM.random((300, 7)) < 0.4, 0.0, 2.0 ** RANDOM.integers(-9, 9, 7)
)


def signed(X: Any, intercept: bool) -> Signed:
    y = np.where(np.arange(X.shape[0]) % 3 == 0, 1.0, -1.0)
    if isinstance(X, np.ndarray):
        return Signed(Rows(*X.shape, X), y, intercept)
    return Signed(Rows(*X.shape, X.data, X.indices.astype(np.int32), X.indptr.astype(np.int64)), y, intercept)


def fractions(found: tuple[list[int], Any]) -> list[Fraction]:
    sums, e = found
    each = np.broadcast_to(e, len(sums)).tolist()
    return [n * power(int(k)) for n, k in zip(sums, each, strict=True)]


@pytest.mark.parametrize("bits", [1, 53, 54, 55, 200])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(
    "X",
    [
        DENSE,
        DENSE.astype(np.float32),
        csr_array(DENSE),
        np.sign(DENSE),
        np.full((300, 2), 1 - 2.0**-53),
        np.zeros((300, 2)),
        DENSE * 1e-310,
        DENSE * np.where(np.arange(7) % 2, 1e300, 1e-300),
    ],
)
def test_the_sums_are_those_of_whole_numbers(X: Any, intercept: bool, bits: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(limbs, "ENTRIES", 64)  # several parts
    A, rows = signed(X, intercept), np.sort(RANDOM.permutation(300)[:211])
    counts = [1 + int.from_bytes(RANDOM.bytes(26)) % ((1 << bits) - 1 or 1) for _ in rows]
    counts[0] = (1 << bits) - 1 or 1
    assert fractions(weighted_sums(A, rows, counts)) == fractions(combined(A.entries(rows), counts, A.d))


def test_no_rows_have_the_sum_0() -> None:
    assert not any(weighted_sums(signed(DENSE, True), np.zeros(0, dtype=np.int64), [])[0])


@pytest.mark.parametrize("intercept", [False, True])
def test_epsilon_is_the_length_of_the_combination(intercept: bool) -> None:
    """With an intercept both classes weigh the same: half the distance of two points of their hulls."""
    A, weights = signed(DENSE, intercept), RANDOM.random(300)
    s = A.y * weights
    s = np.where(A.y > 0, s / s[A.y > 0].sum(), -s / s[A.y < 0].sum()) / 2 if intercept else s / weights.sum()
    found = epsilon(A, np.arange(300), weights)
    assert found == pytest.approx(np.linalg.norm(s @ DENSE), rel=1e-12)
