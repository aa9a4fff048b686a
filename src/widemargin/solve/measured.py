"""A point with its true objective: heads apart, the best intercept where it is free."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from widemargin._types import F64
from widemargin.objective import Theta
from widemargin.shift import weighted_sum
from widemargin.solve.protocol import Problem
from widemargin.solve.start import best_intercepts


class Measured(NamedTuple):
    """A point, its true objective and its share of errors, per head."""

    theta: Theta
    value: F64
    errors: F64

    def or_better(self, other: Measured, slack: F64 | float = 0.0) -> Measured:
        """Per head, the other where it is better, or worse by no more than a slack."""
        take = other.value <= self.value + slack
        theta = Theta(np.where(take, other.theta.W, self.theta.W), np.where(take, other.theta.b, self.theta.b))
        return Measured(theta, np.where(take, other.value, self.value), np.where(take, other.errors, self.errors))


def measured(problem: Problem, theta: Theta) -> Measured:
    """The objective at W, with the best intercept if it is free."""
    objective, source = problem.objective, problem.source
    if objective.intercept == "free":
        scores = problem.reducer.scores(source, Theta(theta.W, np.zeros(objective.K)))
        theta = Theta(theta.W, best_intercepts(problem, scores))
        scores = scores + theta.b
    else:
        scores = problem.reducer.scores(source, theta)
    z = source.signs * scores
    value = weighted_sum(source.p, np.asarray(objective.loss.value(z))) + objective.penalty_value(theta)
    return Measured(theta, value, source.p @ (z <= 0))
