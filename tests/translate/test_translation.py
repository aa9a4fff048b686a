"""Every pair of conventions of the registry: the same minimiser, exact round trips, the right factor."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import widemargin as wm
from problems import fit, objective, overlapping
from widemargin.errors import OptionError, Refusal
from widemargin.translation import Convention, translate

NAMES = list(wm.conventions)
LOSSES = ("hinge", "logistic", "squared")
DATA = overlapping(2, 60)
S = np.random.default_rng(4).integers(1, 5, 60).astype(float)
TOP = {"n": 60, "sum_weights": float(S.sum())}
strengths = st.floats(1e-6, 1e6)


def takes(convention: Convention, loss: str) -> bool:
    return convention.only in ("", loss)


def value(convention: Convention, t: float, loss: str, w: Any, b: float) -> float:
    """The objective as the convention writes it, from its coefficients."""

    def at(m: Any) -> float:
        return float(m.number) * t**m.strength * S.sum() ** m.weight * 60.0**m.rows

    y = np.where(DATA.y > 0, 1.0, -1.0)
    lost = wm.losses[loss].value(y * (DATA.X @ w + b)) * (0.5 if convention.halved == loss else 1.0)
    return at(convention.on_loss) * float(S @ lost) + at(convention.on_penalty) * 0.5 * float(w @ w)


@pytest.mark.parametrize("source", NAMES)
@given(t=strengths, n=st.integers(1, 10**9), weight=st.floats(1e-3, 1e9), target=st.sampled_from(NAMES))
def test_a_round_trip_is_exact(source: str, t: float, n: int, weight: float, target: str) -> None:
    there = translate(t, source, to=target, n=n, sum_weights=weight, loss="squared")
    back = translate(there, target, to=source, n=n, sum_weights=weight, loss="squared")
    assert back == t
    assert back.exact == Fraction(t)
    assert there.factor * back.factor == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("source", NAMES)
def test_the_factor_is_the_ratio_of_the_objectives_at_any_point(source: str, loss: str) -> None:
    random = np.random.default_rng(1)
    for target in NAMES:
        first, second = wm.conventions[source], wm.conventions[target]
        if not (takes(first, loss) and takes(second, loss)):
            continue
        to = translate(0.37, source, to=target, loss=loss, **TOP)
        for _ in range(3):
            w, b = random.standard_normal(4), float(random.standard_normal())
            before, after = value(first, 0.37, loss, w, b), value(second, float(to), loss, w, b)
            assert after == pytest.approx(to.factor * before, rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_fit_at_the_translated_strength_minimises_the_convention(name: str) -> None:
    """Ours is at its own minimum, so no point is better in the convention's own formula, near or far."""
    convention = wm.conventions[name]
    random = np.random.default_rng(2)
    for loss in LOSSES:
        if not takes(convention, loss):
            continue
        alpha = translate(0.7, name, loss=loss, **TOP)
        fitted = fit(DATA.X, DATA.y, loss=loss, alpha=alpha, sample_weight=S, tol=1e-10)
        w, b = fitted.model.weights, float(fitted.model.intercept)
        least = value(convention, 0.7, loss, w, b)
        assert least == pytest.approx(objective(fitted, DATA.X, DATA.y, s=S) / alpha.factor, rel=1e-12)
        for size in (1e-3, 1e-1, 10.0):
            step = size * random.standard_normal(5)
            assert value(convention, 0.7, loss, w + step[:4], b + step[4]) >= least * (1 - 1e-9)


ESTIMATORS = [
    ("LogisticRegression", "logistic", "C", {"tol": 1e-10, "max_iter": 10000}),
    ("SVC", "hinge", "C", {"kernel": "linear", "tol": 1e-10}),
    ("RidgeClassifier", "squared", "alpha", {"solver": "cholesky"}),
    ("LinearSVC", "squared_hinge", "C", {"tol": 1e-10, "max_iter": 100000, "dual": False}),
]


@pytest.mark.parametrize(("name", "loss", "parameter", "options"), ESTIMATORS, ids=[e[0] for e in ESTIMATORS])
def test_scikit_learn_has_the_same_coefficients(name: str, loss: str, parameter: str, options: Any) -> None:
    pytest.importorskip("sklearn")
    from sklearn import linear_model, svm

    convention = wm.conventions[name]
    intercept = "penalised" if name in convention.note else True
    estimator = getattr(linear_model, name, None) or getattr(svm, name)
    theirs = estimator(**{parameter: 0.3}, **options).fit(DATA.X, DATA.y, sample_weight=S)
    alpha = translate(0.3, name, **TOP)
    ours = fit(DATA.X, DATA.y, loss=loss, alpha=alpha, sample_weight=S, intercept=intercept, tol=1e-12)
    np.testing.assert_allclose(ours.model.weights, np.ravel(theirs.coef_), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.model.intercept, theirs.intercept_[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_scikit_learn_sgd_divides_by_the_rows_and_halves_the_squared_error(loss: str) -> None:
    """Its coefficients are near our minimum at the translated strength, and far from those at its half and double."""
    pytest.importorskip("sklearn")
    from sklearn.linear_model import SGDClassifier

    alpha = translate(0.3, "SGDClassifier", loss=loss, **TOP)
    theirs = SGDClassifier(
        loss={"hinge": "hinge", "squared": "squared_error"}[loss], alpha=0.3, average=True, learning_rate="invscaling",
        eta0=0.02, power_t=0.5, max_iter=8000, tol=None, random_state=0,
    ).fit(DATA.X, DATA.y, sample_weight=S)  # fmt: skip
    w = theirs.coef_.ravel()
    near, half, double = (
        np.linalg.norm(fit(DATA.X, DATA.y, loss=loss, alpha=a, sample_weight=S).model.weights - w)
        for a in (alpha, alpha / 2, alpha * 2)
    )
    assert near < 0.3 * min(half, double)


@pytest.mark.parametrize("name", NAMES)
def test_a_convention_says_what_it_is(name: str) -> None:
    convention = wm.conventions[name]
    assert convention.reference
    assert r"\sum_i s_i" in convention.tex
    assert convention.tex.count("{") == convention.tex.count("}")
    for alias in convention.used_by:
        assert wm.conventions[alias] is convention
        assert wm.conventions[alias.lower()] is convention


def test_formulas_of_the_notes() -> None:
    assert translate(2, "c_sum", n=50).exact == Fraction(1, 100)
    assert translate(0.5, "per_row") == 0.5
    assert translate(3, "sum", n=6).exact == Fraction(1, 2)
    assert translate(3, "ridge", n=6) == 1.0
    assert translate(0.25, "half_mean", loss="squared") == 0.5
    assert "alpha = 0.01" in translate(2, "c_sum", n=50).text


def test_a_translation_is_a_number_that_fit_takes() -> None:
    alpha = translate(1.0, "c_sum", n=60)
    assert fit(DATA.X, DATA.y, loss="hinge", alpha=alpha).certificate.problem.alpha == 1 / 60


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        ((1.0, "c_sum"), {}, OptionError, "n=len"),
        ((1.0, "sgd"), {"loss": "hinge", "sum_weights": 3.0}, OptionError, "number of rows"),
        ((1.0, "SVN"), {"n": 3}, OptionError, "Did you mean"),
        ((1.0, None), {"n": 3}, OptionError, "unknown convention"),
        ((0, "c_sum"), {"n": 3}, OptionError, "above 0"),
        ((float("nan"), "c_sum"), {"n": 3}, OptionError, "above 0"),
        ((10**400, "c_sum"), {"n": 3}, OptionError, "finite"),
        ((True, "c_sum"), {"n": 3}, OptionError, "above 0"),
        (("1", "c_sum"), {"n": 3}, OptionError, "above 0"),
        ((1.0, "c_sum"), {"n": 2.5}, OptionError, "whole number"),
        ((1.0, "c_sum"), {"n": 0}, OptionError, "above 0"),
        ((1e-300, "c_sum"), {"n": 3, "sum_weights": 1e-300}, OptionError, "infinite"),
        ((1.0, "ridge"), {"n": 3, "loss": "hinge"}, Refusal, "squared"),
        ((1.0, "glmnet"), {}, OptionError, "loss was not given"),
        ((1.0, "c_sum"), {"n": 3, "loss": "hing"}, OptionError, "hinge"),
    ],
)
def test_bad_input_is_told(arguments: Any, options: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        translate(*arguments, **options)
