"""Samples that stand for all rows, and the solvers that start from them or from the kernel of few rows."""

from __future__ import annotations

import numpy as np
import pytest

import widemargin as wm
from widemargin._types import F64, Array
from widemargin.data.intake import intake
from widemargin.solve.sample import FEWEST, places

N = 24_000


def rows(classes: int, n: int = N, d: int = 12) -> tuple[F64, Array]:
    random = np.random.default_rng(classes)
    X = random.standard_normal((n, d)) * np.geomspace(0.1, 3, d)
    scores = X @ random.standard_normal((d, classes)) + 2 * random.gumbel(size=(n, classes))
    return X, scores.argmax(axis=1)


@pytest.mark.parametrize("step", [2, 8, 64])
@pytest.mark.parametrize("order", ["mixed", "sorted", "periodic"])
def test_a_sample_keeps_the_share_of_every_class(order: str, step: int) -> None:
    y = np.arange(N) % step if order == "periodic" else np.random.default_rng(0).integers(0, 3, N)
    y = np.sort(y) if order == "sorted" else y
    source = intake(np.zeros((N, 1)), (y == 0) + 2 * (np.arange(N) < 40)).source
    index, factor = places(source, step)
    assert np.all(np.diff(index) > 0)
    for value in np.unique(source.y):
        members, chosen = source.y == value, source.y[index] == value
        assert factor[chosen].sum() == pytest.approx(members.sum())
        assert chosen.sum() >= min(FEWEST, members.sum())
    np.testing.assert_array_equal(index, places(source, step)[0])


def test_a_period_of_the_step_hides_nothing() -> None:
    x = (np.arange(N) % 16 == 3).astype(float)  # with a stride of 16 always 0 or always 1
    source = intake(x[:, None], np.arange(N) // 2 % 2).source
    index, factor = places(source, 16)
    assert x[index] @ factor == pytest.approx(x.sum(), rel=0.2)


@pytest.mark.parametrize("intercept", [True, False, "penalised"])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "modified_huber"])
def test_samples_lead_to_the_optimum_of_all_rows(loss: str, classes: int, intercept: bool | str) -> None:
    X, y = rows(classes)
    order = np.argsort(y, kind="stable")  # rows by class, as they often come
    X, y = X[order], y[order]
    weight = np.random.default_rng(3).integers(0, 3, N).astype(float)
    offset = 0.3 * X[:, 0] if classes == 2 else 0.3 * X[:, :classes]
    fit = wm.fit(
        X, y, loss=loss, alpha=1e-5, solver="sampled_newton", intercept=intercept, tol=1e-8, sample_weight=weight,
        offset=offset, multiclass="auto" if classes == 2 else "ovr",
    )  # fmt: skip
    assert fit.certificate.verdict.success
    assert fit.trace[0].note.startswith("sample of")
    assert fit.trace[-1].passes < 12
    assert fit.certificate.verify(X, y, sample_weight=weight, offset=offset).ok


def test_many_columns_take_one_hessian_of_a_sample() -> None:
    X, y = rows(2, n=8000, d=300)
    fit = wm.fit(X, y, alpha=1e-5, solver="sampled_newton", tol=1e-8)
    assert fit.certificate.verdict.success
    assert fit.trace[1].note.startswith("Hessian of")


def test_auto_samples_where_rows_are_many() -> None:
    X, y = rows(2)
    assert wm.fit(X, y, alpha=1e-4).solver == "sampled_newton"
    assert wm.fit(X[:2000], y[:2000], alpha=1e-4).solver == "newton"


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("intercept", [True, False, "penalised"])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "exponential"])
def test_few_rows_are_solved_in_their_own_coefficients(loss: str, intercept: bool | str, classes: int) -> None:
    X, y = rows(classes, n=60, d=400)
    shared = {"loss": loss, "alpha": 0.05, "intercept": intercept, "tol": 1e-10, "multiclass": "ovr"}
    shared |= {"sample_weight": np.arange(60) % 4 * 1.0, "offset": 0.1 * (X[:, 0] if classes == 2 else X[:, :classes])}
    fit = wm.fit(X, y, solver="kernel_newton", **shared)  # type: ignore[arg-type]
    assert fit.certificate.verdict.success
    other = wm.fit(X, y, solver="newton_cg", **shared)  # type: ignore[arg-type]
    np.testing.assert_allclose(fit.model.W, other.model.W, atol=1e-4)
    assert wm.fit(X, y, loss=loss, alpha=0.05, multiclass="ovr").solver == "kernel_newton"


@pytest.mark.parametrize("intercept", [True, False, "penalised"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_rough_kernel_leads_to_the_same_optimum(intercept: bool | str, classes: int) -> None:
    X, y = rows(classes, n=250, d=1700)
    offset = 0.1 * (X[:, 0] if classes == 2 else X[:, :classes])
    shared = {"alpha": 0.01, "intercept": intercept, "multiclass": "ovr", "offset": offset, "solver": "kernel_newton"}
    fit, exact = (wm.fit(X, y, tol=tol, **shared) for tol in (1e-9, 1e-12))  # type: ignore[arg-type]
    assert fit.certificate.verdict.success
    assert fit.certificate.verify(X, y, offset=offset).ok
    assert fit.trace[0].note.endswith("rough")
    assert not exact.trace[0].note.endswith("rough")
    np.testing.assert_allclose(fit.model.W, exact.model.W, atol=1e-5)


@pytest.mark.parametrize("scale", [1e-25, 1e25])
def test_numbers_beyond_single_precision_take_the_exact_kernel(scale: float) -> None:
    X, y = rows(2, n=250, d=1700)
    fit = wm.fit(scale * X, y, alpha=0.05 * scale**2, solver="kernel_newton")
    assert fit.certificate.verdict.success
    assert not fit.trace[0].note.endswith("rough")


def test_exp_and_log_are_those_of_the_real_numbers() -> None:
    z = np.concatenate([np.linspace(-700, 700, 20001), np.linspace(-1, 1, 20001)])
    exact = np.exp(-z.astype(np.longdouble))
    close(wm.losses["exponential"].value(z), exact)
    close(wm.losses["logistic"].value(z), np.log1p(exact))
    close(wm.losses["logistic"].d1(z), -exact / (1 + exact))


def close(found: F64, exact: Array) -> None:
    assert np.max(np.abs(found - exact) / np.spacing(np.abs(exact.astype(float)))) < 3
