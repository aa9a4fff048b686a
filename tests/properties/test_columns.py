"""What is said of single columns: penalty factors, bounds and scaling mean what they say, in the user's units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp

import widemargin as wm
from problems import CONVEX, INTERCEPTS, PENALISING, SHARED, fit, overlapping, same_optimum
from widemargin.columns import spread
from widemargin.data.intake import intake
from widemargin.errors import InputError, OptionError, Refusal
from widemargin.run.local import Local

TWO, THREE = overlapping(2, 60), overlapping(3, 60)
BOTH = pytest.mark.parametrize("data", [TWO, THREE], ids=["two", "three"])
SMOOTH = [loss for loss in CONVEX if wm.losses[loss].smooth]
NORMS = [name for name, penalty in wm.penalties.items() if penalty.convex and penalty.shares is None]
S = np.random.default_rng(4).uniform(0.5, 2.0, 60)
RULES: dict[str, dict[str, Any]] = {
    "factors": {"penalty_factor": [0.0, 1.0, 2.5, np.inf]},
    "signs": {"bounds": ["nonnegative", "free", "nonpositive", "nonnegative"]},
    "box": {"bounds": (-0.1, [0.1, 0.2, np.inf, 0.0])},
    "away": {"bounds": (0.05, 0.3)},
    "all": {"scale": True, "bounds": {0: "nonpositive", 3: (-0.1, 0.1)}, "penalty_factor": {1: 0.0, 2: np.inf}},
}


def solved(X: Any, y: Any, **options: Any) -> Any:
    found = fit(X, y, **options)
    assert found.certificate.verdict.success, (options, found.certificate)
    return found


@BOTH
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("loss", SMOOTH)
def test_auto_certifies_and_keeps_the_rules(loss: str, rule: str, data: Any, subtests: pytest.Subtests) -> None:
    X, y = data
    for penalty in SHARED:
        for intercept in INTERCEPTS:
            with subtests.test(f"{penalty}, intercept={intercept}"):
                options = {"loss": loss, "penalty": penalty, "alpha": 0.03, "intercept": intercept}
                found = solved(X, y, **options, **RULES[rule], sample_weight=S)
                of = found.certificate
                assert of.verify(X, y, sample_weight=S).ok, of.verify(X, y, sample_weight=S).problems
                terms = of.problem.terms
                assert np.array_equal(of.theta.W, np.clip(of.theta.W, terms.low, terms.high))
                if rule in ("factors", "all"):
                    assert not of.theta.W[terms.excluded].any()


@BOTH
@pytest.mark.parametrize("loss", CONVEX)
@pytest.mark.parametrize("penalty", PENALISING)
def test_scaling_is_that_of_the_columns(loss: str, penalty: str, data: Any) -> None:
    """The optimum on X / sd, in the user's units: w sd is what was found there."""
    X, y = data.X * [1e-4, 1.0, 30.0, 2e3], data.y
    p = S / S.sum()
    sd = np.sqrt(p @ (X - p @ X) ** 2)
    options = {"loss": loss, "penalty": penalty, "alpha": 0.03, "sample_weight": S, "tol": 1e-9}
    one, other = solved(X, y, scale=True, **options), solved(X / sd, y, **options)
    assert same_optimum(one, other)
    np.testing.assert_allclose(one.model.W * sd[:, None], other.model.W, rtol=1e-3, atol=2e-4)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("penalty", NORMS)
def test_norms_take_factors(loss: str, penalty: str) -> None:
    """R(f w) is R on the columns divided by f."""
    X, y = TWO
    f = np.array([0.5, 1.0, 2.0, 1.5])
    options = {"loss": loss, "penalty": penalty, "alpha": 0.03}
    assert same_optimum(solved(X, y, penalty_factor=f, **options), solved(X / f, y, **options))


@pytest.mark.parametrize("loss", CONVEX)
def test_a_factor_multiplies_the_penalty(loss: str) -> None:
    X, y = TWO
    f = np.array([0.5, 3.0, 2.0, 1.5])
    for penalty, root in (("l1", f), ("l2", np.sqrt(f))):
        options = {"loss": loss, "penalty": penalty, "alpha": 0.03}
        assert same_optimum(solved(X, y, penalty_factor=f, **options), solved(X / root, y, **options))
        doubled = solved(X, y, penalty_factor=np.full(4, 2.0), **options)
        assert same_optimum(doubled, solved(X, y, **(options | {"alpha": 0.06})))


@pytest.mark.parametrize("rule", RULES)
def test_a_weight_of_two_is_the_row_twice(rule: str) -> None:
    X, y = TWO
    twice = np.repeat(np.arange(60), np.where(np.arange(60) % 3 == 0, 2, 1))
    s = np.where(np.arange(60) % 3 == 0, 2.0, 1.0)
    for penalty in ("l2", "l1"):
        options = {"penalty": penalty, "alpha": 0.02, "tol": 1e-10, **RULES[rule]}
        one, other = solved(X, y, sample_weight=s, **options), solved(X[twice], y[twice], **options)
        assert same_optimum(one, other)
        np.testing.assert_allclose(one.model.W, other.model.W, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("loss", SMOOTH)
def test_bounds_against_a_quasi_newton_method(loss: str) -> None:
    """SciPy's L-BFGS-B finds nothing better, and nothing else."""
    X, y = TWO
    z, of, o = np.where(y == 1, 1.0, -1.0), wm.losses[loss], 0.3 * np.sin(np.arange(60))

    def value(u: Any) -> tuple[float, Any]:
        m = z * (X @ u[:4] + u[4] + o)
        slope = z * of.d1(m) / 60
        return float(of.value(m).mean() + 0.01 * u[:4] @ u[:4]), np.append(X.T @ slope + 0.02 * u[:4], slope.sum())

    box = [(-0.1, 0.1), (0.0, None), (None, 0.0), (0.05, 0.3)]
    start = np.array([0.0, 0.1, 0.0, 0.1, 0.0])
    oracle = scipy.optimize.minimize(value, start, jac=True, bounds=[*box, (None, None)], method="L-BFGS-B",
                                     options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000})  # fmt: skip
    found = solved(X, y, loss=loss, alpha=0.02, bounds=dict(enumerate(box)), offset=o, tol=1e-9)
    assert found.certificate.lower_bound <= oracle.fun * (1 + 1e-12)
    assert found.certificate.objective <= oracle.fun * (1 + 1e-9)
    np.testing.assert_allclose(found.model.W[:, 0], oracle.x[:4], atol=1e-3)


def test_other_layouts_are_as_good() -> None:
    X = np.where(np.abs(TWO.X) < 0.5, 0.0, TWO.X).astype(np.float32)
    for rule in RULES:
        for penalty in ("l2", "l1"):
            dense = solved(X.astype(float), TWO.y, penalty=penalty, **RULES[rule])
            for given in (X, sp.csr_array(X), sp.csr_array(X.astype(float))):
                assert same_optimum(dense, solved(given, TWO.y, penalty=penalty, **RULES[rule]))


def test_warm_starts_are_brought_inside() -> None:
    far = wm.fit(*TWO, alpha=1e-6).model
    cold = solved(*TWO, bounds=(-0.1, 0.1))
    assert same_optimum(cold, solved(*TWO, bounds=(-0.1, 0.1), warm=far))
    again = solved(*TWO, bounds=(-0.1, 0.1), warm=cold.model)
    assert len(again.trace) <= len(cold.trace)


@pytest.mark.parametrize("solver", wm.solvers)
def test_a_solver_that_cannot_says_so(solver: str) -> None:
    """No solver takes rules and forgets them."""
    for given in RULES.values():
        for loss in CONVEX:
            try:
                found = fit(*TWO, solver=solver, loss=loss, stop="max_passes:5", **given)
            except Refusal:
                continue
            terms = found.certificate.problem.terms
            assert terms is not None
            assert (terms.inside(found.certificate.theta.W) == found.certificate.theta.W).all()
            assert found.certificate.verify(*TWO).ok


def test_constant_columns_get_no_weight() -> None:
    X = np.column_stack([TWO.X, np.full(60, 0.1), np.zeros(60)])
    for given in (X, X.astype(np.float32), sp.csr_array(X)):
        for penalty in ("l2", "l1", "max_norm"):
            for intercept in INTERCEPTS:
                found = solved(given, TWO.y, penalty=penalty, scale=True, intercept=intercept, alpha=0.02)
                assert not found.model.W[4:].any()


def test_spread_is_the_standard_deviation() -> None:
    """Also of columns whose mean is a million times as large."""
    random = np.random.default_rng(0)
    X = random.standard_normal((500, 5)) * [1e-8, 1.0, 1e8, 1e-3, 1.0] + [0.0, 1e6, 1.0, 1e4, 0.0]
    X[:, 4] = np.where(random.random(500) < 0.9, 0.0, X[:, 4])
    y, s = np.arange(500) % 2, random.uniform(0.1, 3, 500)
    p = s / s.sum()
    for given in (X, sp.csr_array(X)):
        found = spread(intake(given, y, sample_weight=s).source, Local(1))
        np.testing.assert_allclose(found, np.sqrt(p @ (X - p @ X) ** 2), rtol=1e-9)


@pytest.mark.parametrize("bad", [
    {"penalty_factor": [1.0, 2.0]}, {"penalty_factor": [1, 2, 3, -1]}, {"penalty_factor": "l1"},
    {"penalty_factor": [1, 2, 3, np.nan]}, {"penalty_factor": {9: 1.0}}, {"penalty_factor": {"age": 1.0}},
    {"penalty_factor": {0: "x"}}, {"bounds": "positive"}, {"bounds": (1.0, 0.0)}, {"bounds": 3},
    {"bounds": ([0, 0], 1)}, {"bounds": ([np.nan] * 4, 1)}, {"bounds": {0: (1, 2, 3)}}, {"bounds": (np.inf, None)},
    {"bounds": ["nonnegative", "free"]}, {"bounds": (0.1, 1.0), "penalty_factor": [np.inf, 1, 1, 1]}, {"scale": "yes"},
], ids=str)  # fmt: skip
def test_bad_rules_are_told(bad: dict[str, Any]) -> None:
    with pytest.raises((OptionError, InputError)) as told:
        wm.fit(*TWO, **bad)
    assert len(str(told.value)) > 20


def test_names_of_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TWO.X, columns=["age", "income", "height", "shoe"])
    by_name = solved(frame, TWO.y, bounds={"income": "nonpositive"}, penalty_factor={"age": 0.0})
    by_number = solved(TWO.X, TWO.y, bounds={1: "nonpositive"}, penalty_factor={0: 0.0})
    assert np.array_equal(by_name.model.W, by_number.model.W)
    with pytest.raises(OptionError, match="incom"):
        wm.fit(frame, TWO.y, bounds={"incomes": "nonpositive"})


@pytest.mark.parametrize("penalty", NORMS)
def test_norms_refuse_bounds(penalty: str) -> None:
    with pytest.raises(Refusal, match="penalty='l2'"):
        wm.fit(*TWO, penalty=penalty, bounds="nonnegative")
