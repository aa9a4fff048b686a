"""Losses against numbers from elsewhere: the formulas of the books in 60 digits, and facts known in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

import widemargin as wm

D = Decimal
HALF = D("0.5")
Formula = Callable[[Decimal], Decimal]


def sigmoid(z: Decimal) -> Decimal:
    return 1 / (1 + (-z).exp())


def piece(test: bool, then: Decimal | int, otherwise: Decimal | int = 0) -> Decimal:
    return D(then) if test else D(otherwise)


# l, l', l'' as printed; at a kink the slope from the left, at a joint the larger curvature
FORMULAS: dict[str, tuple[Formula, Formula, Formula]] = {
    "zero_one": (lambda z: piece(z <= 0, 1), lambda z: D(0), lambda z: D(0)),
    "perceptron": (lambda z: max(D(0), -z), lambda z: piece(z <= 0, -1), lambda z: D(0)),
    "hinge": (lambda z: max(D(0), 1 - z), lambda z: piece(z <= 1, -1), lambda z: D(0)),
    "squared_hinge": (
        lambda z: max(D(0), 1 - z) ** 2,
        lambda z: -2 * max(D(0), 1 - z),
        lambda z: piece(z <= 1, 2),
    ),
    "smooth_hinge": (
        lambda z: HALF - z if z <= 0 else max(D(0), 1 - z) ** 2 / 2,
        lambda z: min(max(z - 1, D(-1)), D(0)),
        lambda z: piece(0 < z <= 1, 1),
    ),
    "modified_huber": (
        lambda z: max(D(0), 1 - z) ** 2 if z >= -1 else -4 * z,
        lambda z: -2 * max(D(0), 1 - z) if z >= -1 else D(-4),
        lambda z: piece(-1 < z <= 1, 2),
    ),
    "logistic": (
        lambda z: (1 + (-z).exp()).ln(),
        lambda z: -sigmoid(-z),
        lambda z: sigmoid(z) * sigmoid(-z),
    ),
    "exponential": (lambda z: (-z).exp(), lambda z: -(-z).exp(), lambda z: (-z).exp()),
    "squared": (lambda z: (1 - z) ** 2, lambda z: 2 * (z - 1), lambda z: D(2)),
    "sigmoid": (
        lambda z: sigmoid(-z),
        lambda z: -sigmoid(z) * sigmoid(-z),
        lambda z: sigmoid(z) * sigmoid(-z) * (sigmoid(z) - sigmoid(-z)),
    ),
}
# l*(-a)
CONJUGATES: dict[str, Formula] = {
    "perceptron": lambda a: D(0),
    "hinge": lambda a: -a,
    "squared_hinge": lambda a: a**2 / 4 - a,
    "smooth_hinge": lambda a: a**2 / 2 - a,
    "modified_huber": lambda a: a**2 / 4 - a,
    "logistic": lambda a: sum((p * p.ln() for p in (a, 1 - a) if p > 0), D(0)),
    "exponential": lambda a: a * a.ln() - a if a > 0 else D(0),
    "squared": lambda a: a**2 / 4 - a,
}
MARGINS = [-1000.0, -800.0, -745.2, -709.0, -40.0, -17.3, -1.0, -0.3, -1e-9, 0.0, 1e-9, 0.25, 0.9999999, 1.0]
MARGINS += [1.0000001, 1.75, 3.0, 17.3, 37.0, 88.8, 300.0, 708.0, 745.0, 746.0, 1000.0]
DUALS = [0.0, 1e-300, 1e-20, 1e-9, 0.1, 0.5, 0.75, 0.999999999, 1.0]


def agree(got: float, want: Decimal) -> bool:
    """Within four units in the last place, overflow and underflow included."""
    rounded = float(want)  # rounds correctly, to infinity beyond the largest number
    tiny = 8 * float(np.finfo(float).smallest_subnormal)
    return got == rounded or abs(got - rounded) <= 4 * float(np.finfo(float).eps) * abs(rounded) + tiny


@pytest.mark.parametrize("name", FORMULAS)
def test_value_and_derivatives_to_the_last_digits(name: str) -> None:
    loss = wm.losses[name]
    with localcontext(prec=500):  # sigmoid(800) differs from 1 in the 348th
        for function, formula in zip((loss.value, loss.d1, loss.d2), FORMULAS[name], strict=True):
            for z in MARGINS:
                got, want = float(function(z)), formula(D(z))
                assert agree(got, want), f"{function.__name__}({z}) = {got}, not {float(want)}"


@pytest.mark.parametrize("name", CONJUGATES)
def test_conjugate_to_the_last_digits(name: str) -> None:
    with localcontext(prec=400):
        for a in DUALS:
            got, want = float(wm.losses[name].conjugate(a)), CONJUGATES[name](D(a))
            assert agree(got, want), f"conjugate({a}) = {got}, not {float(want)}"


OMEGA = 0.5671432904097838  # Omega e^Omega = 1
FACTS: list[tuple[str, str, tuple[float, ...], float]] = [
    ("logistic", "value", (0,), math.log(2)),
    ("logistic", "value", (-1000,), 1000),
    ("logistic", "value", (1000,), 0),
    ("logistic", "conjugate", (0.5,), -math.log(2)),
    ("logistic", "probability", (math.log(3),), 0.75),
    ("logistic", "prox", (-0.5, 1), 0),  # 0.5 = sigmoid(0)
    ("logistic", "prox", (-math.log(9) - 3.6, 4), -math.log(9)),  # sigmoid(log 9) = 0.9
    ("exponential", "value", (-1000,), math.inf),
    ("exponential", "conjugate", (math.e,), 0),
    ("exponential", "conjugate", (1,), -1),
    ("exponential", "prox", (0, 1), OMEGA),
    ("exponential", "prox", (-1, 1), 0),
    ("exponential", "probability", (math.log(2),), 0.8),
    ("hinge", "value", (-3,), 4),
    ("hinge", "prox", (0, 0.25), 0.25),  # passive-aggressive: min(C, loss / |x|^2)
    ("hinge", "prox", (0, 5), 1),
    ("perceptron", "prox", (-3, 1), -2),
    ("perceptron", "d1", (0,), -1),
    ("squared_hinge", "prox", (0, 0.5), 0.5),  # PA-II: loss / (|x|^2 + 1 / 2C)
    ("smooth_hinge", "value", (0,), 0.5),
    ("smooth_hinge", "value", (0.5,), 0.125),
    ("smooth_hinge", "value", (-1,), 1.5),
    ("smooth_hinge", "conjugate", (1,), -0.5),
    ("smooth_hinge", "prox", (0, 1), 0.5),
    ("smooth_hinge", "prox", (-5, 2), -3),
    ("modified_huber", "value", (-1,), 4),
    ("modified_huber", "value", (-3,), 12),
    ("modified_huber", "prox", (-10, 1), -6),
    ("modified_huber", "probability", (0.5,), 0.75),
    ("squared", "value", (3,), 4),
    ("squared", "prox", (4, 1), 2),
    ("squared", "probability", (-7,), 0),
    ("zero_one", "value", (0,), 1),
    ("sigmoid", "value", (0,), 0.5),
    ("sigmoid", "d2", (math.log(2 + math.sqrt(3)),), 1 / (6 * math.sqrt(3))),  # its largest curvature
]


@pytest.mark.parametrize(("name", "function", "at", "want"), FACTS, ids=lambda x: str(x))
def test_known(name: str, function: str, at: tuple[float, ...], want: float) -> None:
    got: Any = getattr(wm.losses[name], function)(*at)
    assert got == want or abs(got - want) <= 4e-16 * max(1, abs(want), *map(abs, at))


def test_every_loss_of_the_lecture_notes_is_there() -> None:
    assert set(FORMULAS) <= set(wm.losses)
    assert {name for name in FORMULAS if wm.losses[name].convex} == set(CONJUGATES)


def test_constants() -> None:
    assert wm.losses["logistic"].bound_scale == pytest.approx(1 / math.log(2), rel=1e-15)
    assert wm.losses["sigmoid"].curvature == pytest.approx(1 / (6 * math.sqrt(3)), rel=1e-15)
