"""Crammer and Singer's loss: its smoothed maximiser, its dual points, and fits that are proved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widemargin as wm
from problems import CONVEX, fit, overlapping
from widemargin._types import F64
from widemargin.rivals import gains, kept, margins, nearest

FALLING = [name for name in CONVEX if wm.losses[name].dual_domain[0] >= 0]
X, Y = overlapping(4, 120, 5)
random = np.random.default_rng(5)
SAID: list[dict[str, Any]] = [
    {},
    {"intercept": False},
    {"intercept": "penalised", "scale": True},
    {"sample_weight": random.integers(0, 3, 120), "offset": random.standard_normal((120, 4))},
    {"penalty_factor": [1.0, 2.0, 0.1, 1.0, 3.0]},
]


def smoothed(loss: str, a: F64, M: F64, own: Any, centre: F64, width: float) -> F64:
    """-l*(-t) - sum a m - width / 2 ||a - c||^2."""
    rivals = np.isfinite(M)
    on_margins = np.where(rivals, a * np.where(rivals, M, 0.0), 0.0).sum(axis=1)
    return gains(wm.losses[loss], kept(a, own), own) - on_margins - 0.5 * width * ((a - centre) ** 2).sum(axis=1)


@pytest.mark.parametrize("width", [2.0, 0.3, 0.01])
@pytest.mark.parametrize("loss", FALLING)
def test_nothing_near_is_better_than_the_nearest(loss: str, width: float) -> None:
    draw = np.random.default_rng(0)
    scores, own = 1.5 * draw.standard_normal((200, 4)), draw.integers(0, 4, (200, 1))
    M, centre = margins(scores, own), draw.random((200, 4)) / 4
    np.put_along_axis(centre, own, 0.0, axis=1)
    found = nearest(wm.losses[loss], M, centre, width)
    best = smoothed(loss, found.a, M, own, centre, width)
    assert np.all(found.a >= 0)
    assert np.isfinite(best).all()
    for size in (1e-1, 1e-3, 1e-5):
        for _ in range(20):
            other = np.maximum(found.a + size * draw.standard_normal(found.a.shape), 0.0)
            np.put_along_axis(other, own, 0.0, axis=1)
            other /= np.maximum(other.sum(axis=1, keepdims=True) / wm.losses[loss].dual_domain[1], 1.0)
            assert np.all(smoothed(loss, other, M, own, centre, width) <= best + 1e-12 * (1 + np.abs(best)))


@pytest.mark.parametrize("loss", FALLING)
def test_a_fit_is_proved(loss: str, subtests: pytest.Subtests) -> None:
    for said in SAID:
        about = {key: said[key] for key in ("sample_weight", "offset") if key in said}
        for alpha in (1e-1, 1e-4):
            with subtests.test(f"{', '.join(said)} {alpha}"):
                options = {"loss": loss, "multiclass": "crammer_singer", "alpha": alpha, "tol": 1e-7, **said}
                proof = fit(X, Y, **options).certificate
                assert proof.verdict.success, proof
                checked = proof.verify(X, Y, **about)
                assert checked.ok, checked.problems


@pytest.mark.parametrize("solver", ["sgd", "gd"])
def test_others_get_a_bound_too(solver: str) -> None:
    fitted = fit(X, Y, solver=solver, loss="logistic", multiclass="crammer_singer", alpha=0.1)
    exact = fit(X, Y, loss="logistic", multiclass="crammer_singer", alpha=0.1)
    assert (
        0 < fitted.certificate.lower_bound <= exact.certificate.objective <= fitted.certificate.objective * (1 + 1e-9)
    )
    assert fitted.certificate.verify(X, Y).ok


def test_a_point_that_is_no_dual_point_is_found_out() -> None:
    proof = fit(X, Y, loss="hinge", multiclass="crammer_singer", alpha=0.1).certificate
    assert proof.dual is not None
    for change in (0.5, -0.01):
        proof.dual[0, 0] += change
        assert not proof.verify(X, Y).ok
        proof.dual[0, 0] -= change
    proof.dual[:] *= 1.5
    assert not proof.verify(X, Y).ok


def test_a_loss_that_rises_again_is_not_called_convex() -> None:
    """l(min m) with (1 - m)^2 is not: no bound is claimed."""
    proof = fit(X, Y, loss="squared", multiclass="crammer_singer", alpha=0.1).certificate
    assert not proof.problem.convex
    assert proof.lower_bound == 0
