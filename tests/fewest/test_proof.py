"""What is proved is proved again from the data, and every change to it is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import widemargin as wm
from widemargin._types import F64, I64
from widemargin.errors import Verdict
from widemargin.fewest.incumbent import Progress
from widemargin.fewest.probe import refined, vanishes
from widemargin.separation.conflict import Conflict

Result = wm.FewestErrors


@pytest.fixture(scope="module")
def data() -> tuple[F64, F64]:
    random = np.random.default_rng(3)
    X = random.standard_normal((40, 2))
    return X, np.where(X[:, 0] + 0.7 * random.standard_normal(40) > 0, 1.0, -1.0)


@pytest.fixture(scope="module")
def found(data: tuple[F64, F64]) -> Result:
    found = wm.fewest_errors(*data, surrogates=["logistic"])
    assert found.optimal
    assert found.errors > 2
    return found


def first(found: Result, rows: I64 | None = None, weights: F64 | None = None) -> tuple[Conflict, ...]:
    """The conflicts, the first of them changed."""
    conflict = found.conflicts[0]
    new = Conflict(conflict.rows if rows is None else rows, conflict.weights if weights is None else weights)
    return (new, *found.conflicts[1:])


def exchanged(found: Result) -> I64:
    """The rows of the first conflict, the last of them replaced by one that is not among them."""
    rows = found.conflicts[0].rows
    return np.append(rows[:-1], np.setdiff1d(np.arange(40), rows)[0])


def altered(found: Result) -> F64:
    weights = found.conflicts[0].weights.copy()
    weights[0] *= 1 + 1e-9
    return weights


def turned(found: Result) -> wm.Model:
    model = found.model
    return replace(model, W=model.W[::-1].copy())


ATTACKS: dict[str, Callable[[Result], Result]] = {
    "fewer errors": lambda f: replace(f, errors=f.errors - 1),
    "less weight": lambda f: replace(f, weight=f.weight - 1),
    "another share": lambda f: replace(f, share=f.share / 2),
    "a higher bound": lambda f: replace(f, bound=f.bound + 1),
    "a row left out": lambda f: replace(f, wrong=f.wrong[1:]),
    "another model": lambda f: replace(f, model=turned(f)),
    "a moved intercept": lambda f: replace(f, model=replace(f.model, b=f.model.b + 1)),
    "another row in a conflict": lambda f: replace(f, conflicts=first(f, rows=exchanged(f))),
    "a row twice": lambda f: replace(f, conflicts=first(f, rows=np.full(len(f.conflicts[0].rows), 1))),
    "a row that is not there": lambda f: replace(f, conflicts=first(f, rows=f.conflicts[0].rows + 40)),
    "an altered weight": lambda f: replace(f, conflicts=first(f, weights=altered(f))),
    "a negative weight": lambda f: replace(f, conflicts=first(f, weights=-f.conflicts[0].weights)),
    "conflicts left out": lambda f: replace(f, conflicts=(), packing=np.zeros(0), disjoint=np.zeros(0, dtype=int)),
    "too much packed": lambda f: replace(f, packing=f.packing + 1),
    "conflicts that are not disjoint": lambda f: replace(f, disjoint=np.append(f.disjoint, f.disjoint[0])),
}  # fmt: skip


def test_the_result_passes(found: Result, data: tuple[F64, F64]) -> None:
    seen = found.verify(*data)
    assert seen
    assert seen.weight == found.errors
    assert seen.packed <= found.bound == seen.bound
    assert seen.exact == len(found.conflicts)
    assert seen.epsilon == 0.0


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_changed_result_fails(found: Result, data: tuple[F64, F64], attack: str) -> None:
    seen = ATTACKS[attack](found).verify(*data)
    assert not seen
    assert seen.problems


def test_a_flipped_label_fails(found: Result, data: tuple[F64, F64]) -> None:
    X, y = data
    for row in (found.wrong[0], found.conflicts[0].rows[0]):
        other = y.copy()
        other[row] *= -1
        assert not found.verify(X, other)
    assert not found.verify(X, np.where(y > 0, "a", "b"))


def test_other_weights_fail(found: Result, data: tuple[F64, F64]) -> None:
    s = np.ones(40)
    s[found.wrong] = 0.5
    assert not found.verify(*data, sample_weight=s)


def test_decimals_that_are_nearly_on_a_line_do_not_deceive() -> None:
    X, y = np.array([[0.1, 0.2], [0.2, 0.4], [0.3, 0.6], [0.7, 1.4]]), np.array([1, -1, 1, -1])
    found = wm.fewest_errors(X, y, surrogates=())  # 0.1 + 0.2 is not 0.3: exactly, one triangle is open
    seen = found.verify(X, y)
    assert seen
    assert found.bound <= found.weight
    if seen.exact < len(found.conflicts):
        assert 0 < seen.epsilon < 1e-15


def test_a_combination_that_nearly_vanishes_is_none() -> None:
    A = np.array([[1.0, 1.0], [-1.0, -1.0 + 1e-9]])
    assert not vanishes(A, np.array([0.5, 0.5]))
    assert refined(A, np.array([0.5, 0.5])) is None
    almost = np.array([[1.0, 2.0], [-1.0, 1.0], [0.5, -3.0]])
    weights = np.linalg.svd(almost.T)[2][-1]
    weights = np.abs(weights) * (1 + 1e-9 * np.arange(3))
    if vanishes(almost, np.abs(np.linalg.svd(almost.T)[2][-1])):
        assert not vanishes(almost, weights)
        assert refined(almost, weights) is not None


@pytest.mark.parametrize("after", [1, 3, 5])
def test_ctrl_c_returns_what_is_known(data: tuple[F64, F64], after: int) -> None:
    told: list[Progress] = []

    def listen(event: Progress) -> None:
        told.append(event)
        if len(told) == after:
            raise KeyboardInterrupt

    found = wm.fewest_errors(*data, on_event=listen, surrogates=["logistic"])
    assert found.verdict is Verdict.interrupted
    assert found.verify(*data)
    assert len(told) == len(found.trace.seconds)


def test_events_are_the_trace(data: tuple[F64, F64]) -> None:
    told: list[Progress] = []
    found = wm.fewest_errors(*data, on_event=told.append, surrogates=["logistic"])
    for name in found.trace._fields:
        assert [getattr(event, name) for event in told] == getattr(found.trace, name).tolist()
    assert told[-1].bound == found.bound


@pytest.mark.parametrize("seconds", [1e-6, 0.05, 0.4])
def test_a_budget_ends_the_search_with_what_is_true(seconds: float) -> None:
    random = np.random.default_rng(0)
    X, y = random.standard_normal((600, 20)), random.choice([-1.0, 1.0], 600)
    found = wm.fewest_errors(X, y, budget=wm.budget(seconds=seconds))
    assert found.verdict is Verdict.budget
    assert found.bound < found.weight
    assert found.trace.seconds[-1] < seconds + 5
    assert found.verify(X, y)
