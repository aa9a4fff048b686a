"""Newton's method where weights have kinks and ends: min f(w) + sum g_j(w_j), g_j = l1_j |w| + l2_j w^2 / 2 on a box.

Outer: a quadratic model of the loss at w, a line search on the true objective.  Inner (projected_model.py): the model's
minimiser by projected Newton steps on the weights that are free to move.  Bertsekas 1982 (SIAM J. Control Optim. 20);
for the kink at 0: Andrew, Gao 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin._types import F64
from widemargin.errors import Verdict
from widemargin.objective import Objective, Theta
from widemargin.solve.damping import adapted, floor
from widemargin.solve.line_search import ROUNDING, backtrack
from widemargin.solve.projected_model import FoldModel, GramModel, minimise
from widemargin.solve.protocol import Problem, State, judged
from widemargin.solve.start import begin_at

GRAM_UNKNOWNS = 1000  # up to these the Gram matrix is formed
GRAM_FLOPS = 4e11  # ... unless forming it would cost this much
PATIENCE = 3  # quiet steps in a row


@dataclass(frozen=True)
class ProjectedNewton:
    """Smooth convex losses with L1, L2, elastic net or no penalty, factors per column, bounds and signs."""

    name: ClassVar[str] = "projected_newton"
    cite: ClassVar[str] = "Bertsekas 1982; Andrew, Gao 2007"
    certifies: ClassVar[bool] = True
    blockwise: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 300
    at_limit: ClassVar[Verdict] = Verdict.passes
    columns: ClassVar[str] = "bounds"

    def refuses(self, problem: Problem) -> str | None:
        """Smooth convex losses; penalties that are sums over columns."""
        objective = problem.objective
        if not objective.loss.convex:
            return f"projected_newton needs a convex loss and {objective.loss.name!r} is not: use solver='gd'"
        if objective.multiclass == "crammer_singer" or not objective.loss.smooth or objective.loss.d2 is None:
            return "projected_newton needs a loss with a second derivative: use solver='interior_point' or 'sgd'"
        if objective.separable is None:
            return (
                f"projected_newton knows l1, l2, elastic_net and none, not {objective.penalty.text!r}: use solver='gd'"
            )
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """At the warm point, or at 0 with the best intercept."""
        return State(begin_at(problem, warm), seed=seed)

    def advance(self, problem: Problem, state: State) -> State:
        """One step to the model's minimum."""
        objective, theta = problem.objective, state.theta
        if state.iteration == 0:
            first = {"damping": np.full(objective.heads, floor(problem)), "quiet": np.zeros(1)}
            return self._measure(problem, state.evolve(iteration=1, arrays=first))
        g = Theta(state.arrays["g_W"], state.arrays["g_b"])
        model = GramModel(problem, state) if "gram" in state.arrays else FoldModel(problem, state)
        trial, rounds = minimise(problem.objective, model, theta, g)
        step = Theta(trial.W - theta.W, trial.b - theta.b)
        promised = objective.dot(g, step) + objective.penalty_value(trial) - objective.penalty_value(theta)
        assert state.value is not None
        found = backtrack(problem, theta, step, state.value, promised, "value")
        if found is None:
            return state.evolve(
                iteration=state.iteration + 1, done="stalled", note="no step towards the model's minimum helps"
            )
        quiet = bool(np.all(-promised <= ROUNDING * np.abs(state.value)))
        waited = state.arrays["quiet"] + 1 if quiet else np.zeros(1)
        note = f"{rounds} changes of the active set" + (f", {found.note}" if found.note else "")
        here = _centred(objective, found.theta)
        following = state.evolve(
            theta=here, iteration=state.iteration + 1, step=float(found.t.min()), note=note,
            passes=state.passes + model.passes + found.halvings + 1, done="stalled" if waited[0] >= PATIENCE else "",
            arrays=state.arrays | {"quiet": waited},
        )  # fmt: skip
        following.arrays["damping"] = adapted(state.arrays["damping"], found.t, floor(problem))
        return self._measure(problem, following)

    def _measure(self, problem: Problem, state: State) -> State:
        objective, source = problem.objective, problem.source
        unknowns = (source.d + 1) * (objective.K if objective.joint else 1)
        flops = 0.5 * source.nnz * source.nnz / max(1, source.n) * objective.K * (objective.K if objective.joint else 1)
        kind = "gram" if unknowns <= GRAM_UNKNOWNS and flops <= GRAM_FLOPS else "gradient"
        kept = {"curvature": np.empty((source.n, objective.K))}
        sums = problem.fold(kind, state.theta, kept)
        assert sums.gradient is not None
        state.arrays = state.arrays | {"g_W": sums.gradient.W, "g_b": sums.gradient.b}
        if sums.gram is not None:
            state.arrays["gram"] = sums.gram
        state.kept, state.passes = kept, state.passes + 1
        return judged(problem, state, sums)

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Nothing beyond -l'(z)."""
        return None


def _centred(objective: Objective, theta: Theta) -> Theta:
    """The same softmax with what nothing holds back about 0: b and rows of W may move as one, and would drift."""
    if not objective.joint:
        return theta
    moved = theta.centred() if objective.intercept == "free" else theta
    if objective.terms is None or objective.separable is None:
        return moved
    g, d = objective.separable, len(theta.W)
    ends = np.isfinite(g.low[:d]) | np.isfinite(g.high[:d])
    held = (g.l1[:d] > 0) | (g.l2[:d] > 0) | ends.any(axis=1, keepdims=True)
    return Theta(np.where(held, moved.W, moved.W - moved.W.mean(axis=1, keepdims=True)), moved.b)
