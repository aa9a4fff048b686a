"""Every loss of the registry: derivatives, convexity, and the facts that its metadata state."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from properties.loss_cases import CONVEX, EPS, FAR, LOSSES, WIDE, away, over, slope
from widemargin._types import F64
from widemargin.loss import Loss

MARGIN = st.floats(-60, 60)
LINKED = [loss for loss in LOSSES if loss.link]


def largest(function: object, z: F64) -> float:
    """max f on z, then on a grid a thousand times finer around the best."""
    assert callable(function)
    best = z[np.argmax(function(z))]
    return float(np.max(function(best + np.linspace(-0.01, 0.01, 20001))))


def check_slope(f: object, df: object, z: F64) -> None:
    """Differences of f against df, to the rounding of f and of z."""
    assert callable(f)
    assert callable(df)
    size = np.abs(f(z - 2e-4)) + np.abs(f(z)) + np.abs(f(z + 2e-4))
    seen = np.isfinite(size)
    assert np.mean(seen) > 0.9
    z, size = z[seen], size[seen]
    slack = 1e-10 * (size + (1 + np.abs(z)) * np.abs(df(z)))
    error = np.abs(slope(f, z) - df(z))
    worst = np.argmax(error - slack)
    assert error[worst] <= slack[worst], f"at {z[worst]}: {df(z[worst])} is wrong by {error[worst]}"


@over(LOSSES)
def test_d1_is_the_slope_of_the_value(loss: Loss) -> None:
    check_slope(loss.value, loss.d1, away(WIDE, loss.kinks, 1e-3))


@over(LOSSES)
def test_d2_is_the_slope_of_d1(loss: Loss) -> None:
    check_slope(loss.d1, loss.d2, away(WIDE, loss.kinks + loss.joints, 1e-3))


@over(LOSSES)
def test_at_a_kink(loss: Loss) -> None:
    """d1 is the slope from the left; the subdifferential reaches to the slope from the right."""
    h = 1e-6
    for k in loss.kinks:
        low, high = loss.subdifferential(k)
        left = (loss.value(k) - loss.value(k - h)) / h
        right = (loss.value(k + 2 * h) - loss.value(k + h)) / h
        assert loss.d1(k) == low
        assert abs(left - low) < 1e-5
        assert abs(right - high) < 1e-5
        assert low < high or loss.value(k) - loss.value(k + h) > 0.1  # a corner or a step: no idle mark
        if loss.convex:
            assert abs(loss.value(k + h) - loss.value(k) - h * high) < 1e-10


@over(LOSSES)
def test_away_from_kinks_there_is_one_slope(loss: Loss) -> None:
    z = away(WIDE, loss.kinks, 0)
    low, high = loss.subdifferential(z)
    np.testing.assert_array_equal(low, loss.d1(z))
    np.testing.assert_array_equal(high, loss.d1(z))


@over(LOSSES)
def test_smoothness_is_what_the_marks_say(loss: Loss) -> None:
    assert loss.smooth == (not loss.kinks)
    for joint in loss.joints:
        assert abs(loss.d2(joint + 1e-6) - loss.d2(joint - 1e-6)) > 1e-2
    flat = loss.convex and not np.any(loss.d2(WIDE))
    assert loss.piecewise_linear == flat
    if flat:
        assert loss.kinks


@over(CONVEX)
@given(x=MARGIN, y=MARGIN, share=st.floats(0, 1))
def test_convex(loss: Loss, x: float, y: float, share: float) -> None:
    between = loss.value(share * x + (1 - share) * y)
    chord = share * loss.value(x) + (1 - share) * loss.value(y)
    # the point between is itself rounded: 1e-14 of the way, times the slope there
    slack = 8 * EPS * (chord + (60 + abs(x) + abs(y)) * abs(loss.d1(min(x, y))))
    assert between <= chord + slack


@over(CONVEX)
def test_convex_slopes_do_not_fall(loss: Loss) -> None:
    slopes = loss.d1(np.sort(np.append(WIDE, np.linspace(-3, 3, 601))))
    finite = slopes[np.isfinite(slopes)]
    assert np.all(np.diff(finite) >= -4 * EPS * np.abs(finite[1:]))


@over([loss for loss in LOSSES if not loss.convex])
def test_not_convex_has_a_witness(loss: Loss) -> None:
    x = np.linspace(-10, 10, 101)
    middle = loss.value((x[:, None] + x) / 2)
    assert np.max(middle - (loss.value(x)[:, None] + loss.value(x)) / 2) > 1e-2


@over(LOSSES)
def test_curvature_is_the_largest_d2(loss: Loss) -> None:
    z = np.sort(np.concatenate([WIDE, np.linspace(-3, 3, 6001), [*loss.kinks, *loss.joints]]))
    seen = largest(loss.d2, z)
    if np.isfinite(loss.curvature):
        assert loss.smooth
        assert loss.curvature * (1 - 1e-9) <= seen <= loss.curvature * (1 + 4 * EPS)
    else:
        assert not loss.smooth or seen > 1e6


@over(LOSSES)
def test_bounds_zero_one_and_no_smaller_multiple_does(loss: Loss) -> None:
    wrong = np.concatenate([np.linspace(-50, 0, 5001), FAR[FAR < 0], [-0.0, -5e-324, -1e-300]])
    least = float(np.min(loss.value(wrong)))
    if np.isnan(loss.bound_scale):
        assert least == 0
    else:
        assert abs(loss.bound_scale * least - 1) <= 2 * EPS


@over(LOSSES)
def test_not_negative(loss: Loss) -> None:
    assert np.all(loss.value(WIDE) >= 0)


@over(LOSSES)
def test_zero_beyond_the_threshold_and_nowhere_before(loss: Loss) -> None:
    t = loss.threshold
    if np.isinf(t):
        before = WIDE[(WIDE < 700) & (WIDE > 1.01)]
        assert np.all(loss.value(before) > 0)
        return
    beyond = t + np.concatenate([[1e-9, 1e-3, 1, 1000], np.linspace(0.01, 40, 999)])
    for function in (loss.value, loss.d1, loss.d2):
        assert not np.any(function(np.append(beyond, np.nextafter(t, np.inf))))
    assert np.all(loss.value(t - np.array([1e-6, 1e-3, 1, 1000])) > 0)
    if loss.convex:
        assert loss.value(t) == 0  # a convex loss is continuous


@over(LINKED)
def test_probabilities_are_probabilities(loss: Loss) -> None:
    f = np.concatenate([WIDE, [0.0, 1.0, -1.0]])
    f.sort()
    p = loss.probability(f)
    assert np.all((p >= 0) & (p <= 1))
    assert np.all(np.diff(p) >= 0)
    np.testing.assert_allclose(p + loss.probability(-f), 1, rtol=0, atol=2 * EPS)
    assert loss.probability(0.0) == 0.5


@over(LINKED)
def test_a_probability_is_the_one_for_which_its_score_is_best(loss: Loss) -> None:
    """argmin_f P l(f) + (1 - P) l(-f), the score of a row that is positive with probability P."""
    for P in (1e-4, 0.03, 0.2, 0.5, 0.61, 0.9, 0.999):

        def slope_at(f: float, P: float = P) -> float:
            return float(P * loss.d1(f) - (1 - P) * loss.d1(-f))

        end = next(2.0**k for k in range(60) if slope_at(-(2.0**k)) < 0 < slope_at(2.0**k))
        f = brentq(slope_at, -end, end, xtol=1e-14, rtol=4 * EPS)
        assert abs(loss.probability(f) - P) < 1e-12
