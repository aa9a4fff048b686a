"""Every schedule of the registry, its numbers drawn from the intervals that it declares."""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin import schedules as module
from widemargin._options import Interval, intervals
from widemargin.errors import OptionError, Refusal, WidemarginError
from widemargin.schedules import Schedule, custom, inverse, parse, robbins_monro, schedules

FAMILIES = sorted(schedules)
CURVATURE = 3.0
TIMES = st.lists(st.integers(1, 10**9), min_size=1, max_size=20)


def ordinary(interval: Interval) -> st.SearchStrategy[object]:
    """Numbers of ordinary size, with few digits, inside the interval."""
    low = max(interval.low, 1e-4)
    if interval.whole:
        numbers: st.SearchStrategy[object] = st.integers(int(interval.low), 1000)
    else:
        numbers = st.floats(low, min(interval.high - 1e-4, 1e4)).map(lambda x: max(round(x, 4), low))
    return st.none() | numbers if interval.optional else numbers


def extreme(interval: Interval) -> st.SearchStrategy[object]:
    """Anything that the interval admits."""
    if interval.whole:
        return st.integers(int(interval.low), 10**12)
    high = None if math.isinf(interval.high) else interval.high
    closed = interval.closed
    return st.floats(interval.low, high, exclude_min=not closed, exclude_max=high is not None, allow_infinity=False)


@st.composite
def drawn(draw: st.DrawFn, name: str) -> Schedule:
    values = {key: draw(ordinary(interval)) for key, interval in intervals(schedules[name]).items()}
    return schedules[name](**values)


every = pytest.mark.parametrize("name", FAMILIES)


@every
@given(data=st.data(), times=TIMES)
def test_positive_finite_decreasing_and_the_same_one_by_one(name: str, data: st.DataObject, times: list[int]) -> None:
    schedule = data.draw(drawn(name)).resolve(CURVATURE)
    t = np.sort(np.array(times))
    eta = schedule(t)
    assert eta.shape == t.shape
    assert eta.dtype == np.float64
    assert np.all((eta > 0) & np.isfinite(eta))
    assert np.all(np.diff(eta) <= 0)
    assert eta.tolist() == [schedule(int(one)) for one in t]
    assert np.array_equal(schedule(t.reshape(-1, 1)), eta.reshape(-1, 1))
    assert type(schedule(1)) is float


@every
@given(data=st.data())
def test_at_the_edges_of_what_it_admits(name: str, data: st.DataObject) -> None:
    """Numbers that make the first step infinite are refused; all others give positive, finite steps."""
    values = {key: data.draw(extreme(interval)) for key, interval in intervals(schedules[name]).items()}
    steps: list[float] = [1.0]
    refusal = ""
    try:
        steps = schedules[name](**values).resolve(CURVATURE)(np.array([1.0, 2.0, 1e15])).tolist()
    except OptionError as error:
        refusal = str(error)
    assert refusal == "" or "first step is infinite" in refusal
    assert all(0.0 < eta < math.inf for eta in steps)


@every
@pytest.mark.parametrize("t", [0, -1, 0.5, math.nan, [1, 0]])
def test_t_counts_from_1(name: str, t: object) -> None:
    schedule = parse(example(name)).resolve(CURVATURE)
    with pytest.raises(OptionError, match="counted from 1"):
        schedule(t)


@every
@given(data=st.data())
def test_text_reads_back(name: str, data: st.DataObject) -> None:
    schedule = data.draw(drawn(name))
    assert parse(repr(schedule)) == schedule
    assert parse(schedule) is schedule
    assert eval(repr(schedule), dict(schedules)) == schedule
    values = [getattr(schedule, key) for key in intervals(type(schedule))]
    assert parse(f"{name}:{','.join(map(repr, values))}" if values else name) == schedule
    assert len({schedule, parse(repr(schedule))}) == 1


@every
def test_wrong_numbers_are_refused(name: str) -> None:
    kind = schedules[name]
    right = {key: 1 if i.whole else 0.5 for key, i in intervals(kind).items()}
    wrong = [-1, math.nan, math.inf, -math.inf, "1", True, 10**400, [0.5], 1j, np.array([0.5])]
    for key, interval in intervals(kind).items():
        beyond = [] if math.isinf(interval.high) else [interval.high, 2]
        none = [] if interval.optional else [None]
        edge = [] if interval.closed else [interval.low]
        part = [1.5] if interval.whole else []
        for value in wrong + beyond + none + edge + part:
            with pytest.raises(OptionError, match=f"{name}: {key} = "):
                kind(**{**right, key: value})
        for value in [Fraction(1), np.float32(1), np.int64(1)] if math.isinf(interval.high) else [np.float32(0.5)]:
            assert type(getattr(kind(**{**right, key: value}), key)) in (float, int)


def grows(schedule: Schedule, square: int) -> bool:
    """Cauchy's condensation: for falling terms sum a_t diverges if and only if sum 2^k a(2^k) does.

    Looks as far out as float64 reaches before the schedule stops at the smallest number.
    """
    k = np.arange(901.0)
    eta = schedule(2.0**k)
    far = max(2, int(np.sum(eta > 2 * module.SMALLEST)))
    log2_terms = (k + square * np.log2(eta))[:far]
    return bool(log2_terms[-1] - log2_terms[-2] >= -1e-9)


@every
@given(data=st.data())
def test_robbins_monro_agrees_with_the_sums(name: str, data: st.DataObject) -> None:
    schedule = data.draw(drawn(name))
    facts = robbins_monro(schedule)
    resolved = schedule.resolve(CURVATURE)
    assert facts.sum_diverges is grows(resolved, 1)
    assert facts.squares_converge is not grows(resolved, 2)
    assert facts.verdict == ("proved" if facts.sum_diverges and facts.squares_converge else "refuted")
    assert "sufficient, not necessary" in facts.reason
    assert str(facts).startswith(facts.verdict)


@given(st.sampled_from([lambda t: 1 / t, lambda t: 0.1, lambda t: 2.0**-t, inverse(1.0).__call__]))
def test_nothing_is_proved_of_a_function(function: object) -> None:
    facts = robbins_monro(function)
    assert facts.verdict == "undecidable"
    assert (facts.sum_diverges, facts.squares_converge) == (None, None)
    assert "finitely many" in facts.reason
    assert "sufficient, not necessary" in facts.reason


def test_the_boundary_of_robbins_monro() -> None:
    verdicts = {p: robbins_monro(f"power:1,{p}").verdict for p in (0.5, 0.51, 1.0, 1.01)}
    assert verdicts == {0.5: "refuted", 0.51: "proved", 1.0: "proved", 1.01: "refuted"}
    assert robbins_monro("inverse_sqrt:1").sum_diverges
    assert robbins_monro("power:1,1.01").squares_converge


def test_a_function_is_asked_with_whole_numbers_one_by_one() -> None:
    asked: list[object] = []
    schedule = parse(lambda t: asked.append(t) or (0.1 if t < 3 else 0.01))
    assert isinstance(schedule, custom)
    assert schedule(np.arange(1, 5)).tolist() == [0.1, 0.1, 0.01, 0.01]
    assert set(map(type, asked)) == {int}
    assert schedule.resolve(CURVATURE) is schedule


@pytest.mark.parametrize("answer", [0.0, -1.0, math.nan, math.inf, "x", None, [1.0, 2.0]])
def test_a_function_with_a_wrong_step_is_refused(answer: object) -> None:
    with pytest.raises(OptionError, match="for t = 7"):
        parse(lambda t: answer if t == 7 else 1.0)(np.arange(1, 9))


def test_inverse_curvature_waits_for_the_solver() -> None:
    schedule = parse("inverse_curvature")
    assert schedule.needs_curvature
    assert schedule.resolve(4.0) == parse("constant:0.25")
    assert schedule.resolve(0.0)(1) == 1.0
    with pytest.raises(Refusal, match="resolve"):
        schedule(1)
    for curvature in (math.inf, math.nan, -1.0):
        with pytest.raises(Refusal, match="backtracking"):
            schedule.resolve(curvature)


def test_the_rules_of_the_notes() -> None:
    """1/(alpha t); 1/(k + 1) with k from 0; 1/k; a fixed 0.1; 1/L."""
    t = np.arange(1, 6)
    assert np.array_equal(parse("inverse:0.5")(t), 1 / (0.5 * t))
    assert np.array_equal(parse("harmonic")(t), 1 / t)
    assert np.array_equal(parse("harmonic:1")(t), 1 / (t + 1))
    assert np.array_equal(parse("constant:0.1")(t), np.full(5, 0.1))


def test_optimal_is_that_of_scikit_learn() -> None:
    """eta = 1 / (alpha (t0 + t - 1)) with the first step alpha^(-1/4)."""
    assert parse("optimal:1e-4")(1) == pytest.approx(10.0, rel=1e-15)
    assert parse("optimal:1e-4,1000")(501) == pytest.approx(1 / (1e-4 * 1500), rel=1e-15)


def test_the_ends_of_cosine_and_step_decay() -> None:
    cosine, steps = parse("cosine:2,100"), parse("step_decay:1,0.5,10")
    assert cosine(1) == 2.0
    assert cosine(51) == pytest.approx(1.0)
    assert cosine(100) == cosine(10**9) > 0
    assert steps(np.array([1, 10, 11, 20, 21])).tolist() == [1.0, 1.0, 0.5, 0.5, 0.25]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("harmonik", "Did you mean 'harmonic'"),
        ("power:1", "missing a required argument: 'p'"),
        ("constant:1,2", "It takes: eta"),
        ("constant(eta=1, step=1)", "unexpected keyword"),
        ("", "cannot be read"),
        ("0.1", "cannot be read"),
        ("constant:1/3", "cannot be read"),
        ("constant(__import__('os'))", "unknown schedule '__import__'"),
        ("constant.eta", "cannot be read"),
        ("(" * 300, "cannot be read"),
        ("a\0b", "cannot be read"),
    ],
)
def test_text_that_names_nothing(text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse(text)
    assert message in str(caught.value)


@given(st.text(max_size=30))
def test_any_other_text_gives_an_error_of_our_own(text: str) -> None:
    with contextlib.suppress(WidemarginError):
        parse(text)


@pytest.mark.parametrize("value", [0.1, None, inverse, [1.0], object()])
def test_what_is_no_schedule(value: object) -> None:
    with pytest.raises(OptionError, match=r"constant\(0\.1\)|write inverse"):
        parse(value)


def example(name: str) -> str:
    """One schedule of the family, as text."""
    values = ["1" if i.whole else "0.5" for i in intervals(schedules[name]).values()]
    return f"{name}:{','.join(values)}" if values else name


@pytest.mark.parametrize("name", FAMILIES)
def test_the_documentation_has_it(name: str, root: Path) -> None:
    assert f"\n| `{name}(" in (root / "docs" / "schedules.md").read_text(encoding="utf-8")
