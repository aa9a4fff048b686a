"""Dual descent by many hands, then Newton: the same optimum as Newton's, the same bits at any thread count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import problem
from widemargin.fitting import Fit
from widemargin.solve.dual_rounds import PARTS, cut

SMOOTH = [name for name, loss in wm.losses.items() if loss.convex and loss.smooth]


def text(n: int, d: int, per_row: int, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Rows of unit length whose columns are unevenly common, labels with noise."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n), per_row)
    columns = np.minimum((d * rng.random(n * per_row) ** 2).astype(int), d - 1)
    X = sp.csr_array((rng.uniform(0.5, 1.5, n * per_row), (rows, columns)), shape=(n, d))
    X.sum_duplicates()
    X = sp.csr_array(sp.diags_array(1 / np.sqrt((X * X).sum(axis=1))) @ X)
    score = X @ rng.standard_normal(d)
    return X, np.where(score / score.std() + 0.4 + rng.standard_normal(n) > 0, 1, -1)


@pytest.mark.parametrize("intercept", [True, False, "penalised"])
@pytest.mark.parametrize("loss", SMOOTH)
def test_the_optimum_is_newtons(loss: str, intercept: Any) -> None:
    X, y = text(400, 90, 8)
    rng = np.random.default_rng(1)
    more = {"sample_weight": rng.uniform(0, 2, 400) * (rng.random(400) < 0.9), "offset": rng.normal(0, 0.3, 400)}
    for alpha in (1e-1, 1e-3, 1e-5):
        wanted: dict[str, Any] = {"loss": loss, "alpha": alpha, "intercept": intercept, "tol": 1e-8, **more}
        fitted, twin = wm.fit(X, y, solver="dual_newton", **wanted), wm.fit(X, y, solver="newton", **wanted)
        assert fitted.certificate.verdict.success
        assert fitted.certificate.objective == pytest.approx(twin.certificate.objective, rel=3e-8)
        assert fitted.certificate.verify(X, y, **more).ok


@pytest.fixture(scope="module")
def large() -> tuple[Any, np.ndarray]:
    """Enough stored values per column for two parts."""
    return text(20_000, 400, 70)


def in_parts(large: tuple[Any, np.ndarray], **wanted: Any) -> Fit:
    X, y = large
    return wm.fit(X, y, solver="dual_newton", tol=1e-7, **wanted)


@pytest.mark.parametrize("loss", SMOOTH)
def test_parts_merge_to_the_same_bits_at_any_thread_count(loss: str, large: tuple[Any, np.ndarray]) -> None:
    wanted = {"loss": loss, "alpha": 1e-4}
    assert cut(problem(*large, solver="dual_newton", **wanted)[0]).parts == PARTS
    one, two = (in_parts(large, threads=threads, **wanted) for threads in (1, 2))
    assert np.array_equal(one.model.W, two.model.W)
    assert np.array_equal(one.model.b, two.model.b)
    assert [event.objective for event in one.trace] == [event.objective for event in two.trace]
    assert one.certificate.verdict.success
    assert one.certificate.verify(*large).ok


def test_strong_penalties_need_few_sweeps_and_weak_ones_newton(large: tuple[Any, np.ndarray]) -> None:
    few, many = (in_parts(large, alpha=alpha) for alpha in (1e-3, 1e-8))
    assert few.trace[-1].passes < many.trace[-1].passes
    assert not any("Newton" in event.note for event in few.trace)
    assert any("dual descent would need" in event.note for event in many.trace)
    assert many.certificate.verdict.success


def test_classes_are_swept_together() -> None:
    X, y = text(500, 80, 8)
    labels = y + (X @ np.ones(80) > 2.5)
    fitted, twin = (
        wm.fit(X, labels, alpha=1e-3, multiclass="ovr", solver=solver, tol=1e-8) for solver in ("dual_newton", "newton")
    )
    assert fitted.certificate.objective == pytest.approx(twin.certificate.objective, rel=1e-7)
    assert fitted.certificate.verify(X, labels).ok


def test_a_warm_start_is_taken_up() -> None:
    X, y = text(2000, 300, 20)
    cold = wm.fit(X, y, alpha=1e-3, solver="dual_newton", tol=1e-8)
    warm = wm.fit(X, y, alpha=1e-3, solver="dual_newton", tol=1e-8, warm=cold.model)
    assert warm.certificate.verdict.success
    assert warm.trace[-1].passes < cold.trace[-1].passes
