"""Passes of stochastic steps as scikit-learn makes them, on one margin a row, until several in a row do not improve.

w <- (1 - eta a (1 - rho)) w - eta s l'(z) y x, then cumulative L1 (Tsuruoka, Tsujii, Ananiadou 2009); averages; PA-I
and PA-II (Crammer et al. 2006).  A pass improves where the mean objective that its rows met falls by tol, or the
accuracy on rows held out rises by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from widemargin import _core
from widemargin._types import F64, I64
from widemargin.data.rows import Rows
from widemargin.loss import losses

# losses of y - f, by their numbers in the core beyond the list; then PA-II's
RESIDUAL = ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")
SPARSE_INTERCEPT = 0.01  # how fast b moves on sparse rows, whose columns are rarely seen and b always is


@dataclass(frozen=True)
class EpochPlan:
    """What is minimised, with which steps, and when to stop; `average` is the step at which averages begin, 0: none."""

    loss: str
    epsilon: float
    alpha: float
    l1_ratio: float | None  # None: no penalty
    intercept: bool
    schedule: str  # constant, adaptive, optimal, inverse, pa1, pa2
    eta: float
    power: float
    passes: int
    tol: float | None
    patience: int
    shuffle: bool
    average: int = 0

    @property
    def loss_index(self) -> int:
        """The number of the loss in the core."""
        if self.schedule == "pa2":
            return len(losses) + len(RESIDUAL)
        if self.loss in RESIDUAL:
            return len(losses) + RESIDUAL.index(self.loss)
        index: int = losses[self.loss].index
        return index

    def options(self, sparse: bool, watch: bool) -> _core.Epochs:
        """The plan as the core reads it."""
        penalty = 0.0 if self.l1_ratio is None else self.alpha
        l1 = penalty * (self.l1_ratio or 0.0)
        l2 = penalty - l1 if self.l1_ratio != 1.0 else 0.0
        passive = {"pa1": 1, "pa2": 2}.get(self.schedule, 0)
        return _core.Epochs(
            l1=l1, l2=l2, intercept=self.intercept, intercept_rate=SPARSE_INTERCEPT if sparse else 1.0,
            average_from=self.average or -1, passive=passive, watch=watch, watch_l1=0.0 if passive else l1,
            watch_l2=0.0 if passive else l2, most=self.passes, tol=-math.inf if self.tol is None else self.tol,
            patience=self.patience, schedule="constant" if passive else self.schedule, eta=self.eta, alpha=self.alpha,
            power=self.power, shuffled=self.shuffle,
        )  # fmt: skip


@dataclass
class Weights:
    """What passes change: the weights, and the mean of those met since averaging began, with their number."""

    w: F64
    b: F64
    mean_w: F64 | None = None
    mean_b: F64 | None = None
    averaged: int = 0


class Course(NamedTuple):
    """How the passes went: their number, and the objective, or the accuracy on rows held out, after each."""

    passes: int
    curve: F64
    finite: bool


def learn(
    plan: EpochPlan, rows: Rows, y: F64, s: F64 | None, held: I64 | None, start: Weights, steps: int, seed: int,
    on_pass: Callable[[int, float], None] | None = None, halted: Callable[[], bool] = lambda: False,
) -> Course:  # fmt: skip
    """Make the passes, in place; `steps` were made before, `held` are rows that only tell when to stop.

    A call that has `halted` ends with CancelledError after its pass: threads do not hear Ctrl-C themselves.
    """
    curve: list[float] = []
    watch = held is None and (plan.tol is not None or on_pass is not None)

    def heard(value: float) -> None:
        if halted():
            raise CancelledError
        if watch or held is not None:
            curve.append(value)
        if on_pass is not None:
            on_pass(len(curve), value)

    sums = None if start.mean_w is None or start.mean_b is None else (start.mean_w, start.mean_b)
    for total in sums or ():
        total *= start.averaged
    sum_w, sum_b = sums or (None, None)
    passes, added, finite = _core.sgd_epochs(
        plan.options(rows.sparse, watch), rows.core, plan.loss_index, plan.epsilon, y, s, held, start.w, start.b,
        sum_w, sum_b, steps, seed, heard,
    )  # fmt: skip
    start.averaged += added
    for total in sums or ():
        total /= max(1, start.averaged)
    return Course(passes, np.array(curve), finite)
