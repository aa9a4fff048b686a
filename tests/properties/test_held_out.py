"""held_out on four rows of a line, with weights that are wrong on none, one or two of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from widemargin.data.intake import intake
from widemargin.errors import InputError, OptionError, Refusal, Verdict
from widemargin.events import Event, Trace
from widemargin.stops import Stop, any_of, begin, held_out

LINE = np.array([[-2.0], [-1.0], [1.0], [2.0]])
SIDES = np.array(["no", "no", "yes", "yes"])
FIT = intake(np.array([[0.0], [1.0], [2.0]]), np.array(["no", "yes", "yes"]))


def trace(*thetas: tuple[np.ndarray, np.ndarray]) -> Trace:
    """One event for each (W, b)."""
    made = Trace()
    for k, (W, b) in enumerate(thetas):
        made.append(Event(solver="x", iteration=k, passes=float(k), objective=1.0, W=W, b=b))
    return made


def weighed(*b: float) -> Trace:
    """w = 1, and these intercepts: 0.5 makes no error, 1.5 makes one, 2.5 two."""
    return trace(*[(np.ones((1, 1)), np.array([one])) for one in b])


def run(stop: Stop, b: Sequence[float]) -> list[Verdict | None]:
    """The answers event by event; the trace drops old weights as a fit's does."""
    return [stop(weighed(*b[: k + 1])) for k in range(len(b))]


def test_held_out_stops_when_the_best_score_is_old() -> None:
    stop = held_out(LINE, SIDES, patience=2)
    b = [2.5, 1.5, 1.5, 0.5, 1.5, 0.5]
    for _ in range(2):  # each fit starts anew
        assert run(begin(stop, FIT), b) == [None] * 5 + [Verdict.stopped]
    started = begin(stop, FIT)
    run(started, b)
    assert started.scores == [0.5, 0.25, 0.25, 0.0, 0.25, 0.0]
    assert "array" not in repr(stop)


def test_held_out_asked_twice_counts_once() -> None:
    started = begin(held_out(LINE, SIDES, patience=1), FIT)
    events = weighed(0.5)
    assert [started(events) for _ in range(5)] == [None] * 5
    assert started.scores == [0.0]


def test_held_out_inside_any_of() -> None:
    stop = any_of("gap:1e-6", held_out(LINE, SIDES, patience=1))
    assert run(begin(stop, FIT), [1.5, 1.5]) == [None, Verdict.stopped]


def test_held_out_counts_zero_as_positive_and_nan_as_no_progress() -> None:
    started = begin(held_out(LINE, SIDES, patience=3), FIT)
    assert run(started, [-1.0, math.nan, math.nan, math.nan])[-1] is Verdict.stopped
    assert started.scores[0] == 0.0


@pytest.mark.parametrize("b", [0.3, 800.0, -800.0])
def test_held_out_log_loss(b: float) -> None:
    started = begin(held_out(LINE, SIDES, metric="log_loss"), FIT)
    run(started, [b])
    z = np.array([-1.0, -1.0, 1.0, 1.0]) * (LINE[:, 0] + b)
    assert started.scores == [pytest.approx(np.mean(np.logaddexp(0.0, -z)), rel=1e-14)]


def test_held_out_with_a_function_of_numbers_and_scores() -> None:
    def worst(truth: np.ndarray, scores: np.ndarray) -> float:
        assert truth.tolist() == [0, 0, 1, 1]
        return -np.min(np.where(truth == 1, scores, -scores))

    started = begin(held_out(LINE, SIDES, metric=worst), FIT)
    run(started, [0.5])
    assert started.scores == [-0.5]


def test_held_out_finds_its_labels_among_those_of_the_fit() -> None:
    """Three classes in the fit, two of them held out: class numbers are those of the fit."""
    fit = intake(np.eye(3), ["a", "b", "c"])
    events = trace((np.eye(3), np.zeros(3)))
    for y, error, log_loss in (
        (["a", "c"], 0.0, math.log(2 + math.e) - 1),
        (["c", "a"], 1.0, math.log(2 + math.e)),
    ):
        for metric, score in (("error", error), ("log_loss", log_loss)):
            started = begin(held_out(np.eye(3)[[0, 2]], y, metric=metric), fit)
            started(events)
            assert started.scores == [pytest.approx(score)]


def test_held_out_weighs_soft_labels() -> None:
    fit = intake(LINE, [0, 0, 1, 1])
    started = begin(held_out(LINE, [0.0, 0.25, 0.5, 1.0]), fit)
    run(started, [0.5])
    assert started.scores == [pytest.approx((0.25 + 0.5) / 4)]


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: held_out(LINE, SIDES, metric="errors"), OptionError, "Did you mean 'error'"),
        (lambda: held_out(LINE, SIDES, metric=3), OptionError, "unknown metric"),
        (lambda: held_out(LINE, SIDES, patience=0), OptionError, "patience"),
        (lambda: begin(held_out(LINE, ["no", "yes", "maybe", "no"]), FIT), InputError, "maybe"),
        (lambda: begin(held_out(np.ones((4, 2)), SIDES), FIT), InputError, "2 columns"),
        (lambda: begin(held_out(LINE[:0], SIDES[:0]), FIT), InputError, "no rows"),
        (lambda: begin(held_out(LINE, SIDES[:3]), FIT), InputError, "3 labels"),
        (lambda: begin(held_out(LINE * math.nan, SIDES), FIT), InputError, "nan"),
        (lambda: held_out(LINE, SIDES)(weighed(0.5)), Refusal, "begin"),
        (lambda: begin(held_out(LINE, SIDES), FIT)([Event("x", 1, 1.0, 1.0)]), Refusal, "weights"),
        (lambda: begin(held_out(LINE, SIDES), intake(LINE, SIDES, offset=[0, 0, 0, 1])), Refusal, "offsets"),
    ],
)
def test_held_out_refuses(make: Callable[[], object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        make()


def test_held_out_checks_the_names_of_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]})
    fit = intake(frame, [0, 1])
    begin(held_out(frame, [0, 1]), fit)
    with pytest.raises(InputError, match="another order"):
        begin(held_out(frame[["b", "a"]], [0, 1]), fit)
