"""What the tests of penalties share: every entry at many values of its parameter, cut by metadata; vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import widemargin as wm
from widemargin._types import F64
from widemargin.penalty import Penalty

CANDIDATES = (0.0, 0.01, 0.25, 0.5, 0.9, 0.999, 1.0, 1.01, 1.5, 1.999, 2.0, 3.0, 50.0, np.inf)


def at_parameters(penalty: Penalty) -> list[Penalty]:
    """The entry at its default, at both ends of its range, and at whatever lies between."""
    if not penalty.parameter:
        return [penalty]
    values = {penalty.standard, penalty.low, penalty.high, *CANDIDATES}
    return [penalty(value) for value in sorted(values) if penalty.low <= value <= penalty.high]


PENALTIES: list[Penalty] = [member for entry in wm.penalties.values() for member in at_parameters(entry)]
CONVEX = [penalty for penalty in PENALTIES if penalty.convex]
NORMS = [penalty for penalty in PENALTIES if penalty.norm]
DUAL = [penalty for penalty in CONVEX if penalty.has_conjugate]

RNG = np.random.default_rng(20)
PLAIN = [
    np.zeros(3),
    np.array([-2.5]),
    np.array([3.0, -4.0]),
    np.array([1.0, -1.0, 1.0, 0.5]),
    np.array([0.0, 0.3, 0.0, -2.0, 2.0]),
    RNG.standard_normal(9),
    10 * RNG.standard_normal(40),
]
ODD = [
    np.zeros(0),
    np.array([1e3, -1e-3, 1.0, -1e-6]),
    np.array([1e150, -3e149, 2e-150]),
    np.array([1e-150, -3e-150, 0.0]),
]
STEPS = (1e-9, 1e-3, 0.3, 1.0, 2.0, 40.0)
FEW = settings(max_examples=40)  # for each of more than twenty members
STEP = st.floats(-3, 2).map(lambda k: 10.0**k)


def over(penalties: list[Penalty]) -> pytest.MarkDecorator:
    """One test for each of these penalties."""
    assert penalties, "nothing left to test"
    return pytest.mark.parametrize("penalty", penalties, ids=lambda penalty: penalty.text)


def vectors(size: int = 4, limit: float = 20.0) -> st.SearchStrategy[F64]:
    """Vectors with entries of ordinary size, exact zeros and ties among them."""
    entry = st.floats(-limit, limit, allow_subnormal=False) | st.sampled_from([0.0, 1.0, -1.0, 2.0])
    return arrays(np.float64, size, elements=entry)


def objective(penalty: Penalty, x: F64, w: F64, t: float) -> float:
    """What the prox minimises."""
    return t * penalty.value(x) + float((x - w) @ (x - w)) / 2
