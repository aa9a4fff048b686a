"""Every penalty of the registry, at many values of its parameter: R(w) itself, names, texts, what is refused."""

from __future__ import annotations

import copy
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import widemargin as wm
from properties.penalty_cases import CONVEX, FEW, NORMS, ODD, PENALTIES, PLAIN, over, vectors
from widemargin.errors import InputError, OptionError, Refusal
from widemargin.penalty import CallablePenalty, Penalty, as_penalty

ENTRIES: list[Penalty] = list(wm.penalties.values())


@over(PENALTIES)
def test_0_at_0_and_never_negative(penalty: Penalty) -> None:
    assert penalty.value([]) == penalty.value(np.zeros(5)) == penalty.value([-0.0]) == 0
    for w in PLAIN + ODD:
        assert penalty.value(w) >= 0
        assert penalty.value(w) == penalty.value(-w)
        assert penalty.value(w[::-1]) == pytest.approx(penalty.value(w), rel=1e-14)


@over(PENALTIES)
def test_only_what_holds_nothing_back_is_0_elsewhere(penalty: Penalty) -> None:
    positive = [penalty.value(w) > 0 for w in PLAIN + ODD if np.any(w)]
    assert not any(positive) if penalty.shares == (0, 0) else positive[0]


@over(CONVEX)
@FEW
@given(x=vectors(), y=vectors(), share=st.floats(0, 1))
def test_convex(penalty: Penalty, x: np.ndarray, y: np.ndarray, share: float) -> None:
    chord = share * penalty.value(x) + (1 - share) * penalty.value(y)
    assert penalty.value(share * x + (1 - share) * y) <= chord * (1 + 1e-12) + 1e-300


@over([penalty for penalty in PENALTIES if not penalty.convex])
def test_not_convex_has_a_witness(penalty: Penalty) -> None:
    assert not penalty.norm
    assert penalty.value([0.5]) > (penalty.value([0.0]) + penalty.value([1.0])) / 2 + 1e-4


@over(PENALTIES)
def test_smooth_has_a_tangent_at_0_and_others_a_corner(penalty: Penalty) -> None:
    slope = penalty.value([1e-7]) / 1e-7
    assert slope < 1e-6 if penalty.smooth else slope > 1e-4


@over(NORMS)
@FEW
@given(x=vectors(), y=vectors(), c=st.floats(-1e3, 1e3))
def test_a_norm_is_one(penalty: Penalty, x: np.ndarray, y: np.ndarray, c: float) -> None:
    assert penalty.value(c * x) == pytest.approx(abs(c) * penalty.value(x), rel=1e-12, abs=1e-290)
    assert penalty.value(x + y) <= (penalty.value(x) + penalty.value(y)) * (1 + 1e-12)
    assert (penalty.value(x) > 0) == bool(np.any(x))
    unit = np.eye(4)[0]
    assert penalty.value(unit) == 1


@over([penalty for penalty in PENALTIES if not penalty.norm and penalty.shares != (0, 0)])
def test_what_is_no_norm_does_not_scale(penalty: Penalty) -> None:
    assert penalty.value([2.0, 2.0]) != pytest.approx(2 * penalty.value([1.0, 1.0]), rel=1e-4)


@over(PENALTIES)
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_no_detour_overflows(penalty: Penalty, scale: float) -> None:
    """Far away R is still R: its logarithm grows along a ray no faster than the square's."""
    w = np.array([3.0, -4.0, 1.0])
    value = penalty.value(scale * w)
    assert not math.isnan(value)
    if penalty.norm:
        assert value == pytest.approx(scale * penalty.value(w), rel=1e-13)
    elif math.isinf(value):  # only where the true value is too large
        assert penalty.value(math.sqrt(scale) * w) > 1e100


@over([penalty for penalty in PENALTIES if penalty.shares])
@FEW
@given(w=vectors())
def test_shares(penalty: Penalty, w: np.ndarray) -> None:
    assert penalty.shares is not None
    l1, l2 = penalty.shares
    assert penalty.value(w) == pytest.approx(l1 * np.sum(np.abs(w)) + l2 / 2 * (w @ w), rel=1e-13, abs=1e-290)
    assert penalty.smooth == (l1 == 0)
    assert penalty.separable
    assert penalty.convex


@over(PENALTIES)
def test_separable_is_a_sum_over_coordinates(penalty: Penalty) -> None:
    split = [
        penalty.value(np.concatenate([u, v])) == pytest.approx(penalty.value(u) + penalty.value(v), rel=1e-13)
        for u in PLAIN
        for v in PLAIN[1:]
    ]
    assert all(split) == penalty.separable


IDENTITIES = [  # (one way to write it, another)
    ("p_norm:1", "l1"),
    ("p_norm:2", "l2_norm"),
    ("p_norm:inf", "max_norm"),
    ("elastic_net:0", "l2"),
    ("elastic_net:1", "l1"),
]


@pytest.mark.parametrize(("one", "other"), IDENTITIES)
def test_members_of_two_families(one: str, other: str) -> None:
    a, b = as_penalty(one), as_penalty(other)
    assert isinstance(a, Penalty)
    assert isinstance(b, Penalty)
    for fact in ("convex", "norm", "separable", "smooth"):
        assert getattr(a, fact) == getattr(b, fact)
    for w in PLAIN + ODD:
        assert a.value(w) == pytest.approx(b.value(w), rel=1e-15)
        assert a.conjugate(w) == pytest.approx(b.conjugate(w), rel=1e-15)
        for t in (0.0, 0.3, 1.0, 40.0):
            np.testing.assert_allclose(a.prox(w, t), b.prox(w, t), rtol=1e-15)
        for g in (np.zeros(w.size), -w, np.ones(w.size)):
            assert a.distance(g, w) == pytest.approx(b.distance(g, w), rel=1e-13, abs=1e-15)


def test_limits_of_the_p_norm() -> None:
    w = np.array([3.0, -4.0, 0.0, 1.0])
    near = [wm.penalties.p_norm(p=p).value(w) for p in (1 + 1e-9, 2 - 1e-9, 2 + 1e-9, 1e9)]
    np.testing.assert_allclose(near, [8, math.sqrt(26), math.sqrt(26), 4], rtol=1e-8)
    assert wm.penalties.p_norm(p=0.01).value(w) == pytest.approx(3, rel=0.03)  # counts, almost


# ---- names, texts, errors


@over(PENALTIES)
def test_text_and_back(penalty: Penalty) -> None:
    assert as_penalty(penalty.text) == penalty
    assert as_penalty(penalty) is penalty
    assert penalty.name in repr(penalty)
    assert copy.deepcopy(penalty) == penalty


@over([entry for entry in ENTRIES if entry.parameter])
@FEW
@given(data=st.data())
def test_text_and_back_to_the_last_bit(penalty: Penalty, data: st.DataObject) -> None:
    member = penalty(data.draw(st.floats(penalty.low, penalty.high)))
    assert as_penalty(member.text) == member == penalty(**{penalty.parameter: member.at})


@over([entry for entry in ENTRIES if entry.parameter])
def test_parameters_out_of_range(penalty: Penalty) -> None:
    outside = [np.nextafter(penalty.low, -np.inf), -1.0, float("nan"), -np.inf]
    outside += [np.nextafter(penalty.high, np.inf)] if np.isfinite(penalty.high) else []
    for value in outside:
        with pytest.raises(OptionError, match=f"{penalty.parameter} must lie in"):
            penalty(value)
        with pytest.raises(OptionError, match=f"{penalty.parameter} must lie in"):
            as_penalty(f"{penalty.name}:{value}")
    for text in ("", "x", "0.5:1", "0,5"):
        with pytest.raises(OptionError, match="is not a number"):
            as_penalty(f"{penalty.name}:{text}")
    for args, named in (((), {}), ((1, 1), {}), ((), {"no_such": 1})):
        with pytest.raises(OptionError, match=f"takes one parameter, {penalty.parameter}="):
            penalty(*args, **named)
    with pytest.raises(OptionError, match="'much' is not a number"):
        penalty("much")


@over([entry for entry in ENTRIES if not entry.parameter])
def test_no_parameter_where_none_is(penalty: Penalty) -> None:
    with pytest.raises(OptionError, match="takes no parameter"):
        penalty(0.5)
    with pytest.raises(OptionError, match="takes no parameter"):
        as_penalty(f"{penalty.name}:0.5")


@over(ENTRIES)
def test_a_name_mistyped_is_guessed(penalty: Penalty) -> None:
    assert getattr(wm.penalties, penalty.name) is wm.penalties[penalty.name] is penalty
    with pytest.raises(OptionError, match="Did you mean"):
        wm.penalties[penalty.name + "x"]
    with pytest.raises(OptionError, match="Did you mean"):
        as_penalty(penalty.name + "x:1")
    assert not hasattr(wm.penalties, penalty.name + "x")
    assert wm.penalties.get(penalty.name + "x") is None


@over(PENALTIES)
def test_what_a_penalty_lacks_is_refused(penalty: Penalty) -> None:
    lacking = [] if penalty.norm else [penalty.dual_norm]
    lacking += [] if penalty.convex and penalty.has_conjugate else [penalty.conjugate]
    for function in lacking:
        with pytest.raises(Refusal, match=re.escape(repr(penalty.text))):
            function([1.0, 2.0])


@over(PENALTIES)
def test_bad_calls(penalty: Penalty) -> None:
    with pytest.raises(InputError, match=r"2 .*3"):
        penalty.distance(np.ones(2), np.ones(3))
    with pytest.raises(OptionError, match=r"t .*-0\.5"):
        penalty.prox(np.ones(2), -0.5)


def test_no_penalty_and_a_penalty_of_the_callers_own() -> None:
    assert as_penalty(None) is wm.penalties["none"]
    mine = CallablePenalty(value=lambda w: float(np.sum(w**4)), gradient=lambda w: 4 * w**3)
    assert as_penalty(mine) is mine
    assert mine.smooth
    assert mine.text == "callable"
    with pytest.raises(OptionError, match="must be a name"):
        as_penalty(3)  # type: ignore[arg-type]
