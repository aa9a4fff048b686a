"""Which link fits held-out scores best.

sigmoid      least log loss of sigma(a f + c), with the targets (N+ + 1) / (N+ + 2) and 1 / (N- + 2), which keep a and c
             finite on separable scores: Platt 1999; Lin, Lin, Weng 2007.  For more classes one a class, against others.
temperature  least log loss of softmax(beta f), beta >= 0, with targets smoothed alike: Guo et al. 2017.
isotonic     least squares among all rising functions: Zadrozny, Elkan 2002; pool adjacent violators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from widemargin._types import F64, I64
from widemargin.fitting import fit
from widemargin.links import Link, softmax

TOL = 1e-10  # relative gap of the sigmoid's fit
HALVINGS = 200  # of the interval around beta


def sigmoid(scores: F64, truth: I64, s: F64) -> Link:
    """A logistic regression on one feature per class, the score."""
    found = [_line(scores[:, k], truth == positive, s) for k, positive in enumerate(_positives(scores))]
    return Link("sigmoid", {"a": np.array([a for a, _ in found]), "c": np.array([c for _, c in found])})


def _line(f: F64, positive: I64, s: F64) -> tuple[float, float]:
    if np.ptp(f) == 0:  # a fit without penalty has no say on a column that never moves
        share = float(np.average(positive, weights=s))
        return 0.0, float(np.log(max(share, 1e-300) / max(1 - share, 1e-300)))
    above, below = float(s[positive].sum()), float(s[~positive].sum())
    targets = np.where(positive, (above + 1) / (above + 2), 1 / (below + 2))
    size = float(np.abs(f).max())  # the fit sees scores of size 1
    model = fit((f / size)[:, None], targets, penalty="none", tol=TOL, sample_weight=s, threads=1).model
    return float(model.W[0, 0]) / size, float(model.b[0])


def temperature(scores: F64, truth: I64, s: F64) -> Link:
    """The root of the slope of the log loss, which rises with beta."""
    f = np.column_stack([-scores[:, 0] / 2, scores[:, 0] / 2]) if scores.shape[1] == 1 else scores
    K = f.shape[1]
    rows = np.bincount(truth, weights=s, minlength=K)
    targets = np.repeat((1 / (rows + K))[:, None], K, axis=1)
    targets[np.diag_indices(K)] = (rows + 1) / (rows + K)
    wanted = float(s @ (targets[truth] * f).sum(axis=1))

    def slope(beta: float) -> float:
        return float(s @ (softmax(beta * f) * f).sum(axis=1)) - wanted

    return Link("temperature", {"beta": np.array([_root(slope)])})


def _root(slope: Callable[[float], float]) -> float:
    """Of a rising function on beta >= 0; 0 where it is positive from the start: the scores tell nothing."""
    low, high = 0.0, 1.0
    if slope(0.0) >= 0:
        return 0.0
    while slope(high) < 0 and high < 1e12:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return high


def isotonic(scores: F64, truth: I64, s: F64) -> Link:
    """Steps, joined by lines between the middle scores of neighbouring steps."""
    found = [_rising(scores[:, k], truth == positive, s) for k, positive in enumerate(_positives(scores))]
    starts = np.cumsum([0, *(len(f) for f, _ in found)]).astype(float)
    return Link(
        "isotonic",
        {"f": np.concatenate([f for f, _ in found]), "q": np.concatenate([q for _, q in found]), "starts": starts},
    )


def _rising(f: F64, positive: I64, s: F64) -> tuple[F64, F64]:
    from scipy.optimize import isotonic_regression

    points, which = np.unique(f, return_inverse=True)
    weight = np.bincount(which, weights=s)
    points, share = points[weight > 0], np.bincount(which, weights=s * positive)[weight > 0] / weight[weight > 0]
    q = isotonic_regression(share, weights=weight[weight > 0]).x
    ends = np.ones(len(q), dtype=bool)  # a step needs its two ends only
    ends[1:-1] = (q[1:-1] != q[:-2]) | (q[1:-1] != q[2:])
    return points[ends], np.clip(q[ends], 0.0, 1.0)


def _positives(scores: F64) -> range:
    """The class that each column of scores speaks for."""
    return range(1, 2) if scores.shape[1] == 1 else range(scores.shape[1])


METHODS: Mapping[str, Callable[[F64, I64, F64], Link]] = {
    "sigmoid": sigmoid, "temperature": temperature, "isotonic": isotonic,
}  # fmt: skip
