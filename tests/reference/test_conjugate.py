"""Products with the Hessian off a copy in columns are those off the rows; Newton-CG ends at the same optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import problem
from widemargin.objective import Theta
from widemargin.solve.conjugate import by_columns, packed, product

WANTED: dict[str, Any] = {"loss": "logistic", "alpha": 1e-4, "solver": "newton_cg"}


def wide(classes: int = 2, ones: bool = False) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(3)
    X = sp.random_array((300, 900), density=0.01, rng=rng, format="csr")
    X.data = np.ones_like(X.data) if ones else X.data - 0.3
    return X, rng.integers(0, classes, 300)


@pytest.mark.parametrize("ones", [False, True])
@pytest.mark.parametrize("intercept", [True, False, "penalised"])
@pytest.mark.parametrize("classes", [2, 3])
def test_products_by_columns_are_those_by_rows(classes: int, intercept: Any, ones: bool) -> None:
    data = wide(classes, ones)
    made = problem(*data, **WANTED, intercept=intercept, multiclass="auto" if classes == 2 else "ovr")[0]
    assert by_columns(made)
    d, K = made.source.d, made.objective.K
    rng = np.random.default_rng(0)
    theta = Theta(rng.standard_normal((d, K)), np.zeros(K))
    kept = {"curvature": rng.random((300, K))}
    p, q = rng.standard_normal((d + 1, K)), np.empty((d + 1, K))
    product(made, theta, kept)(p, q)
    bordered = np.hstack([data[0].toarray(), np.full((300, 1), float(made.objective.intercept != "none"))])
    expected = np.stack([bordered.T @ (kept["curvature"][:, k] * (bordered @ p[:, k])) for k in range(K)], axis=1)
    np.testing.assert_allclose(q, expected, rtol=1e-11, atol=1e-12)


def test_the_last_row_is_the_intercept() -> None:
    theta = Theta(np.arange(6.0).reshape(3, 2), np.array([7.0, 8.0]))
    assert np.array_equal(packed(theta)[-1], theta.b)


@pytest.mark.parametrize("alpha", [1e-2, 1e-6])
def test_wide_rows_end_at_the_same_optimum_with_the_same_bits(alpha: float) -> None:
    X, y = wide()
    wanted = WANTED | {"alpha": alpha, "tol": 1e-9}
    one, two = (wm.fit(X, y, **wanted, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.model.W, two.model.W)
    assert "in columns" in one.trace[-1].note
    twin = wm.fit(X.toarray(), y, **(wanted | {"solver": "newton"}))
    assert one.certificate.verdict.success
    assert one.certificate.objective == pytest.approx(twin.certificate.objective, rel=1e-8)
