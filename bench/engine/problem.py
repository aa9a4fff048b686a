"""min_w  mean l(y w.x) + alpha R(w): one problem, and what its name says.

A name is data_family_strength, as in S1s_l2log_C100: the strength is C (alpha = 1 / (C n)) or a fraction of the
alpha from which on w = 0 is optimal.  "f32" after the data stores them in float32; "_b" at the end adds a free
intercept, which fewer peers can do.  A path has its numbers of strengths and of folds there: D3_l1path_100x5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

LEVELS = tuple(10.0**-k for k in range(2, 10))


@dataclass(frozen=True)
class Grid:
    """A path with cross-validation: strengths in geometric order, each on the rows outside each fold."""

    count: int
    folds: int
    span: float  # the last strength over the first

    def strengths(self, first: float) -> Any:
        """All of them."""
        return first * np.geomspace(1.0, self.span, self.count)

    def training(self, n: int) -> list[Any]:
        """The rows outside each fold; a fold is every so-manieth row."""
        return [np.flatnonzero(np.arange(n) % self.folds != k) for k in range(self.folds)]


@dataclass(frozen=True)
class Family:
    """Loss and penalty that problems share."""

    code: str
    loss: str
    penalty: str
    title: str
    target: dict[str, float]  # data -> largest ratio to the fastest peer that is aimed at
    members: dict[str, tuple[str, ...]]  # problem -> contenders that were fast on it when it was chosen
    l1_ratio: float = 0.0
    multiclass: bool = False
    first: str = ""  # of a path, the first strength
    span: float = 1.0  # and the last over the first


@dataclass(frozen=True)
class Problem:
    """A family on a data set at a strength."""

    name: str
    data: str
    storage: str
    family: Family
    strength: float
    in_c: bool
    intercept: bool
    grid: Grid | None = None

    @property
    def loss(self) -> str:
        """Name of the loss."""
        return self.family.loss

    @property
    def penalty(self) -> str:
        """Name of the penalty."""
        return self.family.penalty

    @property
    def l1_ratio(self) -> float:
        """Share of L1 in the penalty."""
        return self.family.l1_ratio

    @property
    def target(self) -> float | None:
        """The largest ratio to the fastest peer that is aimed at."""
        return self.family.target.get(self.data)

    def alpha(self, X: Any, y: Any) -> float:
        """The strength in front of the penalty, the loss being a mean."""
        return 1.0 / (self.strength * len(y)) if self.in_c else self.strength * alpha_max(self, X, y)


def alpha_max(problem: Problem, X: Any, y: Any) -> float:
    """max_j |g_j| / l1_ratio, g the logistic gradient at w = 0 (with the best intercept where there is one)."""
    share = (y > 0).mean() if problem.intercept else 0.5
    residual = ((y > 0) - share) / len(y)
    return float(np.abs(X.T @ residual).max() / problem.l1_ratio)


def parse(name: str, families: dict[str, Family]) -> Problem:
    """The problem of a name."""
    parts = name.split("_")
    intercept = parts[-1] == "b"
    if len(parts) != 3 + intercept or parts[1] not in families:
        raise SystemExit(f"bench: {name} is no problem; names are data_family_strength, as in S1s_l2log_C1")
    data, code, strength = parts[:3]
    family, grid = families[code], None
    if family.first:
        count, folds = strength.split("x")
        strength, grid = family.first, Grid(int(count), int(folds), family.span)
    storage = "float32" if data.endswith("f32") else "float64"
    number = float(strength.removeprefix("C"))
    in_c = strength.startswith("C")
    return Problem(name, data.removesuffix("f32"), storage, family, number, in_c, intercept, grid)
