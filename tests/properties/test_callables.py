"""A loss or penalty given as NumPy functions is the registry's own, as far as any batch solver can tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widemargin as wm
from problems import CONVEX, fit, overlapping, problem
from widemargin.errors import Refusal
from widemargin.loss import CallableLoss
from widemargin.penalty import CallablePenalty

SLOPED = [name for name, of in wm.losses.items() if of.convex or of.smooth]
FACTS = ("convex", "smooth", "curvature", "dual_domain", "threshold", "piecewise_linear")


def copied(name: str, **changes: Any) -> CallableLoss:
    """The registry's loss, seen as a stranger's."""
    of = wm.losses[name]
    facts = {fact: getattr(of, fact) for fact in FACTS}
    more = {"d2": of.d2, "conjugate": of.conjugate if of.convex else None}
    return CallableLoss(of.value, of.d1, **facts | more | changes)


@pytest.mark.parametrize("loss", [n for n in CONVEX if wm.losses[n].smooth])
def test_without_conjugate_there_is_no_gap(loss: str) -> None:
    """What is not known is not claimed; the optimum is the same."""
    X, y = overlapping()
    one = fit(X, y, loss=loss, alpha=0.05)
    for solver in ("gd", "newton"):
        bare = fit(X, y, loss=copied(loss, conjugate=None), alpha=0.05, solver=solver)
        assert bare.certificate.kind != "duality gap"
        assert bare.certificate.lower_bound == 0
        assert bare.certificate.objective == pytest.approx(one.certificate.objective, rel=1e-5)
        assert np.isnan(bare.certificate.relative_gap)
        assert np.isfinite(bare.certificate.kkt)


def test_row_solvers_say_what_takes_a_callable() -> None:
    X, y = overlapping()
    for name, solver in wm.solvers.items():
        if solver.certifies:
            continue
        with pytest.raises(Refusal, match=r"gd|loss"):
            problem(X, y, loss=copied("logistic"), penalty="none", solver=name)


def test_a_smooth_penalty_needs_only_its_gradient() -> None:
    X, y = overlapping()
    smooth = CallablePenalty(lambda w: float(0.5 * w @ w), gradient=lambda w: w)
    one, other = (fit(X, y, penalty=p, alpha=0.05, solver="gd", tol=1e-10) for p in ("l2", smooth))
    np.testing.assert_allclose(one.model.W, other.model.W, rtol=1e-4, atol=1e-5)


def test_newton_needs_the_second_derivative() -> None:
    X, y = overlapping()
    for solver in ("newton", "newton_cg"):
        with pytest.raises(Refusal, match=r"gd|second derivative"):
            problem(X, y, loss=copied("logistic", d2=None), solver=solver)
    found = fit(X, y, loss=copied("logistic", d2=None), alpha=0.05)
    assert found.certificate.verdict.success
