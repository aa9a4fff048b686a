"""Sweeps of dual coordinate descent by many hands, and what their points are worth: the Python side of dual_rounds.hpp.

Rows are visited in shuffled buckets of adjacent rows.  Where merging copies of w costs little beside a sweep, two parts
of the rows are swept at once; a part, a bucket and a round are cut by counts alone.  Ioannou et al. 2019.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from widemargin import _core
from widemargin._types import F64, I64
from widemargin.bounds import mix_sides, negative_conjugate
from widemargin.duals import dual_sums, scored_sums
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.shift import weighted_sum
from widemargin.solve.protocol import Problem

BUCKET_BYTES = 32768  # of rows: read in order, so that the next ones are fetched ahead
BUCKETS = 512  # at least, where there are as many rows: less would be hardly shuffled
PARTS = 2  # more need more merges to make as much way
MERGE = 5  # numbers of w that a merge touches per column and head
FEWEST, MOST = 32, 128  # rounds of a sweep: below, parts undo each other's steps; above, nothing is won
CALL = 50_000_000  # stored values that one call of the core may touch: it cannot be interrupted
CALLS = 64  # at most this many calls a sweep where one part is swept


class Cut(NamedTuple):
    """How the rows are cut."""

    bucket: int
    parts: int
    rounds: int


class Report(NamedTuple):
    """What a pair of points is worth, per head."""

    value: F64  # P(W, b)
    errors: F64
    bound: F64  # D(a), balanced for a free intercept
    excess: F64  # sum p a y


def cut(problem: Problem) -> Cut:
    """From rows, stored values and columns only."""
    source, K = problem.source, problem.objective.K
    bucket = int(max(1, min(BUCKET_BYTES * source.n // max(1, source.X.nbytes), source.n // BUCKETS)))
    rounds = min(MOST, source.nnz // (MERGE * source.d + 1), source.n // (PARTS * bucket))
    if rounds >= FEWEST and source.nnz * K > CALL // 50:
        return Cut(bucket, PARTS, rounds)
    return Cut(bucket, 1, int(min(CALLS, source.nnz * K // CALL + 1)))


def order_of(problem: Problem, cuts: Cut, draw: np.random.Generator | None) -> I64:
    """The buckets of each part, shuffled."""
    count = -(-problem.source.n // cuts.bucket)
    ends = [count * part // cuts.parts for part in range(cuts.parts + 1)]
    spans = [np.arange(low, high) for low, high in pairwise(ends)]
    return np.concatenate(spans if draw is None else [draw.permutation(span) for span in spans])


def calls(problem: Problem, cuts: Cut) -> Iterator[tuple[int, int]]:
    """Ranges of rounds, each short enough for Ctrl-C."""
    work = problem.source.nnz * problem.objective.K
    step = max(1, cuts.rounds * CALL // max(work, 1))
    for first in range(0, cuts.rounds, step):
        yield first, min(first + step, cuts.rounds)


def sweep(problem: Problem, W: F64, b: F64, a: F64, norms: F64, bias_sq: float, order: I64) -> tuple[float, float]:
    """One sweep, in place; (largest change of a margin, about the gap that the rows saw)."""
    objective, source, cuts = problem.objective, problem.source, cut(problem)
    assert not isinstance(objective.loss, CallableLoss)
    change, gap = 0.0, 0.0
    for span in calls(problem, cuts):
        problem.poll()
        found = _core.dual_rounds(
            source.X.core, objective.loss.index, source.y, source.s, source.o, 1.0 / source.total_weight, norms, order,
            cuts.bucket, cuts.parts, cuts.rounds, span, W, b, a, objective.l2, bias_sq, problem.reducer.threads,
        )  # fmt: skip
        change, gap = max(change, found[0]), gap + found[1]
    return change, gap


def report(problem: Problem, theta: Theta, a: F64) -> Report:
    """One pass.  V = alpha W is known from the sweeps; what proves the end is computed anew."""
    objective, source, threads = problem.objective, problem.source, problem.reducer.threads
    value, errors = scored_sums(objective, source, problem.scores(theta), threads)
    T, excess, _ = dual_sums(objective, source, a, threads)
    penalty = objective.penalty_value(theta)
    if objective.intercept == "none":
        bound = T - penalty  # (alpha R)*(alpha W) = alpha R(W)
    else:
        V = Theta(objective.l2 * theta.W, excess)
        if objective.intercept == "free":
            V, T = mix_sides(V, T, problem.anchors)
        bound = T - objective.conjugate(V)
    return Report(value + penalty, errors, np.fmax(bound, 0.0), excess)


def balanced(problem: Problem, theta: Theta, a: F64, found: Report) -> tuple[F64, F64]:
    """(a with sum p a y = 0, its bound), moved where that costs least: by l'' a row, as b itself would move -l'(z)."""
    objective, source = problem.objective, problem.source
    assert not isinstance(objective.loss, CallableLoss)
    z = source.signs * problem.scores(theta)
    h = np.asarray(objective.loss.d2(z)) if objective.loss.d2 is not None else np.ones_like(z)
    total = weighted_sum(source.p, h)
    share = np.where(total > 0, found.excess / np.where(total > 0, total, 1.0), 0.0)
    moved = np.clip(a - share * source.signs * h, *objective.loss.dual_domain)
    signed = source.p[:, None] * moved * source.signs
    V = Theta(problem.reducer.products(source, signed), signed.sum(axis=0))
    T = weighted_sum(source.p, negative_conjugate(objective, moved))
    if source.o is not None:
        T = T - (signed * source.o.reshape(source.n, -1)).sum(axis=0)
    V, T = mix_sides(V, T, problem.anchors)
    return moved, np.fmax(T - objective.conjugate(V), 0.0)
