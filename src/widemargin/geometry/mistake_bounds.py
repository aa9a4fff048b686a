r"""How many mistakes a perceptron can make: updates <= (R / gamma)^2.  Novikoff 1962.

From w = 0 at a constant rate, each mistake adds at least gamma to w.u and at most R^2 to ||w||^2, where u is a unit
vector with y u.x >= gamma in every row and R = max ||x||.  With an intercept x is (x, 1) and u is (w, b) / ||(w, b)||.

The lecture notes write (2R / gamma)^2, R the radius of the smallest ball around the data and gamma the margin of (w, b)
over ||w||.  Without intercept and with the origin in that ball max ||x|| <= 2R, so it follows.  Otherwise it does not:
x = c - 1 and x = c + 1 have R = gamma = 1, so it says 4, whatever c is, and the perceptron's mistakes grow with c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin import _core
from widemargin.errors import InputError, InputTypeError, Refusal
from widemargin.events import Trace
from widemargin.geometry.ball import enclosing_ball
from widemargin.geometry.hyperplane import Hyperplane, hyperplane, points
from widemargin.geometry.margins import functional_margin, geometric_margin


@dataclass(frozen=True)
class MistakeBound:
    """A bound on updates, what it is made of, whether it applies, and what a perceptron did."""

    bound: float
    radius: float
    margin: float
    applies: bool
    reason: str  # why, or why not
    mistakes: int | None = None  # of the fit that was given

    @property
    def holds(self) -> bool | None:
        """Whether no more mistakes were made than the bound allows; None: no fit was given."""
        return None if self.mistakes is None else self.mistakes <= self.bound * (1 + 1e-9)


def novikoff_bound(plane: Any, X: Any, y: Any, *, intercept: bool = True, perceptron: Any = None) -> MistakeBound:
    """max ||x||^2 / gamma^2 over a separating hyperplane; x is (x, 1) and w is (w, b) with an intercept.

    Any hyperplane that separates gives a bound; `hard_margin(X, y, intercept="penalised")` gives the best, or
    intercept=False without.  perceptron: a fit whose mistakes are put beside it (zero start, constant rate).
    """
    found = _binary(plane, intercept)
    extended = np.append(found.W[:, 0], found.b[0] if intercept else 0.0)
    top = float(np.abs(extended).max()) or 1.0
    length = top * float(np.linalg.norm(extended / top))
    margin = _separating(float(functional_margin(found, X, y, of="set"))) / length
    rows = points(X, found).rows
    norms = np.empty(rows.n)
    _core.sqnorms(rows.core, norms)
    radius = float(np.sqrt(norms.max() + (1.0 if intercept else 0.0)))
    reason = "from w = 0, at a constant rate, on these rows in any order"
    return MistakeBound((radius / margin) ** 2, radius, margin, True, reason, _mistakes(perceptron))


def notes_bound(plane: Any, X: Any, y: Any, *, intercept: bool = True, perceptron: Any = None) -> MistakeBound:
    """(2R / gamma)^2 as in the lecture notes, and whether it is a bound here."""
    found = _binary(plane, intercept)
    margin = _separating(float(geometric_margin(found, X, y, of="set")))
    ball = enclosing_ball(X)
    inside = ball.contains(np.zeros(len(ball.centre)))
    applies = inside and not intercept
    if applies:
        reason = "there is no intercept and the ball holds the origin, so no row is further than 2R from it"
    elif intercept:
        reason = "with an intercept the perceptron sees (x, 1), not x: use novikoff_bound"
    else:
        reason = "the origin lies outside the ball, so rows may be further than 2R from it: use novikoff_bound"
    return MistakeBound((2 * ball.radius / margin) ** 2, ball.radius, margin, applies, reason, _mistakes(perceptron))


def _binary(plane: Any, intercept: bool) -> Hyperplane:
    found = hyperplane(plane)
    K = found.W.shape[1]
    if K > 1:
        raise Refusal(f"the bound is for two classes; the model has {K} hyperplanes: pass one as (w, b).")
    if not intercept and found.b[0] != 0:
        raise Refusal(
            "the hyperplane has an intercept, and a perceptron without one cannot reach it: pass intercept=True, or a "
            "hyperplane with b = 0, as from wm.hard_margin(X, y, intercept=False)."
        )
    return found


def _separating(margin: float) -> float:
    if not margin > 0:
        raise InputError(
            f"the hyperplane leaves a margin of {margin:.6g}: it does not separate the classes, and bounds nothing. "
            "Pass one that does, as from wm.hard_margin(X, y)."
        )
    return margin


def _mistakes(perceptron: Any) -> int | None:
    """All mistakes of all passes that a fit recorded."""
    if perceptron is None:
        return None
    trace = getattr(perceptron, "trace", None)
    counts = trace.columns("mistakes") if isinstance(trace, Trace) else np.array([-1])
    if (counts < 0).any() or len(counts) == 0:
        raise InputTypeError("perceptron has no record of mistakes; expected a fit made with solver='perceptron'.")
    return int(counts.sum())
