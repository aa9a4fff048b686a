"""The other libraries' solvers, each as one function from data and C to weights: what certified.py compares with.

Every contender solves min C sum l(y (w.x + b)) + R(w), "b" saying whether b is free or counts in R.  `tight` asks
for its best: a tolerance near rounding and many iterations; otherwise it runs as it comes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

MANY = 20_000  # iterations at most


class Found(NamedTuple):
    """Weights, intercept."""

    w: Any
    b: float


class Peer(NamedTuple):
    """A solver, and the problem that it solves."""

    name: str
    loss: str
    penalty: str
    b: str  # "free" or "penalised"
    solve: Callable[[Any, Any, float, bool], Found]  # prepared data, y, C, tight
    prepare: Callable[[Any, Any], Any] = lambda X, _: X  # not timed: LIBLINEAR's door to Python is slow, it is not
    columns: int | None = None  # at most: beyond, it needs d x d numbers


def _found(model: Any) -> Found:
    return Found(model.coef_.ravel(), float(np.ravel(model.intercept_)[0]))


def _logistic(solver: str, l1: bool = False) -> Callable[[Any, Any, float, bool], Found]:
    from sklearn.linear_model import LogisticRegression

    def solve(X: Any, y: Any, C: float, tight: bool) -> Found:
        best = {"tol": 1e-10, "max_iter": MANY if solver != "saga" else MANY // 10} if tight else {}
        return _found(LogisticRegression(C=C, solver=solver, l1_ratio=float(l1), **best).fit(X, y))

    return solve


def _svc(loss: str, dual: bool) -> Callable[[Any, Any, float, bool], Found]:
    from sklearn.svm import LinearSVC

    def solve(X: Any, y: Any, C: float, tight: bool) -> Found:
        best = {"tol": 1e-9, "max_iter": MANY} if tight else {}
        return _found(LinearSVC(C=C, loss=loss, dual=dual, **best).fit(X, y))

    return solve


def _ridge(X: Any, y: Any, C: float, tight: bool) -> Found:
    from sklearn.linear_model import RidgeClassifier

    best = {"tol": 1e-12, "max_iter": MANY} if tight else {}
    return _found(RidgeClassifier(alpha=0.5 / C, **best).fit(X, y))


def _liblinear(number: int, eps: float) -> Callable[[Any, Any, float, bool], Found]:
    from liblinear import liblinearutil

    def solve(X: Any, y: Any, C: float, tight: bool) -> Found:
        text = f"-s {number} -c {C:.17g} -B 1 -q" + (f" -e {eps}" if tight else "")
        model = liblinearutil.train(X, text)
        sign = 1.0 if model.get_labels()[0] == 1 else -1.0
        w, b = model.get_decfun(0)
        return Found(sign * np.array(w), sign * float(b))

    return solve


def _problem(X: Any, y: Any) -> Any:
    from liblinear import liblinearutil

    return liblinearutil.problem(y.astype(float), X)


def peers() -> list[Peer]:
    """scikit-learn's, and LIBLINEAR's own where it is installed."""
    found = [
        Peer("scikit-learn lbfgs", "logistic", "l2", "free", _logistic("lbfgs")),
        Peer("scikit-learn newton-cholesky", "logistic", "l2", "free", _logistic("newton-cholesky"), columns=3_000),
        Peer("scikit-learn saga", "logistic", "l1", "free", _logistic("saga", l1=True)),
        Peer("scikit-learn liblinear", "logistic", "l1", "penalised", _logistic("liblinear", l1=True)),
        Peer("scikit-learn LinearSVC, primal", "squared_hinge", "l2", "penalised", _svc("squared_hinge", dual=False)),
        Peer("scikit-learn LinearSVC", "hinge", "l2", "penalised", _svc("hinge", dual=True)),
        Peer("scikit-learn RidgeClassifier", "squared", "l2", "free", _ridge),
    ]
    try:
        import liblinear  # noqa: F401
    except ImportError:
        return found
    named = ((0, "logistic", "l2", 1e-10), (6, "logistic", "l1", 1e-8), (2, "squared_hinge", "l2", 1e-10),
             (1, "squared_hinge", "l2", 1e-8), (3, "hinge", "l2", 1e-8))  # fmt: skip
    return found + [
        Peer(f"LIBLINEAR -s {number}", loss, penalty, "penalised", _liblinear(number, eps), _problem)
        for number, loss, penalty, eps in named
    ]
