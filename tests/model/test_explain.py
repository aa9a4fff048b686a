"""Contributions add up to decisions, dense and sparse, for two classes and more."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_array, csr_matrix, issparse
from sklearn.datasets import load_iris

import widemargin as wm
from widemargin.estimators import LinearSVC, LogisticRegression


def total(parts: Any, i: int, k: int | None) -> float:
    """The sum over features for row i and class k, correctly rounded."""
    if isinstance(parts, tuple):
        parts, k = parts[0 if k is None else k], None
    row = parts[[i]].toarray()[0] if issparse(parts) else parts[i]
    return math.fsum(row if k is None else row[:, k])


@pytest.mark.parametrize("form", [np.asarray, csr_matrix, csc_matrix, csr_array])
@pytest.mark.parametrize("classes", [2, 3])
def test_contributions_add_up_to_the_decision(classes: int, form: Any) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = np.where(X > 1, X, 0.0)[y < classes], y[y < classes]
    fitted = LogisticRegression().fit(X, y)
    for parts, f, b in (
        (fitted.model_.explain(form(X)), fitted.model_.decision(X), fitted.model_.b),
        (fitted.explain(form(X)), fitted.decision_function(X), fitted.intercept_),
    ):
        if form is not np.asarray:
            assert all(issparse(p) and p.nnz == np.count_nonzero(X) for p in (parts if classes > 2 else [parts]))
        for i in (0, 7, len(y) - 1):
            for k in range(classes) if classes > 2 else [None]:
                score, own = (f[i], b[0]) if k is None else (f[i, k], b[k])
                assert abs(total(parts, i, k) + own - score) <= 8 * np.finfo(float).eps * (1 + abs(score) + abs(own))


def test_a_baseline_is_the_row_that_contributions_start_from() -> None:
    X, y = load_iris(return_X_y=True)
    model = wm.fit(X, y).model
    mean = X.mean(axis=0)
    parts = model.explain(X, baseline=mean)
    assert parts.shape == (150, 4, 3)
    np.testing.assert_allclose(parts.sum(axis=1), model.decision(X) - model.decision(mean[None]), atol=1e-12)
    with pytest.raises(wm.WidemarginError, match="dense"):
        model.explain(csr_matrix(X), baseline=mean)
    with pytest.raises(wm.WidemarginError, match="each of 4 features"):
        model.explain(X, baseline=[1.0, 2.0])


def test_sparse_coefficients_explain_as_dense_ones_do() -> None:
    X, y = load_iris(return_X_y=True)
    model = LinearSVC(penalty="l1", dual=False).fit(X, y)
    dense = model.explain(X)
    np.testing.assert_array_equal(model.sparsify().explain(X), dense)
