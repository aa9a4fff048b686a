"""w <- w - eta_t (l'(z) y x + alpha R'(w)), one row (or a few) at a time: stochastic (sub)gradient descent.

Robbins, Monro 1951; Bottou 2010; averaging: Polyak, Juditsky 1992; L1 by lazy proximal steps: Duchi, Singer 2009.
Pegasos (Shalev-Shwartz et al. 2011) is loss="hinge", penalty="l2", schedule=inverse(alpha), solver="sgd:replace=True".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin import _core
from widemargin._options import Count, Positive, check
from widemargin._types import F64
from widemargin.errors import OptionError, Verdict
from widemargin.loss import Loss
from widemargin.objective import Theta
from widemargin.schedules import Schedule, inverse_sqrt, optimal
from widemargin.solve.protocol import Problem, State, judged
from widemargin.solve.room import usual
from widemargin.solve.rowwise import (
    PassOptions,
    average,
    copied,
    due,
    fresh_arrays,
    last_step,
    last_weights,
    refuses_rows,
    walk,
)
from widemargin.solve.start import begin_at, row_order


@dataclass(frozen=True)
class SGD:
    """Stochastic gradient descent on any loss of the registry with L2, L1 or elastic net.

    `replace` draws rows with replacement; `average` is True or the number of steps before averaging starts;
    `implicit` takes the proximal step on the row's loss; `evaluate` is how many passes lie between two evaluations of
    the objective (None: every pass on small data, then after 1, 2, 4, 8 ... passes; always at the end).
    """

    batch: Count = 1
    average: bool | int = False
    replace: bool = False
    implicit: bool = False
    intercept_rate: Positive = 1.0
    evaluate: Count | None = None

    name: ClassVar[str] = "sgd"
    cite: ClassVar[str] = "Robbins, Monro 1951; Bottou 2010"
    certifies: ClassVar[bool] = False
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 100
    at_limit: ClassVar[Verdict] = Verdict.passes

    def __post_init__(self) -> None:
        check(self)
        if not isinstance(self.average, bool | int) or self.average < 0:
            raise OptionError(f"sgd: average = {self.average!r}; expected True, False or a number of steps")

    def refuses(self, problem: Problem) -> str | None:
        """Losses of the registry, penalties of L1 and L2."""
        objective = problem.objective
        if not objective.loss.convex and not objective.loss.smooth:
            return (
                f"loss {objective.loss.name!r} has no slope to descend: use a surrogate, as loss='logistic' or 'hinge'"
            )
        if objective.shares is None:
            return (
                f"sgd knows the penalties l1, l2, elastic_net and none, not {objective.penalty.text!r}: use solver='gd'"
            )
        if self.implicit and (not objective.loss.convex or objective.multiclass == "softmax"):
            return "implicit steps need a convex loss of one margin: use implicit=False"
        return refuses_rows(problem, self.name)

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """w = 0 as in the notes, or the warm point."""
        theta = problem.objective.zero(problem.source.d) if warm is None else begin_at(problem, warm)
        arrays = fresh_arrays(theta, self.average is not False, pocket=False)
        if problem.schedule is None:
            arrays["first"] = np.array([first_step(problem)])
        return State(theta, seed=seed, arrays=arrays)

    def advance(self, problem: Problem, state: State) -> State:
        """One pass over the rows."""
        objective = problem.objective
        assert isinstance(objective.loss, Loss)
        arrays = copied(state.arrays)
        schedule = problem.schedule or default_schedule(objective.l2, float(arrays["first"][0]))
        options = PassOptions(
            objective.loss, schedule, objective.l1, objective.l2, self.implicit, self.batch,
            -1 if self.average is False else int(self.average) * (self.average is not True), self.intercept_rate,
        )  # fmt: skip
        order = row_order(problem, state.seed, state.iteration, self.replace)
        mistakes, _ = walk(problem, arrays, options, order)
        theta = average(arrays) if self.average is not False else last_weights(arrays)
        done = "" if np.isfinite(theta.W).all() and np.isfinite(theta.b).all() else "diverged"
        following = state.evolve(
            theta=theta, iteration=state.iteration + 1, passes=state.passes + 1, mistakes=mistakes, arrays=arrays,
            value=None, errors=None, bound=None, done=done, step=last_step(options.schedule, arrays),
        )  # fmt: skip
        if due(problem, following.iteration, self.evaluate):
            following = judged(problem, following, problem.fold("gradient", theta))
            following.passes += 1
        return following

    def room(self, problem: Problem) -> float:
        """The order of the rows, and the sizes of the steps."""
        return usual(problem, rows=3 / problem.objective.K, columns=6)

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """None of its own."""
        return None


def first_step(problem: Problem) -> float:
    """One over the curvature of a typical row."""
    objective, source = problem.objective, problem.source
    squares = np.empty(source.n)
    _core.sqnorms(source.X.core, squares)
    typical = float(source.p @ squares) + (objective.intercept == "free")
    unbounded = 1.0 if objective.loss.piecewise_linear else 10.0  # no largest curvature: begin with care
    curvature = objective.loss.curvature if np.isfinite(objective.loss.curvature) else unbounded
    return 1.0 / max(curvature * typical, 1e-300)


def default_schedule(strength: float, first: float) -> Schedule:
    """Bottou's 1 / (alpha (t0 + t)), begun at `first`; 1 / sqrt(t) without L2."""
    return inverse_sqrt(first) if strength == 0 else optimal(strength, max(1.0, 1.0 / (strength * first)))
