"""Proximal Newton with coordinate descent inside, over a working set that doubles: smooth losses with L1 and L2.

A pass over all columns says which of them want to move; the worst join the working set; on it the problem is solved
to a fraction of what the pass found (working_set.py); the next pass certifies over all columns.
Friedman, Hastie, Tibshirani 2010; Yuan, Ho, Lin 2012; Massias, Gramfort, Salmon 2018; Bertrand et al. 2022.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin._types import F64, I64
from widemargin.errors import Verdict
from widemargin.objective import Theta
from widemargin.solve.gram_set import GramSet
from widemargin.solve.protocol import Problem, State, Sums, judged
from widemargin.solve.start import begin_at
from widemargin.solve.working_set import ColumnSet, WorkingSet
from widemargin.terms import Separable

SMALLEST = 200  # columns that may join at least
SMALL = 300  # columns up to which they always do
NARROW = 600  # sparse columns up to which Gram sums cost little
GRAM_COLUMNS = 3000  # dense ones
TALL = 2  # rows per column from which Gram sums of dense rows save more than they cost
GROWTH = 8  # and in multiples of those that are there
AHEAD = 0.2  # of the L1 strength: a column whose slope lacks no more joins as well, it may soon want to move
SHARE = 0.3  # of the violation that a pass found is left on the working set
FINER, FINEST = 0.1, 1e-9  # what the goal is multiplied by where it is met before the gap closes, and how often


@dataclass(frozen=True)
class CoordinateDescent:
    """Proximal Newton steps on working sets; certified over all columns."""

    name: ClassVar[str] = "cd"
    cite: ClassVar[str] = "Yuan, Ho, Lin 2012; Massias, Gramfort, Salmon 2018; Bertrand et al. 2022"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 300
    columns: ClassVar[str] = "bounds"
    forgets: ClassVar[str] = "working sets and Gram sums are made again, and may come out in another order"
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """Smooth convex losses of one margin; penalties of L1 and L2."""
        objective = problem.objective
        if objective.joint:
            return "cd solves one-vs-rest problems: use multiclass='ovr', or solver='gd' for softmax with L1"
        if not (objective.loss.convex and objective.loss.smooth) or objective.loss.d2 is None:
            return f"cd needs a smooth convex loss, not {objective.loss.name!r}: use solver='interior_point' for hinges"
        if objective.shares is None:
            return (
                f"cd knows the penalties l1, l2, elastic_net and none, not {objective.penalty.text!r}: use solver='gd'"
            )
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """At the warm point, or at 0 with the best intercept."""
        return State(begin_at(problem, warm), seed=seed)

    def advance(self, problem: Problem, state: State) -> State:
        """Every head on its working set, then one pass over all columns."""
        objective = problem.objective
        make = GramSet if _tall(problem) else WorkingSet
        sets: list[ColumnSet] = state.cache.get("sets") or [make(problem, k, state.theta) for k in range(objective.K)]
        moved = state.iteration == 0
        if state.iteration > 0:
            g = Theta(state.arrays["g_W"], state.arrays["g_b"])
            for k, chosen in enumerate(sets):
                moved = _improve(problem, chosen, g.W[:, k]) or moved
        theta = _joined(problem, sets)
        sums = _measured(problem, sets)
        assert sums.gradient is not None
        passes = sum(s.touched for s in sets) / max(1, problem.source.nnz)
        following = state.evolve(
            theta=theta, iteration=state.iteration + 1, passes=state.iteration + 1 + passes,
            note=f"{int(np.count_nonzero(theta.W))} weights differ from 0 of {sum(len(s.ids) for s in sets)} tried",
            arrays={"g_W": sums.gradient.W, "g_b": sums.gradient.b}, cache={"sets": sets},
        )  # fmt: skip
        following = judged(problem, following, sums)
        following.done = "" if moved else "stalled"
        return following

    def onward(self, problem: Problem, state: State) -> State:
        """The same point under another strength: sets of columns and slopes of the loss stay what they are."""
        sets: list[ColumnSet] = state.cache["sets"]
        for k, chosen in enumerate(sets):
            chosen.hold(problem, k)
        return State(state.theta, iteration=1, arrays=state.arrays, cache=state.cache)

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Nothing beyond -l'(z)."""
        return None


def _tall(problem: Problem) -> bool:
    """Whether Gram sums of the columns that matter cost less than sweeps over them."""
    source = problem.source
    if source.X.sparse:
        return source.d <= NARROW and 4 * source.nnz >= source.d**2
    return source.d <= SMALL or (source.d <= GRAM_COLUMNS and source.n >= TALL * source.d)


def _joined(problem: Problem, sets: list[ColumnSet]) -> Theta:
    theta = problem.objective.zero(problem.source.d)
    for k, chosen in enumerate(sets):
        theta.W[chosen.ids, k], theta.b[k] = chosen.w, chosen.b
    return theta


def _measured(problem: Problem, sets: list[ColumnSet]) -> Sums:
    """What the rows say at the sets' points, and the slopes of all columns."""
    if all(isinstance(s, WorkingSet) for s in sets):
        slopes = np.stack([s.r for s in sets if isinstance(s, WorkingSet)], axis=1)
        g, g_b = problem.reducer.products(problem.source, slopes), slopes.sum(axis=0)
    else:
        found = [s.gradient() for s in sets if isinstance(s, GramSet)]
        g, g_b = np.stack([g for g, _ in found], axis=1), np.array([R for _, R in found])
    g_b = g_b if problem.objective.intercept != "none" else np.zeros(len(sets))
    return Sums(np.array([s.value for s in sets]), np.array([s.errors for s in sets]), Theta(g, g_b))


def _improve(problem: Problem, chosen: ColumnSet, g: F64) -> bool:
    """More columns, and the problem on them; False when nothing is left to improve."""
    objective, (l1, l2, low, high) = problem.objective, chosen.held
    outside = Separable((1 - AHEAD) * l1, l2, low, high).distance(g, np.zeros(len(g)))
    outside[chosen.stored] = 0.0
    joining = _worst(outside, max(SMALLEST, GROWTH * len(chosen.ids)))
    beyond = float(np.max(outside - AHEAD * l1, initial=0.0))
    if len(joining):
        chosen.enlarge(joining)
    # the gap falls with the violation where L1 holds alone; with its square where L2 helps
    enough = 0.5 * problem.tol * objective.l1
    if objective.l2 > 0:
        enough = max(enough, math.sqrt(objective.l2 * problem.tol * chosen.value / max(1, len(chosen.ids))))
    steps = chosen.steps
    helps = chosen.solve(max(enough * chosen.exactness, SHARE * beyond))
    if helps and chosen.steps == steps and not len(joining):  # nothing violates enough, and yet the gap is open
        chosen.exactness *= FINER
        return chosen.exactness > FINEST
    return helps or len(joining) > 0


def _worst(excess: F64, count: int) -> I64:
    """The columns of largest excess, at most so many, in their order."""
    able = np.flatnonzero(excess > 0)
    if len(able) > count:
        able = able[np.argpartition(-excess[able], count)[:count]]
    return np.sort(able).astype(np.int64)
