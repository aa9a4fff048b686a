"""Every penalty: prox(w, t) = argmin_x t R(x) + ||x - w||^2 / 2, and the slopes that make it one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

import widemargin as wm
from properties.penalty_cases import (
    CONVEX,
    DUAL,
    FEW,
    NORMS,
    ODD,
    PENALTIES,
    PLAIN,
    RNG,
    STEP,
    STEPS,
    objective,
    over,
    vectors,
)
from widemargin._types import F64
from widemargin.penalty import Penalty

EPS = float(np.finfo(float).eps)
DIRECTIONS = [RNG.standard_normal(40) * 10.0 ** RNG.uniform(-6, 1) for _ in range(200)]


@over(PENALTIES)
@pytest.mark.parametrize("t", STEPS)
def test_nothing_is_better(penalty: Penalty, t: float) -> None:
    """Not 0, not w, no point near or far: the global minimum, whether R is convex or not."""
    for w in PLAIN:
        x = penalty.prox(w, t)
        best = objective(penalty, x, w, t)
        rivals = [np.zeros(w.size), w, *(start + d[: w.size] for d in DIRECTIONS for start in (x, w))]
        rivals += [np.where(np.arange(w.size) == j, 0, x) for j in range(w.size)]
        least = min(objective(penalty, rival, w, t) for rival in rivals)
        assert best <= least + 64 * EPS * (best + w @ w)


@over(PENALTIES)
@pytest.mark.parametrize("t", [0.01, 0.5, 2.0])
def test_the_best_of_one_coordinate(penalty: Penalty, t: float) -> None:
    grid = np.linspace(-0.2, 1.05, 501)
    for w in (0.03, 0.7, 1.3, -2.0, 5.0):
        best = objective(penalty, penalty.prox([w], t), np.array([w]), t)
        least = min(objective(penalty, np.array([share * w]), np.array([w]), t) for share in grid)
        assert best <= least + 8 * EPS * (1 + w * w)


@over(PENALTIES)
@pytest.mark.parametrize("t", STEPS)
def test_the_prox_is_stationary(penalty: Penalty, t: float) -> None:
    """(w - x) / t is a subgradient at x, up to the rounding of w."""
    for w in PLAIN:
        x = penalty.prox(w, t)
        g = (x - w) / t
        assert penalty.distance(g, x) <= 1e-12 * (1 + np.linalg.norm(g)) + 32 * EPS * np.linalg.norm(w) / t


@over(DUAL)
@pytest.mark.parametrize("t", STEPS)
def test_the_prox_closes_the_duality_gap(penalty: Penalty, t: float) -> None:
    """R(x) + R*(v) = x.v for v = (w - x) / t, scaled down by its rounding to stay in the domain of R*."""
    for w in PLAIN + ODD[:2]:
        x = penalty.prox(w, t)
        v = (w - x) / t
        noise = 1e-12 + 8 * EPS * np.linalg.norm(w) / t
        slack = 64 * EPS * (w @ w) / t + 2 * noise * abs(x @ v)
        assert -slack <= penalty.value(x) + penalty.conjugate(v * (1 - noise)) - x @ v <= slack


@over(CONVEX)
@FEW
@given(w=vectors(), u=vectors(), t=STEP)
def test_firmly_nonexpansive(penalty: Penalty, w: F64, u: F64, t: float) -> None:
    moved = penalty.prox(w, t) - penalty.prox(u, t)
    assert moved @ moved <= moved @ (w - u) + 64 * EPS * (w @ w + u @ u)


@over(PENALTIES)
def test_no_step_is_no_move(penalty: Penalty) -> None:
    for w in PLAIN + ODD:
        np.testing.assert_array_equal(penalty.prox(w, 0.0), w)


@over(PENALTIES)
def test_a_step_lost_in_rounding_is_no_move(penalty: Penalty) -> None:
    for w in PLAIN:
        np.testing.assert_allclose(penalty.prox(w, 1e-30), w, rtol=1e-14, atol=1e-25)


@over(PENALTIES)
def test_an_infinite_step_ends_where_r_is_0(penalty: Penalty) -> None:
    for w in PLAIN:
        assert penalty.value(penalty.prox(w, np.inf)) == 0


@over(NORMS)
@pytest.mark.parametrize("c", [-3.0, 1e-150, 1e150])
def test_the_prox_of_a_norm_scales(penalty: Penalty, c: float) -> None:
    for w in PLAIN:
        for t in (0.3, 2.0):
            want = c * penalty.prox(w, t)
            got = penalty.prox(c * w, abs(c) * t)
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-14 * np.max(np.abs(c * w)))


@over(NORMS)
@pytest.mark.parametrize("t", STEPS)
def test_moreau(penalty: Penalty, t: float) -> None:
    """w - prox(w, t) is the projection onto t times the dual ball: inside it, on its border unless x = 0."""
    for w in PLAIN:
        x = penalty.prox(w, t)
        size = penalty.dual_norm(w - x)
        slack = 1e-12 * t + 4 * EPS * penalty.dual_norm(np.abs(w))
        assert size <= t + slack
        if np.any(x):
            assert size >= t - slack
        else:
            assert penalty.dual_norm(w) <= t * (1 + 1e-12)


@over(NORMS)
def test_moreau_all_the_way_to_0(penalty: Penalty) -> None:
    """v = (w - x) / t has dual norm 1 and v.x = R(x), for every t up to the one where x vanishes."""
    w = np.array([2.0, -1.5, 1.0, 0.25, -0.25, 0.0])
    for t in np.linspace(0, 1, 400, endpoint=False)[1:] * penalty.dual_norm(w):
        x = penalty.prox(w, t)
        assert penalty.dual_norm(w - x) == pytest.approx(t, rel=1e-12)
        assert (w - x) @ x == pytest.approx(t * penalty.value(x), rel=1e-11, abs=1e-14)


@over(PENALTIES)
def test_no_overflow_on_the_way(penalty: Penalty) -> None:
    for w in ODD:
        for t in (1e-150, 1e-3, 1.0, 1e3, 1e150):
            x = penalty.prox(w, t)
            assert np.all(np.isfinite(x))
            assert np.linalg.norm(x, np.inf) <= np.linalg.norm(w, np.inf) if w.size else x.size == 0
            assert not np.isnan(penalty.distance(-w, x))
            if penalty.separable:  # R is least at 0, in each coordinate
                assert np.all((x * np.sign(w) >= 0) & (np.abs(x) <= np.abs(w)))


@over([penalty for penalty in PENALTIES if penalty.separable])
@pytest.mark.parametrize("t", STEPS)
def test_separable_is_coordinate_by_coordinate(penalty: Penalty, t: float) -> None:
    for w in PLAIN + ODD:
        np.testing.assert_array_equal(penalty.prox(w, t), [penalty.prox([v], t)[0] for v in w])


@over(PENALTIES)
def test_nan_in_nan_out(penalty: Penalty) -> None:
    w, fine = np.array([1.0, np.nan, -2.0]), np.ones(3)
    numbers = [penalty.value(w), penalty.distance(w, fine), penalty.distance(fine, w)]
    numbers += [penalty.conjugate(w)] if penalty.convex and penalty.has_conjugate else []
    numbers += [penalty.dual_norm(w)] if penalty.norm else []
    assert np.all(np.isnan(numbers))
    assert np.isnan(penalty.prox(w, 0.5)[1])
    assert np.all(np.isnan(penalty.prox(fine, np.nan)))


@over(PENALTIES)
def test_shapes(penalty: Penalty) -> None:
    block = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]])
    flat = penalty.prox(block.ravel(), 0.4)
    frozen = block.copy()
    frozen.setflags(write=False)
    for same in (block, block.tolist(), np.asfortranarray(block), frozen, block.astype(">f8")):
        np.testing.assert_array_equal(penalty.prox(same, 0.4), flat.reshape(2, 3))
        assert penalty.value(same) == penalty.value(block.ravel())
    np.testing.assert_array_equal(penalty.prox(block[:, ::-2], 0.4), penalty.prox(block[:, ::-2].copy(), 0.4))
    for shape in ((0,), (0, 3), (1, 1)):
        assert penalty.prox(np.ones(shape), 0.5).shape == shape
    assert penalty.prox([1, 2], 1).dtype == np.float64
    assert block[0, 1] == -2  # untouched


def half(a: float, t: float) -> float:
    """argmin t sqrt|x| + (x - a)^2 / 2 in closed form.  Xu, Chang, Xu, Zhang 2012."""
    if a <= 1.5 * t ** (2 / 3):
        return 0.0
    return 2 / 3 * a * (1 + math.cos(2 / 3 * (math.pi - math.acos(t / 4 * (a / 3) ** -1.5))))


KNOWN: list[tuple[str, list[float], float, list[float]]] = [
    ("none", [1, -2], 5, [1, -2]),
    ("l1", [3, -0.5, -2], 1, [2, 0, -1]),
    ("l2", [3, -1.5], 0.5, [2, -1]),
    ("elastic_net:0.5", [3, -0.5, -2], 1, [5 / 3, 0, -1]),
    ("l2_norm", [3, -4], 1, [2.4, -3.2]),
    ("l2_norm", [3, -4], 5, [0, 0]),
    ("max_norm", [3, 1], 1, [2, 1]),
    ("max_norm", [3, -3, 1], 2, [2, -2, 1]),
    ("max_norm", [3, -3, 1], 5, [2 / 3, -2 / 3, 2 / 3]),
    ("max_norm", [3, -3, 1], 7, [0, 0, 0]),
    ("count", [3, -1, 0.5], 0.5 * 0.8, [3, -1, 0]),
    ("count", [2.001, -1.999], 2, [2.001, 0]),
    ("p_norm:0.5", [3, -1.6, 1.4], 1, [half(3, 1), -half(1.6, 1), 0]),
    ("p_norm:0.5", [0.4, 12], 0.1, [half(0.4, 0.1), half(12, 0.1)]),
]


@pytest.mark.parametrize(("text", "w", "t", "want"), KNOWN, ids=lambda x: str(x))
def test_known(text: str, w: list[float], t: float, want: list[float]) -> None:
    penalty = wm.penalties.p_norm if text.startswith("p_norm") else wm.penalties[text.partition(":")[0]]
    parameter = text.partition(":")[2]
    member = penalty(float(parameter)) if parameter else penalty
    np.testing.assert_allclose(member.prox(w, t), want, rtol=1e-14, atol=1e-15)


@over([penalty for penalty in NORMS if penalty.parameter])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_equal_weights_shrink_alike(penalty: Penalty, n: int) -> None:
    """For w = a (1, ..., 1) and the p-norm, x = (a - t n^(1/p - 1))_+ (1, ..., 1)."""
    t, less = 0.7, 0.7 * n ** (1 / penalty.at - 1)
    for a in (1e-3, 0.9 * less, 1.1 * less, 5.0):
        np.testing.assert_allclose(penalty.prox(np.full(n, a), t), max(a - less, 0), rtol=1e-12, atol=1e-15)
