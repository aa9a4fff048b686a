"""trace="steps": every update as a twin makes it, and no bit of the weights changed by looking."""

from __future__ import annotations

import numpy as np
import pytest

import twins
import widemargin as wm
from problems import fit, holes, inside, passes

PASSES = 3
CLOSE = {"rtol": 1e-12, "atol": 1e-12}
STEP = wm.schedules.power(0.05, 0.6)


@pytest.mark.parametrize("penalty", ["none", "l2", "l1", "elastic_net"])
@pytest.mark.parametrize("batch", [1, 7])
def test_recorded_steps(batch: int, penalty: str) -> None:
    """Row, margin before, margin after the whole step, step size; and the record changes no bit."""
    X, y = holes()
    chosen = {"loss": "logistic", "penalty": penalty, "alpha": 0.03, "schedule": STEP}
    chosen |= {"solver": f"sgd:batch={batch}"}
    made, state, _ = passes(X, y, 2, trace="steps", **chosen)
    assert made.recorder is not None
    _, row, before, after, size = made.recorder.arrays()
    run = twins.sgd(
        X, inside(y), twins.one_vs_rest(wm.losses["logistic"]), STEP, twins.orders(len(y), PASSES, 2), batch=batch,
        l1=made.objective.l1, l2=made.objective.l2,
    )  # fmt: skip
    assert list(row) == run.rows
    np.testing.assert_allclose(before, run.before, **CLOSE)
    np.testing.assert_allclose(after, run.after, **CLOSE)
    per_pass = -(-len(y) // batch)  # the last batch of a pass may be short
    numbers = [k * per_pass + j // batch + 1 for k in range(PASSES) for j in range(len(y))]
    np.testing.assert_allclose(size, STEP(np.array(numbers, dtype=float)), **CLOSE)
    _, unrecorded, _ = passes(X, y, 2, **chosen)
    assert np.array_equal(state.arrays["W"], unrecorded.arrays["W"])
    assert np.array_equal(state.arrays["b"], unrecorded.arrays["b"])


def test_row_solvers_hand_their_steps_out() -> None:
    """fit.trace.steps is that record, for every solver that walks rows; batch solvers have none."""
    X, y = holes()
    for solver in wm.solvers:
        loss = getattr(wm.solvers[solver](), "loss", "logistic")
        penalty = getattr(wm.solvers[solver], "penalty", "none")
        try:
            fitted = fit(X, y, solver=solver, loss=loss, penalty=penalty, trace="steps", stop="max_passes:4")
        except wm.errors.Refusal:
            continue
        steps = fitted.trace.steps
        assert steps is not None
        if wm.solvers[solver].certifies:
            assert len(steps.row) == 0
            continue
        assert steps.every == 1
        assert len(steps.row) % len(y) == 0
        assert set(steps.row) == set(range(len(y)))
        assert np.isfinite(steps.before).all()
        assert np.isfinite(steps.after).all()
        assert (steps.step > 0).all()
