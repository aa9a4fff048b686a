"""What an event says, and what a trace keeps of it."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence

import numpy as np
import pytest

from widemargin.errors import OptionError
from widemargin.events import COLUMNS, Event, Steps, Trace

NAN = math.nan


def trace(**fields: Sequence[object]) -> Trace:
    """Events whose fields run through the sequences."""
    made = Trace()
    for k, values in enumerate(zip(*fields.values(), strict=True)):
        made.append(Event("x", k, float(k), 1.0)._replace(**dict(zip(fields, values, strict=True))))
    return made


def test_a_trace_keeps_the_weights_of_its_newest_event_only() -> None:
    events = trace(W=[np.ones((1, 1))] * 3, b=[np.array([b]) for b in (1.0, 2.0, 3.0)])
    assert [event.W is None for event in events] == [True, True, False]
    assert events[-1].b == [3.0]
    assert "W=" not in repr(events[-1])
    assert repr(pickle.loads(pickle.dumps(events)).events) == repr(events.events)


def test_columns() -> None:
    events = trace(gap=[NAN, 0.5], mistakes=[-1, 2], note=["", "restart"])
    assert events.columns("gap").tolist()[1] == 0.5
    assert math.isnan(events.columns("gap")[0])
    assert events.columns("mistakes").dtype == np.int64
    assert events.columns("note").tolist() == ["", "restart"]
    assert all(len(events.columns(name)) == 2 for name in COLUMNS)
    assert Trace().columns("gap").shape == (0,)
    with pytest.raises(OptionError, match="Did you mean 'gap'"):
        events.columns("gaps")


def test_table() -> None:
    events = trace(gap=[1.0 / (k + 1) for k in range(30)])
    lines = events.table(limit=5).splitlines()
    assert lines[0].split() == ["solver", "iteration", "passes", "objective", "gap", "seconds"]
    assert [line.split()[1] for line in lines[1:]] == ["0", "1", "2", "25", "28", "29"]
    assert lines[4] == "... 25 more ..."
    assert len(events.table(limit=30).splitlines()) == 31
    assert Trace().table() == ""
    with pytest.raises(OptionError, match="limit"):
        events.table(limit=1)


def test_a_trace_is_a_sequence() -> None:
    events = trace(gap=[1.0, 2.0])
    assert [event.gap for event in events] == [1.0, 2.0]
    assert [event.gap for event in events[1:]] == [2.0]
    assert (len(events), len(events.events), repr(events)) == (2, 2, "<Trace: 2 events>")
    row = np.array([4, 2])
    events.steps = Steps(row, np.zeros(2), np.ones(2), np.ones(2))
    assert repr(events) == "<Trace: 2 events, 2 updates>"
    assert events.steps.every == 1
