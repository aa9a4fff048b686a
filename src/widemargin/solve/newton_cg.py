"""H p = -g by conjugate gradients, never forming H: truncated Newton.  Dembo, Steihaug 1983; Hsia, Chiang, Lin 2018.

One pass per product with H; preconditioned with the diagonal of H.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin._types import F64
from widemargin.errors import Verdict
from widemargin.objective import Theta
from widemargin.solve.conjugate import Heads, by_columns, packed, product, solve
from widemargin.solve.damping import adapted, damped, floor
from widemargin.solve.line_search import ROUNDING, backtrack
from widemargin.solve.newton import smooth_l2
from widemargin.solve.protocol import Problem, State, judged
from widemargin.solve.room import usual
from widemargin.solve.start import begin_at


@dataclass(frozen=True)
class NewtonCG:
    """Newton steps by conjugate gradients, for many columns."""

    name: ClassVar[str] = "newton_cg"
    cite: ClassVar[str] = "Dembo, Steihaug 1983; Hsia, Chiang, Lin 2018"
    certifies: ClassVar[bool] = True
    blockwise: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 300
    columns: ClassVar[str] = "factors"
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """Smooth convex loss, L2 or no penalty."""
        return smooth_l2(problem, self.name)

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """At the warm point, or at 0 with the best intercept."""
        return State(begin_at(problem, warm), seed=seed)

    def advance(self, problem: Problem, state: State) -> State:
        """One Newton step."""
        objective, theta = problem.objective, state.theta
        if state.iteration == 0:
            start = {"damping": np.full(objective.heads, floor(problem))}
            return self._measure(problem, state.evolve(iteration=1, arrays=start))
        g = Theta(state.arrays["g_W"], state.arrays["g_b"])
        assert state.value is not None
        state.kept = {"curvature": damped(problem, state.kept["curvature"], state.arrays["damping"])}
        step, products = self._direction(problem, state, g)
        slope = objective.dot(g, step)
        found = backtrack(problem, theta, step, state.value, slope, "value")
        if found is None:
            return state.evolve(iteration=state.iteration + 1, done="stalled", note="no step along the direction helps")
        done = "stalled" if np.all(-slope <= ROUNDING * np.abs(state.value)) else ""
        where = " on a copy of X in columns" if by_columns(problem) else ""
        following = state.evolve(
            theta=found.theta, iteration=state.iteration + 1, passes=state.passes + products + found.halvings + 1,
            step=float(found.t.min()), done=done,
            note=", ".join(filter(None, [f"{products} products{where}", found.note])),
        )  # fmt: skip
        following = self._measure(problem, following)
        following.arrays["damping"] = adapted(state.arrays["damping"], found.t, floor(problem))
        return following

    def _measure(self, problem: Problem, state: State) -> State:
        kept = {"curvature": np.empty((problem.source.n, problem.objective.K))}
        sums = problem.fold("gradient", state.theta, kept)
        assert sums.gradient is not None
        g = sums.gradient.plus(1.0, problem.objective.penalty_gradient(state.theta))
        state.arrays = state.arrays | {"g_W": g.W, "g_b": g.b}
        state.kept, state.passes = kept, state.passes + 1
        return judged(problem, state, sums)

    def _direction(self, problem: Problem, state: State, g: Theta) -> tuple[Theta, int]:
        """Conjugate gradients until they are good enough for a step."""
        objective, d = problem.objective, problem.source.d
        M = packed(self._diagonal(problem, state))
        l2 = np.empty(d + 1)
        l2[:-1] = objective.strengths[1][:, 0]
        l2[-1] = objective.l2 if objective.intercept == "penalised" else 0.0
        multiply = product(problem, state.theta, state.kept)
        heads = Heads(objective, M, l2, problem.reducer.threads)
        found = solve(heads, multiply, g, min(2000, 10 + 4 * (d + 1)))
        return found.x, found.products

    def _diagonal(self, problem: Problem, state: State) -> Theta:
        """diag H + alpha, mixed with its mean: pure diagonal scaling can slow rare columns down."""
        objective = problem.objective
        diagonal = problem.fold("diagonal", state.theta, state.kept).gradient
        state.passes += 1
        assert diagonal is not None
        W = diagonal.W + objective.strengths[1]
        W = W + 0.01 * W.mean(axis=0)
        return Theta(np.maximum(W, 1e-300), np.maximum(diagonal.b + objective.l2, 1e-300))

    def room(self, problem: Problem) -> float:
        """Curvature, and the vectors of conjugate gradients; where products read columns, a copy of X in columns."""
        copy = problem.source.X.nbytes if by_columns(problem) else 0
        return usual(problem, rows=2, columns=14) + copy

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Nothing beyond -l'(z)."""
        return None
