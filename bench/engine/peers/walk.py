"""A path with cross-validation by an estimator that goes on from its last weights: fold by fold, strength by strength.

The weights are (folds, strengths, d): what the judge adds up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.engine.peers.contender import Answer, Task

Along = Callable[[Task, float], Callable[[float], Any]]  # training task, tolerance -> (alpha -> weights)


def walk(task: Task, tol: float, along: Along) -> Answer:
    """All strengths on all folds."""
    assert task.problem.grid is not None
    alphas, found = task.problem.grid.strengths(task.alpha), []
    for rows in task.problem.grid.training(len(task.y)):
        step = along(task._replace(X=task.X[rows], y=task.y[rows]), tol)
        found.append([step(alpha) for alpha in alphas])
    return Answer(np.array(found))
