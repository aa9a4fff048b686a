"""What AdaGrad and FTRL-proximal share: sums of slopes per weight, walked row by row, and weights as functions of them.

Nothing is kept per row, so that rows may come from a stream: `absorb` takes them block by block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin import _core
from widemargin._options import Count, check
from widemargin._types import F64, I64
from widemargin.data.block import Block
from widemargin.errors import Verdict
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.solve.protocol import Problem, State, judged
from widemargin.solve.rowwise import copied, due, refuses_rows
from widemargin.solve.start import row_order
from widemargin.solve.watch import pieces


@dataclass(frozen=True)
class Rates:
    """eta, and how slow a weight is before any slope was seen."""

    eta: float
    start: float
    proximal: bool


def refuses_stream(problem: Problem, name: str) -> str | None:
    """Losses of the registry with a slope, penalties of L1 and L2 alike on all columns."""
    objective = problem.objective
    if problem.recorder is not None:
        return f"{name} keeps no record of single steps: leave out trace='steps', or use solver='sgd'"
    if not objective.loss.convex and not objective.loss.smooth:
        return f"loss {objective.loss.name!r} has no slope to descend: use a surrogate, as loss='logistic' or 'hinge'"
    if objective.shares is None:
        return (
            f"{name} knows the penalties l1, l2, elastic_net and none, not {objective.penalty.text!r}: use solver='gd'"
        )
    return refuses_rows(problem, name)


def begun(problem: Problem, seed: int) -> State:
    """No row seen: w = 0."""
    K, d = problem.objective.K, problem.source.d
    arrays = {"Z": np.zeros((K, d)), "N": np.zeros((K, d)), "zb": np.zeros(K), "nb": np.zeros(K), "t": np.zeros(1)}
    return State(problem.objective.zero(d), seed=seed, arrays=arrays)


def weights(problem: Problem, arrays: dict[str, F64], rates: Rates) -> Theta:
    """W and b after t rows."""
    objective, t = problem.objective, float(arrays["t"][0])
    Z, slow = arrays["Z"], rates.start + np.sqrt(arrays["N"]) / rates.eta
    W = (np.clip(Z, -t * objective.l1, t * objective.l1) - Z) / (slow + t * objective.l2)
    b = -arrays["zb"] / (rates.start + np.sqrt(arrays["nb"]) / rates.eta)
    return Theta(np.ascontiguousarray(W.T), b)


def absorbed(problem: Problem, state: State, block: Block, rates: Rates, order: I64 | None = None) -> State:
    """The state after the rows of a block, in order unless told: a stream's rows come once."""
    objective, source, arrays = problem.objective, problem.source, copied(state.arrays)
    assert not isinstance(objective.loss, CallableLoss)
    order = np.arange(block.X.n) if order is None else order
    mean, mistakes = source.total_weight / source.n, state.mistakes or 0
    for part in pieces(len(order), block.X.nnz * objective.K / max(1, block.X.n)):
        problem.poll()
        t, wrong, _ = _core.adaptive_pass(
            block.X.core, objective.loss.index, objective.multiclass, block.y, block.s, block.o, mean, order[part],
            arrays["Z"], arrays["N"], arrays["zb"], arrays["nb"], rates.eta, rates.start, objective.l1, objective.l2,
            rates.proximal, objective.intercept == "free", int(arrays["t"][0]),
        )  # fmt: skip
        arrays["t"][0], mistakes = t, mistakes + wrong
    theta = weights(problem, arrays, rates)
    done = "" if np.isfinite(theta.W).all() and np.isfinite(theta.b).all() else "diverged"
    return state.evolve(
        theta=theta, passes=state.passes + len(order) / source.n, mistakes=mistakes, arrays=arrays, value=None,
        errors=None, bound=None, done=done,
    )  # fmt: skip


def passed(problem: Problem, state: State, rates: Rates, every: int | None) -> State:
    """One pass over all rows, block by block, and a look at the objective now and then."""
    state = state.evolve(iteration=state.iteration + 1, mistakes=0)
    for block in problem.source.parts():
        order = row_order(problem, state.seed, state.iteration - 1, rows=block)
        state = absorbed(problem, state, block, rates, order)
    if due(problem, state.iteration, every):
        state = judged(problem, state, problem.fold("gradient", state.theta))
        state.passes += 1
    return state


class Adaptive:
    """A solver that is told by its rates alone."""

    evaluate: Count | None

    name: ClassVar[str]
    certifies: ClassVar[bool] = False
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 100
    blockwise: ClassVar[bool] = True
    at_limit: ClassVar[Verdict] = Verdict.passes

    def __post_init__(self) -> None:
        check(self)

    @property
    def rates(self) -> Rates:
        """Its own among the adaptive rates."""
        raise NotImplementedError

    def refuses(self, problem: Problem) -> str | None:
        """Losses of the registry, penalties of L1 and L2."""
        return refuses_stream(problem, self.name)

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """w = 0: the weights are what the sums make of them, so that a warm point has no place."""
        return begun(problem, seed)

    def absorb(self, problem: Problem, state: State, block: Block) -> State:
        """The rows of a block, once."""
        return absorbed(problem, state, block, self.rates)

    def advance(self, problem: Problem, state: State) -> State:
        """One pass."""
        return passed(problem, state, self.rates, self.evaluate)

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """None of its own."""
        return None
