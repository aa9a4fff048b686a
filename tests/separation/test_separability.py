"""The kinds of separation, on data where they can be counted out, and what may not change them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import csr_array

import widemargin as wm
from widemargin.errors import InputError, OptionError
from widemargin.separation import Separability, SeparabilityTable

LABELS = ["no", "yes"]


def signed(X: np.ndarray, y: np.ndarray, intercept: bool) -> np.ndarray:
    return np.where(y == 1, 1, -1)[:, None] * (np.column_stack([X, np.ones(len(X))]) if intercept else X)


def counted_out(A: np.ndarray) -> str:
    """The kind of whole rows: every extreme ray of A w >= 0 within the span of the rows lies on rank - 1 of them."""
    _, size, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int((size > 1e-9).sum())
    B = A @ Vt[:rank].T
    total = np.zeros(rank)
    for chosen in combinations(range(len(B)), rank - 1):
        part = B[list(chosen)].reshape(rank - 1, rank)
        _, s, V = np.linalg.svd(part)
        if (s > 1e-9).sum() < rank - 1:
            continue
        for w in (V[-1], -V[-1]):
            if (B @ w > -1e-9).all():
                total += w
    z = B @ total
    return "overlapping" if not (z > 1e-9).any() else "complete" if (z > 1e-9).all() else "quasi"


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_kind_is_that_of_all_extreme_rays(d: int, intercept: bool) -> None:
    seen = set()
    for seed in range(60):
        random = np.random.default_rng([seed, d, intercept])
        n = int(random.integers(2, 9))
        X, y = random.integers(-2, 3, (n, d)).astype(float), random.integers(0, 2, n)
        y[:2] = 0, 1
        result = wm.separability(X, y, intercept=intercept)
        assert isinstance(result, Separability)
        assert result.kind == counted_out(signed(X, y, intercept)), (seed, X, y)
        assert result.exact
        assert result.verify(X, y), result.verify(X, y).problems
        seen.add(result.kind)
    assert len(seen) >= 2


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
@pytest.mark.parametrize("overlap", [False, True])
def test_scale_and_storage_do_not_matter(scale: float, overlap: bool) -> None:
    random = np.random.default_rng(3)
    X = random.standard_normal((150, 4))
    y = random.integers(0, 2, 150) if overlap else (X @ [1.0, -1.0, 0.5, 2.0] > 0.1).astype(int)
    spread = X * np.array([scale, 1.0, 1 / scale, 7.0])
    expected = "overlapping" if overlap else "complete"
    for data in (X, spread, csr_array(spread), np.float32(X), X.tolist()):
        result = wm.separability(data, np.array(LABELS)[y])
        assert (result.kind, result.exact) == (expected, True)
        assert result.verify(data, np.array(LABELS)[y])
        assert (result.positive, result.negative) == ("yes", "no")


@pytest.mark.parametrize("gap", [1e-7, 1e-9, 1e-12, 1e-14])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_gap_that_no_tolerance_would_see_is_decided(gap: float, side: float) -> None:
    """Rows almost on one plane: a truth that only the numbers themselves know, read from the exact signs."""
    random = np.random.default_rng(1)
    X, w = random.standard_normal((120, 3)), np.array([1.0, -0.7, 0.3])
    z = X @ w
    X -= np.outer(z - np.sign(z) * side * gap * (1 + np.abs(z)), w) / (w @ w)
    y = (z > 0).astype(int)
    exact = [sum(Fraction(a) * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in X.tolist()]
    inside = [(e > 0) == (k == (side > 0)) for e, k in zip(exact, y, strict=True)]
    result = wm.separability(X, y)
    assert result.exact
    assert result.verify(X, y)
    if all(inside):
        assert result.kind == "complete"
        assert 0 < result.margin < 3 * gap
    flipped = y.copy()
    flipped[0] = 1 - y[0]
    assert wm.separability(X, flipped).verify(X, flipped)


def test_one_row_beyond_the_others_by_one_unit_in_the_last_place() -> None:
    base = np.array([[0.1, 0.3], [0.7, 0.9], [0.4, 0.6]])  # nearly on a line
    y = np.array([0, 0, 1])
    for step in (-1, 0, 1):
        X = base.copy()
        X[2, 1] = np.nextafter(X[2, 1], X[2, 1] + step) if step else X[2, 1]
        result = wm.separability(X, y)
        (a, b), (c, d), (e, f) = fractions = [[Fraction(v) for v in row] for row in X.tolist()]
        on_the_line = (c - a) * (f - b) == (d - b) * (e - a)
        assert fractions
        assert result.kind == ("complete" if not on_the_line else "overlapping")
        assert result.exact
        assert result.verify(X, y)


@pytest.mark.parametrize("coefficients", [[1.0, 1.0, 0.0], [0.3, 0.2, 0.7]])
def test_columns_that_nearly_depend_on_others_are_decided(coefficients: list[float]) -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((200, 3))
    X, y = np.column_stack([X, X @ coefficients]), random.integers(0, 2, 200)
    result = wm.separability(X, y)
    assert (result.kind, result.exact) == ("overlapping", True)
    assert result.verify(X, y)


def test_zero_columns_equal_columns_and_equal_rows() -> None:
    random = np.random.default_rng(0)
    X, y = random.integers(0, 3, (80, 2)).astype(float), random.integers(0, 2, 80)
    plain = wm.separability(X, y)
    more = np.column_stack([X, np.zeros(80), X[:, 0], np.full(80, 5.0)])
    again = wm.separability(np.vstack([more, more]), np.concatenate([y, y]))
    assert plain.kind == again.kind == "overlapping"
    assert plain.exact
    assert again.exact


def test_a_level_with_one_label_makes_overlapping_rows_quasi_separated() -> None:
    random = np.random.default_rng(0)
    X, y = random.standard_normal((100, 2)), random.integers(0, 2, 100)
    level = (np.arange(100) < 10).astype(float)
    y[:10] = 1
    result = wm.separability(np.column_stack([X, level]), y)
    assert (result.kind, result.exact) == ("quasi", True)
    assert result.direction.w[2] > 0
    assert (result.witness.rows >= 10).all()


def test_a_witness_is_few_rows_and_weights_that_add_up_to_one() -> None:
    random = np.random.default_rng(0)
    X, y = random.standard_normal((400, 6)), random.integers(0, 2, 400)
    witness = wm.separability(X, y).witness
    assert len(witness.rows) <= 6 + 2
    assert witness.weights.sum() == pytest.approx(1)
    s = np.where(y[witness.rows] == 1, 1.0, -1.0) * witness.weights
    assert abs(s.sum()) < 1e-12
    assert np.abs(s @ X[witness.rows]).max() < 1e-12


def test_many_rows_need_few_of_them() -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((60_000, 5))
    z = X @ random.standard_normal(5)
    far = np.abs(z) > 1e-3
    assert wm.separability(X[far], z[far] > 0).kind == "complete"
    result = wm.separability(X, random.random(len(X)) < 0.5)
    assert (result.kind, result.exact) == ("overlapping", True)
    assert len(result.witness.rows) <= 7


@pytest.mark.parametrize("overlap", [False, True])
def test_data_that_are_not_sorted_stay_as_they_are(overlap: bool) -> None:
    random = np.random.default_rng(0)
    dense = np.where(random.random((2000, 30)) < 0.3, random.standard_normal((2000, 30)), 0.0)
    X = csr_array(dense)
    for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        order = random.permutation(stop - start)
        X.indices[start:stop], X.data[start:stop] = X.indices[start:stop][order], X.data[start:stop][order]
    X.has_sorted_indices = False
    y = random.integers(0, 2, 2000) if overlap else (dense @ random.standard_normal(30) > 0.01).astype(int)
    before = X.indices.copy(), X.data.copy()
    result = wm.separability(X, y)
    assert result.verify(X, y)
    assert result.verify(dense, y)
    assert (X.indices == before[0]).all()
    assert (X.data == before[1]).all()


@pytest.mark.parametrize("multiclass", ["ovr", "pairwise"])
def test_several_classes_make_a_table(multiclass: str) -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    result = wm.separability(X, y, multiclass=multiclass)
    assert isinstance(result, SeparabilityTable)
    kinds = {part.positive: part.kind for part in result.parts}
    if multiclass == "ovr":
        assert kinds == {"a": "complete", "b": "overlapping", "c": "complete"}
        assert result["b"].kind == result.kind == "overlapping"
    else:
        assert result.kind == "complete"
        assert result["a", "c"] is result["c", "a"]
    assert result.verify(X, y)
    assert not result.verify(X, y[::-1])
    assert len(result.table().splitlines()) == 4


@pytest.mark.parametrize(
    ("X", "y", "options", "error", "text"),
    [
        ([[1.0], [2.0]], [1, 1], {}, InputError, "only one class"),
        ([[1.0], [np.nan]], [0, 1], {}, InputError, "nan"),
        ([[1.0], [2.0]], [0.2, 0.7], {}, InputError, "round the shares"),
        ([[1.0], [2.0]], [0, 1, 1], {}, InputError, "3 labels"),
        (np.zeros((0, 2)), [], {}, InputError, "no rows"),
        ([[1.0], [2.0]], [0, 1], {"intercept": "penalised"}, OptionError, "True or False"),
        ([[1.0], [2.0]], [0, 1], {"multiclass": "pairs"}, OptionError, "'pairwise'"),
    ],
)
def test_bad_input_is_told(X: object, y: object, options: dict, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        wm.separability(X, y, **options)


def test_the_same_question_has_the_same_answer() -> None:
    random = np.random.default_rng(0)
    X, y = random.standard_normal((500, 8)), random.integers(0, 2, 500)
    first, second = wm.separability(X, y), wm.separability(X, y)
    assert first.witness.counts == second.witness.counts
    assert first.route == second.route
