"""Distances and margins against their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import fit, overlapping
from widemargin import geometry
from widemargin.errors import InputError, InputTypeError, OptionError

X, Y = overlapping(2, 40)
X3, Y3 = overlapping(3, 40)
FIT = fit(X, Y, loss="logistic")


def test_distance_is_that_of_the_nearest_point_of_the_hyperplane() -> None:
    w, b = FIT.model.weights, FIT.model.intercept
    found = geometry.signed_distance(FIT, X)
    nearest = X - found[:, None] * w / np.linalg.norm(w)
    np.testing.assert_allclose(nearest @ w + b, 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(X - nearest, axis=1), np.abs(found))
    np.testing.assert_array_equal(np.sign(found), np.sign(FIT.model.decision(X)))
    assert geometry.origin_distance(FIT) == pytest.approx(abs(geometry.signed_distance(FIT, np.zeros(4))))


def test_margins_of_points_and_of_sets() -> None:
    signs = np.where(FIT.model.classes[1] == Y, 1.0, -1.0)
    functional, geometric = geometry.functional_margin(FIT, X, Y), geometry.geometric_margin(FIT, X, Y)
    np.testing.assert_allclose(functional, signs * FIT.model.decision(X))
    np.testing.assert_allclose(geometric, functional / np.linalg.norm(FIT.model.weights))
    assert geometry.functional_margin(FIT, X, Y, of="set") == functional.min()
    assert geometry.geometric_margin(FIT, X, Y, of="set") == geometric.min()
    assert geometry.geometric_margin(FIT, X[3], Y[3]) == pytest.approx(geometric[3])


def test_a_multiple_of_w_and_b_is_the_same_hyperplane() -> None:
    w, b = FIT.model.weights, float(FIT.model.intercept)
    for t in (1e-300, 1e-3, 1e300):
        np.testing.assert_allclose(geometry.signed_distance((t * w, t * b), X), geometry.signed_distance(FIT, X))
        assert geometry.origin_distance((t * w, t * b)) == pytest.approx(geometry.origin_distance(FIT))


def test_the_sign_of_a_score_survives_whatever_the_length_of_w() -> None:
    """A point on the hyperplane is at distance 0, not at 2e-16 on some side of it."""
    whole = np.random.default_rng(0).integers(-9, 10, size=(500, 4)).astype(float)
    w, b = np.array([3.0, -7.0, 2.0, 5.0]), 4.0
    y = np.where(np.arange(500) % 2, 1, -1)
    assert (whole @ w + b == 0).any()
    np.testing.assert_array_equal(np.sign(geometry.signed_distance((w, b), whole)), np.sign(whole @ w + b))
    margins = geometry.geometric_margin((w, b), whole, y)
    np.testing.assert_array_equal(np.sign(margins), np.sign(y * (whole @ w + b)))
    assert not np.signbit(margins[margins == 0]).any()


def test_several_classes_are_measured_to_the_nearest_rival() -> None:
    """Going so far towards the rival's side changes the label, going less far does not."""
    model = fit(X3, Y3, loss="logistic").model
    margins = geometry.geometric_margin(model, X3, Y3)
    right = model.predict(X3) == Y3
    np.testing.assert_array_equal(margins > 0, right)
    for i in np.flatnonzero(right)[:10]:
        own = int(np.flatnonzero(model.classes == Y3[i])[0])
        moved = []
        for k in range(3):
            if k != own:
                v = model.weights[:, own] - model.weights[:, k]
                moved.append([model.predict((X3[i] - t * margins[i] * v / np.linalg.norm(v))[None])[0] == Y3[i]
                              for t in (0.999, 1.001)])  # fmt: skip
        assert all(before for before, _ in moved)
        assert not all(after for _, after in moved)
    assert geometry.signed_distance(model, X3).shape == (len(X3), 3)


def test_storage_does_not_matter() -> None:
    whole = np.round(X)
    expected = geometry.geometric_margin(FIT, whole, Y)
    for form in (sp.csr_array(whole), whole.astype(int), whole.tolist(), whole.astype(np.float32)):
        np.testing.assert_allclose(geometry.geometric_margin(FIT, form, Y), expected)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: geometry.signed_distance(((0.0, 0.0), 1.0), [1, 2]), InputError, "w = 0"),
        (lambda: geometry.origin_distance(((0.0, 0.0), 0.0)), InputError, "w = 0"),
        (lambda: geometry.signed_distance(7, X), InputTypeError, "pair"),
        (lambda: geometry.signed_distance(((1, np.nan), 0), [1, 2]), InputError, "NaN"),
        (lambda: geometry.signed_distance((("a", "b"), 0), [1, 2]), InputTypeError, "numbers"),
        (lambda: geometry.signed_distance(((1, 2), (0, 1)), [1, 2]), InputError, "shape"),
        (lambda: geometry.signed_distance(FIT, X[:, :2]), InputError, "columns"),
        (lambda: geometry.functional_margin(FIT, X, Y[1:]), InputError, "labels"),
        (lambda: geometry.functional_margin(FIT, X[0], "x"), InputError, "expected one of"),
        (lambda: geometry.functional_margin(((1, 2), 0), [1, 2], 3), InputError, "-1 or"),
        (lambda: geometry.functional_margin(FIT, X[:0], [], of="set"), InputError, "no rows"),
        (lambda: geometry.functional_margin(FIT, X, Y, of="all"), OptionError, "'rows'"),
    ],
)
def test_bad_input_is_told(call: Any, error: type[wm.WidemarginError], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
