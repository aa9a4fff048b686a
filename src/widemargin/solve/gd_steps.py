"""Steps of gradient descent whose length is found by trial: the model f(y) + g.s + L/2 ||s||^2 must lie above f.

Beck, Teboulle 2009; momentum: Nesterov 1983.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.loss import CallableLoss
from widemargin.objective import Theta, every
from widemargin.solve.protocol import Problem, State, Sums

EPS = float(np.finfo(float).eps)
TRIALS = 100


@dataclass(frozen=True)
class Descent:
    """One confirmed step from y."""

    theta: Theta
    value: F64  # (H,) objective there
    errors: F64
    L: F64  # (H,) the curvature that was confirmed
    at_y: Sums
    passes: int


def descend(problem: Problem, y: Theta, L: F64) -> Descent:
    """The (proximal) gradient step from y with the first L, doubling, that the function confirms."""
    objective = problem.objective
    at_y = problem.fold("gradient", y)
    assert at_y.gradient is not None
    smooth_penalty, metric = objective.smooth_penalty, metric_of(problem)
    g, base = at_y.gradient, at_y.value
    if smooth_penalty:
        g, base = g.plus(1.0, objective.penalty_gradient(y)), base + objective.penalty_value(y)
    trials = 0
    while True:
        trials += 1
        t = objective.columns(1 / L)
        new = Theta(y.W - t / metric * g.W, y.b - t * g.b)
        if not smooth_penalty:
            new = objective.prox(new, 1 / L, metric)
        step = Theta(new.W - y.W, new.b - y.b)
        at = problem.fold("value", new)
        penalty = objective.penalty_value(new)
        model = base + objective.dot(g, step) + 0.5 * L * objective.dot(step, Theta(metric * step.W, step.b))
        fine = (at.value + penalty if smooth_penalty else at.value) <= model + 8 * EPS * np.abs(base)
        if every(fine) or trials == TRIALS:
            return Descent(new, at.value + penalty, at.errors, L, at_y, trials + 1)
        L = np.where(fine, L, 2 * L)


def first_trial(problem: Problem, state: State) -> State:
    """The objective and the length of the gradient where descent begins, and a first guess of L."""
    objective = problem.objective
    at = problem.fold("gradient", state.theta)
    assert at.gradient is not None
    guess = curvature_bound(problem, _curvature_at_zero(problem), metric_of(problem)) / 8 + objective_ridge(problem)
    first = {
        "value": at.value + objective.penalty_value(state.theta),
        "L": np.full(objective.heads, guess),
        "first_gradient": np.sqrt(objective.dot(at.gradient, at.gradient).max())[None],
    }
    return state.evolve(arrays=state.arrays | first, passes=state.passes + 1)


def extrapolated(problem: Problem, state: State) -> tuple[Theta, F64]:
    """y = x + (m - 1) / m' (x - x_before), and m'."""
    m, x = state.arrays["momentum"], state.theta
    following = 0.5 * (1 + np.sqrt(1 + 4 * m * m))
    beta = problem.objective.columns((m - 1) / following)
    last = Theta(state.arrays["last_W"], state.arrays["last_b"])
    return Theta(x.W + beta * (x.W - last.W), x.b + beta * (x.b - last.b)), following


def metric_of(problem: Problem) -> F64 | float:
    """Squared lengths of the weights' units: 1, unless columns differ and the prox is known in those units alone."""
    return 1.0 if problem.objective.plain else problem.objective.metric()


def curvature_bound(problem: Problem, curvature: float, metric: F64 | float = 1.0) -> float:
    """curvature * sum p ||(x, 1)||^2, which bounds the largest eigenvalue of the loss's Hessian; x in the metric."""
    source = problem.source
    if np.ndim(metric) > 0:
        kept = {"curvature": np.repeat(source.p[:, None], problem.objective.K, axis=1)}
        diagonal = problem.fold("diagonal", problem.objective.zero(source.d), kept).gradient
        assert diagonal is not None
        total = float((diagonal.W[:, :1] / metric).sum()) + (problem.objective.intercept != "none")
        return max(curvature * total, 1e-300)
    return max(
        curvature * (_core.inner(source.p, source.squared_norms()) + (problem.objective.intercept != "none")), 1e-300
    )


def objective_ridge(problem: Problem) -> float:
    """The part of the curvature that a smooth L2 penalty adds."""
    objective = problem.objective
    return objective.l2 if objective.shares is not None and objective.l1 == 0 else 0.0


def _curvature_at_zero(problem: Problem) -> float:
    """The largest curvature of the loss; at z = 0 where it has none; 1 where it is not known."""
    loss = problem.objective.loss
    if np.isfinite(loss.curvature):
        return loss.curvature
    if isinstance(loss, CallableLoss) and loss.d2 is None:
        return 1.0
    assert loss.d2 is not None
    return float(np.asarray(loss.d2(np.zeros(1)))[0])
