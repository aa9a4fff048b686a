"""celer: working sets with dual extrapolation; single-threaded, no intercept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.peers.scikit_learn import answer
from bench.engine.peers.walk import walk
from bench.engine.problem import Problem

PACKAGE = "celer"
MANY = 200


def contenders(problem: Problem) -> list[Contender]:
    """L1 logistic."""
    if problem.penalty != "l1" or problem.intercept:
        return []
    if problem.grid is not None:
        return [Contender("celer", f"LogisticRegression, tol swept, max_iter {MANY}, warm_start", path)]
    return [Contender("celer", f"LogisticRegression, tol swept, max_iter {MANY}", fit)]


def fit(task: Task, tol: float) -> Answer:
    """C sum l + ||w||_1."""
    import numpy as np
    from celer import LogisticRegression
    from scipy import sparse

    X = task.X.tocsc() if sparse.issparse(task.X) else np.asfortranarray(task.X)
    return answer(LogisticRegression(C=task.C, tol=tol, max_iter=MANY, fit_intercept=False).fit(X, task.y))


def path(task: Task, tol: float) -> Answer:
    """Warm starts from strength to strength."""
    return walk(task, tol, _along)


def _along(task: Task, tol: float) -> Callable[[float], Any]:
    import numpy as np
    from celer import LogisticRegression
    from scipy import sparse

    X = task.X.tocsc() if sparse.issparse(task.X) else np.asfortranarray(task.X)
    model = LogisticRegression(tol=tol, max_iter=MANY, fit_intercept=False, warm_start=True)
    return lambda alpha: answer(model.set_params(C=1 / (alpha * len(task.y))).fit(X, task.y)).w
