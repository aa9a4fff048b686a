"""cyanure: Catalyst or QNing around incremental methods, two threads.  Its squared hinge is half of ours."""

from __future__ import annotations

from collections.abc import Callable

from bench.engine.peers.contender import Answer, Contender, Task
from bench.engine.peers.scikit_learn import answer
from bench.engine.problem import Problem

PACKAGE = "cyanure"
MANY = 2_000
LOSSES = {"logistic": "logistic", "squared_hinge": "sqhinge"}
SOLVERS = {"cyanure": "auto", "cyanure qning": "qning-miso"}


def contenders(problem: Problem) -> list[Contender]:
    """Smooth losses, every penalty."""
    if problem.loss not in LOSSES or problem.grid is not None:
        return []
    settings = f"n_threads = threads, tol swept, max_iter {MANY}, duality gap every 5 epochs"
    return [
        Contender(name, settings + f", solver {solver}", _fit(solver))
        for name, solver in SOLVERS.items()
        if problem.penalty == "l2" or solver == "auto"
    ]


def _fit(solver: str) -> Callable[[Task, float], Answer]:
    def fit(task: Task, tol: float) -> Answer:
        from cyanure.estimators import Classifier

        problem = task.problem
        half = 0.5 if problem.loss == "squared_hinge" else 1.0
        alpha, rho = half * task.alpha, problem.l1_ratio
        enet = problem.penalty == "elastic_net"
        model = Classifier(
            loss="multiclass-logistic" if problem.family.multiclass else LOSSES[problem.loss],
            penalty={"elastic_net": "elasticnet"}.get(problem.penalty, problem.penalty),
            lambda_1=alpha * rho if enet else alpha, lambda_2=alpha * (1 - rho) if enet else 0.0,
            fit_intercept=problem.intercept, solver=solver, tol=tol, max_iter=MANY, duality_gap_interval=5,
            n_threads=task.threads, verbose=False, random_state=0,
        )  # fmt: skip
        return answer(model.fit(task.X, task.y))

    return fit
