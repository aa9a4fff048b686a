"""What a margin programme says when there is no solution, and to input that makes no sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from svm.cases import SEPARABLE, overlapping, slab
from widemargin.errors import InputError, InputTypeError, Inseparable, OptionError, Refusal

RANDOM = np.random.default_rng(0)
HOPELESS: dict[str, Any] = {
    "noise": (RANDOM.standard_normal((300, 3)), RANDOM.integers(0, 2, 300)),
    "sparse noise": (sp.random_array((200, 20), density=0.2, rng=RANDOM, format="csr"), RANDOM.integers(0, 2, 200)),
    "same row, both labels": (np.array([[1.0, 2], [1, 2], [3, 4], [0, 0]]), [0, 1, 1, 0]),
    "only with rows on the hyperplane": (np.array([[0.0], [0.0], [1.0], [-1.0]]), [0, 1, 1, 0]),
    "nothing but zeros": (np.zeros((4, 2)), [0, 1, 0, 1]),
    "inside": (np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]),
}


@pytest.mark.parametrize("name", HOPELESS)
def test_an_infeasible_hard_margin_is_told_with_a_proof(name: str) -> None:
    X, y = HOPELESS[name]
    with pytest.raises(Inseparable, match=r"convex combination of y \(x, 1\) over .* vanishes.*soft_margin") as told:
        wm.hard_margin(X, y)
    proof = told.value.proof
    assert proof.kind in ("overlapping", "quasi")
    assert proof.verify(X, y).ok
    turned = np.asarray(y).copy()
    turned[proof.witness.rows[0]] = 1 - turned[proof.witness.rows[0]]
    assert not proof.verify(X, turned).ok
    assert wm.soft_margin(X, y, C=1.0).verify(X, y).ok


def test_without_intercept_the_combination_is_of_x() -> None:
    X, y = np.array([[1.0], [2.0]]), [0, 1]
    assert wm.hard_margin(X, y).margin == pytest.approx(0.5)
    with pytest.raises(Inseparable, match="combination of y x over 2 rows"):
        wm.hard_margin(X, y, intercept=False)


@pytest.mark.parametrize("name", SEPARABLE)
def test_separability_and_the_hard_margin_agree(name: str) -> None:
    X, y = overlapping(name)
    kind = wm.separability(X, y).kind
    if kind == "complete":
        assert wm.hard_margin(X, y).margin > 0
    else:
        with pytest.raises(Inseparable):
            wm.hard_margin(X, y)


@pytest.mark.parametrize("scale", [1e-90, 1e-6, 1e6, 1e90])
def test_scales_change_nothing_but_the_margin(scale: float) -> None:
    X, y = slab(50, 3, 1, 0.3)
    one, other = wm.hard_margin(X, y), wm.hard_margin(X * scale, y)
    assert other.margin == pytest.approx(one.margin * scale, rel=1e-9)
    np.testing.assert_array_equal(other.support, one.support)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        (([[1.0], [2.0]], [1, 1]), {}, InputError, "only one class"),
        (([[1.0], [2.0], [3.0]], [1, 2, 3]), {}, Refusal, "crammer_singer"),
        (([[1.0], [2.0], [3.0]], [0.0, 0.5, 1.0]), {}, Refusal, "definite label"),
        (([[1.0], [np.nan]], [0, 1]), {}, InputError, "finite"),
        (([["a"], ["b"]], [0, 1]), {}, InputTypeError, "X"),
        (([[1e-150], [2e-150]], [0, 1]), {}, InputError, "Multiply X"),
        (([[1.0], [2.0]], [0, 1]), {"intercept": "maybe"}, OptionError, "intercept"),
        (([[1.0], [2.0]], [0, 1]), {"tol": 0}, OptionError, "tol"),
    ],
)
def test_bad_input_of_the_hard_margin_is_told(arguments: Any, options: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        wm.hard_margin(*arguments, **options)


@pytest.mark.parametrize("C", [0, -1, np.nan, np.inf, "1", True, None])
def test_a_price_is_positive_and_finite(C: Any) -> None:
    with pytest.raises(OptionError, match="C = "):
        wm.soft_margin([[1.0], [2.0]], [0, 1], C=C)


def test_a_solution_of_other_data_is_not_checked_but_told() -> None:
    X, y = slab(40, 3, 1, 0.3)
    found = wm.hard_margin(X, y)
    with pytest.raises(InputError, match="40 rows of 3 columns"):
        found.verify(X[1:], y[1:])
    assert "classes differ" in found.verify(X, np.where(y > 0, "a", "b")).problems[0]


def test_tall_and_text_sized_rows() -> None:
    """20,000 x 100 dense; 5,000 x 20,000 sparse, by descent."""
    X, y = slab(20_000, 100, 3, 0.3)
    assert wm.hard_margin(X, y).relative_gap <= 1e-9
    random = np.random.default_rng(1)
    X = sp.random_array((5_000, 20_000), density=0.002, rng=random, format="csr")
    y = np.where(np.asarray(X @ random.standard_normal(20_000)) >= 0, 1, -1)
    found = wm.hard_margin(X, y)
    assert found.solver == "dual_cd"
    assert found.relative_gap <= 1e-6
    assert found.kkt.worst <= 1e-6
    assert found.verify(X, y).ok
