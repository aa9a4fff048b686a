"""K = A A', H = L L' and H^-1 g in tiles: right at every size around a tile's, the same bits at any thread count."""

from __future__ import annotations

import numpy as np
import pytest

from widemargin._types import Array
from widemargin.solve.symmetric import add_outer, factored, outer, solved, times

SIZES = (0, 1, 2, 7, 63, 64, 65, 95, 96, 97, 160, 191, 193, 300, 513)


def positive(n: int, seed: int = 0) -> Array:
    A = np.random.default_rng([n, seed]).standard_normal((n, n + 3))
    return A @ A.T + np.eye(n)


@pytest.mark.parametrize("n", SIZES)
def test_the_factor_is_lapacks(n: int) -> None:
    H = positive(n)
    L = factored(H.copy())
    assert L is not None
    expected = np.linalg.cholesky(H) if n else H
    np.testing.assert_allclose(np.tril(L), expected, rtol=1e-10, atol=1e-12 * np.sqrt(np.max(H, initial=1.0)))


@pytest.mark.parametrize("n", SIZES[1:])
def test_systems_are_solved(n: int) -> None:
    H, x = positive(n), np.random.default_rng(n).standard_normal(n)
    L = factored(H.copy())
    assert L is not None
    residual = times(H, solved(L, times(H, x))) - times(H, x)
    assert np.abs(residual).max() <= 1e-12 * np.linalg.cond(H) ** 0.5 * np.abs(times(H, x)).max()
    np.testing.assert_allclose(times(H, x), H @ x, rtol=1e-11, atol=1e-11 * np.abs(H).max())


@pytest.mark.parametrize("n", [1, 64, 65, 200])
@pytest.mark.parametrize("spoilt", [-1.0, 0.0, np.nan, np.inf])
def test_what_is_not_positive_is_refused(n: int, spoilt: float) -> None:
    for at in {0, n // 2, n - 1}:
        H = positive(n)
        H[at] = H[:, at] = 0.0
        H[at, at] = spoilt
        assert factored(H) is None


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (97, 20), (192, 300), (100, 600), (300, 0)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "?"])
@pytest.mark.parametrize("order", ["C", "F", "every other"])
def test_the_product_takes_any_numbers_in_any_order(shape: tuple[int, int], dtype: str, order: str) -> None:
    n, k = shape
    A = (4 * np.random.default_rng(n).standard_normal((n, 2 * k if order == "every other" else k))).astype(dtype)
    A = A[:, ::2] if order == "every other" else np.array(A, order=order)  # type: ignore[call-overload]
    expected = A.astype(float) @ A.T.astype(float)
    K = outer(A, 1)
    np.testing.assert_allclose(K, expected, rtol=1e-12, atol=1e-12 * max(1, k))
    assert np.array_equal(K, K.T)


def test_columns_may_be_added_up_as_well() -> None:
    A = np.random.default_rng(1).standard_normal((500, 130))
    K = np.eye(130)
    add_outer(A.T, K, 2)
    np.testing.assert_allclose(K, np.eye(130) + A.T @ A, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("n", [200, 513])
def test_threads_do_not_change_a_bit(n: int) -> None:
    A = np.random.default_rng(n).standard_normal((n, 700))
    products = [outer(A, threads) for threads in (1, 2, 3, 5)]
    factors = [factored(products[0] + np.eye(n), threads) for threads in (1, 2, 3, 5)]
    for K, L in zip(products, factors, strict=True):
        assert L is not None
        assert factors[0] is not None
        assert K.tobytes() == products[0].tobytes()
        assert np.tril(L).tobytes() == np.tril(factors[0]).tobytes()
