"""Where fits go wrong: nothing bounds w, columns that agree, extreme sizes, interruptions.  An answer, or a reason."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import widemargin as wm
from problems import (
    CERTIFYING,
    CONVEX,
    PENALISING,
    Data,
    combinations,
    fit,
    objective,
    overlapping,
    reaches_optimum,
    same_optimum,
    separable,
    takes,
)

SOLVERS = pytest.mark.parametrize("solver", wm.solvers)
LOSSES = pytest.mark.parametrize("loss", CONVEX)


def unbounded(loss: str) -> bool:
    """Falls for ever, so that separable rows have no best w."""
    of = wm.losses[loss]
    return bool(np.isinf(of.threshold) and of.dual_domain[0] == 0)


def certified(found: Any, *data: Any, **more: Any) -> None:
    proof = found.certificate
    assert proof.verdict.success, proof
    assert proof.verify(*data, **more).ok, proof.verify(*data, **more).problems


@LOSSES
def test_no_penalty_on_overlapping_rows_has_a_gap(loss: str) -> None:
    """alpha = 0 is a problem like another as long as some row is on the wrong side of every hyperplane."""
    for classes in (2, 3):
        X, y = overlapping(classes, 60)
        for how in ({"penalty": "none"}, {"penalty": "l2", "alpha": 0.0}, {"penalty": "l1", "alpha": 0.0}):
            certified(fit(X, y, loss=loss, **how), X, y)


@LOSSES
@pytest.mark.parametrize("solver", CERTIFYING)
def test_no_penalty_on_separable_rows(loss: str, solver: str) -> None:
    """A loss that never reaches 0 has no minimiser there, and that is said; the others reach 0 exactly."""
    X, y = separable()
    if not takes(Data(X, y, 2), loss=loss, penalty="none", solver=solver):
        return
    found = fit(X, y, loss=loss, penalty="none", solver=solver)
    proof = found.certificate
    assert np.isfinite(found.model.W).all()
    assert proof.verify(X, y).ok
    if unbounded(loss):
        assert proof.verdict is wm.Verdict.separable
        assert np.array_equal(found.model.predict(X), y)
    elif np.isfinite(wm.losses[loss].threshold) and reaches_optimum(X, y, loss=loss, penalty="none", solver=solver):
        assert proof.verdict.success, proof
        assert proof.objective <= 1e-12


@pytest.mark.parametrize("penalty", PENALISING)
@pytest.mark.parametrize("loss", CONVEX)
def test_a_loss_without_margin_is_trivial(loss: str, penalty: str) -> None:
    """Where w = 0 costs nothing, nothing is computed, and the verdict says what else to ask for."""
    X, y = overlapping()
    at_zero = float(wm.losses[loss].value(0.0))
    found = fit(X, y, loss=loss, penalty=penalty, alpha=0.1)
    assert (found.certificate.verdict is wm.Verdict.trivial) == (at_zero == 0)
    if at_zero == 0:
        assert not found.model.W.any()
        assert "perceptron" in found.certificate.verdict.remedy
        certified(found, X, y)


@LOSSES
def test_auto_solves_more_columns_than_rows(loss: str) -> None:
    random = np.random.default_rng(0)
    for n, d in ((2, 1), (2, 5), (12, 30)):
        X, y = random.standard_normal((n, d)), np.arange(n) % 2
        for penalty in PENALISING:
            for alpha in (0.1, 1e-3):
                certified(fit(X, y, loss=loss, penalty=penalty, alpha=alpha), X, y)


@LOSSES
def test_auto_solves_unequal_rows(loss: str) -> None:
    """One row of a class among a thousand; weights from 1e-12 to 1; a row of weight 0 that is far away."""
    random = np.random.default_rng(1)
    X = random.standard_normal((1000, 3))
    y = (np.arange(1000) == 500).astype(int)
    for penalty in PENALISING:
        certified(fit(X, y, loss=loss, penalty=penalty, alpha=1e-3), X, y)
    X, y = overlapping(2, 60)
    s = 10.0 ** random.uniform(-12, 0, 60)
    certified(fit(X, y, loss=loss, sample_weight=s, alpha=1e-2), X, y, sample_weight=s)


@SOLVERS
def test_float32_at_its_ends(solver: str) -> None:
    """The largest and smallest float32 numbers: finite weights, and a verdict that is true."""
    X, y = overlapping(2, 40)
    for factor in (1e30, 1e-37):
        data = (X * factor).astype(np.float32)
        for wanted in combinations(solver):
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                found = fit(data, y, **wanted, stop=wm.stops.max_passes(20))
            assert np.isfinite(found.model.W).all(), wanted
            assert found.certificate.verify(data, y).ok or found.certificate.verdict is wm.Verdict.diverged


def interrupted(X: Any, y: Any, after: int, **options: Any) -> Any:
    def listener(event: wm.fit.__class__) -> None:
        if event.iteration == after:
            raise KeyboardInterrupt

    return fit(X, y, on_event=listener, tol=1e-14, **options)


@SOLVERS
def test_an_interruption_returns_the_best_model(solver: str) -> None:
    X, y = overlapping(2, 60)
    for wanted in combinations(solver):
        found = interrupted(X, y, 2, **wanted)
        if len(found.trace) < 2:
            continue  # it was done before
        proof = found.certificate
        assert proof.verdict in (wm.Verdict.interrupted, wm.Verdict.tolerance, wm.Verdict.rounding), proof
        assert len(found.trace) == 2
        assert proof.objective == pytest.approx(objective(found, X, y), rel=1e-12)
        known = [event.best for event in found.trace if event.best == event.best]  # NaN: only samples were seen
        assert proof.objective <= min(known, default=np.inf) * (1 + 1e-9)
        assert proof.verify(X, y).ok
        again = fit(X, y, warm=found.model, **wanted)
        if reaches_optimum(X, y, **wanted):
            assert same_optimum(again, fit(X, y, **wanted))


@SOLVERS
def test_a_budget_ends_a_fit(solver: str) -> None:
    X, y = overlapping(2, 60)
    for wanted in combinations(solver):
        found = fit(X, y, **wanted, tol=1e-15, budget=wm.budget(seconds=1e-9))
        assert len(found.trace) == (found.certificate.verdict is not wm.Verdict.trivial)
        assert np.isfinite(found.certificate.objective)
        found = fit(X, y, **wanted, tol=1e-15, stop=wm.stops.max_passes(3))
        passes = np.append(0.0, found.trace.columns("passes"))
        assert passes[-1] >= 3 or found.certificate.verdict is not wm.Verdict.stopped
        assert np.all(passes[:-1] < 3)
        ended = fit(X, y, **wanted, tol=1e-15, budget=wm.budget(passes=2)).certificate.verdict
        assert ended is wm.Verdict.budget or ended is found.certificate.verdict or ended.success


@SOLVERS
def test_one_warning_or_none(solver: str) -> None:
    """Failing to converge is said once, with the verdict's words and remedy; success is silent."""
    X, y = overlapping(2, 60)
    for wanted in combinations(solver):
        for more in ({}, {"tol": 1e-16, "budget": wm.budget(passes=1)}):
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                found = wm.fit(X, y, **wanted, **more)
            verdict = found.certificate.verdict
            assert len(heard) == (0 if verdict.success else 1), (wanted, verdict, [str(w.message) for w in heard])
            for warning in heard:
                assert warning.category is wm.NotConverged
                assert verdict.text in str(warning.message)
                assert verdict.remedy in str(warning.message)
                assert warning.filename == __file__


@LOSSES
@pytest.mark.parametrize("accelerate", [True, False])
def test_backtracking_never_rises(loss: str, accelerate: bool) -> None:
    """Without a schedule each step of gradient descent lowers the objective, to rounding; the gap is recorded."""
    if not wm.losses[loss].smooth:
        return
    for classes in (2, 3):
        X, y = overlapping(classes, 60)
        for penalty in PENALISING:
            for size in (1.0, 1e3):
                wanted = {"loss": loss, "penalty": penalty, "solver": f"gd:accelerate={accelerate}"}
                found = fit(size * X, y, **wanted, alpha=0.01, stop=wm.stops.max_passes(100))
                value = found.trace.columns("objective")
                assert np.all(np.diff(value) <= 1e-13 * value[:-1]), wanted
                assert 0 <= found.certificate.relative_gap <= 1
                assert np.all(np.diff(found.trace.columns("bound")) >= 0)
