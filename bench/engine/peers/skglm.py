"""skglm: working sets, prox-Newton and Anderson acceleration; single-threaded, compiled at its first fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.peers.scikit_learn import answer
from bench.engine.peers.walk import walk
from bench.engine.problem import Problem

PACKAGE = "skglm"
MANY = 200


def contenders(problem: Problem) -> list[Contender]:
    """L1 and elastic net."""
    if problem.penalty == "l2" or problem.family.multiclass:
        return []
    if problem.grid is not None:
        return [Contender("skglm", f"SparseLogisticRegression, tol swept, max_iter {MANY}, warm_start", path)]
    return [Contender("skglm", f"SparseLogisticRegression, tol swept, max_iter {MANY}; warm only", fit)]


def fit(task: Task, tol: float) -> Answer:
    """tol is the largest violation of the optimality condition: relative to alpha."""
    import numpy as np
    from scipy import sparse
    from skglm import SparseLogisticRegression

    X = task.X.tocsc() if sparse.issparse(task.X) else np.asfortranarray(task.X)
    model = SparseLogisticRegression(
        alpha=task.alpha, l1_ratio=task.problem.l1_ratio, tol=tol * task.alpha, max_iter=MANY,
        fit_intercept=task.problem.intercept,
    )  # fmt: skip
    return answer(model.fit(X, task.y))


def path(task: Task, tol: float) -> Answer:
    """Warm starts from strength to strength."""
    return walk(task, tol, _along)


def _along(task: Task, tol: float) -> Callable[[float], Any]:
    import numpy as np
    from scipy import sparse
    from skglm import SparseLogisticRegression

    X = task.X.tocsc() if sparse.issparse(task.X) else np.asfortranarray(task.X)
    model = SparseLogisticRegression(
        l1_ratio=task.problem.l1_ratio, max_iter=MANY, fit_intercept=False, warm_start=True
    )
    return lambda alpha: answer(model.set_params(alpha=alpha, tol=tol * alpha).fit(X, task.y)).w
