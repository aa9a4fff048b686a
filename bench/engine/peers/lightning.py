"""sklearn-contrib-lightning: dual coordinate descent; single-threaded."""

from __future__ import annotations

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.peers.scikit_learn import answer
from bench.engine.problem import Problem

PACKAGE = "sklearn-contrib-lightning"
MANY = 5_000


def contenders(problem: Problem) -> list[Contender]:
    """Hinge and squared hinge without an intercept."""
    if problem.loss not in ("hinge", "squared_hinge") or problem.intercept:
        return []
    return [Contender("lightning dual CD", f"LinearSVC, tol swept, max_iter {MANY}", fit)]


def fit(task: Task, tol: float) -> Answer:
    """Dual coordinate descent with shrinking."""
    from lightning.classification import LinearSVC

    model = LinearSVC(C=task.C, loss=task.problem.loss, tol=tol, max_iter=MANY, random_state=0)
    w = answer(model.fit(task.X, task.y)).w
    return Answer(w, 0.0)
