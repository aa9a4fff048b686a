"""w <- w - t H^-1 g: Newton's method with backtracking, iteratively reweighted least squares for the logistic loss.

Fisher scoring: Green 1984; generalised Newton where l'' jumps: Mangasarian 2002.  One pass an iteration: the fold at
the trial point gives value, gradient and Gram sums at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.errors import Verdict
from widemargin.objective import Objective, Theta, every
from widemargin.solve.damping import lent
from widemargin.solve.line_search import ROUNDING, backtrack
from widemargin.solve.protocol import Problem, State, Sums, judged
from widemargin.solve.room import usual
from widemargin.solve.start import begin_at
from widemargin.solve.symmetric import factored, solved, times

LARGEST = 3000  # unknowns per head: beyond, the Gram matrix costs more than it saves
SMALL = 64  # unknowns up to which one call that does it all is quicker than three


def smooth_l2(problem: Problem, name: str) -> str | None:
    """Why a Newton method does not apply, or None."""
    objective = problem.objective
    if not objective.loss.convex:
        return f"{name} needs a convex loss and {objective.loss.name!r} is not: use solver='gd'"
    if objective.multiclass == "crammer_singer" or objective.loss.piecewise_linear or objective.loss.d2 is None:
        return f"{name} needs a loss with a second derivative: use solver='interior_point', 'dual_cd' or 'sgd'"
    if objective.shares is None or objective.l1 > 0:
        return f"{name} needs the penalty 'l2' or 'none': use solver='cd' for L1, 'gd' for other penalties"
    return None


@dataclass(frozen=True)
class Newton:
    """Newton steps with the full Gram matrix; for up to a few thousand columns."""

    name: ClassVar[str] = "newton"
    cite: ClassVar[str] = "Green 1984; Mangasarian 2002"
    certifies: ClassVar[bool] = True
    blockwise: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 200
    columns: ClassVar[str] = "factors"
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """Smooth convex loss, L2 or no penalty, not too many columns."""
        reason = smooth_l2(problem, self.name)
        side = (problem.source.d + 1) * (problem.objective.K if problem.objective.joint else 1)
        if reason is None and side > LARGEST:
            reason = f"newton would need a Gram matrix of {side} x {side}: use solver='newton_cg'"
        return reason

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """At the warm point, or at 0 with the best intercept."""
        return State(begin_at(problem, warm), seed=seed)

    def advance(self, problem: Problem, state: State) -> State:
        """One Newton step from the sums of the last fold."""
        if state.iteration == 0:
            return _evaluated(problem, state.evolve(iteration=1, passes=1.0), problem.fold("gram", state.theta))
        sums, value = _restore(state), state.value
        assert sums.gradient is not None and sums.gram is not None and value is not None
        g = sums.gradient.plus(1.0, problem.objective.penalty_gradient(state.theta))
        step = newton_step(problem.objective, lent(problem, sums.gram), g, threads=problem.reducer.threads)
        slope = problem.objective.dot(g, step)
        found = backtrack(problem, state.theta, step, value, slope, "gram")
        if found is None:
            return state.evolve(
                iteration=state.iteration + 1, done="stalled", note="no step along Newton's direction helps"
            )
        noise = ROUNDING * np.abs(value)
        done = "stalled" if every(-slope <= noise) and every(found.value >= value - noise) else ""
        following = state.evolve(
            theta=found.theta, iteration=state.iteration + 1, passes=state.passes + found.halvings + 1,
            step=float(found.t.min()), done=done, note=found.note,
        )  # fmt: skip
        return _evaluated(problem, following, found.sums)

    def room(self, problem: Problem) -> float:
        """Gram sums: those of this step and of the next, and a factor."""
        return usual(problem, rows=1, kind="gram", grams=4)

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Nothing beyond -l'(z)."""
        return None


def _restore(state: State) -> Sums:
    a = state.arrays
    return Sums(a["value"], a["errors"], Theta(a["gradient_W"], a["gradient_b"]), a["gram"])


def _evaluated(problem: Problem, state: State, sums: Sums) -> State:
    """The state with what the fold found, and the sums for the next step."""
    assert sums.gradient is not None and sums.gram is not None
    state.arrays = {
        "value": sums.value, "errors": sums.errors, "gram": sums.gram,
        "gradient_W": sums.gradient.W, "gradient_b": sums.gradient.b,
    }  # fmt: skip
    return judged(problem, state, sums)


def newton_step(objective: Objective, gram: F64, g: Theta, *, threads: int) -> Theta:
    """-(H + alpha I)^-1 g per head, with the intercept as the last unknown of each column."""
    d, K = g.W.shape
    full = np.concatenate([g.W, g.b[None]])
    right = full.reshape(1, -1) if objective.joint else full.T
    width = K if objective.joint else 1  # unknowns per row of W
    used = (d + 1) * width if objective.intercept != "none" else d * width
    penalised = used if objective.intercept == "penalised" else d * width
    steps, ridge = np.zeros(right.shape), np.repeat(np.broadcast_to(objective.strengths[1][:, 0], d), width)
    for h, matrix in enumerate(gram):
        H = matrix[:used, :used].copy()
        H.reshape(-1)[: d * width * (used + 1) : used + 1] += ridge
        H.reshape(-1)[d * width * (used + 1) : penalised * (used + 1) : used + 1] += objective.l2
        steps[h, :used] = -solve_positive(H, right[h, :used], threads=threads)
    full = steps.reshape(d + 1, K) if objective.joint else steps.T
    return Theta(full[:-1], full[-1])


def solve_positive(H: F64, g: F64, *, threads: int = 1) -> F64:
    """H^-1 g; where H is singular (collinear columns, flat directions) with the least ridge that factors.

    Columns are scaled to a unit diagonal first: units of measurement must not decide what counts as singular.
    """
    scale = np.sqrt(np.maximum(H.diagonal(), 0.0))
    scale[scale == 0] = 1.0
    scaled = H / (scale[:, None] * scale)
    right = g / scale
    ridge = 0.0
    for _ in range(20):
        x = _solution(scaled + ridge * np.eye(len(g)) if ridge else scaled, right, threads)
        if x is not None and np.isfinite(x).all():
            return np.asarray(x / scale)
        ridge = max(1e-14, 10 * ridge)
    return np.asarray(g / np.maximum(np.diagonal(H), 1e-300))


def _solution(H: F64, g: F64, threads: int) -> F64 | None:
    """One solution and one correction."""
    if len(g) <= SMALL:
        x = np.empty_like(g)
        return x if _core.solve_positive(H, g, x) else None
    L = factored(H.copy(), threads)
    if L is None:
        return None
    x = solved(L, g)
    return x + solved(L, g - times(H, x, threads))
