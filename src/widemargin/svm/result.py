"""What a margin programme's solution is: hyperplane, margin 1/||w||, support vectors, duals, slacks, and the proof.

Karush-Kuhn-Tucker: w = sum lambda y x, sum lambda y = 0;  y (w.x + b) >= 1 - xi, xi >= 0;  0 <= lambda <= u;
lambda (y (w.x + b) - 1 + xi) = 0, (u - lambda) xi = 0.  P - D is the sum of the products in the last line, where the
first holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64
from widemargin.errors import Verdict
from widemargin.model import Model
from widemargin.objective import Intercept
from widemargin.verify import Verification

ON_MARGIN = 1e-6  # slack up to which a support vector counts as on the margin


class Conditions(NamedTuple):
    """The largest failure of each condition, in units that no scaling of X changes."""

    stationarity: float  # ||w - sum lambda y x|| / sqrt(2 P); |sum lambda y| / sum lambda
    primal: float  # of a margin; margins are measured in units of 1 / ||w||
    dual: float  # / max lambda
    complementarity: float  # of one row's product / P

    @property
    def worst(self) -> float:
        """The largest of them."""
        return max(self)


class SupportKinds(NamedTuple):
    """Row numbers of support vectors."""

    on_margin: I64  # xi = 0
    inside: I64  # 0 < xi < 1: right, but within the margin
    wrong: I64  # xi >= 1: on the other side, or on the hyperplane


class Point(NamedTuple):
    """A pair of primal and dual points of one programme."""

    w: F64
    b: float
    slacks: F64
    duals: F64


@dataclass(frozen=True, eq=False)
class SVM:
    """The solution of a hard or soft margin programme, in the programme's own units."""

    model: Model
    kind: str  # "hard" or "soft"
    C: float  # inf for the hard margin
    intercept: Intercept
    objective: float  # 1/2 ||w||^2 + C sum s xi
    lower_bound: float
    relative_gap: float
    margin: float  # 1 / ||w||
    support: I64  # rows with lambda > 0
    duals: F64  # (n,) lambda in [0, C s]
    slacks: F64  # (n,) xi
    kkt: Conditions
    verdict: Verdict
    solver: str

    @property
    def kinds(self) -> SupportKinds:
        """Which support vectors are on the margin, inside it, or wrong."""
        xi = self.slacks[self.support]
        on, wrong = xi <= ON_MARGIN, xi >= 1
        return SupportKinds(self.support[on], self.support[~on & ~wrong], self.support[wrong])

    def verify(self, X: Any, y: Any, *, sample_weight: Any = None, class_weight: Any = None) -> Verification:
        """Recompute everything from the data in plain NumPy, and say what does not agree."""
        from widemargin.svm.checking import check

        return check(self, X, y, sample_weight=sample_weight, class_weight=class_weight)

    def __repr__(self) -> str:
        on, inside, wrong = (len(rows) for rows in self.kinds)
        what = "hard margin" if self.kind == "hard" else f"soft margin, C = {self.C:g}"
        return (
            f"SVM({what}: margin {self.margin:.6g}, {len(self.support)} support vectors ({on} on the margin, {inside} "
            f"inside, {wrong} wrong), objective {self.objective:.9g}, relative gap {self.relative_gap:.2g})"
        )


def conditions(M: Any, y: F64, upper: F64, intercept: Intercept, at: Point) -> Conditions:
    """How far a point is from each condition."""
    w, b, xi, duals = at
    signed = duals * y
    total, residual = float(duals.sum()), w - np.asarray(M.T @ signed)
    z = y * (np.asarray(M @ w) + b)
    penalised = intercept == "penalised"
    P, _ = objectives(M, y, upper, intercept, at)
    scale = float(np.sqrt(2 * P)) if P > 0 else 1.0
    equality = signed.sum() - b if penalised else signed.sum() if intercept == "free" else 0.0
    on_b = abs(equality) / (scale if penalised else total) if total > 0 else 0.0
    room = np.where(xi > 0, upper - duals, 0.0)
    products = np.maximum(np.abs(duals * (z - 1 + xi)), np.abs(room * xi))
    top = float(duals.max(initial=0.0))
    return Conditions(
        float(max(np.linalg.norm(residual) / scale, on_b)),
        max(0.0, float(np.max(1 - xi - z)), float(np.max(-xi))),
        max(0.0, float(np.max(-duals)), float(np.max(duals - upper))) / (top if top > 0 else 1.0),
        float(products.max()) / (P if P > 0 else 1.0),
    )


def objectives(M: Any, y: F64, upper: F64, intercept: Intercept, at: Point) -> tuple[float, float]:
    """P and D at a point."""
    w, b, xi, duals = at
    v, excess = np.asarray(M.T @ (duals * y)), float((duals * y).sum())
    size, bound = float(w @ w), float(v @ v)
    if intercept == "penalised":
        size, bound = size + b * b, bound + excess * excess
    lost = xi > 0
    return 0.5 * size + float(upper[lost] @ xi[lost]), float(duals.sum()) - 0.5 * bound
