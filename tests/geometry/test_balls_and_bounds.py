"""Smallest balls, Novikoff's bound and the notes' bound, and the rows that hold a hyperplane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import widemargin as wm
from problems import fit, overlapping, separable
from widemargin import geometry
from widemargin.errors import InputError, InputTypeError, OptionError, Refusal

RANDOM = np.random.default_rng(3)
CLOUDS: dict[str, Any] = {
    "one row": np.array([[3.0, 4.0]]),
    "one place": np.ones((6, 2)),
    "a line": np.array([[0.0, 0], [1, 1], [5, 5], [2, 2]]),
    "a square": np.array([[0, 0], [0, 2], [2, 0], [2, 2], [1, 1]]),
    "plane": RANDOM.standard_normal((500, 2)),
    "tall": RANDOM.standard_normal((2000, 20)),
    "wide": RANDOM.standard_normal((30, 200)),
    "far away": RANDOM.standard_normal((50, 3)) + 1e6,
    "tiny": RANDOM.standard_normal((20, 3)) * 1e-180,
    "huge": RANDOM.standard_normal((20, 3)) * 1e99,
    "sparse": sp.random_array((200, 50), density=0.1, rng=RANDOM, format="csr"),
    "doubled": np.repeat(RANDOM.standard_normal((10, 4)), 3, axis=0),
    "sphere": (lambda Z: Z / np.linalg.norm(Z, axis=1, keepdims=True))(RANDOM.standard_normal((300, 6))),
}


@pytest.mark.parametrize("name", CLOUDS)
def test_the_smallest_ball_holds_all_rows_and_none_smaller_does(name: str) -> None:
    """Smaller would need a centre nearer to every row of the support: their weighted mean forbids it."""
    X = CLOUDS[name]
    ball = geometry.enclosing_ball(X)
    rows = X.toarray() if sp.issparse(X) else X.astype(float)
    unit = np.abs(rows - ball.centre).max() or 1.0
    distances = unit * np.linalg.norm((rows - ball.centre) / unit, axis=1)
    assert distances.max() <= ball.radius
    assert ball.relative_gap <= 1e-6
    part = (rows[ball.support] - ball.centre) / unit
    assert ball.weights.min() > 0
    assert ball.weights.sum() == pytest.approx(1)
    mean = ball.weights @ part
    lower = unit * np.sqrt(max(0.0, ball.weights @ (part**2).sum(axis=1) - mean @ mean))
    assert ball.lower_bound == pytest.approx(lower, rel=1e-6)
    assert geometry.enclosing_radius(X) == ball.radius


def test_known_balls() -> None:
    square = geometry.enclosing_ball(CLOUDS["a square"], tol=1e-12)
    np.testing.assert_allclose(square.centre, [1, 1])
    assert square.radius == pytest.approx(np.sqrt(2), rel=1e-12)
    assert square.contains([1, 1])
    assert not square.contains([3, 3])
    assert geometry.enclosing_radius([[0.0], [4.0], [1.0]]) == pytest.approx(2)
    assert geometry.enclosing_radius(CLOUDS["one place"]) == pytest.approx(0, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 4))
def test_moving_turning_and_adding_inner_rows_change_nothing(seed: int, n: int, d: int) -> None:
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (n, d)).astype(float)
    turned, _ = np.linalg.qr(random.standard_normal((d, d)))
    ball = geometry.enclosing_ball(X, tol=1e-9)
    other = geometry.enclosing_ball(np.vstack([X, X.mean(axis=0)]) @ turned + 5.0, tol=1e-9)
    assert other.radius == pytest.approx(ball.radius, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_a_perceptron_makes_no_more_mistakes_than_novikoff_allows(seed: int, intercept: bool) -> None:
    X, y = separable(60, 3, seed, margin=0.3)
    if not intercept:
        X = np.column_stack([X, np.ones(len(y))])
    best = wm.hard_margin(X, y, intercept="penalised" if intercept else False)
    for rate in ("constant:1", "constant:0.01"):
        run = fit(X, y, solver="perceptron", schedule=rate, intercept=intercept, seed=seed)
        assert (geometry.functional_margin(run, X, y) > 0).all()
        bound = geometry.novikoff_bound(best, X, y, intercept=intercept, perceptron=run)
        assert bound.applies
        assert bound.holds
        assert bound.mistakes > 0
        any_other = geometry.novikoff_bound(run, X, y, intercept=intercept, perceptron=run)
        assert any_other.bound >= bound.bound * (1 - 1e-9)
        assert any_other.holds


def test_the_bound_of_the_notes_fails_with_an_intercept() -> None:
    """x = c - 1 and c + 1: it says 4 whatever c; the mistakes grow with c, and Novikoff's bound with them."""
    made = []
    for c in (0.0, 5.0, 20.0):
        X, y = np.array([[c - 1], [c + 1]]), [-1, 1]
        run = fit(X, y, solver="perceptron", schedule="constant:1", stop="max_passes:100000")
        notes = geometry.notes_bound(wm.hard_margin(X, y), X, y, perceptron=run)
        assert notes.bound == pytest.approx(4)
        assert not notes.applies
        best = wm.hard_margin(X, y, intercept="penalised")
        assert geometry.novikoff_bound(best, X, y, perceptron=run).holds
        made.append(notes.mistakes)
    assert made[0] <= 4 < made[1] < made[2]
    assert made[2] > 200


def test_the_bound_of_the_notes_holds_without_intercept_around_the_origin() -> None:
    half, _ = separable(40, 3, 2)
    X = np.vstack([half, -half])
    y = np.where(X @ [1.0, 2.0, -1.0] > 0, 1, -1)
    best = wm.hard_margin(X, y, intercept=False)
    run = fit(X, y, solver="perceptron", schedule="constant:1", intercept=False)
    bound = geometry.notes_bound(best, X, y, intercept=False, perceptron=run)
    assert bound.applies
    assert bound.holds
    sharper = geometry.novikoff_bound(best, X, y, intercept=False)
    assert sharper.bound <= bound.bound * (1 + 1e-9)


def test_the_bound_of_the_notes_needs_the_origin_in_the_ball() -> None:
    X, y = np.array([[10.0, 1.0], [10.0, -1.0], [11.0, 1.0]]), [1, -1, 1]
    best = wm.hard_margin(X, y, intercept=False)
    assert not geometry.notes_bound(best, X, y, intercept=False).applies


def test_effective_support() -> None:
    X, y = overlapping(2, 60)
    soft = wm.soft_margin(X, y, C=0.2)
    found = geometry.effective_support(soft, X, y)
    np.testing.assert_array_equal(np.sort(found.rows), soft.support)
    np.testing.assert_allclose(found.influence * soft.duals.sum(), soft.duals)
    assert 1 <= found.number <= len(soft.support)
    logistic = fit(X, y, loss="logistic", alpha=0.05, tol=1e-10)
    everyone = geometry.effective_support(logistic.model, X, y)
    assert len(everyone.rows) == 60
    signs = np.where(y == logistic.model.classes[1], 1.0, -1.0)
    w = X.T @ (everyone.influence * signs)
    np.testing.assert_allclose(w / np.linalg.norm(w), logistic.model.weights / np.linalg.norm(logistic.model.weights),
                               rtol=1e-5)  # fmt: skip
    weights = np.arange(60) % 3
    assert set(geometry.effective_support(logistic.model, X, y, sample_weight=weights).rows) <= set(
        np.flatnonzero(weights)
    )


X2, Y2 = separable(30, 2, 1)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: geometry.enclosing_ball(np.zeros((0, 2))), InputError, "no rows"),
        (lambda: geometry.enclosing_ball([[1.0, np.inf]]), InputError, "finite"),
        (lambda: geometry.enclosing_ball(X2, tol=0), OptionError, "tol"),
        (lambda: geometry.enclosing_ball(X2).contains([1.0]), InputError, "dimensions"),
        (lambda: geometry.novikoff_bound(((1.0, 0.0), 100.0), X2, 2 * Y2 - 1), InputError, "does not separate"),
        (lambda: geometry.notes_bound(((1.0, 0.0), 100.0), X2, 2 * Y2 - 1), InputError, "does not separate"),
        (lambda: geometry.novikoff_bound(((1.0, 0.0), 1.0), X2, Y2, intercept=False), Refusal, "intercept"),
        (
            lambda: geometry.novikoff_bound(wm.hard_margin(X2, Y2), X2, Y2, perceptron=fit(X2, Y2)),
            InputTypeError,
            "mistakes",
        ),
        (lambda: geometry.novikoff_bound(fit(*overlapping(3)), *overlapping(3)), Refusal, "two classes"),
        (lambda: geometry.effective_support(((1.0, 0.0), 1.0), X2, Y2), InputTypeError, "no loss"),
        (lambda: geometry.effective_support(wm.hard_margin(X2, Y2), X2[1:], Y2[1:]), InputError, "30 rows"),
    ],
)
def test_bad_input_is_told(call: Any, error: type[wm.WidemarginError], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
