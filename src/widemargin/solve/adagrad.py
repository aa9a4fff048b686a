"""w_j = -eta soft(sum g_j, t l1) / (sqrt(sum g_j^2) + eta t l2): AdaGrad by dual averaging.

Duchi, Hazan, Singer 2011; Xiao 2010.  Columns that are rare or small move as far as those that are common or large, so
that no column has to be scaled; L1 leaves exact zeros.
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

TINY = 1e-12  # of the slowness: the first slope seen decides


@dataclass(frozen=True)
class AdaGrad:
    """AdaGrad; `eta` is how far the first row moves a weight, `evaluate` as for sgd."""

    eta: Positive = 0.1
    evaluate: Count | None = None

    name: ClassVar[str] = "adagrad"
    cite: ClassVar[str] = "Duchi, Hazan, Singer 2011; Xiao 2010"
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
        return Rates(self.eta, TINY, proximal=False)

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
