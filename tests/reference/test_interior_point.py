"""The interior point solver against simplex (HiGHS) and conic (Clarabel) solvers that share none of its code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

import widemargin as wm
from widemargin.errors import OptionError, Refusal

F64 = NDArray[np.float64]
TOL = 1e-9
CLOSE = 1e-8
INTERCEPTS: dict[str, bool | str] = {"free": True, "none": False, "penalised": "penalised"}


@dataclass(frozen=True)
class Case:
    """One problem in its plainest form; y is -1 / +1."""

    X: F64
    y: F64
    threshold: float = 1.0
    l1: float = 0.0
    l2: float = 0.0
    intercept: str = "free"
    weights: F64 | None = None
    offset: F64 | None = None
    scale: F64 | None = None  # columns are multiplied by it; the oracle works without

    @property
    def p(self) -> F64:
        s = np.ones(len(self.y)) if self.weights is None else self.weights
        return np.asarray(s / s.sum())

    @property
    def h(self) -> F64:
        return np.full(len(self.y), self.threshold) - (0.0 if self.offset is None else self.y * self.offset)

    def objective(self, w: F64, b: float) -> float:
        """P at weights of the unscaled columns, written out."""
        c = np.ones(len(w)) if self.scale is None else self.scale
        losses = np.maximum(self.h - self.y * (self.X @ w + b), 0.0)
        seen = np.append(w / c, b) if self.intercept == "penalised" else w / c
        return float(self.p @ losses + self.l1 * np.abs(seen).sum() + 0.5 * self.l2 * seen @ seen)

    def strengths(self) -> tuple[F64, F64]:
        """l1 and l2 per unknown (w of the unscaled columns, b)."""
        c = np.ones(self.X.shape[1]) if self.scale is None else self.scale
        inverse = np.append(1.0 / c, self.intercept == "penalised")
        return self.l1 * inverse, self.l2 * inverse**2


def oracle(case: Case) -> float:
    """The least objective that another solver finds, evaluated at its point: never below the minimum."""
    n, d = case.X.shape
    l1, l2 = case.strengths()
    margins = case.y[:, None] * np.column_stack([case.X, np.full(n, case.intercept != "none")])
    if case.l2 == 0:  # unknowns u, v >= 0 with (w, b) = u - v, then the losses
        cost = np.concatenate([l1, l1, case.p])
        found = linprog(
            cost, A_ub=np.hstack([-margins, margins, -np.eye(n)]), b_ub=-case.h, method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )  # fmt: skip
        assert found.status == 0, found.message
        unknowns = found.x[: d + 1] - found.x[d + 1 : 2 * d + 2]
    else:
        unknowns = _conic(case.h, case.p, margins, l1, l2)
    return case.objective(unknowns[:d], float(unknowns[d]) if case.intercept != "none" else 0.0)


def _conic(h: F64, p: F64, margins: F64, l1: F64, l2: F64) -> F64:
    clarabel = pytest.importorskip("clarabel")
    n, k = margins.shape
    zero, eye = np.zeros((n, k)), np.eye(k)
    A = np.vstack(
        [
            np.hstack([-margins, -np.eye(n), zero]),
            np.hstack([zero, -np.eye(n), zero]),
            np.hstack([eye, zero.T, -eye]),
            np.hstack([-eye, zero.T, -eye]),
        ]
    )
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    settings.max_iter = 500
    cost = np.concatenate([np.zeros(k), p, l1])
    quadratic = sp.diags(np.concatenate([l2, np.zeros(n + k)])).tocsc()
    right = np.concatenate([-h, np.zeros(n + 2 * k)])
    cones = [clarabel.NonnegativeConeT(len(right))]
    found = clarabel.DefaultSolver(quadratic, cost, sp.csc_matrix(A), right, cones, settings).solve()
    return np.asarray(found.x)[:k]


def fitted(case: Case, **options: Any) -> wm.Fit:
    alpha = case.l1 + case.l2
    penalty = "none" if alpha == 0 else f"elastic_net:{case.l1 / alpha}"
    X = options.pop("X", case.X if case.scale is None else case.X * case.scale)
    return wm.fit(
        X, case.y, loss="perceptron" if case.threshold == 0 else "hinge", penalty=penalty, alpha=alpha,
        intercept=INTERCEPTS[case.intercept], sample_weight=case.weights, offset=case.offset, tol=TOL,
        solver="interior_point", **options,
    )  # fmt: skip


def check(case: Case, **options: Any) -> wm.Fit:
    """bound <= the oracle's value, value <= the oracle's value to 1e-8, and value - bound within the tolerance.

    A bound above the minimum would show: the oracle would be below it.  A value that is below the oracle's is no
    mistake, for the value is recomputed here from the weights alone.
    """
    best = oracle(case)
    fit = fitted(case, **options)
    proof, scale = fit.certificate, 1.0 if case.scale is None else case.scale
    assert proof.verdict.success, proof
    recomputed = case.objective(fit.model.weights * scale, float(fit.model.intercept))
    assert proof.objective == pytest.approx(recomputed, rel=CLOSE, abs=1e-15)
    assert proof.lower_bound <= best * (1 + 1e-12) + 1e-15
    assert proof.objective <= best * (1 + CLOSE) + 1e-15
    return fit


def noisy(n: int, d: int, seed: int = 0) -> tuple[F64, F64]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    y = np.where(X[:, : min(d, 5)] @ rng.normal(size=min(d, 5)) + 2 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


STRENGTHS = [(0.03, 0.0), (0.0, 0.03), (0.02, 0.01), (1e-4, 0.0), (0.0, 1e-4), (1e-4, 1e-4)]


@pytest.mark.parametrize("intercept", list(INTERCEPTS))
@pytest.mark.parametrize(("l1", "l2"), [*STRENGTHS, (0.0, 0.0)])
@pytest.mark.parametrize("shape", [(70, 6), (30, 80)])
def test_any_penalty_intercept_and_shape(shape: tuple[int, int], l1: float, l2: float, intercept: str) -> None:
    check(Case(*noisy(*shape), l1=l1, l2=l2, intercept=intercept))


@pytest.mark.parametrize("intercept", list(INTERCEPTS))
@pytest.mark.parametrize(("l1", "l2"), [*STRENGTHS[:3], (0.0, 0.0)])
@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_offsets_with_weights_that_may_be_zero(threshold: float, l1: float, l2: float, intercept: str) -> None:
    X, y = noisy(80, 5, seed=1)
    rng = np.random.default_rng(2)
    weights = np.where(rng.random(80) < 0.3, 0.0, rng.exponential(size=80) ** 2)
    weights[5:8] = 1e-9, 1e3, 1.0
    check(Case(X, y, threshold, l1, l2, intercept, weights, 2 * rng.normal(size=80)))


@pytest.mark.parametrize(("l1", "l2"), STRENGTHS)
@pytest.mark.parametrize("shape", [(60, 6), (20, 50)])
def test_duplicate_rows_and_columns_and_a_constant_column(shape: tuple[int, int], l1: float, l2: float) -> None:
    X, y = noisy(*shape, seed=3)
    X = np.hstack([X, X[:, :3], np.full((len(X), 1), 3.7), np.zeros((len(X), 1))])
    rows = np.concatenate([np.arange(len(X)), np.arange(10), np.arange(10)])
    labels = np.concatenate([y, y[:10], -y[:10]])  # the same rows with both labels
    check(Case(X[rows], labels, l1=l1, l2=l2))


@pytest.mark.parametrize(("l1", "l2"), [(1e-3, 0.0), (0.0, 1e-3), (1e-3, 1e-3)])
@pytest.mark.parametrize("shape", [(70, 6), (25, 40)])
def test_columns_of_very_different_scale(shape: tuple[int, int], l1: float, l2: float) -> None:
    X, y = noisy(*shape, seed=4)
    scale = np.logspace(-6, 6, shape[1])
    check(Case(X, y, l1=l1, l2=l2, scale=np.random.default_rng(5).permutation(scale)))


@pytest.mark.parametrize(("l1", "l2"), STRENGTHS)
def test_a_column_far_from_zero_is_centred(l1: float, l2: float) -> None:
    X, y = noisy(60, 4, seed=6)
    far = X + np.array([1e7, 0.0, -3e5, 0.0])
    shifted, plain = fitted(Case(far, y, l1=l1, l2=l2)), fitted(Case(X, y, l1=l1, l2=l2))
    # a free intercept absorbs the shift; 1e7 leaves nine digits of the column itself
    assert shifted.certificate.objective == pytest.approx(plain.certificate.objective, rel=1e-7)


@pytest.mark.parametrize(("l1", "l2"), [*STRENGTHS[:3], (0.0, 0.0)])
@pytest.mark.parametrize("shape", [(120, 8), (25, 60)])
def test_layouts_agree(shape: tuple[int, int], l1: float, l2: float) -> None:
    X, y = noisy(*shape, seed=7)
    X = np.where(np.random.default_rng(8).random(X.shape) < 0.6, 0.0, np.round(X, 1)).astype(np.float32)
    case = Case(X.astype(float), y, l1=l1, l2=l2)
    dense = check(case)
    for other in (sp.csr_array(case.X), sp.csr_array(X), X):
        fit = check(case, X=other)
        assert fit.certificate.objective == pytest.approx(dense.certificate.objective, rel=CLOSE, abs=1e-15)


@pytest.mark.parametrize("columns", [40, 150])
def test_wide_gram_routes_agree_with_the_oracle(columns: int) -> None:
    """Few columns go through the core's sums, many through tiles: both against the oracle, dense and sparse."""
    X, y = noisy(columns + 60, columns, seed=9)
    X = np.where(np.random.default_rng(10).random(X.shape) < 0.8, 0.0, X)
    for l1, l2 in ((2e-3, 0.0), (0.0, 1e-2)):
        case = Case(X, y, l1=l1, l2=l2)
        check(case)
        check(case, X=sp.csr_array(X))


def test_a_weight_is_a_repetition() -> None:
    X, y = noisy(50, 4, seed=11)
    times = np.random.default_rng(12).integers(0, 4, 50)
    times[:2] = 1
    weighted = fitted(Case(X, y, l1=0.01, l2=0.01, weights=times.astype(float)))
    repeated = fitted(Case(np.repeat(X, times, axis=0), np.repeat(y, times), l1=0.01, l2=0.01))
    np.testing.assert_allclose(weighted.model.weights, repeated.model.weights, atol=1e-6)


def test_l1_leaves_exact_zeros() -> None:
    X, y = noisy(40, 200, seed=13)
    fit = fitted(Case(X, y, l1=0.02))
    assert np.count_nonzero(fit.model.weights) <= 41  # a vertex has at most one non-zero a row, and b


def test_separable_rows_without_a_penalty_reach_zero() -> None:
    X, y = noisy(20, 60, seed=14)
    proof = fitted(Case(X, y)).certificate
    assert proof.objective == 0.0
    assert proof.lower_bound == 0.0


@pytest.mark.data
@pytest.mark.parametrize("penalty", ["l1", "l2", "elastic_net:0.5"])
@pytest.mark.parametrize("name", ["breast_cancer_wdbc", "spambase", "leukemia"])
def test_raw_tables_to_the_last_digits(name: str, penalty: str, data_folder: Path) -> None:
    """Unscaled columns (spambase up to 15,841), and 72 rows of 7,070 columns."""
    pandas = pytest.importorskip("pandas")
    table = pandas.read_parquet(data_folder / name / "data.parquet")
    X = table.drop(columns=[c for c in ("target", "split") if c in table]).to_numpy(float)
    y = table["target"].to_numpy()
    for alpha in (1e-1, 1e-5):
        fit = wm.fit(X, y, loss="hinge", penalty=penalty, alpha=alpha, solver="interior_point", tol=CLOSE)
        assert fit.certificate.relative_gap <= CLOSE
        assert fit.certificate.verify(X, y)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_one_against_the_rest_is_three_fits(penalty: str) -> None:
    X, _ = noisy(90, 5, seed=15)
    y = np.random.default_rng(16).integers(0, 3, 90)
    y[X[:, 0] > 0.5] = 2
    options: dict[str, Any] = {
        "loss": "hinge",
        "penalty": penalty,
        "alpha": 5e-3,
        "solver": "interior_point",
        "tol": TOL,
    }
    together = wm.fit(X, y, **options)
    for k in range(3):
        alone = wm.fit(X, np.where(y == k, 1, -1), **options)
        assert together.certificate.values[k] == pytest.approx(alone.certificate.objective, rel=CLOSE)
    assert together.certificate.verify(X, y)


def test_value_never_rises_and_bound_never_falls() -> None:
    X, y = noisy(200, 20, seed=17)
    events = fitted(Case(X, y, l1=1e-3)).trace
    values, bounds = np.array([e.objective for e in events]), np.array([e.bound for e in events])
    assert np.all(np.diff(values) <= 0)
    assert np.all(np.diff(bounds) >= 0)


def test_a_warm_start_is_never_made_worse() -> None:
    case = Case(*noisy(80, 6, seed=18), l2=0.02)
    first = fitted(case)
    again = fitted(replace(case, l2=0.021), warm=first.model)
    assert again.certificate.verdict.success
    assert again.trace[0].objective <= 1.01 * first.certificate.objective


def test_what_it_cannot_do_is_refused_with_a_way_out() -> None:
    X, y = noisy(30, 3)
    with pytest.raises(Refusal, match="newton"):
        wm.fit(X, y, loss="logistic", solver="interior_point")
    with pytest.raises(Refusal, match="'gd'"):
        wm.fit(X, y, loss="hinge", penalty="l2_norm", solver="interior_point")
    with pytest.raises(Refusal, match="'ovr'"):
        wm.fit(X, np.arange(30) % 3, loss="hinge", multiclass="crammer_singer", solver="interior_point")
    with pytest.raises(Refusal, match=r"8001 x 8001.*'dual_cd'"):
        wm.fit(sp.eye_array(8001, format="csr"), np.arange(8001) % 2, loss="hinge", solver="interior_point")
    with pytest.raises(OptionError, match="at least 1"):
        wm.fit(X, y, loss="hinge", solver="interior_point:max_iterations=0")


def test_the_limit_of_iterations_is_a_verdict() -> None:
    X, y = noisy(100, 8)
    with pytest.warns(wm.NotConverged, match="limit"):
        fit = wm.fit(X, y, loss="hinge", penalty="l1", solver="interior_point:max_iterations=2")
    assert len(fit.trace) == 2
