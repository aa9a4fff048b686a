"""widemargin: wm.fit as a user calls it, certificate included."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.problem import Problem

PACKAGE = "widemargin"
NAME = "widemargin"


def contenders(problem: Problem) -> list[Contender]:
    """solver="auto"; along a path wm.path."""
    if problem.grid is not None:
        return [Contender(NAME, "wm.path fold by fold, tol swept", path, tuple(10.0**-k for k in range(2, 9)))]
    return [Contender(NAME, 'solver="auto", tol swept', fit, tuple(10.0 ** (-k / 2) for k in range(2, 21)))]


def path(task: Task, tol: float) -> Answer:
    """wm.path on the rows outside each fold."""
    import widemargin as wm

    assert task.problem.grid is not None
    alphas, found = task.problem.grid.strengths(task.alpha), []
    for rows in task.problem.grid.training(len(task.y)):
        fits = wm.path(
            task.X[rows], task.y[rows], loss=task.problem.loss, penalty=task.problem.penalty, alphas=alphas, tol=tol,
            intercept=task.problem.intercept, threads=task.threads,
        )  # fmt: skip
        found.append(fits.coefficients)
    return Answer(np.array(found))


def fit(task: Task, tol: float, solver: Any = "auto") -> Answer:
    """The weights, and what the trace says."""
    import widemargin as wm

    problem = task.problem
    penalty = f"elastic_net:{problem.l1_ratio}" if problem.penalty == "elastic_net" else problem.penalty
    fit = wm.fit(
        task.X, task.y, loss=problem.loss, penalty=penalty, alpha=task.alpha, tol=tol, intercept=problem.intercept,
        threads=task.threads, solver=solver,
    )  # fmt: skip
    certificate = fit.certificate
    return Answer(
        fit.model.weights,
        fit.model.intercept,
        {
            "solver": fit.solver, "passes": float(fit.trace[-1].passes), "gap": float(certificate.relative_gap),
            "bound": float(certificate.lower_bound), "verdict": certificate.verdict.name,
        },
    )  # fmt: skip
