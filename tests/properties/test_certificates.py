"""A certificate is attacked: whatever is changed in it, or in the data it speaks of, verify says that and what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import CONVEX, INTERCEPTS, SHARED, fit, objective, overlapping, takes
from widemargin.certificate import Certificate, relative_gap
from widemargin.errors import InputError
from widemargin.fitting import Fit

TWO, THREE = overlapping(2, n=40), overlapping(3, n=40)
RANDOM = np.random.default_rng(5)
S = RANDOM.uniform(0.5, 2.0, 40)
O2, O3 = 0.5 * RANDOM.standard_normal(40), 0.5 * RANDOM.standard_normal((40, 3))
ALPHA = 0.02
KINDS = {"two": "auto", "ovr": "ovr", "softmax": "softmax"}
COLUMNS: dict[str, dict[str, Any]] = {
    "alike": {},
    "factors": {"penalty_factor": [0.5, 0.0, 2.0, np.inf]},
    "scaled": {"scale": True},
    "bounds": {"bounds": ([-np.inf, 0.0, -0.1, -0.2], [0.1, np.inf, 0.1, np.inf]), "scale": True},
}
Attack = Callable[[Certificate, Any, Any, dict[str, Any]], tuple[Certificate, Any, Any, dict[str, Any]] | None]


@cache
def fitted(loss: str, penalty: str, kind: str, intercept: Any = True, columns: str = "alike") -> Fit:
    X, y, more = data(kind)
    options = {"loss": loss, "penalty": penalty, "alpha": ALPHA, "multiclass": KINDS[kind], "intercept": intercept}
    return fit(X, y, **options, tol=1e-8, **COLUMNS[columns], **more)


def data(kind: str) -> tuple[Any, Any, dict[str, Any]]:
    X, y = TWO if kind == "two" else THREE
    return X, y, {"sample_weight": S, "offset": O2 if kind == "two" else O3}


def cases(loss: str) -> list[tuple[str, str, Any, str]]:
    """Penalty, heads, intercept, what differs from column to column."""
    kinds = [kind for kind in KINDS if kind != "softmax" or loss == "logistic"]
    ways = [columns for columns in COLUMNS if wm.losses[loss].smooth or columns in ("alike", "scaled")]
    found = [(penalty, kind, True, columns) for penalty in SHARED for kind in kinds for columns in ways]
    return found + [("l2", "two", i, columns) for i in INTERCEPTS for columns in ways]


def moved(certificate: Certificate, W: Any = 0.0, b: Any = 0.0) -> Certificate:
    theta = certificate.theta
    return replace(certificate, theta=theta._replace(W=theta.W + W, b=theta.b + b))


def weights_scaled(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    return moved(c, W=0.05 * c.theta.W), X, y, more


def one_weight(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    W = np.zeros_like(c.theta.W)
    W[0, 0] = 0.05
    return moved(c, W=W), X, y, more


def intercept(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    step = np.zeros_like(c.theta.b)
    step[0] = 0.1
    return moved(c, b=step), X, y, more


def weight_not_a_number(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    W = np.zeros_like(c.theta.W)
    W[-1, -1] = np.nan
    return moved(c, W=W), X, y, more


def one_dual(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    a = c.dual.copy()
    a[3, 0] += 0.05 if a[3, 0] < 0.5 else -0.05
    return replace(c, dual=a), X, y, more


def dual_outside(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    """Two rows of one class, so that the classes stay balanced."""
    low, _ = c.problem.loss.dual_domain if not c.problem.joint else (0.0, 1.0)
    if not np.isfinite(low):
        return None
    rows = np.flatnonzero(y == y[0])[:2]
    a, step = c.dual.copy(), c.dual[rows[0], 0] - low + 0.5
    a[rows[0], 0] -= step
    a[rows[1], 0] += step * S[rows[0]] / S[rows[1]]
    return replace(c, dual=a), X, y, more


def dual_not_a_number(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    a = c.dual.copy()
    a[5] = np.nan
    return replace(c, dual=a), X, y, more


def dual_unbalanced(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    """Each row of class 0 a little less: a better bound, were it feasible."""
    if c.problem.intercept != "free":
        return None
    a = c.dual.copy()
    a[y == 0, 0] *= 1 - 1e-6
    return replace(c, dual=a), X, y, more


def dual_rows_exchanged(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    return replace(c, dual=c.dual[::-1].copy()), X, y, more


def one_label(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    y = y.copy()
    y[10] = (y[10] + 1) % len(np.unique(y))
    return c, X, y, more


def one_number(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    """Of a row that pulls, in the column of the largest weight."""
    X = X.copy()
    X[np.argmax(S * c.dual[:, 0]), np.argmax(np.abs(c.theta.W).sum(axis=1))] += 0.5
    return c, X, y, more


def strength(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    if c.problem.alpha == 0:
        return None
    return replace(c, problem=replace(c.problem, alpha=1.01 * c.problem.alpha)), X, y, more


def terms_changed(c: Certificate, **changes: Any) -> Certificate | None:
    terms = c.problem.terms
    return None if terms is None else replace(c, problem=replace(c.problem, terms=replace(terms, **changes)))


def factors(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    if c.problem.terms is None or c.problem.alpha == 0:
        return None
    return terms_changed(c, factor=1.5 * c.problem.terms.factor), X, y, more


def columns_rescaled(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    if c.problem.terms is None or not c.problem.terms.scaled:
        return None
    return terms_changed(c, sd=1.01 * c.problem.terms.sd), X, y, more


def box_narrowed(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    if not c.problem.boxed:
        return None
    middle = 0.5 * c.theta.W
    return terms_changed(c, low=np.minimum(middle, 0.0), high=np.maximum(middle, 0.0)), X, y, more


def a_row_less(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    return c, X[:-1], y[:-1], {name: value[:-1] for name, value in more.items()}


def one_weight_of_a_row(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    return c, X, y, more | {"sample_weight": np.where(np.arange(40) == 4, 1.5 * S, S)}


def weights_forgotten(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    return c, X, y, {"offset": more["offset"]}


def offsets_forgotten(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    return c, X, y, {"sample_weight": S}


def bounds_raised(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    bounds = c.bounds * (1 + 1e-6) + 1e-6
    return replace(c, bounds=bounds, lower_bound=float(bounds.sum())), X, y, more


def values_lowered(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    values = c.values * (1 - 1e-6)
    return replace(c, values=values, objective=float(values.sum())), X, y, more


def classes_renamed(c: Certificate, X: Any, y: Any, more: Any) -> Any:
    return c, X, y + 1, more


DAMAGE: list[Attack] = [
    weights_scaled, one_weight, intercept, weight_not_a_number, one_dual, dual_outside, dual_not_a_number,
    dual_unbalanced, dual_rows_exchanged, one_label, one_number, strength, factors, columns_rescaled, box_narrowed,
    a_row_less, one_weight_of_a_row,
    weights_forgotten, offsets_forgotten, bounds_raised,
    values_lowered, classes_renamed,
]  # fmt: skip


@pytest.mark.parametrize("attack", DAMAGE, ids=lambda attack: attack.__name__)
@pytest.mark.parametrize("loss", CONVEX)
def test_damage_is_reported(loss: str, attack: Attack, subtests: pytest.Subtests) -> None:
    for penalty, kind, intercept, columns in cases(loss):
        with subtests.test(f"{penalty}, {kind}, intercept={intercept}, {columns}"):
            whole = fitted(loss, penalty, kind, intercept, columns).certificate
            X, y, more = data(kind)
            assert whole.verify(X, y, **more).ok
            hit = attack(whole, X, y, more)
            if hit is None:
                continue
            certificate, X, y, more = hit
            try:
                found = certificate.verify(X, y, **more)
                assert not found
                said = found.problems
            except InputError as error:  # of another shape: nothing can be compared
                said = (str(error),)
            assert said
            assert all(said)


@pytest.mark.parametrize("loss", CONVEX)
def test_fields_mean_what_they_say(loss: str) -> None:
    """gap = P - D; relative_gap = |P - D| / max(|P|, 1e-8 P_0), the worst over the heads."""
    for penalty, kind, intercept, columns in cases(loss):
        of = fitted(loss, penalty, kind, intercept, columns).certificate
        assert of.kind == "duality gap"
        assert of.objective == pytest.approx(of.values.sum(), rel=1e-12)
        assert of.lower_bound == pytest.approx(of.bounds.sum(), rel=1e-12)
        assert of.gap == pytest.approx(of.objective - of.lower_bound, rel=1e-6, abs=1e-15)
        each = (of.values - of.bounds) / np.maximum(np.abs(of.values), 1e-8 * of.null)
        assert of.relative_gap == pytest.approx(np.abs(each).max(), rel=1e-6, abs=1e-15)
        assert of.verdict.success
        X, y, more = data(kind)
        found = of.verify(X, y, **more)
        assert found.relative_gap == pytest.approx(of.relative_gap, rel=1e-3, abs=1e-12)
        assert found.objective == pytest.approx(of.objective, rel=1e-12)


@pytest.mark.parametrize("loss", wm.losses)
def test_no_point_is_below_the_bound(loss: str) -> None:
    """Weak duality against many points: near the optimum, far away, and along the coordinates."""
    random = np.random.default_rng(0)
    for penalty in wm.penalties:
        X, y, more = data("two")
        if not takes(TWO, loss=loss, penalty=penalty):
            continue
        stop = wm.stops.max_passes(40)
        found = fit(X, y, loss=loss, penalty=penalty, alpha=ALPHA, stop=stop, **more)
        proof = found.certificate
        shape = proof.theta.W.shape
        for size in np.repeat([0.0, 1e-3, 0.1, 1.0, 10.0], 20):
            step = size * random.standard_normal(shape) * (random.random(shape) < 0.5)
            other = replace(found, certificate=moved(proof, W=step, b=size * random.standard_normal()))
            value = objective(other, X, y, s=S, o=O2)
            assert proof.lower_bound <= value * (1 + 1e-12)
        if not proof.problem.convex:
            assert proof.kind != "duality gap"
            assert np.isnan(proof.relative_gap)


@pytest.mark.parametrize("loss", CONVEX)
def test_any_form_of_the_same_data_will_do(loss: str) -> None:
    X, y, more = data("two")
    proof = fitted(loss, "l2", "two").certificate
    for form in (X.tolist(), np.asfortranarray(X), sp.csc_array(X), X[:, ::-1][:, ::-1]):
        assert proof.verify(form, y.tolist(), **more).ok
    assert not proof.verify(X[:, ::-1], y, **more).ok
    with pytest.raises(InputError, match="columns"):
        proof.verify(X[:, 1:], y, **more)


def test_a_bound_above_the_objective_is_no_small_gap() -> None:
    """It says that rounding has spoilt one of the two, by at least so much."""
    assert relative_gap(np.array([0.5]), np.array([0.6]), np.array([1.0]))[0] == pytest.approx(0.2)
