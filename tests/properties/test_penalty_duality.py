"""Every convex penalty: conjugates, dual norms and subdifferentials against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.optimize import minimize_scalar

from properties.penalty_cases import CONVEX, DUAL, FEW, NORMS, PENALTIES, PLAIN, STEPS, over, vectors
from widemargin._types import F64
from widemargin.penalty import Penalty

EPS = float(np.finfo(float).eps)
CIRCLE = np.stack([f(np.linspace(0, 2 * np.pi, 2881)) for f in (np.cos, np.sin)], axis=1)  # every 1/8 degree
POINTS = [np.zeros(2), np.array([0.8, -1.3]), np.array([-1.0, 1.0]), np.array([2.0, 0.0])]
SLOPES = [np.zeros(2), np.array([0.3, -0.2]), np.array([-2.0, 0.7]), np.array([0.6, 0.6]), np.array([-1.0, 0.0])]


@over(DUAL)
@FEW
@given(v=vectors(limit=3), w=vectors())
def test_fenchel_young(penalty: Penalty, v: F64, w: F64) -> None:
    star = penalty.conjugate(v)
    assert penalty.value(w) + star >= (v @ w) - 16 * EPS * np.sum(np.abs(v * w))


@over(DUAL)
def test_the_conjugate_of_one_coordinate_is_the_supremum(penalty: Penalty) -> None:
    for v in (-2.0, -1.0, -0.6, 0.0, 0.3, 0.999, 1.001, 3.0):
        best = minimize_scalar(lambda w, v=v: penalty.value([w]) - v * w, bounds=(-1e5, 1e5), options={"xatol": 1e-8})
        ends = max(v * w - penalty.value([w]) for w in (-1e5, 0.0, 1e5))
        star = penalty.conjugate([v])
        if np.isinf(star):  # it grows without end
            assert ends > 10
        else:
            assert star == pytest.approx(max(ends, -best.fun), rel=1e-9, abs=1e-9)


@over(DUAL)
def test_the_conjugate_at_0_is_0(penalty: Penalty) -> None:
    assert penalty.conjugate(np.zeros(3)) == penalty.conjugate([]) == 0


@over(NORMS)
def test_the_conjugate_of_a_norm_is_0_on_the_dual_ball(penalty: Penalty) -> None:
    for v in PLAIN[1:]:
        unit = v / penalty.dual_norm(v)
        assert penalty.conjugate(unit * (1 - 1e-14)) == 0
        assert penalty.conjugate(unit * (1 + 1e-14)) == np.inf


@over(NORMS)
@FEW
@given(v=vectors(), w=vectors())
def test_no_product_exceeds_the_norms(penalty: Penalty, v: F64, w: F64) -> None:
    """v.w <= dual(v) R(w).  Hoelder 1889, for the p-norms."""
    assert v @ w <= penalty.dual_norm(v) * penalty.value(w) * (1 + 1e-13) + 1e-290


@over(NORMS)
def test_the_dual_norm_is_reached(penalty: Penalty) -> None:
    """max v.w / R(w) over the circle; refined twice, for norms with sharp corners."""
    for v in POINTS[1:] + SLOPES[1:]:
        best, middle, width = 0.0, 0.0, np.pi
        for _ in range(5):
            angles = middle + np.linspace(-width, width, 401)
            w = np.stack([np.cos(angles), np.sin(angles)], axis=1)
            ratios = [float(v @ x) / penalty.value(x) for x in w]
            middle, width = float(angles[np.argmax(ratios)]), width / 50
            best = max(best, *ratios)
        assert penalty.dual_norm(v) == pytest.approx(best, rel=1e-6)


@over(NORMS)
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_the_dual_norm_scales(penalty: Penalty, scale: float) -> None:
    v = np.array([3.0, -4.0, 0.5])
    assert penalty.dual_norm(scale * v) == pytest.approx(scale * penalty.dual_norm(v), rel=1e-13)
    assert penalty.dual_norm([]) == penalty.dual_norm([0.0]) == 0


def slopes(penalty: Penalty, w: F64) -> F64 | None:
    """R'(w; d) along the circle, by differences; None if these have no limit yet."""
    near, far = (np.array([penalty.value(w + h * d) for d in CIRCLE]) - penalty.value(w) for h in (1e-9, 1e-7))
    return near / 1e-9 if np.allclose(near / 1e-9, far / 1e-7, rtol=0, atol=1e-4) else None


@over(CONVEX)
def test_distance_is_the_steepest_descent(penalty: Penalty) -> None:
    """dist(-g, dR(w)) = max over unit d of -(g.d + R'(w; d)), or 0."""
    known = [(w, along) for w in POINTS if (along := slopes(penalty, w)) is not None]
    assert len(known) >= len(POINTS) - 1
    for w, along in known:
        for g in SLOPES:
            assert penalty.distance(g, w) == pytest.approx(max(0.0, -np.min(CIRCLE @ g + along)), abs=2e-4)


@over(CONVEX)
@pytest.mark.parametrize("t", STEPS[1:])
def test_distance_is_0_at_a_subgradient_and_positive_off_it(penalty: Penalty, t: float) -> None:
    for w in PLAIN[1:]:
        x = penalty.prox(w, t)
        v = (w - x) / t
        noise = 32 * EPS * np.linalg.norm(w) / t + 1e-12 * (1 + np.linalg.norm(v))
        assert penalty.distance(-v, x) <= noise
        assert penalty.distance(-v - 10 * np.eye(w.size)[0], x) > (0.01 if np.any(x) else 0)
        assert penalty.distance(-1e3 * np.eye(w.size)[0] * np.sign(w[0] or 1.0), x) > 100


@over(CONVEX)
@FEW
@given(w=vectors(3), u=vectors(3), g=vectors(3))
def test_distance_moves_no_faster_than_the_slope(penalty: Penalty, w: F64, u: F64, g: F64) -> None:
    """A distance is 1-Lipschitz in g; subdifferentials are monotone."""
    slack = 1e-12 * (1 + np.linalg.norm(g) + np.linalg.norm(u) + penalty.distance(g, w))
    assert abs(penalty.distance(g, w) - penalty.distance(u, w)) <= np.linalg.norm(g - u) + slack


@over(PENALTIES)
def test_distance_at_huge_and_tiny_slopes(penalty: Penalty) -> None:
    g = np.array([3e200, -4e200])
    assert penalty.distance(g, np.ones(2)) == pytest.approx(5e200)
    if penalty.smooth:
        assert penalty.distance(np.array([3e-200, -4e-200]), np.zeros(2)) == pytest.approx(5e-200)


@over([penalty for penalty in PENALTIES if not penalty.convex])
@FEW
@given(w=vectors(3), g=vectors(3))
def test_without_convexity_every_slope_holds_a_weight_at_0(penalty: Penalty, w: F64, g: F64) -> None:
    assume(np.any(w == 0))
    off = w != 0
    changed = np.where(off, g, 100.0)
    assert penalty.distance(changed, w) == penalty.distance(g, w)
    assert penalty.distance(g, np.zeros(3)) == 0
    assert penalty.distance(np.where(off, 1e3, 0.0), w) > 0 or not np.any(off)
