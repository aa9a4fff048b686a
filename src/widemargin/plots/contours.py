"""P(w, b) over a plane of parameters: the fit's own objective, added up by the code that fits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64
from widemargin.data.intake import Dataset, intake
from widemargin.errors import InputError, Refusal
from widemargin.fitting import Fit
from widemargin.objective import Theta
from widemargin.plots.reading import feature
from widemargin.run.local import Local
from widemargin.solve.protocol import Task

POINTS = 81  # along each side of the grid
Window = tuple[float, float, float, float]


class Plane(NamedTuple):
    """Two parameters of a fit, and the rows that it is a function of."""

    fit: Fit
    data: Dataset
    names: tuple[str, str]
    moves_b: bool  # the second parameter is the intercept

    def theta(self, at: F64) -> Theta:
        """The parameters at a point; an intercept that is not drawn stays at that of the fit."""
        if self.moves_b:
            return Theta(at[:1, None], at[1:])
        return Theta(at[:, None], self.fit.model.b)

    def point(self, W: F64, b: F64) -> F64:
        """Where weights lie in the plane."""
        return np.array([W[0, 0], b[0]]) if self.moves_b else W[:, 0].copy()

    def value(self, at: F64, penalty: bool) -> float:
        """The mean loss, with the penalty or without."""
        objective = self.fit.certificate.problem
        task = Task("value", self.theta(at))
        found = Local().fold(self.data.source, objective, task).value
        return float((found + objective.penalty_value(task.theta) if penalty else found).sum())

    def over(self, window: Window, penalty: bool) -> tuple[F64, F64, F64]:
        """The grid in both directions, and the value at each of its points."""
        left, right, bottom, top = window
        x, y = np.linspace(left, right, POINTS), np.linspace(bottom, top, POINTS)
        with np.errstate(over="ignore"):
            return x, y, np.array([[self.value(np.array([u, v]), penalty) for u in x] for v in y])


def plane(fit: Fit, X: Any, y: Any, *, sample_weight: Any = None, fixed: bool) -> Plane:
    """The two parameters of a fit; `fixed`: a free intercept may stay where it is."""
    if not isinstance(fit, Fit):
        raise Refusal(f"contours need the objective, and {type(fit).__name__} has none: pass what wm.fit returns.")
    data = intake(X, y, sample_weight=sample_weight)
    model = fit.model
    if data.source.d != len(model.W):
        raise InputError(
            f"X has {data.source.d} columns; the model was fitted on {len(model.W)}. Pass those of the fit."
        )
    d, K = model.W.shape
    moves_b = d == 1 and fit.certificate.problem.intercept != "none"
    if K > 1 or (d != 2 and not moves_b) or (d == 2 and not fixed and fit.certificate.problem.intercept != "none"):
        raise Refusal(
            f"contours show two parameters, and this fit has {d * K} weights"
            f"{'' if fit.certificate.problem.intercept == 'none' else ' beside its intercept'}: fit two columns with "
            "intercept=False, or one column; plots.step_sizes shows descent in any dimension."
        )
    return Plane(fit, data, (feature(model, 0), "b" if moves_b else feature(model, 1)), moves_b)


def around(points: F64, room: float = 0.25) -> Window:
    """A square window that holds all points, with some room."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = max(float((high - low).max()), 1e-9 * float(np.abs(points).max()), 1e-300) * (0.5 + room)
    u, v = (low + high) / 2
    return float(u - half), float(u + half), float(v - half), float(v + half)
