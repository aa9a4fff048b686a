"""scikit-learn: LogisticRegression with every solver that takes the problem, LinearSVC."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.peers.walk import walk
from bench.engine.problem import Problem

PACKAGE = "scikit-learn"
MANY = 5_000
NEWTON_COLUMNS = 3_000  # newton-cholesky holds (K d) x (K d) numbers
SMOOTH = ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga", "liblinear")


def contenders(problem: Problem) -> list[Contender]:
    """Everything that minimises the same objective."""
    names: tuple[str, ...]
    if problem.loss != "logistic":
        return _svc(problem)
    if problem.grid is not None:
        names = ("newton-cg", "lbfgs") if problem.penalty == "l2" else ("saga", "liblinear")
        return [Contender(f"sklearn {name}", _settings(name) + ", warm_start", _path(name)) for name in names]
    if problem.penalty == "elastic_net":
        names = ("saga",)
    else:
        names = SMOOTH if problem.penalty == "l2" else ("saga", "liblinear")
    if problem.intercept or problem.family.multiclass:
        names = tuple(name for name in names if name != "liblinear")  # penalises the intercept; one-vs-rest
    found = [Contender(f"sklearn {name}", _settings(name), _logistic(name)) for name in names]
    if "liblinear" in names and problem.penalty == "l2":
        found.append(Contender("sklearn liblinear dual", _settings("liblinear"), _logistic("liblinear", dual=True)))
    if "newton-cholesky" in names:
        found.append(Contender("sklearn newton-cholesky, 1 BLAS thread", "one BLAS thread", _alone))
    return found


def _settings(name: str) -> str:
    threads = "BLAS threads" if name.startswith(("newton", "lbfgs")) else "single-threaded"
    return f"tol swept, max_iter {MANY}, {threads}"


def _logistic(solver: str, dual: bool = False) -> Callable[[Task, float], Answer]:
    def fit(task: Task, tol: float) -> Answer:
        from sklearn.linear_model import LogisticRegression

        if solver == "newton-cholesky" and task.X.shape[1] * np.unique(task.y).size > 2 * NEWTON_COLUMNS:
            raise ValueError("too many columns for newton-cholesky")
        model = LogisticRegression(
            C=task.C, solver=solver, tol=tol, max_iter=MANY, fit_intercept=task.problem.intercept, dual=dual,
            l1_ratio=task.problem.l1_ratio, random_state=0,
        )  # fmt: skip
        return answer(model.fit(task.X, task.y))

    return fit


def _path(solver: str) -> Callable[[Task, float], Answer]:
    def along(task: Task, tol: float) -> Callable[[float], Any]:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(
            solver=solver, tol=tol, max_iter=MANY, fit_intercept=False, l1_ratio=task.problem.l1_ratio, random_state=0,
            warm_start=solver != "liblinear",
        )  # fmt: skip
        return lambda alpha: answer(model.set_params(C=1 / (alpha * len(task.y))).fit(task.X, task.y)).w

    return lambda task, tol: walk(task, tol, along)


def _alone(task: Task, tol: float) -> Answer:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"):
        return _logistic("newton-cholesky")(task, tol)


def _svc(problem: Problem) -> list[Contender]:
    if problem.intercept:
        return []  # it would be penalised
    if problem.loss == "hinge":
        return [Contender("sklearn LinearSVC hinge", _settings("liblinear"), _linear_svc("hinge", True))]
    return [
        Contender(f"sklearn LinearSVC {'dual' if dual else 'primal'}", _settings("liblinear"),
                  _linear_svc("squared_hinge", dual))
        for dual in (True, False)
    ]  # fmt: skip


def _linear_svc(loss: str, dual: bool) -> Callable[[Task, float], Answer]:
    def fit(task: Task, tol: float) -> Answer:
        from sklearn.svm import LinearSVC

        model = LinearSVC(
            C=task.C, loss=loss, dual=dual, tol=tol, max_iter=20 * MANY, fit_intercept=False, random_state=0
        )
        return answer(model.fit(task.X, task.y))

    return fit


def answer(model: Any) -> Answer:
    """Weights (d,) or (d, K) of an estimator in scikit-learn's manner."""
    coef = np.asarray(model.coef_)
    w = coef.ravel() if coef.ndim == 1 or coef.shape[0] == 1 else coef.T
    b = np.ravel(getattr(model, "intercept_", 0.0))
    return Answer(w, float(b[0]) if b.size == 1 else b)
