"""LIBLINEAR, through its own Python module; conversion of the data included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.problem import Problem

PACKAGE = "liblinear-official"
FREE = (0, 2, 6)  # those that can leave the intercept out of the penalty (-R)
SOLVERS = {
    ("logistic", "l2"): {0: "Newton", 7: "dual CD"},
    ("logistic", "l1"): {6: "CD"},
    ("hinge", "l2"): {3: "dual CD"},
    ("squared_hinge", "l2"): {1: "dual CD", 2: "Newton"},
}


def contenders(problem: Problem, more: str = "", name: str = "LIBLINEAR") -> list[Contender]:
    """The solver types for the problem's loss and penalty."""
    if problem.family.multiclass or problem.grid is not None:
        return []
    return [
        Contender(f"{name} s{number} ({what})", f"-s {number} -e swept{more}", _train(number, more))
        for number, what in SOLVERS.get((problem.loss, problem.penalty), {}).items()
        if not problem.intercept or number in FREE
    ]


def _train(number: int, more: str) -> Callable[[Task, float], Answer]:
    def fit(task: Task, tol: float) -> Answer:
        from liblinear import liblinearutil
        from scipy import sparse

        X = task.X if sparse.issparse(task.X) else sparse.csr_matrix(task.X)
        bias = "-B 1 -R" if task.problem.intercept else "-B -1"
        problem = liblinearutil.problem(np.asarray(task.y, float), X)
        model = liblinearutil.train(problem, f"-s {number} -c {task.C:.17g} -e {tol:g} {bias} -q{more}")
        return _answer(model, task.X.shape[1], task.problem.intercept)

    return fit


def _answer(model: Any, d: int, intercept: bool) -> Answer:
    sign = 1.0 if model.label[0] == 1 else -1.0
    w = sign * np.ctypeslib.as_array(model.w, shape=(d + intercept,)).copy()
    return Answer(w[:d], float(w[d]) if intercept else 0.0)
