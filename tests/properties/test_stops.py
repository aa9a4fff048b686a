"""Every stop of the registry on histories made up for it."""

from __future__ import annotations

import contextlib
import math
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin._options import intervals
from widemargin.errors import OptionError, Verdict, WidemarginError
from widemargin.events import Event, Trace
from widemargin.stops import (
    Budget,
    Rule,
    Stop,
    any_of,
    begin,
    budget,
    gap,
    max_passes,
    parse,
    stops,
)

RULES = sorted(name for name, kind in stops.items() if issubclass(kind, Rule))
NAN = math.nan


def history(**fields: Sequence[object]) -> Trace:
    """Events whose fields run through the sequences; objective 1 where nothing else is said."""
    length = max(map(len, fields.values()))
    made = Trace()
    for k in range(length):
        given_fields = {name: values[k] for name, values in fields.items()}
        made.append(Event(**{"solver": "x", "iteration": k, "passes": float(k), "objective": 1.0, **given_fields}))
    return made


def example(name: str) -> Rule:
    kind = stops[name]
    return kind(**{key: 2 if interval.whole else 0.1 for key, interval in intervals(kind).items()})


def first(stop: str | Stop, events: Trace) -> tuple[int, Verdict] | None:
    """Where the loop would end: number of events seen, and the verdict."""
    started = begin(parse(stop))
    for k in range(len(events) + 1):
        verdict = started(events[:k])
        if verdict is not None:
            return k, verdict
    return None


every = pytest.mark.parametrize("name", RULES)


@every
def test_nothing_known_never_stops(name: str) -> None:
    unknown = history(passes=[NAN] * 9, objective=[NAN] * 9)
    assert first(example(name), unknown) is None
    assert example(name)([]) is None


@every
@given(data=st.data())
def test_text_reads_back(name: str, data: st.DataObject) -> None:
    kind = stops[name]
    values = {
        key: data.draw(st.integers(1, 10**6) if interval.whole else st.floats(1e-300, 1e300))
        for key, interval in intervals(kind).items()
    }
    stop = kind(**values)
    assert parse(repr(stop)) == stop
    assert parse(stop) is stop
    assert parse(f"{name}:{','.join(map(repr, values.values()))}" if values else name) == stop
    assert any_of(stop, "separated") == parse(repr(any_of(stop, "separated")))
    assert pickle.loads(pickle.dumps(stop)) == stop


@every
def test_wrong_numbers_are_refused(name: str) -> None:
    for key, interval in intervals(stops[name]).items():
        for value in [0, -1, NAN, math.inf, "1", None, True, [1.0], *([1.5] if interval.whole else [])]:
            with pytest.raises(OptionError, match=f"{name}: {key} = "):
                stops[name](**{key: value})


@every
@given(events=st.lists(st.tuples(*[st.sampled_from([NAN, -1.0, 0.0, 0.05, 1.0, math.inf])] * 5), max_size=6))
def test_a_rule_remembers_nothing(name: str, events: list[tuple[float, ...]]) -> None:
    """Same history, same answer, whatever was asked before; and any history has an answer."""
    names = ("objective", "gap", "errors", "change", "gradient_norm")
    made = history(**dict(zip(names, zip(*events, strict=True), strict=True))) if events else Trace()
    stop = example(name)
    answers = [stop(made[:k]) for k in range(len(made) + 1)]
    assert set(answers) <= {None, stop.verdict}
    assert answers[::-1] == [stop(made[:k]) for k in reversed(range(len(made) + 1))]
    assert begin(stop) is stop


CASES = [
    ("max_passes:3", {"passes": [0.0, 1.5, 3.0, 4.5]}, 3, Verdict.stopped),
    ("max_passes:1", {"passes": [0.1, 0.9, sum([0.1] * 10)]}, 3, Verdict.stopped),
    ("max_passes:0.5", {"passes": [0.25, 0.5]}, 2, Verdict.stopped),
    ("gradient_norm:0.1", {"gradient_norm": [1.0, 0.1, NAN, 0.09]}, 4, Verdict.stopped),
    ("objective_change:0.01", {"objective": [4.0, 2.0, 1.99]}, 3, Verdict.stopped),
    ("objective_change:0.01", {"objective": [4.0, 2.0, NAN, 2.0, 2.0]}, 5, Verdict.stopped),
    ("objective_change:0.01", {"objective": [1.0, 1e-9, 9.5e-10]}, 3, Verdict.stopped),
    ("objective_change:0.01", {"objective": [2.0, 0.0, 0.0]}, 3, Verdict.stopped),
    ("parameter_change:1e-3", {"change": [NAN, 1.0, 1e-3]}, 3, Verdict.stopped),
    ("errors_unchanged:2", {"errors": [0.5, 0.2, 0.2, 0.3, 0.3, 0.3]}, 6, Verdict.stopped),
    ("errors_unchanged:1", {"errors": [NAN, NAN, 0.1, 0.1]}, 4, Verdict.stopped),
    ("gap:1e-6", {"gap": [NAN, math.inf, 1e-5, 1e-6]}, 4, Verdict.tolerance),
    ("gap:1e-6", {"gap": [-1e-17]}, 1, Verdict.tolerance),
    ("separated", {"mistakes": [-1, 3, 0]}, 3, Verdict.no_mistakes),
    ("separated", {"errors": [NAN, 0.1, 0.0]}, 3, Verdict.no_mistakes),
]


@pytest.mark.parametrize(("stop", "fields", "events", "verdict"), CASES)
def test_when_it_stops(stop: str, fields: dict[str, list[float]], events: int, verdict: Verdict) -> None:
    assert first(stop, history(**fields)) == (events, verdict)


def test_every_rule_has_a_case() -> None:
    assert {stop.partition(":")[0] for stop, *_ in CASES} == set(RULES)


NEVER = [
    ("objective_change:0.01", {"objective": [2.0**-k for k in range(20)]}),
    ("errors_unchanged:3", {"errors": [0.5, 0.2, 0.2, 0.2]}),
    ("separated", {"mistakes": [1, 2, 1], "errors": [0.1, 0.2, 0.3]}),
    ("gradient_norm:1e-300", {"gradient_norm": [1.0, 1e-299, math.inf]}),
    ((), {"gap": [0.0], "mistakes": [0]}),
]


@pytest.mark.parametrize(("stop", "fields"), NEVER)
def test_when_it_does_not(stop: str, fields: dict[str, list[float]]) -> None:
    assert first(stop, history(**fields)) is None


def test_any_of_gives_the_first_verdict_in_its_order() -> None:
    events = history(gap=[1.0, 1e-9], passes=[1.0, 2.0], mistakes=[5, 0])
    assert first(["max_passes:2", gap(1e-6)], events) == (2, Verdict.stopped)
    assert first([gap(1e-6), "max_passes:2"], events) == (2, Verdict.tolerance)
    assert first(any_of("max_passes:9", any_of("separated")), events) == (2, Verdict.no_mistakes)
    assert parse(None) == parse(()) == any_of()
    assert parse(["gap:0.1", max_passes(2)]) == parse("any_of(gap(0.1), max_passes(n=2))")


@given(st.lists(st.sampled_from(["max_passes:3", "gap:0.1", "separated", "errors_unchanged:1"])), st.data())
def test_any_of_is_as_early_as_the_earliest(rules: list[str], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.sampled_from([NAN, 0.0, 0.05, 1.0]), min_size=1, max_size=8))
    events = history(gap=numbers, errors=numbers)
    ends = [end[0] for rule in rules if (end := first(rule, events)) is not None]
    together = first(rules, events)
    assert (None if together is None else together[0]) == min(ends, default=None)


def test_a_function_may_say_true() -> None:
    events = history(gap=[1.0, 0.5, 0.1])
    assert first(lambda seen: len(seen) == 2, events) == (2, Verdict.stopped)
    assert first(lambda seen: np.bool_(len(seen) == 3), events) == (3, Verdict.stopped)
    assert first(lambda seen: Verdict.stalled if len(seen) == 1 else None, events) == (1, Verdict.stalled)
    with pytest.raises(OptionError, match="it should return a Verdict"):
        first(lambda seen: "enough", events)


class ThirdAsk:
    """A user's stop with a memory of its own: one for each fit."""

    def __init__(self) -> None:
        self.asked = 0

    def start(self, data: object) -> ThirdAsk:
        return ThirdAsk()

    def __call__(self, seen: Sequence[Event]) -> bool:
        self.asked += 1
        return self.asked >= 3


def test_what_has_a_start_is_started_for_each_fit() -> None:
    events = history(gap=[1.0] * 9)
    stop = any_of(ThirdAsk())
    assert first(stop, events) == first(stop, events) == (2, Verdict.stopped)


def test_budget() -> None:
    events = history(seconds=[0.5, 1.0, 2.0], passes=[1.0, 2.0, 3.0])
    assert first(budget(seconds=2), events) == (3, Verdict.budget)
    assert first(budget(passes=2), events) == (2, Verdict.budget)
    assert first(budget(seconds=1, passes=3), events) == (2, Verdict.budget)
    assert first(budget(iterations=3), events) == (3, Verdict.budget)
    assert first(budget(seconds=9, passes=9, iterations=4), events) is None
    assert budget(seconds=1) == Budget(seconds=1.0)
    assert repr(budget(seconds=1)) == "budget(seconds=1.0, passes=None, iterations=None)"


@pytest.mark.parametrize(
    "limits", [{}, {"seconds": 0}, {"passes": -1}, {"iterations": 0.5}, {"seconds": NAN}, {"seconds": "1h"}]
)
def test_budget_refuses(limits: dict[str, float]) -> None:
    with pytest.raises(OptionError, match="budget"):
        budget(**limits)


@pytest.mark.parametrize("value", [3, gap, object(), "gapp:1", "gap", "held_out", "gap:-1", ["gap:1", 3]])
def test_what_is_no_stop(value: object) -> None:
    with pytest.raises(OptionError):
        parse(value)


@given(st.text(max_size=30))
def test_any_other_text_gives_an_error_of_our_own(text: str) -> None:
    with contextlib.suppress(WidemarginError):
        parse(text)


@pytest.mark.parametrize("name", sorted(stops))
def test_the_documentation_has_it(name: str, root: Path) -> None:
    assert f"\n| `{name}(" in (root / "docs" / "stops.md").read_text(encoding="utf-8")
