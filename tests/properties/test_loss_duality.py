"""Every convex loss: l*(-a) = sup_z -a z - l(z), and prox(c, q) = argmin_z q l(z) + (z - c)^2 / 2."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.loss_cases import CONVEX, EPS, WIDE, over
from widemargin._types import F64
from widemargin.loss import Loss

CENTRES = st.floats(-50, 50) | st.floats(-1e6, 1e6) | st.sampled_from([-1e6, -1e3, 0.0, 1.0, 1e3, 1e6])
STEPS = st.floats(-12, 12).map(lambda k: 10.0**k)
BOUNDED_BELOW = [loss for loss in CONVEX if loss.dual_domain[0] >= 0]  # their slopes are never positive


def inside(loss: Loss, limit: float = 6.0) -> F64:
    """Points of the dual domain, both ends included where they are finite."""
    low, high = loss.dual_domain
    return np.linspace(max(low, -limit), min(high, limit), 49)


def maximum(function: Callable[[F64], F64], low: float, high: float, *marks: float) -> float:
    """The largest value of a concave function on an interval, its ends and its corners included."""
    left, right = np.arcsinh(low), np.arcsinh(high)
    best = float(np.max(function(np.array([low, high, *marks]))))
    for _ in range(4):  # grids closer and closer around the best so far
        at = np.linspace(left, right, 2001)
        values = function(np.clip(np.sinh(at), low, high))
        k = int(np.argmax(values))
        best = max(best, float(values[k]))
        left, right = at[max(k - 1, 0)], at[min(k + 1, at.size - 1)]
    return best


@over(CONVEX)
def test_the_dual_domain_is_where_the_conjugate_is_finite(loss: Loss) -> None:
    low, high = loss.dual_domain
    assert np.all(np.isfinite(loss.conjugate(inside(loss))))
    if np.isfinite(low):
        assert np.all(np.isposinf(loss.conjugate([np.nextafter(low, -np.inf), low - 1, -1e300, -np.inf])))
    if np.isfinite(high):
        assert np.all(np.isposinf(loss.conjugate([np.nextafter(high, np.inf), high + 1, 1e300, np.inf])))
    assert np.all(np.isposinf(loss.conjugate([-np.inf, np.inf])))  # every slope is finite


@over(CONVEX)
def test_the_dual_domain_is_the_range_of_slopes(loss: Loss) -> None:
    slopes = -loss.d1(np.concatenate([WIDE, [-1e6, 1e6]]))
    for end, reached in zip(loss.dual_domain, (np.min(slopes), np.max(slopes)), strict=True):
        assert abs(reached - end) < 1e-12 if np.isfinite(end) else reached * np.sign(end) > 1e5


@over(CONVEX)
@given(z=st.floats(-60, 60), share=st.floats(0, 1))
def test_fenchel_young(loss: Loss, z: float, share: float) -> None:
    low, high = (np.clip(end, -1e3, 1e3) for end in loss.dual_domain)
    a = (1 - share) * low + share * high
    star = loss.conjugate(a)
    assert loss.value(z) + star >= -a * z - 8 * EPS * (1 + abs(a * z) + loss.value(z) + abs(star))


@over(CONVEX)
def test_fenchel_young_is_an_equality_at_the_slope(loss: Loss) -> None:
    z = WIDE[np.abs(WIDE) < 400]
    for slope in loss.subdifferential(z):
        value, star, product = loss.value(z), loss.conjugate(-slope), slope * z
        assert np.all(np.abs(value + star - product) <= 16 * EPS * (value + np.abs(star) + np.abs(product)))


@over(CONVEX)
def test_the_conjugate_is_the_supremum(loss: Loss) -> None:
    for a in inside(loss):

        def below(z: F64, a: float = a) -> F64:
            return np.asarray(-a * z - loss.value(z))

        best = maximum(below, -1e13, 1e13, *loss.kinks)
        assert abs(loss.conjugate(a) - best) < 1e-12 * (1 + abs(best))


@over(CONVEX)
def test_the_conjugate_at_0_says_that_the_loss_reaches_down_to_0(loss: Loss) -> None:
    assert abs(loss.conjugate(0.0)) <= 1e-12


@over(CONVEX)
def test_the_conjugate_of_the_conjugate_is_the_loss(loss: Loss) -> None:
    low, high = (np.clip(end, -200.0, 200.0) for end in loss.dual_domain)
    for z in np.linspace(-4, 4, 41):

        def below(a: F64, z: float = z) -> F64:
            return np.asarray(-a * z - loss.conjugate(a))

        assert abs(loss.value(z) - maximum(below, low, high)) < 1e-9


@over(CONVEX)
@given(c=CENTRES, q=STEPS)
def test_the_prox_is_stationary(loss: Loss, c: float, q: float) -> None:
    """z + q l'(z) passes through c within the rounding of z."""
    z = loss.prox(c, q)
    blur = 8 * EPS * (1 + abs(z) + abs(c))
    before, after = loss.subdifferential(z - blur)[0], loss.subdifferential(z + blur)[1]
    assert z - blur + q * before - c <= 8 * EPS * (abs(c) + q * abs(before))
    assert z + blur + q * after - c >= -8 * EPS * (abs(c) + q * abs(after))


@over(CONVEX)
@pytest.mark.parametrize("q", [1e-3, 0.3, 1.0, 2.0, 50.0])
def test_the_prox_undoes_a_step_uphill(loss: Loss, q: float) -> None:
    """prox(z + q s, q) = z for every slope s at z: on both sides of each corner and joint, and inside the corner."""
    marks = [mark + side for mark in loss.kinks + loss.joints for side in (-1e-3, -1e-9, 0, 1e-9, 1e-3)]
    z = np.concatenate([marks, np.linspace(-5, 5, 201)])
    low, high = loss.subdifferential(z)
    for share in (0.0, 0.1, 0.5, 1.0):
        c = z + q * ((1 - share) * low + share * high)
        np.testing.assert_allclose(loss.prox(c, q), z, rtol=0, atol=8 * EPS * (1 + np.max(np.abs(c))))


@over(CONVEX)
@given(c=CENTRES, apart=st.floats(0, 1e3), q=STEPS)
def test_the_prox_brings_points_no_further_apart(loss: Loss, c: float, apart: float, q: float) -> None:
    moved = loss.prox(c + apart, q) - loss.prox(c, q)
    slack = 64 * EPS * (1 + abs(c) + apart + abs(loss.prox(c, q)))
    assert -slack <= moved <= apart + slack


@over(CONVEX)
def test_no_step_is_no_move(loss: Loss) -> None:
    c = np.array([-1e300, -1e6, -3.0, -1e-300, 0.0, 0.5, 1.0, 1e6, 1e300])
    np.testing.assert_array_equal(loss.prox(c, 0.0), c)


@over(CONVEX)
@pytest.mark.parametrize("q", [1e8, 1e150, 1e300, 1e308, np.inf])
def test_a_huge_step_goes_where_the_loss_is_least(loss: Loss, q: float) -> None:
    c = np.array([-1e6, -1e3, -2.0, 0.0, 1.0, 1e3, 1e6])
    z = loss.prox(c, q)
    assert not np.any(np.isnan(z))
    for start, end in zip(c, z, strict=True):  # as good as the points on the way, the loss counted alone
        way = np.append(np.linspace(-50, 50, 101), [200.0, 600.0])
        assert loss.value(end) <= np.min(loss.value(way) + (way - start) ** 2 / (2 * q)) * (1 + 1e-9)


@over(CONVEX)
def test_an_infinite_step_ends_at_a_minimum(loss: Loss) -> None:
    z = loss.prox([-1e3, 0.0, 1e3], np.inf)
    assert np.all(loss.value(z) == 0)


@over(BOUNDED_BELOW)
def test_where_the_loss_never_rises_the_prox_never_falls(loss: Loss) -> None:
    c = np.array([-1e6, -1e3, -2.0, 0.0, 0.5, 1.0, 3.0, 1e3, 1e6])[:, None]
    q = np.append(10.0 ** np.arange(-12.0, 301.0, 4.0), np.inf)
    z = loss.prox(c, q)
    assert np.all(z >= c)
    assert np.all(z[:, 1:] >= z[:, :-1] - 16 * EPS * (1 + np.abs(z[:, :-1]) + np.abs(c)))
    np.testing.assert_array_equal(z[:, -1:], np.maximum(c, loss.threshold))
