"""Paths: every point is the fit at its strength; the largest strength is where the first weight moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from widemargin.errors import OptionError, Refusal


def rows(n: int = 120, d: int = 40, classes: int = 2, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * random.uniform(0.3, 3.0, d) + random.normal(size=d)
    scores = X[:, :6] @ random.normal(size=(6, classes)) + 2.0 * random.gumbel(size=(n, classes))
    return X, scores.argmax(axis=1)


def wide() -> tuple[Any, Any]:
    return rows(60, 700, seed=3)


def sparse() -> tuple[Any, Any]:
    X, y = rows(200, 350, seed=4)
    return sp.csr_array(np.where(np.abs(X) > 1.5 * np.abs(X).mean(axis=0), X, 0.0)), y


CASES = {"tall": rows, "wide": wide, "sparse": sparse, "csc": lambda: (sparse()[0].tocsc(), sparse()[1])}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("penalty", ["l1", "elastic_net:0.5", "l2"])
def test_every_point_is_the_fit_at_its_strength(case: str, penalty: str) -> None:
    X, y = CASES[case]()
    found = wm.path(X, y, penalty=penalty, n_alphas=6, ratio=0.02, tol=1e-9)
    assert len(found) == 6
    assert np.all(np.diff(found.alphas) < 0)
    for alpha, model, certificate in zip(found.alphas, found.models, found.certificates, strict=True):
        assert certificate.relative_gap <= 1e-9
        assert certificate.verify(X, y).ok
        alone = wm.fit(X, y, penalty=penalty, alpha=alpha, tol=1e-9)
        assert certificate.objective == pytest.approx(alone.certificate.objective, rel=3e-9)
        assert model.about["alpha"] == alpha
    assert found.coefficients.shape == (6, X.shape[1])
    assert found.intercepts.shape == (6,)
    assert "6 strengths" in repr(found)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "smooth_hinge", "squared"])
def test_other_losses_and_more_classes(loss: str) -> None:
    X, y = rows(classes=3)
    found = wm.path(X, y, loss=loss, multiclass="ovr", n_alphas=4, ratio=0.05)
    assert found.coefficients.shape == (4, X.shape[1], 3)
    assert np.all(found.relative_gaps <= 1e-6)


@pytest.mark.parametrize(
    "options", [{}, {"intercept": False}, {"penalty": "elastic_net:0.3"}, {"scale": True}], ids=str
)
@pytest.mark.parametrize("case", CASES)
def test_alpha_max_is_where_the_first_weight_moves(case: str, options: dict[str, Any]) -> None:
    X, y = CASES[case]()
    given = {"penalty": "l1"} | options
    top = wm.alpha_max(X, y, **given)
    assert not wm.fit(X, y, alpha=top * (1 + 1e-9), tol=1e-10, **given).model.W.any()
    assert wm.fit(X, y, alpha=top * 0.99, tol=1e-10, **given).model.W.any()


def test_alpha_max_knows_what_is_not_penalised() -> None:
    X, y = rows()
    factor = np.ones(X.shape[1])
    factor[:2] = 0.0
    top = wm.alpha_max(X, y, penalty_factor=factor)
    above = wm.fit(X, y, penalty="l1", alpha=1.001 * top, penalty_factor=factor, tol=1e-8)
    below = wm.fit(X, y, penalty="l1", alpha=0.98 * top, penalty_factor=factor, tol=1e-8)
    assert not above.model.weights[2:].any()
    assert below.model.weights[2:].any()


def test_given_strengths_are_taken_from_the_largest_down() -> None:
    X, y = rows()
    found = wm.path(X, y, alphas=[0.001, 0.1, 0.01])
    np.testing.assert_array_equal(found.alphas, [0.1, 0.01, 0.001])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"alphas": []}, OptionError),
        ({"alphas": ["a"]}, OptionError),
        ({"alphas": [-1.0]}, OptionError),
        ({"alphas": [np.nan]}, OptionError),
        ({"n_alphas": 0}, OptionError),
        ({"n_alphas": 2.5}, OptionError),
        ({"ratio": 1.0}, OptionError),
        ({"ratio": 0.0}, OptionError),
        ({"penalty": "l2_norm"}, Refusal),
    ],
    ids=str,
)
def test_bad_grids_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    X, y = rows(30, 8)
    with pytest.raises(error):
        wm.path(X, y, **options)
