"""Short ways for plain arrays: what scikit-learn's validation would let pass unchanged does not go through it.

They take most of the time of a small fit and of a single row.  Whatever is not plain takes the long way, and so does
what validation would refuse; numbers that are not finite show in the scores, or are found by wm.fit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from widemargin import _core
from widemargin._types import Array
from widemargin.links import softmax_of_row
from widemargin.loss import Loss
from widemargin.model import Model


def plain(estimator: Any, X: Any, y: Any) -> bool:
    """Whether X and y are arrays that a fit takes as they are; then the estimator knows their columns."""
    if type(X) is not np.ndarray or type(y) is not np.ndarray or X.ndim != 2 or X.dtype.char not in "df":
        return False
    # whole numbers are classes; other labels are looked at more closely
    if y.ndim != 1 or y.dtype.kind not in "iub" or not len(y) == len(X) > 0 or X.shape[1] == 0:
        return False
    estimator.n_features_in_ = X.shape[1]
    estimator.__dict__.pop("feature_names_in_", None)
    return True


def scores_of(estimator: Any, X: Any) -> Array | None:
    """(n, K) for a plain array with the columns of the fit; None: take the long way."""
    known = estimator.__dict__
    coef = known.get("coef_")
    if type(X) is not np.ndarray or type(coef) is not np.ndarray or "feature_names_in_" in known:
        return None
    if X.ndim != 2 or X.dtype.char not in "df" or X.shape[1] != coef.shape[1] or len(X) == 0:
        return None
    scores = X @ coef.T
    scores += estimator.intercept_
    return scores if np.isfinite(scores).all() else None


def probabilities_of_row(estimator: Any, X: Any) -> Array | None:
    """(1, classes) for one row of float64, where the link is softmax or in the core; None: take the long way."""
    if type(X) is not np.ndarray or X.ndim != 2 or len(X) != 1 or X.dtype.char != "d":
        return None
    known = estimator.__dict__
    coef, model = known.get("coef_"), known.get("model_")
    if type(coef) is not np.ndarray or coef.dtype.char != "d" or "feature_names_in_" in known:
        return None
    if coef.shape[1] != X.shape[1] or type(model) is not Model or model.calibration is not None:
        return None
    if len(coef) > 1:
        f = coef.dot(X[0])
        f += known["intercept_"]
        return softmax_of_row(f)[None] if model.multiclass == "softmax" and math.isfinite(f.dot(f)) else None
    score = coef[0].dot(X[0]) + known["intercept_"][0]
    if not math.isfinite(score) or type(model.loss) is not Loss or not model.loss.link:
        return None
    q = np.empty((1, 2))
    _core.loss_probability(model.loss.index, np.array((score,)), q[0, 1:])
    q[0, 0] = 1.0 - q[0, 1]
    return q
