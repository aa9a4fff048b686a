"""The same numbers in another form: order in memory, strides, float32, CSR, CSR of ones, integers, labels as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import Data, combinations, fit, holes, overlapping, reaches_optimum, same_optimum, takes

BOTH = pytest.mark.parametrize("classes", [2, 3])
SOLVERS = pytest.mark.parametrize("solver", ["auto", *wm.solvers])
STOP = wm.stops.max_passes(8)


def strided(X: np.ndarray) -> np.ndarray:
    """A view on every second row and every third column, read backwards."""
    room = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    view = room[::-2, ::-3]
    view[...] = X
    return view


def same_bits(one: Any, other: Any) -> None:
    assert np.array_equal(one.model.W, other.model.W)
    assert np.array_equal(one.model.b, other.model.b)
    assert one.certificate.objective == other.certificate.objective
    assert one.certificate.lower_bound == other.certificate.lower_bound


def near(one: Any, other: Any, rounding: float = 1e-7) -> None:
    """The same path to rounding."""
    size = 1.0 + np.abs(one.model.W).max()
    np.testing.assert_allclose(other.model.W, one.model.W, rtol=rounding, atol=rounding * size)
    np.testing.assert_allclose(other.model.b, one.model.b, rtol=rounding, atol=rounding * size)
    np.testing.assert_allclose(other.trace.columns("objective"), one.trace.columns("objective"), rtol=rounding)


def pairs(solver: str, data: Data, shapes: tuple[Any, ...]) -> Any:
    """Fits on the first form, and on each of the others."""
    X, y = data
    for wanted in combinations(solver):
        if takes(data, **wanted):
            one = fit(X, y, **wanted, stop=STOP)
            for form in shapes:
                yield one, fit(form(X), y, **wanted, stop=STOP)


@BOTH
@SOLVERS
def test_order_in_memory(solver: str, classes: int) -> None:
    for one, other in pairs(solver, overlapping(classes, 60), (np.asfortranarray, strided, np.ndarray.tolist)):
        same_bits(one, other)


@BOTH
@SOLVERS
def test_float32_rows_that_are_sparse(solver: str, classes: int) -> None:
    X, y = holes(classes)
    data = Data(sp.csr_array(X.astype(np.float32).astype(float)), y, classes)
    for one, other in pairs(solver, data, (lambda X: X.astype(np.float32),)):
        near(one, other)


@BOTH
@SOLVERS
def test_sparse_is_dense(solver: str, classes: int) -> None:
    X, y = holes(classes)
    forms = (sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_array)
    for one, other in pairs(solver, Data(X, y, classes), forms):
        near(one, other)


@BOTH
@SOLVERS
def test_ones_need_no_values(solver: str, classes: int) -> None:
    """0/1 data: floats, integers, booleans, and CSR whose values are dropped since all are 1."""
    y = overlapping(classes, 60).y
    X = (np.random.default_rng(4).random((60, 7)) < 0.3 + 0.2 * (y[:, None] == np.arange(7) % classes)).astype(float)
    forms = (np.int64, np.bool_, sp.csr_array, lambda X: sp.csr_array(X.astype(bool)), lambda X: X.astype(np.uint8))
    for one, other in pairs(solver, Data(X, y, classes), forms):
        near(one, other)


@BOTH
@SOLVERS
def test_labels_are_names(solver: str, classes: int) -> None:
    """Text, floats, objects: the model is the same, and speaks the caller's language."""
    X, y = overlapping(classes, 60)
    names = np.array(["ant", "bee", "cat"])[y]
    forms = {"text": names, "objects": names.astype(object), "floats": 0.5 * y - 7, "list": list(names)}
    for wanted in combinations(solver):
        if not takes(Data(X, y, classes), **wanted):
            continue
        one = fit(X, y, **wanted, stop=STOP)
        for said in forms.values():
            other = fit(X, said, **wanted, stop=STOP)
            same_bits(one, other)
            index = np.searchsorted(one.model.classes, one.model.predict(X))
            assert np.array_equal(other.model.predict(X), np.unique(said)[index])


def test_explicit_zeros_are_zeros() -> None:
    X, y = holes()
    full = sp.csr_array((X.ravel(), np.tile(np.arange(6), 60), np.arange(0, 361, 6)), shape=(60, 6))
    for solver in wm.solvers:
        for wanted in combinations(solver):
            near(fit(sp.csr_array(X), y, **wanted, stop=STOP), fit(full, y, **wanted, stop=STOP))


@SOLVERS
def test_columns_of_nothing(solver: str) -> None:
    """Columns of zeros change nothing; their weights stay 0 where anything penalises them or nothing moves them."""
    X, y = overlapping(2, 60)
    wider = np.column_stack([np.zeros(60), X, np.zeros((60, 2))])
    for wanted in combinations(solver):
        one, other = fit(X, y, **wanted, stop=STOP), fit(wider, y, **wanted, stop=STOP)
        if reaches_optimum(X, y, **wanted):
            one, other = fit(X, y, **wanted), fit(wider, y, **wanted)
            assert same_optimum(one, other)
        assert np.all(other.model.W[[0, -1, -2]] == 0)
