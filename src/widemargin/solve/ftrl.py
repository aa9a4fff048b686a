"""w_j = -soft(z_j, t l1) / ((beta + sqrt(n_j)) / eta + t l2),  n_j = sum g_j^2: FTRL-proximal.

z <- z + g - (change of sqrt(n) / eta) w.  McMahan et al. 2013: without a penalty it is AdaGrad's gradient descent, with
L1 it leaves far more exact zeros than that.  The penalty of t rows counts t times, as in the objective, a mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from widemargin._options import Count, Positive
from widemargin.solve.adaptive import Adaptive, Rates


@dataclass(frozen=True)
class FTRLProximal(Adaptive):
    """Follow the regularised leader; rates eta / (beta + sqrt(n_j)) per weight, `evaluate` as for sgd."""

    eta: Positive = 0.1
    beta: Positive = 1.0
    evaluate: Count | None = None

    name: ClassVar[str] = "ftrl"
    cite: ClassVar[str] = "McMahan et al. 2013"

    @property
    def rates(self) -> Rates:
        """Its own among the adaptive rates."""
        return Rates(self.eta, self.beta / self.eta, proximal=True)
