"""w_j = -eta soft(sum g_j, t l1) / (sqrt(sum g_j^2) + eta t l2): AdaGrad by dual averaging.

Duchi, Hazan, Singer 2011; Xiao 2010.  Columns that are rare or small move as far as those that are common or large, so
that no column has to be scaled; L1 leaves exact zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from widemargin._options import Count, Positive
from widemargin.solve.adaptive import Adaptive, Rates

TINY = 1e-12  # of the slowness: the first slope seen decides


@dataclass(frozen=True)
class AdaGrad(Adaptive):
    """AdaGrad; `eta` is how far the first row moves a weight, `evaluate` as for sgd."""

    eta: Positive = 0.1
    evaluate: Count | None = None

    name: ClassVar[str] = "adagrad"
    cite: ClassVar[str] = "Duchi, Hazan, Singer 2011; Xiao 2010"

    @property
    def rates(self) -> Rates:
        """Its own among the adaptive rates."""
        return Rates(self.eta, TINY, proximal=False)
