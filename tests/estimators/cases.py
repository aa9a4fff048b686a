"""The data sets that scikit-learn ships, and the objective of its estimators from nothing but coef_ and intercept_."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import widemargin as wm

DATA = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}


def objective(
    model: Any, X: Any, y: Any, C: float, loss: str, l1_ratio: float = 0.0, penalise_b: bool = False, s: Any = 1.0
) -> float:
    """C sum s l + R, from coef_ and intercept_ alone; loss "softmax" is the multinomial one."""
    W = np.asarray(model.coef_, dtype=float).reshape(-1, X.shape[1])  # a binary RidgeClassifier may have a flat one
    b = np.atleast_1d(model.intercept_).astype(float)
    f, own = X @ W.T + b, np.searchsorted(model.classes_, y)
    if loss == "softmax":
        total = float((s * (np.logaddexp.reduce(f, axis=1) - f[np.arange(len(y)), own])).sum())
    else:
        signs = (
            np.where(own[:, None] == 1, 1.0, -1.0)
            if len(model.classes_) == 2
            else np.where(own[:, None] == np.arange(f.shape[1]), 1.0, -1.0)
        )
        total = float((np.asarray(wm.losses[loss].value(signs * f)).T * s).sum())
    if penalise_b:
        W = np.column_stack([W, b])
    return C * total + l1_ratio * float(np.abs(W).sum()) + (1 - l1_ratio) / 2 * float((W**2).sum())
