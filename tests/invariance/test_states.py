"""A State is the whole checkpoint: written down and read again, a solver makes the same steps from it, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widemargin as wm
from problems import combinations, overlapping, problem, takes
from widemargin.objective import Theta
from widemargin.solve.protocol import State

STEPS = 7


def written_and_read(state: State) -> State:
    """A copy that shares no array with the solver, and nothing of what can be made again."""

    def copied(theta: Theta | None) -> Theta | None:
        return None if theta is None else Theta(theta.W.copy(), theta.b.copy())

    arrays = {name: np.array(array) for name, array in state.arrays.items()}
    kept = {name: np.array(array) for name, array in state.kept.items()}
    return state.evolve(theta=copied(state.theta), bound_at=copied(state.bound_at), arrays=arrays, kept=kept, cache={})


def states(data: Any, again: range, steps: int = STEPS, **options: Any) -> list[State]:
    """The states that follow each other; before the steps `again` one is taken up by a solver that has seen nothing."""
    made, solver = problem(data.X, data.y, **options)
    state, found = solver.init(made, None, 3), []
    for step in range(steps):
        if step in again:
            made, solver = problem(data.X, data.y, **options)
            state = written_and_read(state)
        state = solver.advance(made, state)
        found.append(written_and_read(state))
        if state.done:
            break
    return found


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("solver", wm.solvers)
def test_a_state_is_all_that_a_solver_goes_on_from(solver: str, classes: int, subtests: pytest.Subtests) -> None:
    data = overlapping(classes, 120, 6)
    for options in combinations(solver):
        if not takes(data, **options):
            continue
        with subtests.test(str(options)), np.errstate(all="ignore"):
            if getattr(wm.solvers[solver], "forgets", ""):
                one, two = (states(data, again, 60, **options) for again in (range(0), range(3, 4)))
                close(one[-1], two[-1])
            else:
                same(*(states(data, again, **options) for again in (range(0), range(STEPS))))


def same(one: list[State], two: list[State]) -> None:
    """Step for step, bit for bit."""
    assert len(one) == len(two)
    for a, b in zip(one, two, strict=True):
        numbers = [(a.theta.W, b.theta.W), (a.theta.b, b.theta.b), (a.value, b.value), (a.bound, b.bound)]
        for x, y in [*numbers, (a.errors, b.errors)]:
            assert (x is None) == (y is None)
            assert x is None or np.array_equal(x, y, equal_nan=True)


def close(one: State, two: State) -> None:
    """Other steps, to the same optimum: each bound is below the other's objective, and near it."""
    assert one.value is not None
    assert two.value is not None
    assert one.bound is not None
    assert two.bound is not None
    assert np.all(np.maximum(one.bound, two.bound) <= np.minimum(one.value, two.value) * (1 + 1e-12))
    np.testing.assert_allclose(one.value, two.value, rtol=1e-3)
