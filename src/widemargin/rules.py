"""From scores to labels: which class is predicted.

plain      f >= 0 (two classes), argmax_k f_k (more)
threshold  f >= t
offsets    argmax_k f_k + t_k
costs      argmin_j sum_i P(i) cost_ij, P from the model's link     Elkan 2001
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin._types import F64, I64
from widemargin.errors import OptionError

DIMENSIONS = {"threshold": 0, "offsets": 1, "costs": 2}


@dataclass(frozen=True, eq=False)
class Rule:
    """Which class a row is given; plain numbers, so that a model file can hold them."""

    kind: str
    values: F64  # (), (classes,) or (classes, classes)

    def __post_init__(self) -> None:
        if DIMENSIONS.get(self.kind) != np.ndim(self.values) or not np.isfinite(self.values).all():
            raise OptionError(f"a rule is one of {list(DIMENSIONS)} with finite values; got {self!r}")


def chosen(scores: F64, rule: Rule | None, link: Callable[[F64], F64]) -> I64:
    """The number of the class of each row of scores (n, K); a tie goes to the second of two, the first of more."""
    if rule is None:
        return (scores[:, 0] >= 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
    if rule.kind == "threshold":
        return (scores[:, 0] >= rule.values).astype(np.intp)
    if rule.kind == "offsets":
        return np.asarray((scores + rule.values).argmax(axis=1))
    return np.asarray((link(scores) @ rule.values).argmin(axis=1))
