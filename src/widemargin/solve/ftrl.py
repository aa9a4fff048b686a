"""w_j = -soft(z_j, t l1) / ((beta + sqrt(n_j)) / eta + t l2),  n_j = sum g_j^2: FTRL-proximal.

z <- z + g - (change of sqrt(n) / eta) w.  McMahan et al. 2013: without a penalty it is AdaGrad's gradient descent, with
L1 it leaves far more exact zeros than that.  The penalty of t rows counts t times, as in the objective, a mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from widemargin._options import Count, Positive, check
from widemargin._types import F64
from widemargin.data.block import Block
from widemargin.errors import Verdict
from widemargin.objective import Theta
from widemargin.solve.adaptive import Rates, absorbed, begun, passed, refuses_stream
from widemargin.solve.protocol import Problem, State


@dataclass(frozen=True)
class FTRLProximal:
    """Follow the regularised leader; rates eta / (beta + sqrt(n_j)) per weight, `evaluate` as for sgd."""

    eta: Positive = 0.1
    beta: Positive = 1.0
    evaluate: Count | None = None

    name: ClassVar[str] = "ftrl"
    cite: ClassVar[str] = "McMahan et al. 2013"
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
        return Rates(self.eta, self.beta / self.eta, proximal=True)

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
