"""z <- z - eta_k F'(z): gradient descent for any F, with its proximal, accelerated and subgradient forms.

Backtracking and acceleration: Nesterov 1983; Beck, Teboulle 2009 (proximal); restarts: O'Donoghue, Candes 2015.
Subgradient descent (Shor 1985) is the same step with a decaying schedule; hinge-regularised descent is a case of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from widemargin._types import F64
from widemargin.errors import OptionError, Verdict
from widemargin.objective import Theta
from widemargin.penalty import CallablePenalty
from widemargin.schedules import Schedule, inverse_sqrt
from widemargin.solve.gd_steps import curvature_bound, descend, extrapolated, first_trial, objective_ridge
from widemargin.solve.protocol import Problem, State, Sums, judged
from widemargin.solve.start import begin_at

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class GradientDescent:
    """Gradient descent on the whole objective.

    Without a schedule, each step is found by backtracking, and the objective never rises; `accelerate` adds Nesterov's
    momentum (restarted whenever the objective would rise).  With a schedule, eta_k is taken as it comes;
    schedule="inverse_curvature" is the constant 1 / L.  A loss with kinks has a decaying default.
    """

    accelerate: bool = True

    name: ClassVar[str] = "gd"
    cite: ClassVar[str] = "Nesterov 1983; Beck, Teboulle 2009"
    certifies: ClassVar[bool] = True
    blockwise: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 1000
    columns: ClassVar[str] = "bounds"
    at_limit: ClassVar[Verdict] = Verdict.passes

    def __post_init__(self) -> None:
        if not isinstance(self.accelerate, bool):
            raise OptionError(f"gd: accelerate = {self.accelerate!r}; expected True or False")

    def refuses(self, problem: Problem) -> str | None:
        """Everything with a gradient or a prox."""
        objective = problem.objective
        if not objective.loss.convex and not objective.loss.smooth:
            return "the zero-one loss has no slope to descend: use a surrogate, such as loss='logistic' or 'hinge'"
        penalty = objective.penalty
        if isinstance(penalty, CallablePenalty) and penalty.prox is None and penalty.gradient is None:
            return "a callable penalty needs prox(w, t) or gradient(w)"
        if (
            problem.schedule is not None
            and problem.schedule.needs_curvature
            and not np.isfinite(objective.loss.curvature)
        ):
            return f"loss {objective.loss.name!r} has no largest curvature: leave schedule out, or let it decay"
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """The warm point, or w = 0; momentum at rest."""
        theta = begin_at(problem, warm)
        rest = {"last_W": theta.W, "last_b": theta.b, "momentum": np.ones(problem.objective.heads)}
        return State(theta, seed=seed, arrays=rest)

    def advance(self, problem: Problem, state: State) -> State:
        """One step."""
        objective = problem.objective
        smooth_loss = objective.loss.smooth and objective.multiclass != "crammer_singer"
        if problem.schedule is not None or not smooth_loss:
            return self._scheduled(problem, state)
        return self._backtracked(problem, state)

    def _scheduled(self, problem: Problem, state: State) -> State:
        """eta_k from the schedule; a penalty with a kink by its prox, everything else by its slope."""
        objective, theta = problem.objective, state.theta
        if "g_W" not in state.arrays:
            state = _kept(problem, state, problem.fold("gradient", theta))
        schedule = problem.schedule or default_subgradient_schedule(problem)
        if schedule.needs_curvature:
            schedule = schedule.resolve(curvature_bound(problem, objective.loss.curvature) + objective_ridge(problem))
        eta = float(schedule(state.iteration + 1))
        kinked = not objective.smooth_penalty
        g = Theta(state.arrays["g_W"], state.arrays["g_b"])
        moved = theta.plus(-eta, g if kinked else g.plus(1.0, objective.penalty_gradient(theta)))
        if kinked:
            moved = objective.prox(moved, np.full(objective.heads, eta))
        done = "" if np.isfinite(moved.W).all() and np.isfinite(moved.b).all() else "diverged"
        following = state.evolve(theta=moved, iteration=state.iteration + 1, step=eta, done=done)
        return _kept(problem, following, problem.fold("gradient", moved))

    def _backtracked(self, problem: Problem, state: State) -> State:
        """A step whose length the objective itself confirms; one that would rise is taken again without momentum."""
        objective, x = problem.objective, state.theta
        if "value" not in state.arrays:
            state = first_trial(problem, state)
        arrays = state.arrays
        y, momentum = extrapolated(problem, state) if self.accelerate else (x, arrays["momentum"])
        best = arrays["value"] + 4 * EPS * np.abs(arrays["value"])
        found = descend(problem, y, arrays["L"])
        if np.any(found.value > best) and np.any(arrays["momentum"] > 1):
            y, momentum, before = x, np.ones(objective.heads), found.passes
            found = descend(problem, x, found.L)
            found = replace(found, passes=found.passes + before)
        kept = found.value <= best  # where rounding decides, stay
        columns = objective.columns(kept.astype(float)) > 0
        new = Theta(np.where(columns, found.theta.W, x.W), np.where(columns, found.theta.b, x.b))
        value = np.where(kept, found.value, arrays["value"])
        here = judged(problem, State(y), found.at_y)
        assert here.gradient_norm is not None
        done = "stalled" if np.array_equal(new.W, x.W) and np.array_equal(new.b, x.b) else ""
        if not objective.convex and here.gradient_norm <= problem.tol * arrays["first_gradient"][0]:
            done = "stationary"
        return state.evolve(
            theta=new, iteration=state.iteration + 1, passes=state.passes + found.passes, value=value,
            errors=found.errors, bound=here.bound, bound_at=y, gradient_norm=here.gradient_norm,
            step=float(1 / found.L.max()), done=done,
            arrays=arrays | {"last_W": x.W, "last_b": x.b, "momentum": momentum, "value": value, "L": found.L * 0.8},
        )  # fmt: skip

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Nothing beyond -l'(z)."""
        return None


def _kept(problem: Problem, state: State, sums: Sums) -> State:
    """The state judged by a gradient fold at its theta, whose gradient the next step takes."""
    assert sums.gradient is not None
    state.arrays = state.arrays | {"g_W": sums.gradient.W, "g_b": sums.gradient.b}
    state.passes += 1
    return judged(problem, state, sums)


def default_subgradient_schedule(problem: Problem) -> Schedule:
    """eta_k = 1 / (G sqrt k), G the root mean square of the rows' norms."""
    return inverse_sqrt(1.0 / np.sqrt(curvature_bound(problem, 1.0)))
