"""Every picture answers what it cannot draw with an error of our own, before it makes a figure."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import widemargin as wm
from widemargin import plots
from widemargin.errors import InputError, InputTypeError, OptionError, Refusal

pytest.importorskip("matplotlib")

X, Y = wm.datasets.blobs(40, 2, gap=-0.4)
BOTH: dict[str, Any] = {"X": X, "y": Y}
TEST: dict[str, Any] = {**BOTH, "X_test": X, "y_test": Y}
CASES: list[tuple[Any, type[Exception], str]] = [
    (lambda fit: plots.boundary(3, X, Y), InputTypeError, "asked of int; expected a fit or a model"),
    (lambda fit: plots.boundary(fit, X[:, :1], Y), InputError, "X has 1 columns; the model was fitted on 2"),
    (lambda fit: plots.boundary(fit, X, Y[:3]), InputError, r"y has shape \(3,\) but X has 40 rows"),
    (lambda fit: plots.boundary(fit, X, Y + 5), InputError, "does not know; its classes are"),
    (lambda fit: plots.boundary(fit, X, None), InputTypeError, "y is None"),
    (lambda fit: plots.boundary(fit, X * np.nan, Y), InputError, "X has nan"),
    (lambda fit: plots.boundary(fit, X[:0], Y[:0]), InputError, "X has no rows"),
    (lambda fit: plots.boundary(wm.fit(X, Y, penalty="l1", alpha=9), X, Y), Refusal, "w = 0"),
    (lambda fit: plots.boundary(wm.hard_margin(*apart()), X[:2], Y[:2]), InputError, "pass the training X"),
    (lambda fit: plots.boundary(classes(2), wide(2), np.arange(40) % 3), Refusal, "choose two columns"),
    (lambda fit: plots.margins(**BOTH), InputError, "margins.. came without fits"),
    (lambda fit: plots.margins(fit, **BOTH, labels="ab"), OptionError, "expected a list of names"),
    (lambda fit: plots.margins(fit, **BOTH, labels=["a", "b"]), InputError, "2 labels for 1 fits"),
    (
        lambda fit: plots.calibration(fit, **BOTH, bins=1),
        OptionError,
        "bins = 1; expected a whole number of at least 2",
    ),
    (lambda fit: plots.calibration(fit, **BOTH, cut="evn"), OptionError, "Did you mean 'even'"),
    (lambda fit: plots.calibration(wm.fit(X, Y, loss="hinge"), **BOTH), Refusal, "implies no probabilities"),
    (lambda fit: plots.calibration(classes(2), X=wide(2), y=np.arange(40) % 3), Refusal, "one hyperplane"),
    (lambda fit: plots.coefficients(fit, count=0), OptionError, "count = 0"),
    (lambda fit: plots.coefficients(fit, names=["a"]), InputError, "1 names for 2 columns"),
    (lambda fit: plots.coefficients(wm.fit(X, Y, penalty="l1", alpha=9)), Refusal, "all weights are 0"),
    (lambda fit: plots.best_so_far(), InputError, "without fits"),
    (lambda fit: plots.best_so_far(fit.model), InputTypeError, "Model, which has none"),
    (lambda fit: plots.regularisation(fit, **TEST), InputError, "two or more different"),
    (lambda fit: plots.regularisation(fit, wm.fit(X, Y, loss="hinge"), **TEST), Refusal, "different losses"),
    (lambda fit: plots.regularisation(fit, fit, **TEST, measure="eror"), OptionError, "Did you mean 'error'"),
    (lambda fit: plots.regularisation(fit, fit, **TEST, against="lambda"), OptionError, "unknown against"),
    (lambda fit: plots.schedules(), InputError, "without fits"),
    (lambda fit: plots.schedules("harmonc"), OptionError, "Did you mean 'harmonic'"),
    (lambda fit: plots.schedules("harmonic", of="sums"), OptionError, "Did you mean 'sum'"),
    (lambda fit: plots.schedules("harmonic", steps=1), OptionError, "at least 2"),
    (lambda fit: plots.schedules("inverse_curvature"), Refusal, "before L is known"),
    (lambda fit: plots.sigmoid(times=[0]), OptionError, "times = 0; expected a number above 0"),
    (lambda fit: plots.sigmoid(wm.fit(X, Y, loss="hinge")), Refusal, "implies no probabilities"),
    (lambda fit: plots.sigmoid(z=[1]), InputError, "two or more finite numbers"),
    (lambda fit: plots.zero_one(steepness=[]), OptionError, "one or more"),
    (lambda fit: plots.zero_one(z="abc"), InputError, "two or more finite numbers"),
    (lambda fit: plots.losses(z=[0, np.inf]), InputError, "two or more finite numbers"),
    (lambda fit: plots.subgradients("hing"), OptionError, "Did you mean 'hinge'"),
    (lambda fit: plots.subgradients("hinge", at=[np.nan]), OptionError, "at = nan; expected a finite"),
    (lambda fit: plots.subgradients("hinge", lines=1), OptionError, "at least 2"),
    (lambda fit: plots.level_sets("l3"), OptionError, "unknown penalty"),
    (lambda fit: plots.level_sets(level=0), OptionError, "a number above 0"),
    (lambda fit: plots.level_sets(level="1"), OptionError, "a finite number"),
    (lambda fit: plots.level_sets("l1", labels=["a", "b"]), InputError, "2 labels"),
    (lambda fit: plots.hyperplanes(fit, classes(2), **BOTH), Refusal, "one hyperplane"),
    (lambda fit: plots.hyperplanes(fit, wm.fit(X, Y > 0), **BOTH), InputError, "different classes or columns"),
    (lambda fit: plots.outliers(fit, **BOTH, rows=[99]), InputError, "chooses no rows"),
    (lambda fit: plots.outliers(fit, **BOTH, rows=["a"]), InputError, "chooses no rows"),
    (lambda fit: plots.outliers(wm.fit(wide(1), Y), X=wide(1), y=Y), Refusal, "shows two features, and there are 3"),
]


def apart() -> tuple[Any, Any]:
    return wm.datasets.blobs(40, 2, gap=0.5)


def wide(more: int) -> Any:
    return np.hstack([X, np.ones((len(X), more)) * np.arange(len(X))[:, None]])


def classes(more: int) -> Any:
    return wm.fit(wide(more), np.arange(40) % 3, alpha=1.0, tol=1e-3)


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_errors(call: Any, error: type[Exception], text: str) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before = pyplot.get_fignums()
    with pytest.raises(error, match=text):
        call(wm.fit(X, Y, alpha=0.1))
    assert pyplot.get_fignums() == before


@pytest.mark.parametrize("name", plots.__all__)
def test_every_picture_takes_axes_and_says_what_it_draws(name: str) -> None:
    function = getattr(plots, name)
    signature = inspect.signature(function)
    assert signature.parameters["ax"].default is None
    assert "Axes" in str(signature.return_annotation)
    assert function.__doc__.startswith("Draw ")
