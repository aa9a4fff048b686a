"""min_w sum p l(z) + alpha R(w) where kinks are everywhere: a semismooth Newton method on an augmented Lagrangian.

The kink of the loss and the penalty (with its box) are each smoothed about a multiplier (augmented_head.py,
envelope.py).  Newton's method finds the minimum; then the multipliers move to the slopes found there, the smoothing
narrows, and the multipliers are a dual point all along: Rockafellar 1976; Li, Sun, Toh 2018 (SIAM J. Optim. 28).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin._types import F64
from widemargin.bounds import bound_of
from widemargin.data.source import ArraySource
from widemargin.duals import dual_sums, signed_duals
from widemargin.errors import Verdict
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.penalty import CallablePenalty
from widemargin.solve.augmented_head import Head
from widemargin.solve.envelope import scaled
from widemargin.solve.feasible import moved
from widemargin.solve.interior_design import Design, equilibrate, mean_squares
from widemargin.solve.measured import Measured, measured
from widemargin.solve.protocol import Problem, State
from widemargin.solve.start import begin_at

LARGEST = 5000  # order of the matrix to factor
EXACT = 5e-3  # of what the multipliers still move, that the minimum may miss
QUICK, SLOW = 5, 10  # Newton steps after which the smoothing narrows much, and a little
MUCH, LITTLE = 0.3, 0.6
NEAR = 1e-4  # of the tolerance: slopes that are left, where no bound says how far it is
ROUNDS = 3  # of moving that point: a column that did not matter may come to
PATIENCE = 6  # steps that lead nowhere


@dataclass(frozen=True)
class AugmentedLagrangian:
    """Any convex loss with any convex penalty of the registry, bounds too; heads apart, min(n, d) up to thousands."""

    name: ClassVar[str] = "augmented_lagrangian"
    cite: ClassVar[str] = "Rockafellar 1976; Li, Sun, Toh 2018"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    columns: ClassVar[str] = "bounds"
    limit: ClassVar[int] = 1000
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """Losses and penalties of the registry that are convex, heads apart, a matrix that can be factored."""
        objective, source = problem.objective, problem.source
        if objective.joint:
            return f"{self.name} fits one head at a time, not {objective.multiclass!r}: use multiclass='ovr'"
        if not objective.loss.convex or isinstance(objective.loss, CallableLoss):
            return f"{self.name} needs a convex loss of the registry, not {objective.loss.name!r}: use solver='gd'"
        penalty = objective.penalty
        if objective.shares is None and (isinstance(penalty, CallablePenalty) or penalty.exponent is None):
            return f"{self.name} knows sums over columns and p-norms, not {penalty.text!r}: use solver='gd'"
        side = min(source.n, source.d + 1)
        if side > LARGEST:
            return f"{self.name} would factor a matrix of {side} x {side}: use solver='gd'"
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """At the warm point, or at 0, without multipliers."""
        objective, source = problem.objective, problem.source
        shift, inverse = equilibrate(source.X, centre=objective.intercept == "free")
        if objective.terms is not None:
            inverse = np.where(objective.terms.excluded, 0.0, inverse)
        theta, ones = begin_at(problem, warm), objective.intercept != "none"
        beta = theta.W.T / np.where(inverse > 0, inverse, 1.0)
        if ones:
            beta = np.column_stack([beta, theta.b + shift @ theta.W])
        level = np.ones(objective.K)
        arrays = {
            "shift": shift, "inverse": inverse, "spread": _spread(problem, shift, inverse, ones), "beta": beta,
            "kept": beta.copy(), "r": np.zeros_like(beta), "level": level, "newton": 0 * level, "idle": 0 * level,
            "proved": 0 * level,
        }  # fmt: skip
        kept = {"centre": np.full((objective.K, source.n), 0.5), "dual": np.zeros((source.n, objective.K))}
        return State(theta, seed=seed, passes=3.0, arrays=arrays, kept=kept)

    def advance(self, problem: Problem, state: State) -> State:
        """What the point of every head proves; then its multipliers move, or else a Newton step."""
        objective, source = problem.objective, problem.source
        arrays = {name: array.copy() for name, array in state.arrays.items()}
        kept = {name: array.copy() for name, array in state.kept.items()}
        heads = _heads(problem, arrays, kept)
        A = np.column_stack([head.duals(head.scores) for head in heads])
        signed = signed_duals(objective, source, A, problem.reducer.threads)
        sums = dual_sums(objective, source, A, problem.reducer.threads)
        V = Theta(problem.reducer.products(source, signed), sums.excess)
        bounds = bound_of(objective, sums.T, V, problem.anchors)
        gained = (bounds > arrays["proved"]) | objective.unpenalised
        kept["dual"][:, gained], arrays["proved"][gained] = A[:, gained], bounds[gained]
        found = _weighted(problem, arrays, heads)
        left = np.zeros(objective.K)
        for k, head in enumerate(heads):
            head.slope(V.W[:, k], float(V.b[k]))
            left[k] = head.left(A[:, k])
            _improve(head, arrays, kept, k, A[:, k])
        ended = arrays["idle"] >= PATIENCE
        if objective.unpenalised:  # what is proved is known when `dual` has moved the point
            ended |= left <= problem.tol * NEAR * found.value
        done = "stalled" if ended.all() else ""
        return state.evolve(
            theta=found.theta, value=found.value, errors=found.errors, bound=arrays["proved"].copy(), bound_at=None,
            iteration=state.iteration + 1, passes=state.passes + 5.0, step=float(arrays["level"].max()),
            arrays=arrays, kept=kept, done=done,
        )  # fmt: skip

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """The best proved so far; where some weight is not penalised, the last, moved so that it proves something."""
        objective, source, A = problem.objective, problem.source, state.kept["dual"].copy()
        if not (objective.unpenalised and objective.loss.piecewise_linear):
            return A
        lo, hi = (end[: source.d] for end in objective.limits)
        beyond, heads = np.zeros((source.d, objective.K), dtype=bool), _heads(problem, state.arrays, state.kept)
        for _ in range(ROUNDS):
            V = problem.reducer.products(source, signed_duals(objective, source, A, problem.reducer.threads))
            inside = np.clip(V, lo, hi)
            beyond |= inside != V
            for k, head in enumerate(heads):
                columns, target = beyond[:, k], inside[:, k] * head.design.inverse
                if head.design.ones:
                    columns, target = np.append(columns, objective.intercept == "free"), np.append(target, 0.0)
                A[:, k] = moved(head.design, head.y, source.p, A[:, k], columns, target)
        return A


def _heads(problem: Problem, arrays: dict[str, F64], kept: dict[str, F64]) -> list[Head]:
    objective, source = problem.objective, problem.source
    ones = objective.intercept != "none"
    plain = ArraySource(source.X, source.y)
    design = Design(plain, problem.reducer, arrays["shift"], arrays["inverse"], ones)
    threshold = objective.loss.threshold if objective.loss.piecewise_linear else 0.0
    found = []
    for k in range(objective.K):
        y = np.ascontiguousarray(source.signs[:, k])
        h = np.full(source.n, threshold)
        if source.o is not None:
            h -= y * np.broadcast_to(source.o.reshape(source.n, -1), source.signs.shape)[:, k]
        units = scaled(objective, k, arrays["inverse"], arrays["spread"], ones)
        found.append(Head(
            problem, design, units, arrays["spread"], y, h, float(arrays["level"][k]), arrays["beta"][k],
            arrays["kept"][k], arrays["r"][k], kept["centre"][k], design.times(arrays["beta"][k]),
        ))  # fmt: skip
    return found


def _weighted(problem: Problem, arrays: dict[str, F64], heads: list[Head]) -> Measured:
    """The points where the penalty is finite, with the best intercept."""
    full = np.column_stack([head.weights() for head in heads])
    d, K = problem.source.d, problem.objective.K
    b = full[d] - arrays["shift"] @ full[:d] if len(full) > d else np.zeros(K)
    return measured(problem, problem.objective.inside(Theta(np.ascontiguousarray(full[:d]), b)))


def _improve(head: Head, arrays: dict[str, F64], kept: dict[str, F64], k: int, a: F64) -> None:
    """Multipliers to the slopes where the minimum is near enough; else a Newton step."""
    taken = arrays["newton"][k]
    if taken > 0 and head.size <= max(EXACT * head.missing(a) / head.level, 1e-13):
        arrays["kept"][k], arrays["r"][k], kept["centre"][k] = head.beta, head.q, a
        arrays["level"][k] *= MUCH if taken <= QUICK else LITTLE if taken <= SLOW else 1.0
        arrays["newton"][k] = 0
        return
    step = head.newton(a)
    along = head.design.times(step)
    t = head.search(step, along)
    arrays["newton"][k] += 1
    if t > 1e-8:
        arrays["beta"][k] = head.beta + t * step
        arrays["idle"][k] = 0
        return
    arrays["idle"][k] += 1  # too narrow for what rounding leaves of the slopes
    arrays["level"][k] *= 2.0


def _spread(problem: Problem, shift: F64, inverse: F64, ones: bool) -> F64:
    """Root mean squares of the equilibrated columns."""
    mean, square = mean_squares(problem.source, problem.reducer)
    found = np.sqrt(np.maximum(square - 2 * shift * mean + shift**2, 1e-16 * square)) * inverse
    return np.append(found, 1.0) if ones else found
