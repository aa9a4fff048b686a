"""SnapML: coordinate descent over rows (dual) or columns (primal), two threads.  Its intercept is penalised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.peers.scikit_learn import answer
from bench.engine.problem import Problem

PACKAGE = "snapml"
MANY = 10_000


def contenders(problem: Problem) -> list[Contender]:
    """Dual and primal logistic regression, the support vector machine."""
    if problem.intercept or problem.family.multiclass or problem.penalty == "elastic_net" or problem.grid is not None:
        return []
    settings = f"n_jobs = threads, tol swept, max_iter {MANY}"
    if problem.loss == "hinge":
        return [Contender("SnapML SVM", settings, _svm)]
    if problem.loss != "logistic":
        return []
    primal = Contender("SnapML primal", settings, _logistic(dual=False))
    return [primal] if problem.penalty == "l1" else [Contender("SnapML dual", settings, _logistic(dual=True)), primal]


def _logistic(dual: bool) -> Callable[[Task, float], Answer]:
    def fit(task: Task, tol: float) -> Answer:
        from snapml import LogisticRegression

        model = LogisticRegression(
            regularizer=1 / task.C, dual=dual, penalty=task.problem.penalty, tol=tol, max_iter=MANY,
            n_jobs=task.threads, fit_intercept=False, random_state=0,
        )  # fmt: skip
        return answer(model.fit(task.X, (np.asarray(task.y) > 0).astype(float)))

    return fit


def _svm(task: Task, tol: float) -> Answer:
    from snapml import SupportVectorMachine

    model = SupportVectorMachine(
        regularizer=1 / task.C, tol=tol, max_iter=MANY, n_jobs=task.threads, fit_intercept=False, random_state=0
    )
    return answer(model.fit(task.X, (np.asarray(task.y) > 0).astype(float)))
