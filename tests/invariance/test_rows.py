"""What the objective does not see changes nothing: how rows are counted, weighed, ordered and named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widemargin as wm
from problems import Data, combinations, fit, overlapping, reaches_optimum, same_optimum, takes
from widemargin.fitting import Fit

BOTH = pytest.mark.parametrize("classes", [2, 3])
SOLVERS = pytest.mark.parametrize("solver", wm.solvers)
STOP = wm.stops.max_passes(8)
TOL = 1e-7


def solved(solver: str, data: Data) -> list[dict[str, Any]]:
    """What this solver takes all the way to the optimum."""
    return [w for w in combinations(solver) if takes(data, **w) and reaches_optimum(*data, **w)]


def optimum(X: Any, y: Any, wanted: dict[str, Any], **more: Any) -> Fit:
    found = fit(X, y, tol=TOL, **wanted, **more)
    assert found.certificate.verdict.success, (wanted, found.certificate)
    return found


@BOTH
@SOLVERS
def test_the_size_of_all_weights_is_nothing(solver: str, classes: int) -> None:
    """A power of two: the same bits; any other factor: the same to rounding."""
    data = overlapping(classes, 50)
    s = np.random.default_rng(1).uniform(0.5, 2, 50)
    for wanted in combinations(solver):
        if not takes(data, **wanted):
            continue
        one, eight, seven = (fit(*data, **wanted, stop=STOP, sample_weight=c * s) for c in (1, 8, 7))
        assert np.array_equal(one.model.W, eight.model.W)
        assert np.array_equal(one.model.b, eight.model.b)
        assert one.certificate.objective == eight.certificate.objective
        size = 1e-8 * (1 + np.abs(one.model.W).max())
        np.testing.assert_allclose(seven.model.W, one.model.W, rtol=1e-8, atol=size)


@BOTH
@SOLVERS
def test_weights_of_classes_are_weights_of_rows(solver: str, classes: int) -> None:
    data = overlapping(classes, 50)
    s, factor = np.random.default_rng(1).uniform(0.5, 2, 50), np.array([0.3, 2.0, 1.1])[:classes]
    by_name = dict(enumerate(factor.tolist()))
    total = np.bincount(data.y, weights=s)
    for wanted in combinations(solver):
        if not takes(data, **wanted):
            continue
        for said, each in ((by_name, factor), ("balanced", total.sum() / classes / total)):
            one = fit(*data, **wanted, stop=STOP, sample_weight=s, class_weight=said)
            other = fit(*data, **wanted, stop=STOP, sample_weight=s * each[data.y])
            np.testing.assert_allclose(one.model.W, other.model.W, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(one.model.b, other.model.b, rtol=1e-9, atol=1e-12)


@BOTH
@SOLVERS
def test_the_order_of_rows_is_nothing(solver: str, classes: int) -> None:
    data = overlapping(classes, 50)
    order = np.random.default_rng(2).permutation(50)
    for wanted in solved(solver, data):
        assert same_optimum(optimum(*data, wanted), optimum(data.X[order], data.y[order], wanted)), wanted


@SOLVERS
def test_other_seeds_reach_the_same_optimum(solver: str) -> None:
    data = overlapping(2, 50)
    for wanted in solved(solver, data):
        one = optimum(*data, wanted)
        for seed in (1, 2):
            assert same_optimum(one, optimum(*data, wanted, seed=seed)), wanted


@SOLVERS
def test_exchanged_classes_turn_the_weights_round(solver: str) -> None:
    """The other class is the positive one: f -> -f; bit by bit while rows come in order."""
    X, y = overlapping(2, 50)
    for wanted in combinations(solver):
        one, other = (fit(X, label, **wanted, stop=STOP, shuffle=False) for label in (y, 1 - y))
        if not wm.solvers[solver].certifies:
            assert np.array_equal(one.model.W, -other.model.W), wanted
            assert np.array_equal(one.model.b, -other.model.b), wanted
        elif reaches_optimum(X, y, **wanted):
            one, other = optimum(X, y, wanted), optimum(X, 1 - y, wanted)
            assert same_optimum(one, other), wanted
            if one.certificate.problem.l2 > 0:
                np.testing.assert_allclose(one.model.W, -other.model.W, rtol=1e-3, atol=1e-3)


@SOLVERS
def test_classes_in_another_order(solver: str) -> None:
    """Renaming three classes exchanges columns."""
    data = overlapping(3, 60)
    order = np.array([2, 0, 1])
    for wanted in solved(solver, data):
        one, other = optimum(*data, wanted), optimum(data.X, order[data.y], wanted)
        assert same_optimum(one, other), wanted
        if one.certificate.problem.l2 > 0:
            np.testing.assert_allclose(one.model.W, other.model.W[:, order], rtol=1e-3, atol=1e-3)


@SOLVERS
def test_a_soft_label_is_two_rows(solver: str) -> None:
    X, y = overlapping(2, 50)
    q = np.where(np.arange(50) % 3 == 0, np.random.default_rng(3).random(50), y)
    soft = (q > 0) & (q < 1)
    index = np.repeat(np.arange(50), 1 + soft)
    second = np.append(False, index[1:] == index[:-1])
    label = np.where(soft[index], np.where(second, 0, 1), y[index])
    share = np.where(label == 1, q[index], 1 - q[index])
    for wanted in combinations(solver):
        one = fit(X, q, **wanted, stop=STOP)
        other = fit(X[index], label, **wanted, stop=STOP, sample_weight=share)
        assert np.array_equal(one.model.W, other.model.W), wanted
        assert np.array_equal(one.model.b, other.model.b), wanted


@BOTH
@SOLVERS
def test_an_offset_for_all_is_an_intercept(solver: str, classes: int) -> None:
    """o + c: a free intercept takes it back, w and objective stay."""
    data = overlapping(classes, 50)
    o = np.random.default_rng(4).standard_normal(50 if classes == 2 else (50, 3))
    c = np.array([3.0]) if classes == 2 else np.array([3.0, -1.0, 0.5])
    for wanted in solved(solver, data):
        one = optimum(*data, wanted, offset=o)
        other = optimum(*data, wanted, offset=o + c.squeeze())
        assert same_optimum(one, other), wanted
        if one.certificate.problem.l2 > 0 and one.certificate.problem.loss.smooth:
            shift = one.model.b - other.model.b
            np.testing.assert_allclose(shift - shift.mean(), c - c.mean(), atol=1e-3)
            if one.certificate.problem.multiclass != "softmax":
                np.testing.assert_allclose(shift, c, atol=1e-3)


@BOTH
@SOLVERS
def test_an_offset_that_is_linear_moves_the_weights(solver: str, classes: int) -> None:
    """o + X u without penalty: w -> w - u."""
    data, random = overlapping(classes, 60), np.random.default_rng(5)
    u, o = (random.standard_normal((m, 1 if classes == 2 else 3)) for m in (4, 60))
    for wanted in solved(solver, data):
        free = wanted | {"penalty": "none"}
        if not takes(data, **free) or not reaches_optimum(*data, **free):
            continue
        one = optimum(*data, free, offset=o.squeeze())
        other = optimum(*data, free, offset=(o + data.X @ u).squeeze())
        assert same_optimum(one, other), (free, one.certificate, other.certificate)


@BOTH
@SOLVERS
def test_the_unit_of_a_column_is_nothing_without_a_penalty(solver: str, classes: int) -> None:
    """The same margins, or an honest word that they were not reached; auto reaches them."""
    data = overlapping(classes, 60)
    unit = np.array([1e-6, 1.0, 1e6, 10.0])
    for wanted in combinations(solver):
        free = wanted | {"penalty": "none"}
        if not takes(data, **free) or not reaches_optimum(*data, **free):
            continue
        one = optimum(*data, free)
        other = fit(data.X * unit, data.y, tol=TOL, **free, stop=wm.stops.max_passes(200))
        best = fit(data.X * unit, data.y, tol=TOL, **free | {"solver": "auto"})
        assert best.certificate.verdict.success, (free, best.certificate)
        for found in (other, best):
            if found.certificate.verdict.success:
                assert same_optimum(one, found), free
            assert found.certificate.objective >= one.certificate.lower_bound * (1 - 1e-12)
            assert found.certificate.lower_bound <= one.certificate.objective * (1 + 1e-12)


@BOTH
@SOLVERS
def test_a_warm_start_is_where_it_was(solver: str, classes: int) -> None:
    """From the optimum, a few steps at most; from there with another strength, the same as from nothing."""
    data = overlapping(classes, 60)
    for wanted in solved(solver, data):
        one = optimum(*data, wanted)
        again = optimum(*data, wanted, warm=one.model)
        assert same_optimum(one, again), wanted
        assert len(again.trace) <= max(3, len(one.trace)), wanted
        weaker = wanted | {"alpha": 0.5 * wanted["alpha"]}
        assert same_optimum(optimum(*data, weaker), optimum(*data, weaker, warm=one.model)), wanted


@BOTH
@SOLVERS
def test_an_intercept_that_is_penalised_is_a_column_of_ones(solver: str, classes: int) -> None:
    data = overlapping(classes, 60)
    ones = np.column_stack([data.X, np.ones(60)])
    for wanted in solved(solver, data):
        penalised, none = wanted | {"intercept": "penalised"}, wanted | {"intercept": False}
        if not takes(data, **penalised) or not takes(data, **none):
            continue
        one, other = optimum(*data, penalised), optimum(ones, data.y, none)
        assert same_optimum(one, other), (wanted, one.certificate, other.certificate)
