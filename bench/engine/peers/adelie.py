"""adelie: group elastic net by coordinate descent along a path; two threads in its matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.problem import Problem

PACKAGE = "adelie"


def contenders(problem: Problem) -> list[Contender]:
    """L1 and elastic net, binary."""
    if problem.penalty == "l2" or problem.family.multiclass:
        return []
    settings = "grpnet, tol and irls_tol swept, n_threads = threads"
    return [Contender("adelie", settings, fit if problem.grid is None else path)]


def fit(task: Task, tol: float) -> Answer:
    """At one strength."""
    w, b = _solved(task, tol, np.array([task.alpha]))
    return Answer(w[0], float(b[0]) if task.problem.intercept else 0.0)


def path(task: Task, tol: float) -> Answer:
    """All strengths in one call, fold by fold."""
    assert task.problem.grid is not None
    alphas = task.problem.grid.strengths(task.alpha)
    rows = task.problem.grid.training(len(task.y))
    return Answer(np.array([_solved(task._replace(X=task.X[r], y=task.y[r]), tol, alphas)[0] for r in rows]))


def _solved(task: Task, tol: float, alphas: Any) -> tuple[Any, Any]:
    """Groups of one column; the loss is a mean."""
    import adelie

    y = (np.asarray(task.y) > 0).astype(float)
    state = adelie.grpnet(
        matrix(task.X, task.threads), adelie.glm.binomial(y, dtype=np.float64), alpha=task.problem.l1_ratio,
        lmda_path=alphas, intercept=task.problem.intercept, tol=tol * 1e-2, irls_tol=tol, adev_tol=1.0, ddev_tol=0.0,
        early_exit=False, progress_bar=False, n_threads=task.threads, max_iters=1_000_000, irls_max_iters=10_000,
    )  # fmt: skip
    return np.asarray(state.betas.toarray()), state.intercepts


def matrix(X: Any, threads: int) -> Any:
    """X as adelie wants it."""
    import adelie
    from scipy import sparse

    if sparse.issparse(X):
        return adelie.matrix.sparse(X.tocsc(), method="naive", n_threads=threads)
    return adelie.matrix.dense(np.asfortranarray(X), method="naive", n_threads=threads)
