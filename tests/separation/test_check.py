"""A proof passes; the same proof with anything altered does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import widemargin as wm
from widemargin.errors import InputError
from widemargin.separation import Separability


def data(kind: str, intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    X = random.standard_normal((60, 3))
    y = (X @ [1.0, 2.0, -1.0] > 0).astype(int)
    if kind != "complete":
        y = random.integers(0, 2, 60)
    if kind == "quasi":
        X[:, 2] = np.where(np.arange(60) < 6, 2.0 * y - 1, 0.0)
    return X, y


CASES = [(kind, intercept) for kind in ("complete", "quasi", "overlapping") for intercept in (True, False)]


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray, Separability]:
    kind, intercept = request.param
    X, y = data(kind, intercept)
    result = wm.separability(X, y, intercept=intercept)
    assert isinstance(result, Separability)
    assert (result.kind, result.exact) == (kind, True)
    return X, y, result


def test_the_proof_passes(case: tuple[np.ndarray, np.ndarray, Separability]) -> None:
    X, y, result = case
    assert result.verify(X, y) == (True, ())


def test_another_kind_does_not(case: tuple[np.ndarray, np.ndarray, Separability]) -> None:
    X, y, result = case
    for kind in {"complete", "quasi", "overlapping", "other"} - {result.kind}:
        assert not replace(result, kind=kind).verify(X, y)


def test_a_direction_that_is_turned_does_not(case: tuple[np.ndarray, np.ndarray, Separability]) -> None:
    X, y, result = case
    if result.direction is None:
        return
    w, b = result.direction
    for wrong in (-w, w * 0, w + np.eye(3)[0] * 9 * np.abs(w).max(), w[:2], np.full(3, np.nan)):
        turned = replace(result, direction=result.direction._replace(w=wrong), whole=None)
        assert not turned.verify(X, y)
    assert not replace(result, direction=None).verify(X, y)
    if result.whole is not None:
        other = (result.whole[0] + (1 << 200), *result.whole[1:])
        assert not replace(result, whole=other).verify(X, y)
    if not result.intercept:
        assert not replace(result, direction=result.direction._replace(b=b + 1)).verify(X, y)


def test_a_margin_that_is_too_large_does_not(case: tuple[np.ndarray, np.ndarray, Separability]) -> None:
    X, y, result = case
    assert not replace(result, margin=result.margin * 1.001 + 1e-3).verify(X, y)


@pytest.mark.parametrize("name", ["witness", "overlap"])
def test_a_combination_that_is_altered_does_not(name: str, case: tuple[np.ndarray, np.ndarray, Separability]) -> None:
    X, y, result = case
    given = getattr(result, name)
    if given is None:
        return
    counts, total = given.counts, sum(given.counts) + given.others * (len(y) - len(given.rows))
    more = (counts[0] + 1, *counts[1:])
    fewer = given._replace(rows=given.rows[1:], weights=given.weights[1:], counts=counts[1:])
    wrong = [
        given._replace(counts=more, weights=np.array([c / (total + 1) for c in more])),
        given._replace(counts=tuple(-c for c in counts)),
        given._replace(counts=tuple(0 for _ in counts), weights=given.weights * 0),
        given._replace(weights=given.weights * (1 + 1e-9)),
        given._replace(rows=(given.rows + 1) % 60),
        given._replace(rows=np.full_like(given.rows, given.rows[0])),
        given._replace(rows=given.rows + 60),
        given._replace(others=given.others + 1),
        given._replace(counts=None),
        fewer,
    ]
    for witness in wrong:
        assert not replace(result, **{name: witness}).verify(X, y), witness
    assert not replace(result, **{name: None}).verify(X, y)


def test_a_claim_of_less_than_is_proved_does_not(case: tuple[np.ndarray, np.ndarray, Separability]) -> None:
    X, y, result = case
    if result.witness is None:
        return
    loose = result.witness._replace(counts=None)
    assert not replace(result, kind="overlapping", exact=False, witness=loose, epsilon=1e-30, overlap=None).verify(X, y)
    assert replace(result, kind="overlapping", exact=False, witness=loose, epsilon=1.0, overlap=None).verify(X, y)


def test_other_labels_do_not(case: tuple[np.ndarray, np.ndarray, Separability]) -> None:
    X, y, result = case
    flipped = y.copy()
    row = 0 if result.witness is None else result.witness.rows[0]
    flipped[row] = 1 - y[row]
    assert not result.verify(X, flipped)
    assert not result.verify(X, y + 7)
    assert bool(result.verify(X, 1 - y)) == (result.kind == "overlapping"), "what vanishes also does with -y"


def test_other_rows_do_not(case: tuple[np.ndarray, np.ndarray, Separability]) -> None:
    X, y, result = case
    moved = X.copy()
    if result.witness is not None:
        moved[result.witness.rows[0]] += 2.0**-40
    else:
        moved[0] = -1e3 * np.where(y[0], 1, -1) * result.direction.w
    assert not result.verify(moved, y)
    with pytest.raises(InputError, match="shape"):
        result.verify(X[:-1], y[:-1])
