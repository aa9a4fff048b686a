"""max_beta sum s log pi(y) + log det I(beta) / 2: logistic regression with Firth's correction.  Firth 1993.

Estimates are finite whatever the data, also where the classes separate (Heinze, Schemper 2002), and their bias is of
smaller order.  Newton steps on the modified score sum s (y - pi + h (1/2 - pi)) x, h the leverages, with step halving.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._types import F64
from widemargin.data.intake import Dataset, intake
from widemargin.errors import OptionError, Refusal, WidemarginError
from widemargin.inference.of_fit import inverse
from widemargin.inference.result import Inference

STEPS = 200
HALVINGS = 40
FLAT = (
    1e-18  # of the decrease that a step promises; its square root is how far an estimate may be off, in standard errors
)
LARGEST = 2000  # columns: the leverages need the inverse information in every step


def firth(
    X: Any, y: Any, *, sample_weight: Any = None, offset: Any = None, intercept: bool = True, level: float = 0.95
) -> Inference:
    """Estimates, standard errors and intervals that stay finite for separable classes; two classes, no penalty.

    Weights count rows (2 is the row twice).  Standard errors are those of the information at the estimate.
    """
    if not 0 < level < 1:
        raise OptionError(f"level = {level!r}; expected a number strictly between 0 and 1, such as 0.95")
    data = intake(X, y, sample_weight=sample_weight, offset=offset)
    if len(data.classes) > 2:
        raise Refusal(f"firth compares two classes; y has {len(data.classes)}. Compare them in pairs.")
    if data.source.d + intercept > LARGEST:
        raise Refusal(f"firth inverts a matrix of {data.source.d} columns in every step; at most {LARGEST} are taken.")
    names = data.feature_names or tuple(f"x{j}" for j in range(data.source.d))
    names = (*names, "intercept") if intercept else names
    beta, covariance, likelihood = _maximum(data, intercept, names)
    return Inference(names, beta, covariance, "firth", level, data.source.total_weight, likelihood)


def _maximum(data: Dataset, ones: bool, names: tuple[str, ...]) -> tuple[F64, F64, float]:
    source = data.source
    x = source.X.matrix
    Z = np.asarray(x.toarray() if source.X.sparse else x, dtype=float)
    Z = np.column_stack([Z, np.ones(len(Z))]) if ones else Z
    s = np.ones(source.n) if source.s is None else source.s
    o = np.zeros(source.n) if source.o is None else source.o.ravel()
    y = (source.y > 0).astype(float)
    beta = np.zeros(Z.shape[1])
    value, score, covariance = _look(Z, y, s, o, beta, names)
    for _ in range(STEPS):
        step = covariance @ score
        if float(score @ step) <= FLAT:
            return beta, covariance, value
        for halving in range(HALVINGS):
            trial = beta + 0.5**halving * step
            found = _look(Z, y, s, o, trial, names)
            if found[0] >= value - 1e-12 * abs(value):
                break
        beta, (value, score, covariance) = trial, found
    raise WidemarginError("firth did not settle within 200 steps: divide columns by their standard deviation")


def _look(Z: F64, y: F64, s: F64, o: F64, beta: F64, names: tuple[str, ...]) -> tuple[float, F64, F64]:
    """Penalised log-likelihood, modified score, inverse information."""
    f = Z @ beta + o
    pi = 1.0 / (1.0 + np.exp(-np.abs(f)))
    small, q = 1.0 - pi, np.where(f >= 0, pi, 1.0 - pi)
    h = s * pi * small
    H = (Z * h[:, None]).T @ Z
    covariance = inverse(H, names)
    leverage = h * np.einsum("ij,jk,ik->i", Z, covariance, Z, optimize=True)
    likelihood = -float(s @ np.logaddexp(0.0, np.where(y > 0, -f, f)))
    score = Z.T @ (s * (y - q) + leverage * (0.5 - q))
    return likelihood + 0.5 * float(np.linalg.slogdet(H)[1]), score, covariance
