"""max_a D(a), one row's a_i at a time: dual coordinate descent for any convex loss with L2.

Hsieh et al. 2008; Shalev-Shwartz, Zhang 2013.  A free intercept is reached through proximal points: b is a bias of
moderate size about a centre, and the centre moves to b after every few sweeps (Rockafellar 1976), so that the equality
sum p a y = 0 holds in the limit without a huge bias feature that would make the descent crawl.

Rows on disk are swept block after block, in an order drawn within each: Yu, Hsieh, Chang, Lin 2010, "Large linear
classification when data cannot fit in memory".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin import _core
from widemargin._options import Count, check
from widemargin._types import F64
from widemargin.bounds import has_bound, mix_sides, negative_conjugate
from widemargin.errors import Verdict
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.shift import weighted_sum
from widemargin.solve.protocol import Problem, State
from widemargin.solve.start import best_intercepts, row_order
from widemargin.solve.watch import pieces


@dataclass(frozen=True)
class DualCoordinateDescent:
    """Dual coordinate descent; `sweeps` passes between two looks at the gap."""

    sweeps: Count = 5

    name: ClassVar[str] = "dual_cd"
    cite: ClassVar[str] = "Hsieh et al. 2008; Shalev-Shwartz, Zhang 2013"
    certifies: ClassVar[bool] = True
    blockwise: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 400
    at_limit: ClassVar[Verdict] = Verdict.passes

    def __post_init__(self) -> None:
        check(self)

    def refuses(self, problem: Problem) -> str | None:
        """A convex loss of the registry with a pure L2 penalty."""
        objective = problem.objective
        if isinstance(objective.loss, CallableLoss) or not has_bound(objective):
            return "dual_cd needs a convex loss of the registry with a conjugate: use solver='gd' or 'sgd'"
        if objective.joint:
            return "dual_cd solves one-vs-rest problems: use multiclass='ovr', or solver='newton' for softmax"
        if objective.shares is None or objective.l1 > 0 or not objective.l2 > 0:
            return "dual_cd needs the penalty 'l2' with alpha > 0: use solver='cd' or 'interior_point' for L1"
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """a = 0 (every convex loss here has 0 in its dual domain), w = 0."""
        objective, source = problem.objective, problem.source
        norms = source.squared_norms()
        typical = _core.inner(source.p, norms)
        free = objective.intercept == "free"
        bias = max(typical, 1e-300) if free else (1.0 if objective.intercept == "penalised" else 0.0)
        theta = objective.zero(source.d)
        if free:
            theta = Theta(theta.W, best_intercepts(problem, None))
        arrays = {
            "W": theta.W,
            "b": theta.b.copy(),
            "centre": theta.b.copy(),
            "bias_sq": np.array([bias]),
            "best": np.zeros(objective.K),
        }
        start = np.zeros((source.n, objective.K))
        return State(theta, seed=seed, arrays=arrays, kept={"dual": start, "best": start, "sqnorms": norms})

    def advance(self, problem: Problem, state: State) -> State:
        """Some sweeps, then the gap, then the centre of b moves."""
        objective, source = problem.objective, problem.source
        assert not isinstance(objective.loss, CallableLoss)
        W, b = state.arrays["W"].copy(), state.arrays["b"].copy()
        a, bias_sq = state.kept["dual"].copy(), float(state.arrays["bias_sq"][0])
        passes = 0
        for sweep in range(self.sweeps):
            change = 0.0
            for block in source.parts():
                order = row_order(problem, state.seed, state.iteration * self.sweeps + sweep, rows=block)
                order = np.arange(block.X.n) if order is None else order
                rows = slice(block.start, block.start + block.X.n)
                for part in pieces(block.X.n, block.X.nnz * objective.K / max(1, block.X.n)):
                    problem.poll()
                    moved = _core.dual_cd_sweep(
                        block.X.core, objective.loss.index, block.y, block.s, block.o, 1.0 / source.total_weight,
                        order[part], state.kept["sqnorms"][rows], W, b, a[rows], objective.l2, bias_sq,
                    )  # fmt: skip
                    change = max(change, moved)
            passes += 1
            if change <= 1e-12:
                break
        signed = source.p[:, None] * a * source.signs
        W = problem.reducer.products(source, signed) / objective.l2  # rounding does not pile up
        theta, value, errors = self._primal(problem, W, b)
        bound = self._bound(problem, a, W, signed.sum(axis=0))
        centre = state.arrays["centre"]
        if objective.intercept == "free":
            centre = theta.b  # the proximal point: start the next subproblem where this one is best
            b = centre + bias_sq * signed.sum(axis=0) / objective.l2
        return state.evolve(
            theta=theta, iteration=state.iteration + 1, passes=state.passes + passes + 2, value=value, errors=errors,
            bound=bound, step=float(change),
            arrays=state.arrays | {
                "W": W, "b": b, "centre": np.asarray(centre).copy(),
                "best": np.maximum(bound, state.arrays["best"])
            },
            kept=state.kept | {"dual": a, "best": np.where(bound > state.arrays["best"], a, state.kept["best"])},
        )  # fmt: skip

    def _primal(self, problem: Problem, W: F64, b: F64) -> tuple[Theta, F64, F64]:
        """The objective at w with the best b."""
        objective, source = problem.objective, problem.source
        theta = Theta(W, np.zeros_like(b) if objective.intercept == "free" else b)
        scores = problem.reducer.scores(source, theta)
        if objective.intercept == "free":
            shift = best_intercepts(problem, scores)
            theta, scores = Theta(W, shift), scores + shift
        z = source.signs * scores
        value = weighted_sum(source.p, np.asarray(objective.loss.value(z))) + objective.penalty_value(theta)
        return theta, np.asarray(value), weighted_sum(source.p, (z <= 0).astype(float))

    def _bound(self, problem: Problem, a: F64, W: F64, excess: F64) -> F64:
        """D at a, mixed with an anchor where the equality of a free intercept is not met yet; V = alpha w is known."""
        objective, source, anchors = problem.objective, problem.source, problem.anchors
        T = weighted_sum(source.p, negative_conjugate(objective, a))
        if source.o is not None:
            T = T - (source.p[:, None] * a * source.signs * source.o.reshape(source.n, -1)).sum(axis=0)
        V = Theta(objective.l2 * W, excess)
        if objective.intercept == "free":
            V, T = mix_sides(V, T, anchors)
        return np.maximum(T - objective.conjugate(V), 0.0)

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Its own a, the best so far of each head."""
        return state.kept["best"]
