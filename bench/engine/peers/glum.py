"""glum: iteratively reweighted least squares, with coordinate descent inside for L1."""

from __future__ import annotations

import numpy as np

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.peers.scikit_learn import answer
from bench.engine.problem import Problem

PACKAGE = "glum"
COLUMNS = 3_000  # it holds d x d numbers
MANY = 500


def contenders(problem: Problem) -> list[Contender]:
    """Binary logistic."""
    if problem.loss != "logistic" or problem.family.multiclass or problem.grid is not None:
        return []
    return [Contender("glum", f"solver irls-ls or irls-cd, gradient_tol swept, max_iter {MANY}, BLAS threads", fit)]


def fit(task: Task, tol: float) -> Answer:
    """Half the mean deviance is our loss."""
    from glum import GeneralizedLinearRegressor

    if task.X.shape[1] > COLUMNS:
        raise ValueError("too many columns for glum")
    model = GeneralizedLinearRegressor(
        family="binomial", alpha=task.alpha, l1_ratio=task.problem.l1_ratio, fit_intercept=task.problem.intercept,
        solver="irls-ls" if task.problem.penalty == "l2" else "irls-cd", gradient_tol=tol, max_iter=MANY,
    )  # fmt: skip
    return answer(model.fit(task.X, (np.asarray(task.y) > 0).astype(task.X.dtype)))
