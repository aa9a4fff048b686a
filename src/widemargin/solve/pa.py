"""w <- argmin lambda/2 ||w - w_old||^2 + l(y (w.x + b)): passive-aggressive.  Crammer et al. 2006.

Each step is the exact minimiser: the loss's prox on the margin, with q = ||(x, 1)||^2 / lambda.
PA: hinge and lambda -> 0; PA-I: hinge, step at most C = 1 / lambda; PA-II: squared hinge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from widemargin._options import Count, Positive, check
from widemargin._types import F64
from widemargin.errors import Verdict, unknown
from widemargin.loss import Loss, losses
from widemargin.objective import Theta
from widemargin.schedules import Schedule, constant
from widemargin.solve.protocol import Problem, State
from widemargin.solve.rowwise import PassOptions, copied, due, fresh_arrays, last_weights, refuses_rows, walk
from widemargin.solve.start import begin_at, row_order

VARIANTS = {"pa": "hinge", "pa1": "hinge", "pa2": "squared_hinge"}


@dataclass(frozen=True)
class PassiveAggressive:
    """PA, PA-I (default) and PA-II; `C` = 1 / lambda is how far one row may move the weights."""

    variant: str = "pa1"
    C: Positive = 1.0
    evaluate: Count | None = None

    name: ClassVar[str] = "pa"
    cite: ClassVar[str] = "Crammer et al. 2006"
    certifies: ClassVar[bool] = False
    minimises: ClassVar[bool] = False
    limit: ClassVar[int] = 10  # T of the notes, when no stop says otherwise
    at_limit: ClassVar[Verdict] = Verdict.finished
    penalty: ClassVar[str] = "none"

    def __post_init__(self) -> None:
        check(self)
        if self.variant not in VARIANTS:
            raise unknown("passive-aggressive variant", self.variant, VARIANTS)

    @property
    def loss(self) -> str:
        """The loss that comes with the variant."""
        return VARIANTS[self.variant]

    @cached_property
    def farthest(self) -> Schedule:
        """The most that one row may move the weights."""
        return constant(1e300 if self.variant == "pa" else self.C)

    def refuses(self, problem: Problem) -> str | None:
        """The variant fixes the loss; the step itself is the regularisation."""
        objective = problem.objective
        if objective.loss.name != self.loss:
            return (
                f"passive-aggressive {self.variant!r} has the loss {self.loss!r}: leave loss out, or for "
                f"{objective.loss.name!r} use solver='sgd:implicit=True'"
            )
        if objective.alpha > 0:
            return "passive-aggressive has no penalty: leave penalty out, or use solver='sgd:implicit=True'"
        return refuses_rows(problem, self.name)

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """w = 0, or the warm point."""
        theta = problem.objective.zero(problem.source.d) if warm is None else begin_at(problem, warm)
        return State(theta, seed=seed, arrays=fresh_arrays(theta, average=False, pocket=False))

    def advance(self, problem: Problem, state: State) -> State:
        """One pass."""
        arrays = copied(state.arrays)
        loss = losses[self.loss]
        assert isinstance(loss, Loss)
        rate = problem.schedule or self.farthest
        order = row_order(problem, state.seed, state.iteration)
        mistakes, updates = walk(problem, arrays, PassOptions(loss, rate, implicit=True), order)
        theta = last_weights(arrays)
        value = errors = None
        if updates == 0 or due(problem, state.iteration + 1, self.evaluate):
            sums = problem.fold("value", theta)
            value, errors = sums.value, sums.errors
        return state.evolve(
            theta=theta, iteration=state.iteration + 1, passes=state.passes + 1, mistakes=mistakes, arrays=arrays,
            value=value, errors=errors, done="no_mistakes" if mistakes == updates == 0 else "",
            step=None if self.variant == "pa" else float(np.asarray(rate(1.0))),
        )  # fmt: skip

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """None: it does not minimise."""
        return None
