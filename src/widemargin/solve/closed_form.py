"""(X'PX + alpha/2 I) w = X'P y on centred rows: least squares as a classifier.  Legendre 1805; Hoerl, Kennard 1970.

Three routes to the same w: normal equations (d small), the n x n dual system X X' (n small), and singular values when
nothing penalises w, which give the solution of least norm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.errors import Verdict
from widemargin.objective import Theta
from widemargin.solve.kernel_newton import kernel
from widemargin.solve.newton import solve_positive
from widemargin.solve.protocol import Problem, State, judged
from widemargin.solve.room import usual
from widemargin.solve.start import begin_at
from widemargin.solve.symmetric import times

LARGEST = 6000  # of min(n, d): beyond, a factorisation costs more than conjugate gradients


@dataclass(frozen=True)
class ClosedForm:
    """The exact minimiser of the squared loss with L2 or no penalty; steps after the first only refine rounding."""

    name: ClassVar[str] = "closed_form"
    cite: ClassVar[str] = "Hoerl, Kennard 1970"
    certifies: ClassVar[bool] = True
    blockwise: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 5
    at_limit: ClassVar[Verdict] = Verdict.passes
    loss: ClassVar[str] = "squared"

    def refuses(self, problem: Problem) -> str | None:
        """Squared loss, L2 or none, a system of moderate size."""
        objective, source = problem.objective, problem.source
        if objective.loss.name != "squared" or objective.joint:
            return f"only the squared loss has a closed form, not {objective.loss.name!r}: use solver='newton'"
        if objective.shares is None or objective.l1 > 0:
            return "only the penalties 'l2' and 'none' have a closed form: use solver='cd'"
        if min(source.n, source.d) > LARGEST:
            return f"a system of {min(source.n, source.d)} unknowns costs more than descent: use solver='newton_cg'"
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """Anywhere: the first step forgets it."""
        return State(begin_at(problem, None), seed=seed)

    def advance(self, problem: Problem, state: State) -> State:
        """Solve for the minimiser from the gradient here: exact, up to rounding."""
        objective, source, theta = problem.objective, problem.source, state.theta
        gradient = problem.fold("gradient", theta).gradient
        assert gradient is not None
        g = gradient.plus(1.0, objective.penalty_gradient(theta))
        passes = 1.0
        if source.d <= source.n and objective.l2 > 0:
            step = self._normal(problem, g)
        elif objective.l2 > 0:
            step = self._dual(problem, g)
        else:
            step = self._least_norm(problem, theta)
        new = theta.plus(1.0, step)
        sums = problem.fold("gradient", new)
        following = state.evolve(theta=new, iteration=state.iteration + 1, passes=state.passes + passes + 2)
        return judged(problem, following, sums)

    def _normal(self, problem: Problem, g: Theta) -> Theta:
        """All heads share one Gram matrix: the curvature of the squared loss does not depend on y."""
        objective, source = problem.objective, problem.source
        one = replace(problem, objective=replace(objective, multiclass="binary", K=1))
        zero = Theta(np.zeros((source.d, 1)), np.zeros(1))
        gram = one.fold("gram", zero).gram
        assert gram is not None
        H = gram[0]
        H[np.arange(source.d), np.arange(source.d)] += objective.l2
        if objective.intercept == "penalised":
            H[-1, -1] += objective.l2
        used = source.d + (objective.intercept != "none")
        full = np.vstack([g.W, g.b])[:used]
        steps = np.zeros((source.d + 1, objective.K))
        for k in range(objective.K):
            steps[:used, k] = -solve_positive(H[:used, :used], full[:, k], threads=problem.reducer.threads)
        return Theta(steps[:-1], steps[-1])

    def _dual(self, problem: Problem, g: Theta) -> Theta:
        """-(2 X'PX + alpha I)^-1 g = -(g - X' r (r X X' r + alpha/2 I)^-1 r X g) / alpha, r = sqrt(p): n unknowns."""
        source, objective = problem.source, problem.objective
        p, root, alpha, threads = source.p, np.sqrt(source.p), objective.l2, problem.reducer.threads
        K = kernel(source, threads)
        free, penalised = objective.intercept == "free", objective.intercept == "penalised"
        mean = problem.reducer.products(source, p[:, None])[:, 0] if free else np.zeros(source.d)
        if free:
            column = times(K, p, threads)
            K = K - column[:, None] - column[None, :] + _core.inner(p, column)
        K = root[:, None] * (K + float(penalised)) * root + 0.5 * alpha * np.eye(source.n)
        g_W = g.W - mean[:, None] * g.b if free else g.W
        t = source.X.times(g_W) - mean @ g_W + (g.b if penalised else 0.0)
        u = root[:, None] * np.column_stack(
            [solve_positive(K, root * t[:, k], threads=threads) for k in range(objective.K)]
        )
        W = -(g_W - (problem.reducer.products(source, u) - mean[:, None] * u.sum(axis=0))) / alpha
        if penalised:
            return Theta(W, -(g.b - u.sum(axis=0)) / alpha)
        return Theta(W, -0.5 * g.b - mean @ W if free else np.zeros_like(g.b))

    def _least_norm(self, problem: Problem, theta: Theta) -> Theta:
        """Singular values of the weighted, centred rows: the least-squares solution of least norm."""
        source, objective = problem.source, problem.objective
        root = np.sqrt(source.p)
        targets = source.signs - (0.0 if source.o is None else source.o.reshape(source.n, -1))
        mean_y = source.p @ targets if objective.intercept == "free" else np.zeros(objective.K)
        M = source.X.matrix
        dense = np.asarray(M.toarray() if source.X.sparse else M, dtype=float)
        mean_x = source.p @ dense if objective.intercept == "free" else np.zeros(source.d)
        W = np.linalg.lstsq(root[:, None] * (dense - mean_x), root[:, None] * (targets - mean_y), rcond=None)[0]
        b = mean_y - mean_x @ W if objective.intercept == "free" else np.zeros(objective.K)
        return Theta(W - theta.W, b - theta.b)

    def room(self, problem: Problem) -> float:
        """The matrix of the smaller side, scaled and factored."""
        side = min(problem.source.n, problem.source.d + 1)
        return usual(problem, rows=2 * (problem.source.d > problem.source.n)) + 8.0 * 5 * side**2

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Nothing beyond -l'(z)."""
        return None
