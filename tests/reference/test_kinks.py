"""Losses with one kink against an interior point, where rows and columns are many enough for methods of their own."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from widemargin.fitting import Fit

INTERCEPTS = (True, False, "penalised")
KINKED = [name for name, loss in wm.losses.items() if loss.piecewise_linear]


def tall(n: int = 4000, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, d)) + 0.3
    return X, np.where(X @ rng.standard_normal(d) + 0.7 + rng.standard_normal(n) > 0, 1.0, -1.0)


def text(n: int = 600, d: int = 1500) -> tuple[sp.csr_array, np.ndarray]:
    rng = np.random.default_rng(6)
    X = sp.random_array((n, d), density=0.01, rng=rng, format="csr")
    return X, np.where(X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n) > 0.1, 1.0, -1.0)


def proved(fitted: Fit, X: object, y: np.ndarray, tol: float, **data: object) -> float:
    certificate = fitted.certificate
    assert certificate.relative_gap <= tol
    assert certificate.verify(X, y, **data)
    return certificate.objective


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", KINKED)
@pytest.mark.parametrize("solver", ["kink_newton", "kink_cd"])
def test_tall(loss: str, intercept: object, solver: str) -> None:
    X, y = tall()
    rng = np.random.default_rng(7)
    data = {"sample_weight": rng.integers(0, 3, len(y)).astype(float), "offset": 0.3 * rng.standard_normal(len(y))}
    options = {"loss": loss, "alpha": 1e-2, "intercept": intercept, "tol": 1e-8}
    ours = proved(wm.fit(X, y, solver=solver, **options, **data), X, y, 1e-8, **data)
    exact = proved(wm.fit(X, y, solver="interior_point", **options, **data), X, y, 1e-8, **data)
    assert ours == pytest.approx(exact, rel=2e-8)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("alpha", [1e-1, 1e-3, 1e-5])
def test_sparse(alpha: float, intercept: object) -> None:
    X, y = text()
    options = {"loss": "hinge", "alpha": alpha, "intercept": intercept, "tol": 1e-7}
    ours = proved(wm.fit(X, y, solver="kink_cd", **options), X, y, 1e-7)
    exact = proved(wm.fit(X, y, solver="interior_point", **options), X, y, 1e-7)
    assert ours == pytest.approx(exact, rel=2e-7)


def test_a_free_intercept_costs_no_more_than_none() -> None:
    X, y = text()
    passes = [
        wm.fit(X, y, loss="hinge", alpha=1e-3, intercept=intercept, solver="kink_cd", tol=1e-7).trace[-1].passes
        for intercept in (True, False)
    ]
    assert passes[0] <= 2 * passes[1]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("solver", ["kink_newton", "kink_cd"])
def test_bits(solver: str, threads: int) -> None:
    X, y = tall()
    one, other = (wm.fit(X, y, loss="hinge", alpha=1e-2, solver=solver, threads=t).model.weights for t in (1, threads))
    assert np.array_equal(one, other)


def test_a_warm_start_is_nearer() -> None:
    X, y = tall()
    cold = wm.fit(X, y, loss="hinge", alpha=1e-2, solver="kink_cd")
    warm = wm.fit(X, y, loss="hinge", alpha=1.1e-2, solver="kink_cd", warm=cold.model)
    again = wm.fit(X, y, loss="hinge", alpha=1.1e-2, solver="kink_cd")
    assert warm.trace[-1].passes < again.trace[-1].passes
    assert warm.certificate.objective == pytest.approx(again.certificate.objective, rel=2e-6)
