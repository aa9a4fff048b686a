"""If y (w.x + b) <= 0: w <- w + eta y x, b <- b + eta y.  Rosenblatt 1958; Novikoff 1962.

The update is a stochastic step on the perceptron loss: the same pass as SGD's, with its own end and its variants:
averaged and voted (Freund, Schapire 1999), pocket (Gallant 1990).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin._options import Count, check
from widemargin._types import F64
from widemargin.errors import OptionError, Refusal, Verdict, unknown
from widemargin.loss import Loss, losses
from widemargin.objective import Theta
from widemargin.schedules import constant
from widemargin.solve.protocol import Problem, State
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
from widemargin.solve.start import begin_at, row_orders

MANY = 1000  # passes
ROWS_BETWEEN_EVENTS = 1_000_000
ROWS_AT_MOST = 200_000_000
UNIT = constant(1.0)
VARIANTS = ("plain", "averaged", "voted", "pocket")


@dataclass(frozen=True)
class Perceptron:
    """The perceptron; ends when a whole pass makes no mistake.

    `variant`: plain, averaged, voted (the averaged model, and `fit.votes`), pocket (the weights with the fewest errors
    among those with the longest runs).  `start`: "zero" or "random".  `evaluate`: passes between two counts of
    the errors (None: every pass on small data, then after 1, 2, 4, 8 ... passes).
    """

    variant: str = "plain"
    start: str = "zero"
    evaluate: Count | None = None

    name: ClassVar[str] = "perceptron"
    cite: ClassVar[str] = "Rosenblatt 1958; Freund, Schapire 1999; Gallant 1990"
    certifies: ClassVar[bool] = False
    minimises: ClassVar[bool] = False
    limit: ClassVar[int] = 10_000
    at_limit: ClassVar[Verdict] = Verdict.passes
    loss: ClassVar[str] = "perceptron"  # the defaults that come with the algorithm
    penalty: ClassVar[str] = "none"

    def __post_init__(self) -> None:
        check(self)
        if self.variant not in VARIANTS:
            raise unknown("perceptron variant", self.variant, VARIANTS)
        if self.start not in ("zero", "random"):
            raise OptionError(f"perceptron: start = {self.start!r}; expected 'zero' or 'random'")

        if self.votes and self.start != "zero":
            raise OptionError("perceptron: votes count from w = 0; expected start='zero'")

    @property
    def votes(self) -> bool:
        """Whether every update is recorded."""
        return self.variant == "voted"

    def refuses(self, problem: Problem) -> str | None:
        """The algorithm has its own loss and no penalty."""
        objective = problem.objective
        if objective.loss.name != "perceptron" or objective.multiclass == "softmax":
            return (
                f"the perceptron has its own loss; for loss={objective.loss.name!r} use solver='sgd', or leave loss out"
            )
        source = problem.source
        if self.votes and (source.classes > 2 or source.s is not None or source.o is not None):
            return "votes are for two classes without weights and offsets: use variant='averaged'"
        if objective.alpha > 0:
            return "the perceptron has no penalty: use loss='perceptron' with solver='sgd', or leave penalty out"
        return refuses_rows(problem, self.name)

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """w = 0, a random direction, or the warm point."""
        theta = problem.objective.zero(problem.source.d)
        if warm is not None and self.votes:
            raise Refusal("votes count from w = 0: leave warm out, or use variant='averaged'")
        if warm is not None:
            theta = begin_at(problem, warm)
        elif self.start == "random":
            W = np.random.default_rng([seed, 1]).standard_normal(theta.W.shape)
            theta = Theta(W / np.sqrt(max(1, problem.source.d)), theta.b)
        averaging = self.variant in ("averaged", "voted")
        arrays = fresh_arrays(theta, averaging, self.variant == "pocket")
        arrays["pocket_errors"] = np.array([np.inf])
        return State(theta, seed=seed, arrays=arrays)

    def advance(self, problem: Problem, state: State) -> State:
        """One pass; after the first thousand, more and more between two events."""
        arrays = copied(state.arrays)
        loss = losses["perceptron"]
        assert isinstance(loss, Loss)
        averaging = self.variant in ("averaged", "voted")
        options = PassOptions(loss, problem.schedule or UNIT, average_from=0 if averaging else -1)
        passes = state.passes
        for order in row_orders(problem, state.seed, int(passes), strides(problem, state)):
            mistakes, updates = walk(problem, arrays, options, order)
            passes += 1
            if mistakes == updates == 0:
                break
        theta = last_weights(arrays)
        done = "no_mistakes" if mistakes == updates == 0 else ("" if hopeful(problem, passes, mistakes) else "passes")
        if averaging and done != "no_mistakes":  # what separates needs no averaging
            theta = average(arrays)
        if self.variant == "pocket" and mistakes > 0:
            theta = self._pocket(problem, arrays)
        following = state.evolve(
            theta=theta, iteration=state.iteration + 1, passes=passes, mistakes=mistakes, arrays=arrays,
            done=done, value=None, errors=None, step=last_step(options.schedule, arrays),
        )  # fmt: skip
        if done or due(problem, following.iteration, self.evaluate):
            sums = problem.fold("value", theta)
            following.value, following.errors = sums.value, sums.errors
        return following

    def _pocket(self, problem: Problem, arrays: dict[str, F64]) -> Theta:
        """The ratchet: the pocket changes hands only for fewer errors."""
        last = Theta(arrays["W"].copy(), arrays["b"].copy())
        longest = Theta(arrays["pocket_W"].copy(), arrays["pocket_b"].copy())
        for candidate in (longest, last):
            errors = float(problem.fold("value", candidate).errors.sum())
            if errors < arrays["pocket_errors"][0]:
                arrays["pocket_errors"] = np.array([errors])
                arrays["best_W"], arrays["best_b"] = candidate.W, candidate.b
        return Theta(arrays["best_W"].copy(), arrays["best_b"].copy())

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """None: it does not minimise."""
        return None


def strides(problem: Problem, state: State) -> int:
    """Passes until the next event: data that need hundreds of thousands are small, and each pass is short."""
    if state.passes < MANY:
        return 1
    return max(1, min(int(state.passes) // 100, ROWS_BETWEEN_EVENTS // problem.source.n))


def hopeful(problem: Problem, passes: float, mistakes: int) -> bool:
    """Whether to go on unasked: after a thousand passes only while few rows are misjudged, and never without end."""
    if problem.patient or passes < MANY:
        return True
    return mistakes * 30 <= problem.source.n and passes * problem.source.n <= ROWS_AT_MOST
