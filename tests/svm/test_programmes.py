"""Hard margin, soft margin and hinge, against an independent quadratic solver on ten data sets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import fit
from svm.cases import SEPARABLE, optimum, overlapping, slab
from widemargin.data.intake import intake
from widemargin.run.local import Local
from widemargin.svm.descent import descend
from widemargin.svm.programme import Programme

INTERCEPTS = (True, False, "penalised")
NEAR = 1e-6
every = pytest.mark.parametrize("name", SEPARABLE)


def through_origin(X: Any, y: Any) -> Any:
    """A column of ones makes any separable rows separable by a hyperplane through 0."""
    return sp.hstack([X, np.ones((len(y), 1))]).tocsr() if sp.issparse(X) else np.column_stack([X, np.ones(len(y))])


@every
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_hard_margin_is_the_optimum_of_its_quadratic_programme(name: str, intercept: bool | str) -> None:
    X, y = SEPARABLE[name]()
    if intercept is False:
        X = through_origin(X, y)
    found = wm.hard_margin(X, y, intercept=intercept)
    assert found.objective == pytest.approx(optimum(X, y, None, intercept), rel=NEAR)
    assert found.relative_gap <= 1e-9
    assert found.kkt.worst <= NEAR
    assert found.verify(X, y).ok, found.verify(X, y).problems
    z = y * np.asarray(X @ found.model.weights + found.model.intercept)
    assert z.min() >= 1 - 1e-9
    np.testing.assert_allclose(z[found.support], 1, atol=1e-6)
    assert found.margin == pytest.approx(1 / np.linalg.norm(found.model.weights))
    distance = wm.geometry.geometric_margin((found.model.weights, found.model.intercept), X, y, of="set")
    assert distance == pytest.approx(found.margin, rel=1e-9)


@every
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_soft_margin_hinge_and_the_quadratic_programme_agree(name: str, C: float) -> None:
    X, y = overlapping(name)
    for intercept in INTERCEPTS:
        found = wm.soft_margin(X, y, C=C, intercept=intercept)
        target = optimum(X, y, np.full(len(y), C), intercept)
        hinge = fit(X, y, loss="hinge", alpha=1 / (C * len(y)), intercept=intercept, tol=1e-8)
        assert found.objective == pytest.approx(target, rel=NEAR)
        assert hinge.certificate.objective * C * len(y) == pytest.approx(target, rel=NEAR)
        assert found.relative_gap <= NEAR
        assert found.kkt.worst <= NEAR
        assert found.verify(X, y).ok, found.verify(X, y).problems
        z = y * np.asarray(X @ found.model.weights + found.model.intercept)
        np.testing.assert_allclose(found.slacks, np.maximum(0, 1 - z), atol=1e-9)
        kinds = found.kinds
        np.testing.assert_array_equal(np.sort(np.concatenate(kinds)), found.support)
        assert set(np.flatnonzero(z < -1e-9)) <= set(kinds.wrong.tolist())


@every
def test_weights_are_as_good_as_rows_given_again(name: str) -> None:
    X, y = overlapping(name)
    s = 1 + np.arange(len(y)) % 3
    again = np.repeat(np.arange(len(y)), s)
    weighted = wm.soft_margin(X, y, C=0.5, sample_weight=s)
    repeated = wm.soft_margin(X[again], y[again], C=0.5)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-9)
    assert np.all(weighted.duals <= 0.5 * s * (1 + 1e-12))
    assert weighted.verify(X, y, sample_weight=s).ok
    felt = bool(np.any(weighted.duals > 0.5) or np.any(weighted.slacks > 0))
    assert weighted.verify(X, y).ok == (not felt)


@every
def test_the_soft_margin_approaches_the_hard_one(name: str) -> None:
    """From below, and it is the hard margin once C is beyond every dual."""
    X, y = SEPARABLE[name]()
    hard = wm.hard_margin(X, y)
    top = float(hard.duals.max())
    below = [wm.soft_margin(X, y, C=top * share).objective for share in (0.01, 0.1, 0.5)]
    assert sorted(below) == below
    assert below[-1] <= hard.objective * (1 + 1e-9)
    beyond = wm.soft_margin(X, y, C=2 * top)
    assert beyond.objective == pytest.approx(hard.objective, rel=NEAR)
    np.testing.assert_allclose(beyond.model.weights, hard.model.weights, rtol=1e-4, atol=1e-6 / hard.margin)


@every
def test_the_point_that_needs_no_look_at_the_data(name: str) -> None:
    """w = 0, xi = 1 costs C sum s: no optimum is above, and at a tiny C nothing else is gained."""
    X, y = overlapping(name)
    for C in (1e-12, 1e-3, 10.0):
        found = wm.soft_margin(X, y, C=C)
        assert found.objective <= C * len(y) * (1 + 1e-9)
        assert found.lower_bound >= 0


@every
@pytest.mark.parametrize("intercept", ["free", "penalised"])
def test_descent_and_the_central_path_meet(name: str, intercept: str) -> None:
    """Whatever the columns, both sides of the optimum; where they are of like size, the optimum."""
    X, y = SEPARABLE[name]()
    same = wm.hard_margin(X, y, intercept=intercept)
    w, b = same.model.weights, float(same.model.intercept)
    source = intake(X, y).source
    programme = Programme(source, np.full(source.n, np.inf), intercept, Local(1))
    found = descend(programme, 1e-6, 0, lambda: (w / 2, b / 2))
    assert found.primal.value >= same.objective * (1 - 1e-9)
    assert found.dual.value <= same.objective * (1 + 1e-9)
    lengths, rows = np.sqrt(programme.sqnorms), X.toarray() if sp.issparse(X) else X
    if lengths.max() < 5 * np.median(lengths) and np.linalg.cond(rows) < 1e3:
        assert found.gap <= 1e-6


@pytest.mark.parametrize("d", [20, 30])
def test_support_vectors_are_those_of_the_optimum(d: int) -> None:
    """Points in general position: at most d + 1 of them are on the margin, and what lies beyond it has no dual."""
    random = np.random.default_rng(1)
    X, w = random.standard_normal((8000, d)), random.standard_normal(d) / np.sqrt(d)
    y = np.where(X @ w + 0.3 * random.standard_normal(8000) > 0, 1, -1)
    found = wm.soft_margin(X, y)
    z = y * (X @ found.model.weights + found.model.intercept)
    np.testing.assert_array_equal(found.duals[z > 1 + 1e-6], 0.0)
    np.testing.assert_array_equal(found.duals[z < 1 - 1e-6], 1.0)
    assert len(found.kinds.on_margin) <= d + 1


def test_storage_does_not_matter() -> None:
    X, y = slab(60, 8, 1, 0.3)
    X = np.round(4 * X)
    forms = (X, X.astype(np.float32), X.astype(int), sp.csr_array(X), sp.csc_array(X), X.tolist())
    objectives = [wm.hard_margin(form, y).objective for form in forms]
    np.testing.assert_allclose(objectives, objectives[0], rtol=1e-9)


def test_labels_are_the_users_own() -> None:
    X, y = slab(40, 2, 1, 0.3)
    names = np.where(y > 0, "yes", "no")
    found = wm.hard_margin(X, names)
    assert found.model.classes.tolist() == ["no", "yes"]
    assert (found.model.predict(X) == names).all()
    assert found.verify(X, names).ok


@pytest.mark.parametrize(
    "attack",
    [
        lambda f: {"duals": f.duals * 1.01},
        lambda f: {"duals": np.roll(f.duals, 1)},
        lambda f: {"duals": f.duals - 1e-3},
        lambda f: {"slacks": f.slacks + 0.01},
        lambda f: {"support": f.support[1:]},
        lambda f: {"objective": f.objective * 0.999},
        lambda f: {"lower_bound": f.lower_bound * 1.001},
        lambda f: {"margin": f.margin * 1.001},
        lambda f: {"relative_gap": 1e-3},
        lambda f: {"kkt": f.kkt._replace(stationarity=0.1)},
        lambda f: {"model": replace(f.model, W=f.model.W * 0.99)},
        lambda f: {"model": replace(f.model, b=f.model.b + 0.1)},
    ],
)
@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_verify_finds_what_was_changed(kind: str, attack: Any) -> None:
    X, y = SEPARABLE["dense"]() if kind == "hard" else overlapping("dense")
    found = wm.hard_margin(X, y) if kind == "hard" else wm.soft_margin(X, y)
    assert found.verify(X, y).ok
    assert not replace(found, **attack(found)).verify(X, y).ok


def test_verify_finds_other_data() -> None:
    X, y = overlapping("dense")
    found = wm.soft_margin(X, y)
    turned = y.copy()
    turned[3] *= -1
    assert not found.verify(X, turned).ok
    assert not found.verify(X + 0.01, y).ok
