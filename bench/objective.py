"""P(w, b) = mean l + alpha R(w), in plain NumPy: the one judge of all contenders.

Written from the formulas, with nothing of any contender.  C sum l + R, as scikit-learn and LIBLINEAR have it, is the
same problem at alpha = 1 / (C n).  `penalise_b` counts b as one more weight, whose column is 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LOSSES: dict[str, Callable[[Any], Any]] = {
    "logistic": lambda z: np.logaddexp(0.0, -z),
    "hinge": lambda z: np.maximum(0.0, 1.0 - z),
    "squared_hinge": lambda z: np.maximum(0.0, 1.0 - z) ** 2,
    "squared": lambda z: (1.0 - z) ** 2,
    "smooth_hinge": lambda z: np.where(z >= 0, 0.5 * np.maximum(0.0, 1.0 - z) ** 2, 0.5 - z),
    "modified_huber": lambda z: np.where(z >= -1, np.maximum(0.0, 1.0 - z) ** 2, -4.0 * z),
}


def objective(
    X: Any,
    y: Any,
    w: Any,
    b: Any,
    *,
    loss: str,
    penalty: str,
    alpha: float,
    penalise_b: bool = False,
    l1_ratio: float = 0.5,
) -> float:
    """The objective for labels y in {0, 1} or {-1, 1}; for w (d, K), softmax over labels 0 ... K-1."""
    w = np.asarray(w, dtype=float)
    weights = np.append(w, b) if penalise_b else w
    scores = np.asarray(X @ w, dtype=float) + b
    mean = softmax(scores, y) if w.ndim == 2 else float(LOSSES[loss](np.where(y > 0, 1.0, -1.0) * scores).mean())
    return mean + alpha * regulariser(penalty, weights.ravel(), l1_ratio)


def softmax(scores: Any, y: Any) -> float:
    """mean (log sum_k exp f_k - f_y)."""
    top = scores.max(axis=1)
    total = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
    return float((total - scores[np.arange(len(y)), y]).mean())


def regulariser(penalty: str, w: Any, l1_ratio: float) -> float:
    """R(w)."""
    share = {"l2": 0.0, "l1": 1.0, "elastic_net": l1_ratio}[penalty]
    return share * float(np.abs(w).sum()) + (1 - share) * 0.5 * float(w @ w)
