"""Every solver on every loss and penalty that it takes: it runs, tells the truth, ends where it promised."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import (
    CERTIFYING,
    CONVEX,
    INTERCEPTS,
    Data,
    fit,
    objective,
    overlapping,
    problem,
    reaches_optimum,
    takes,
)
from widemargin.errors import Refusal
from widemargin.fitting import Fit

TWO, THREE = overlapping(2), overlapping(3)
BOTH = pytest.mark.parametrize("data", [TWO, THREE], ids=["two", "three"])
TOL = 1e-6
ONE_STEP = 1e-9  # relative: what summing in another order may change


def options(solver: str, loss: str, penalty: str, intercept: object) -> dict[str, object]:
    return {
        "solver": solver,
        "loss": loss,
        "penalty": penalty,
        "intercept": intercept,
        "alpha": 0.05,
        "tol": TOL,
    }


def sane(fitted: Fit) -> None:
    """The trace is a history: counts go up, the best goes down, the bound goes up and stays below."""
    events = fitted.trace
    column = events.columns
    if fitted.certificate.verdict is wm.Verdict.trivial:
        assert len(events) == 0, "nothing was to be done"
        return
    assert list(column("iteration")) == list(range(1, len(events) + 1))
    assert column("passes")[0] > 0
    assert np.all(np.diff(column("passes")) >= 0)
    assert np.all(np.diff(column("seconds")) >= 0)
    best, bound, gap = column("best"), column("bound"), column("gap")
    known = ~np.isnan(best)
    assert np.all(np.diff(best[known]) <= ONE_STEP * np.abs(best[known][1:]))
    assert not np.any(best < bound - ONE_STEP * np.abs(best))
    assert np.all(np.diff(bound) >= 0)
    assert np.all(bound >= 0)
    assert np.all(np.isnan(gap) | (gap >= 0))
    assert not np.any(np.isinf(gap))
    own = column("objective")
    assert not np.any(best > own * (1 + ONE_STEP) + 1e-300)


def truthful(fitted: Fit, X: np.ndarray, y: np.ndarray) -> None:
    """Finite weights; the certificate is right about them; its parts agree with each other."""
    proof = fitted.certificate
    assert np.isfinite(fitted.model.W).all()
    assert np.isfinite(fitted.model.b).all()
    found = objective(fitted, X, y)
    assert proof.objective == pytest.approx(found, rel=ONE_STEP, abs=1e-15)
    best = fitted.trace.columns("best")
    if wm.solvers[fitted.solver].minimises and len(best) and np.isfinite(best[-1]):
        assert proof.objective <= best[-1] * (1 + ONE_STEP) + 1e-15
    assert proof.lower_bound <= proof.objective * (1 + ONE_STEP) + 1e-15
    checked = proof.verify(X, y)
    assert checked.ok, checked.problems


@BOTH
@pytest.mark.parametrize("loss", wm.losses)
@pytest.mark.parametrize("solver", wm.solvers)
def test_runs_and_says_the_truth(solver: str, loss: str, data: Data, subtests: pytest.Subtests) -> None:
    X, y = data
    for penalty in wm.penalties:
        for intercept in INTERCEPTS:
            wanted = options(solver, loss, penalty, intercept)
            try:
                problem(X, y, **wanted)
            except Refusal as refused:
                names_a_remedy(str(refused))
                continue
            exact = reaches_optimum(X, y, **wanted)
            with subtests.test(f"{penalty}, intercept={intercept}"):
                fitted = fit(X, y, **wanted, stop=() if exact else wm.stops.max_passes(30))
                sane(fitted)
                truthful(fitted, X, y)
                assert fitted.certificate.verdict.success or not exact, fitted.certificate


REMEDIES = {
    *wm.solvers,
    *wm.losses,
    *wm.penalties,
    "auto",
    "ovr",
    "binary",
    "loss",
    "penalty",
    "intercept",
    "schedule",
}
REMEDIES |= {"implicit"}


def names_a_remedy(text: str) -> None:
    """After the reason comes what to write instead: a name of a registry, or an option to change."""
    advice = text.rpartition(":")[2] if ":" in text else text
    words = set(re.findall(r"[a-z0-9_]+", advice))
    assert words & REMEDIES, text
    for name in re.findall(r"solver='([a-z0-9_]+)", text):
        assert name in wm.solvers, text


@BOTH
@pytest.mark.parametrize("loss", CONVEX)
def test_auto_takes_every_convex_pair(loss: str, data: Data, subtests: pytest.Subtests) -> None:
    X, y = data
    for penalty, at in wm.penalties.items():
        if not at.convex:
            continue
        for intercept in INTERCEPTS:
            with subtests.test(f"{penalty}, intercept={intercept}"):
                proof = fit(X, y, **options("auto", loss, penalty, intercept)).certificate
                assert proof.verdict.success or at.shares is None, proof
                assert 0 <= proof.relative_gap <= 1, proof


@pytest.mark.parametrize("refused", wm.solvers)
def test_what_a_refusal_names_works(refused: str) -> None:
    """The solver that a refusal names takes the problem, or says itself which does."""
    for loss in wm.losses:
        for penalty in wm.penalties:
            wanted = options(refused, loss, penalty, True)
            seen = {refused}
            while True:
                try:
                    problem(*TWO, **wanted)
                    break
                except Refusal as reason:
                    named = [n for n in re.findall(r"solver='([a-z0-9_]+)", str(reason)) if n not in seen]
                    if not named:
                        names_a_remedy(str(reason))
                        break
                    seen.add(named[0])
                    wanted["solver"] = named[0]


@BOTH
@pytest.mark.parametrize("layout", ["float32", "csr", "csr float32"])
@pytest.mark.parametrize("solver", wm.solvers)
def test_other_storage_is_as_good(solver: str, layout: str, data: Data, subtests: pytest.Subtests) -> None:
    X, y = np.round(data.X, 1), data.y
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    stored = X.astype(np.float32) if "float32" in layout else X
    plain = stored.astype(float)
    given = sp.csr_array(stored) if "csr" in layout else stored
    for loss in CONVEX:
        for penalty in ("l2", "l1", "none"):
            wanted = options(solver, loss, penalty, True)
            try:
                problem(given, y, **wanted)
            except Refusal:
                continue
            with subtests.test(f"{loss}, {penalty}"):
                fitted = fit(given, y, **wanted, stop=wm.stops.max_passes(30))
                sane(fitted)
                truthful(fitted, plain, y)


@pytest.mark.parametrize("solver", CERTIFYING)
def test_some_loss_is_solved(solver: str) -> None:
    """A solver that says that it certifies does so for some loss."""
    solved = [
        loss
        for loss in CONVEX
        for penalty in wm.penalties
        for rows in (TWO, THREE)
        if takes(rows, **options(solver, loss, penalty, True))
        and reaches_optimum(*rows, **options(solver, loss, penalty, True))
    ]
    assert solved
