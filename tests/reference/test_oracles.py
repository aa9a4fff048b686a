"""Optima found by others: SciPy's L-BFGS-B and Clarabel's conic programmes lie between bound and objective."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import logsumexp

import widemargin as wm
from problems import CERTIFYING, CONVEX, INTERCEPTS, SHARED, fit, overlapping, problem, reaches_optimum
from widemargin.errors import Refusal

ALPHA = 0.05
NEAR = 1e-8  # relative: what the oracles themselves reach
X, Y = overlapping(2, n=50)
X3, Y3 = overlapping(3, n=50)
RANDOM = np.random.default_rng(12)
WEIGHTS = np.where(np.arange(50) % 5 == 1, 0.0, RANDOM.uniform(0.2, 3.0, 50))
OFFSETS = RANDOM.standard_normal(50)
OFFSETS3 = RANDOM.standard_normal((50, 3))


@dataclass(frozen=True)
class Case:
    """One binary problem as the oracles see it."""

    X: np.ndarray
    y: np.ndarray
    p: np.ndarray
    o: np.ndarray
    intercept: Any

    @property
    def rows(self) -> np.ndarray:
        """X with a column of ones."""
        return np.column_stack([self.X, np.ones(len(self.X))])

    @property
    def strength(self) -> np.ndarray:
        """1 where the penalty acts."""
        return np.append(np.ones(self.X.shape[1]), 1.0 if self.intercept == "penalised" else 0.0)

    def objective(self, loss: Any, l1: float, l2: float, theta: np.ndarray) -> float:
        """P at (w, b)."""
        z = self.y * (self.rows @ theta + self.o)
        return float(self.p @ loss.value(z) + self.strength @ (l1 * np.abs(theta) + l2 / 2 * theta**2))


def case(intercept: Any, s: Any = None, o: Any = None, X: np.ndarray = X, y: np.ndarray = Y) -> Case:
    s = np.ones(len(y)) if s is None else s
    return Case(X, np.where(y > 0, 1.0, -1.0), s / s.sum(), np.zeros(len(y)) if o is None else o, intercept)


def scipy_minimum(loss: Any, l1: float, l2: float, at: Case) -> float:
    """w = u - v with u, v >= 0: smooth with bounds, so L-BFGS-B solves it; restarted until it stands still."""
    A, strength, m = at.rows, at.strength, at.X.shape[1] + 1

    def value(x: np.ndarray) -> tuple[float, np.ndarray]:
        theta, size = x[:m] - x[m:], x[:m] + x[m:]
        z = at.y * (A @ theta + at.o)
        slope = A.T @ (at.p * at.y * loss.d1(z)) + l2 * strength * theta
        total = at.p @ loss.value(z) + strength @ (l1 * size + l2 / 2 * theta**2)
        return float(total), np.concatenate([slope + l1 * strength, -slope + l1 * strength])

    top = 0.0 if at.intercept is False else None
    limits = ([(0.0, None)] * (m - 1) + [(0.0, top)]) * 2
    tight = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-14, "gtol": 1e-10, "maxcor": 30}
    x, best = np.zeros(2 * m), np.inf
    for _ in range(10):
        with np.errstate(over="ignore"):
            found = minimize(value, x, jac=True, method="L-BFGS-B", bounds=limits, options=tight)
        if found.fun >= best - 1e-11 * abs(best):
            break
        x, best = found.x, found.fun
    return float(min(best, found.fun))


def conic_minimum(loss: Any, l1: float, l2: float, at: Case) -> float:
    """min p.xi + l1 |w|_1 + l2 |w|^2 / 2 subject to xi >= t - z, xi >= 0: a quadratic programme."""
    clarabel = pytest.importorskip("clarabel")
    n, m = len(at.y), at.X.shape[1] + 1
    P = sp.diags_array(np.concatenate([l2 * at.strength, np.zeros(m + n)]))  # unknowns: theta, |theta|, xi
    q = np.concatenate([np.zeros(m), l1 * at.strength, at.p])
    one, rows = sp.eye_array(m), sp.eye_array(n)
    blocks = [[-at.y[:, None] * at.rows, None, -rows], [None, None, -rows], [one, -one, None], [-one, -one, None]]
    h = np.concatenate([at.y * at.o - loss.threshold, np.zeros(n + 2 * m)])
    cones = [clarabel.NonnegativeConeT(2 * n + 2 * m)]
    G = sp.block_array(blocks)
    if at.intercept is False:
        fixed = sp.csc_array(([1.0], ([0], [m - 1])), shape=(1, 2 * m + n))
        G, h, cones = sp.vstack([fixed, G]), np.append(0.0, h), [clarabel.ZeroConeT(1), *cones]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    found = clarabel.DefaultSolver(sp.csc_matrix(P), q, sp.csc_matrix(G), h, cones, settings).solve()
    return at.objective(loss, l1, l2, np.array(found.x)[:m])


ORACLES: dict[bool, Callable[[Any, float, float, Case], float]] = {True: scipy_minimum, False: conic_minimum}
EXTRAS = {
    "plain": {},
    "weights and offsets": {"sample_weight": WEIGHTS, "offset": OFFSETS},
}


def between(fitted: Any, optimum: float, reached: bool) -> None:
    """lower bound <= optimum <= objective, and the objective is as near as the certificate says."""
    proof = fitted.certificate
    slack = NEAR * max(abs(optimum), 1e-3)
    assert proof.lower_bound <= optimum + slack
    assert proof.objective >= optimum - slack
    if reached:
        assert proof.objective <= optimum * (1 + 1e-6) + slack
        assert proof.lower_bound >= optimum * (1 - 1e-6) - slack


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("loss", CONVEX)
def test_optimum_of_two_classes(loss: str, extra: str, subtests: pytest.Subtests) -> None:
    """Every solver that takes it, every intercept, against one optimum."""
    of, more = wm.losses[loss], EXTRAS[extra]
    for penalty in SHARED:
        share = wm.penalties[penalty].shares
        for intercept in INTERCEPTS:
            at = case(intercept, more.get("sample_weight"), more.get("offset"))
            strength = 0.0 if share == (0.0, 0.0) else ALPHA
            optimum = ORACLES[of.smooth](of, strength * share[0], strength * share[1], at)
            for solver in ("auto", *wm.solvers):
                wanted = {"loss": loss, "penalty": penalty, "alpha": ALPHA, "intercept": intercept, "solver": solver}
                try:
                    problem(X, Y, data=more, **wanted)
                except Refusal:
                    continue
                with subtests.test(f"{penalty}, intercept={intercept}, {solver}"):
                    reached = reaches_optimum(X, Y, data=more, **wanted)
                    fitted = fit(X, Y, **wanted, **more, stop=() if reached else wm.stops.max_passes(20))
                    between(fitted, optimum, reached)
                    if reached:
                        assert fitted.certificate.verdict.success


@pytest.mark.parametrize("penalty", SHARED)
@pytest.mark.parametrize("loss", CONVEX)
def test_optimum_of_one_against_the_rest(loss: str, penalty: str) -> None:
    """P and D are sums over the classes."""
    of, share = wm.losses[loss], wm.penalties[penalty].shares
    strength = 0.0 if share == (0.0, 0.0) else ALPHA
    heads = [case(True, WEIGHTS, OFFSETS3[:, k], X3, (k == Y3).astype(int)) for k in range(3)]
    optimum = sum(ORACLES[of.smooth](of, strength * share[0], strength * share[1], at) for at in heads)
    more = {"sample_weight": WEIGHTS, "offset": OFFSETS3}
    fitted = fit(X3, Y3, loss=loss, penalty=penalty, alpha=ALPHA, multiclass="ovr", **more)
    between(fitted, optimum, reached=True)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("penalty", SHARED)
def test_optimum_of_softmax(penalty: str, intercept: Any) -> None:
    share = wm.penalties[penalty].shares
    l1, l2 = (0.0, 0.0) if share == (0.0, 0.0) else (ALPHA * share[0], ALPHA * share[1])
    A, own = np.column_stack([X3, np.ones(50)]), np.eye(3)[Y3]
    strength = np.ones((5, 3))
    strength[-1] = 1.0 if intercept == "penalised" else 0.0
    for more in ({}, {"sample_weight": WEIGHTS, "offset": OFFSETS3}):
        s = more.get("sample_weight", np.ones(50))
        p, o = s / s.sum(), more.get("offset", np.zeros((50, 3)))

        def value(x: np.ndarray, p: np.ndarray = p, o: np.ndarray = o) -> tuple[float, np.ndarray]:
            u, v = x.reshape(2, 5, 3)
            f = A @ (u - v) + o
            top = logsumexp(f, axis=1)
            slope = A.T @ (p[:, None] * (np.exp(f - top[:, None]) - own)) + l2 * strength * (u - v)
            total = p @ (top - (f * own).sum(axis=1)) + (strength * (l1 * (u + v) + l2 / 2 * (u - v) ** 2)).sum()
            return float(total), np.stack([slope + l1 * strength, -slope + l1 * strength]).ravel()

        free = np.full((2, 5, 3), np.inf)
        free[:, -1] = 0.0 if intercept is False else np.inf
        limits = [(0.0, None if np.isinf(top) else top) for top in free.ravel()]
        tight = {"maxiter": 9000, "maxfun": 30000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 40}
        optimum = minimize(value, np.zeros(30), jac=True, method="L-BFGS-B", bounds=limits, options=tight).fun
        fitted = fit(X3, Y3, loss="logistic", penalty=penalty, alpha=ALPHA, intercept=intercept, **more)
        assert fitted.certificate.problem.multiclass == "softmax"
        between(fitted, float(optimum), reached=True)


@pytest.mark.parametrize("loss", CONVEX)
def test_bounds_of_other_penalties_hold(loss: str) -> None:
    """No point that a search without derivatives finds lies below the bound."""
    others = [n for n, p in wm.penalties.items() if p.convex and p.shares is None]
    for penalty in others:
        of = wm.penalties[penalty]
        for intercept in (True, False):
            stop = () if wm.losses[loss].smooth else wm.stops.max_passes(60)
            fitted = fit(X, Y, loss=loss, penalty=penalty, alpha=ALPHA, intercept=intercept, stop=stop)
            theta = fitted.certificate.theta
            at = case(intercept)

            def value(x: np.ndarray, of: Any = of, at: Case = at) -> float:
                z = at.y * (X @ x[:-1] + (x[-1] if at.intercept else 0.0))
                return float(at.p @ wm.losses[loss].value(z) + ALPHA * of.value(x[:-1]))

            start = np.append(theta.W[:, 0], theta.b)
            found = minimize(value, start, method="Powell", options={"maxiter": 20, "ftol": 1e-12})
            assert fitted.certificate.lower_bound <= found.fun * (1 + 1e-12) + 1e-15
            if wm.losses[loss].smooth:
                assert fitted.certificate.objective <= found.fun * (1 + 1e-5) + 1e-9


@pytest.mark.parametrize("solver", CERTIFYING)
def test_columns_that_say_nothing_new(solver: str) -> None:
    """A column twice: the optimum is the same, whatever the weights are."""
    twice = np.column_stack([X, X[:, 0], np.ones(50), np.zeros(50)])
    for loss in CONVEX:
        for penalty in SHARED:
            wanted = {"loss": loss, "penalty": penalty, "alpha": ALPHA, "solver": solver}
            try:
                problem(X, Y, **wanted)
            except Refusal:
                continue
            if not reaches_optimum(X, Y, **wanted) or wm.penalties[penalty].shares[1] > 0:
                continue
            one, other = fit(X, Y, **wanted), fit(twice, Y, **wanted)
            assert other.certificate.verdict.success, (loss, penalty, other.certificate)
            assert other.certificate.objective == pytest.approx(one.certificate.objective, rel=3e-6, abs=1e-12)
