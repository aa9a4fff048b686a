"""A scorer answers as the model does, for one row in any form and for batches; and it is quick."""

from __future__ import annotations

import timeit
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.datasets import load_iris

import widemargin as wm

pandas = pytest.importorskip("pandas")


def fitted(classes: int, loss: str = "logistic", names: bool = True) -> tuple[wm.Model, Any]:
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes] * [1, 1, 1, 0], y[y < classes]
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    return wm.fit(frame if names else X, y, loss=loss).model, X


@pytest.mark.parametrize("loss", [name for name, loss in wm.losses.items() if loss.convex and loss.link])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("output", ["decision", "probabilities", "label"])
def test_every_form_of_a_row_gives_the_models_answer(loss: str, classes: int, output: str) -> None:
    model, X = fitted(classes, loss)
    method = {"decision": model.decision, "probabilities": model.probabilities, "label": model.predict}[output]
    score = model.scorer(output)
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    expected = method(frame)
    np.testing.assert_allclose(score(X), expected, rtol=1e-12)
    np.testing.assert_allclose(score(csr_array(X)), expected, rtol=1e-12)
    for i in (0, 60, len(X) - 1):
        sparse = {name: value for name, value in zip("abcd", X[i], strict=True) if value}
        for row in (X[i], X[i].tolist(), tuple(X[i]), dict(zip("abcd", X[i], strict=True)), sparse, csr_matrix(X[i])):
            np.testing.assert_allclose(score(row), expected[i], rtol=1e-12, err_msg=type(row).__name__)


def test_what_could_be_silently_wrong_is_refused() -> None:
    model, X = fitted(2)
    with pytest.raises(ValueError, match="unknown feature 'e'"):
        model.scorer()({"a": 1.0, "e": 2.0})
    with pytest.raises(ValueError, match="no feature names"):
        fitted(2, names=False)[0].scorer()({"a": 1.0})
    with pytest.raises(ValueError, match="shapes"):
        model.scorer()(X[0, :3])
    with pytest.raises(ValueError, match="unknown output"):
        model.scorer("odds")  # type: ignore[arg-type]
    with pytest.raises(wm.errors.Refusal, match="probabilities"):
        fitted(2, "hinge")[0].scorer("probabilities")


def test_one_row_takes_microseconds() -> None:
    """5 µs are the aim (bench/small.py measures them); here ten times as much, on whatever runs beside."""
    model, X = fitted(2)
    for output in ("decision", "probabilities", "label"):
        score, row = model.scorer(output), X[0].copy()
        assert min(timeit.repeat(lambda s=score, r=row: s(r), number=200, repeat=20)) / 200 < 50e-6
