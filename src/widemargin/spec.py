"""Spec: what is to be fitted, from names to objects.  Options are checked here, data at intake."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, cast

from widemargin.errors import OptionError, Refusal, unknown
from widemargin.loss import CallableLoss, Loss, as_loss
from widemargin.objective import Intercept, Multiclass, Objective
from widemargin.penalty import CallablePenalty, Penalty, as_penalty
from widemargin.schedules import Schedule
from widemargin.schedules import parse as parse_schedule
from widemargin.solve import solver_from
from widemargin.solve.protocol import Solver

INTERCEPTS = {True: "free", False: "none", "free": "free", "none": "none", "penalised": "penalised"}
MULTICLASS = ("auto", "ovr", "softmax", "crammer_singer")


@dataclass(frozen=True)
class Spec:
    """Checked options of a fit."""

    loss: Loss | CallableLoss
    penalty: Penalty | CallablePenalty
    alpha: float
    intercept: Intercept
    multiclass: str
    solver: Solver | None  # None: auto
    tol: float
    schedule: Schedule | None
    penalty_factor: Any = None  # what is said of single columns is checked where they are known
    bounds: Any = None
    scale: Any = False

    def objective(self, classes: int) -> Objective:
        """The objective for so many classes; two always use the binary form."""
        # where nothing is penalised, neither is the intercept
        intercept = "free" if self.alpha == 0 and self.intercept == "penalised" else self.intercept
        return Objective(
            self.loss, self.penalty, self.alpha, intercept, self._kind(classes), 1 if classes == 2 else classes
        )

    def _kind(self, classes: int) -> Multiclass:
        kind = self.multiclass
        if kind == "softmax" and self.loss.name != "logistic":
            raise Refusal(
                f"multiclass='softmax' is for loss='logistic'; with {self.loss.name!r} use 'ovr' or 'crammer_singer'"
            )
        if kind == "crammer_singer" and isinstance(self.loss, CallableLoss):
            raise Refusal("multiclass='crammer_singer' needs a loss of the registry; use 'ovr' for a callable loss")
        if classes == 2:
            return "binary"
        default = getattr(self.solver, "multiclass", "softmax" if self.loss.name == "logistic" else "ovr")
        return cast(Multiclass, default if kind == "auto" else kind)


def number(name: str, value: Any, low: float = 0.0, strict: bool = False) -> float:
    """A finite number not below (strictly above) low."""
    if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(float(value)):
        raise OptionError(f"{name} = {value!r}; expected a finite number")
    if float(value) < low or (strict and float(value) == low):
        raise OptionError(f"{name} = {value!r}; expected a number {'above' if strict else 'of at least'} {low:g}")
    return float(value)


def spec(
    *, loss: Any, penalty: Any, alpha: Any, intercept: Any, multiclass: Any, solver: Any, tol: Any, schedule: Any,
    penalty_factor: Any = None, bounds: Any = None, scale: Any = False,
) -> Spec:  # fmt: skip
    """Names to objects; what the caller left open takes what the solver is made for."""
    chosen = None if solver is None or solver == "auto" else solver_from(solver)
    if loss is None:
        loss = getattr(chosen, "loss", "logistic")
    if penalty is None:
        penalty = getattr(chosen, "penalty", "l2")
    if multiclass not in MULTICLASS:
        raise unknown("multiclass", multiclass, MULTICLASS)
    try:
        kind = INTERCEPTS[intercept]
    except (KeyError, TypeError):
        raise OptionError(f"intercept = {intercept!r}; expected True, False or 'penalised'") from None
    strength = number("alpha", alpha)
    found = as_penalty(penalty)
    if found.name == "none":
        strength = 0.0
    return Spec(
        as_loss(loss), found, strength, cast(Intercept, kind), multiclass, chosen,
        number("tol", tol, strict=True), None if schedule is None else parse_schedule(schedule),
        penalty_factor, bounds, scale,
    )  # fmt: skip
