"""Where a solver begins, and how rows are ordered."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from widemargin import _core
from widemargin._types import F64, I64
from widemargin.data.block import Block
from widemargin.errors import OptionError
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.shift import Slopes, best_shift, newton_shift
from widemargin.solve.protocol import Problem


def begin_at(problem: Problem, warm: Theta | None) -> Theta:
    """The warm point; or w = 0 with the intercept that is best there."""
    objective, source = problem.objective, problem.source
    if warm is not None:
        if warm.W.shape != (source.d, objective.K):
            raise OptionError(
                f"warm start has weights of shape {warm.W.shape}; this problem needs {(source.d, objective.K)}"
            )
        b = np.zeros(objective.K) if objective.intercept == "none" else warm.b
        return objective.inside(Theta(np.array(warm.W, dtype=float), np.array(b, dtype=float)))
    theta = objective.inside(objective.zero(source.d))
    if objective.intercept != "free" or not objective.loss.convex:
        return theta
    if objective.joint:
        if objective.multiclass == "softmax" and source.o is None:
            b = np.log(np.maximum(problem.anchors.mass, 1e-12))
            return Theta(theta.W, b - b.mean())
        return theta
    return Theta(theta.W, best_intercepts(problem, None))


def best_intercepts(problem: Problem, scores: F64 | None) -> F64:
    """The best shift of each head's scores (None: only the offsets)."""
    objective, source = problem.objective, problem.source
    if scores is None and source.o is None:
        return problem.anchors.shifts.copy()
    if scores is None:
        assert source.o is not None
        scores = source.o.reshape(source.n, -1)
    return np.array([_best_shift(problem, scores, k) for k in range(objective.K)])


def _best_shift(problem: Problem, scores: F64, k: int) -> float:
    """The best shift of one head; scores may be the same for all heads."""
    loss, source = problem.objective.loss, problem.source
    if isinstance(loss, CallableLoss) or loss.piecewise_linear:
        return best_shift(loss, scores[:, k % scores.shape[1]], source.signs[:, k], source.p)
    index, inverse, threads = loss.index, 1.0 / source.total_weight, problem.reducer.threads
    scores = np.ascontiguousarray(scores)

    def at(b: float) -> Slopes:
        _, *slopes, _ = _core.shifted_sums(
            index, source.y, source.s, inverse, scores, problem.objective.K, k, b, threads
        )
        return Slopes(*slopes)

    return newton_shift(at)


def null_values(problem: Problem) -> F64:
    """P_0 per head: the loss at w = 0 with the best intercept; no pass over X where scores are not needed for it."""
    objective, source = problem.objective, problem.source
    loss, free = objective.loss, objective.intercept == "free"
    if objective.joint:
        mass = np.maximum(problem.anchors.mass, 1e-300) if free else np.ones(source.classes)
        if source.o is None and objective.multiclass == "softmax":
            share = mass / mass.sum()
            return np.array([-float(problem.anchors.mass @ np.log(share))])
        b = np.log(mass) if objective.multiclass == "softmax" and free else np.zeros(objective.K)
        return problem.fold("value", Theta(objective.zero(source.d).W, b)).value
    shifts = best_intercepts(problem, None) if free and loss.convex else np.zeros(objective.K)
    if source.o is None:
        mass = problem.anchors.mass
        positive = mass[1:] if source.classes == 2 else mass
        ends = np.asarray(loss.value(np.stack([shifts, -shifts])))
        return np.asarray(positive * ends[0] + (1.0 - positive) * ends[1])
    return problem.fold("value", Theta(objective.zero(source.d).W, shifts)).value


def row_order(problem: Problem, seed: int, number: int, replace: bool = False, rows: Block | None = None) -> I64 | None:
    """The order of pass `number`: None for 0, 1, 2, ...; the same for the same seed, whatever came before.

    Of a block of rows on disk: the order within it.
    """
    if rows is not None and not problem.source.in_memory:
        return np.random.default_rng([seed, number, rows.start]).permutation(rows.X.n) if problem.shuffle else None
    if replace:
        n = problem.source.n
        return np.random.default_rng([seed, number]).integers(0, n, n)
    return next(row_orders(problem, seed, number, 1))


def row_orders(problem: Problem, seed: int, number: int, count: int) -> Iterator[I64 | None]:
    """The orders of several passes from pass `number` on, from one generator."""
    draw = np.random.default_rng([seed, number]) if problem.shuffle else None
    for _ in range(count):
        yield None if draw is None else draw.permutation(problem.source.n)
