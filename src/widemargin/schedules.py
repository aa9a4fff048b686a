"""Schedules: the step size eta_t of step t = 1, 2, ..., as a function of t alone.

w_{t+1} = w_t - eta_t g_t.  Robbins and Monro 1951: sum eta_t = inf and sum eta_t^2 < inf suffice.
A rule is one class and one line in the list at the end; its class is called like a function.
"""

# A rule is written and read back as its class: power(eta0=1.0, p=0.75).
# ruff: noqa: N801

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, overload

import numpy as np

from widemargin import _series
from widemargin._options import Count, Fraction, NonNegative, Positive, build, check
from widemargin._series import RobbinsMonro
from widemargin._types import F64
from widemargin.errors import OptionError, Refusal

SMALLEST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Schedule(ABC):
    """eta_t, positive and finite: a float for a number t, an array for an array of t."""

    needs_curvature: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check(self)
        if not self.needs_curvature and not math.isfinite(self(1)):
            raise OptionError(f"{self!r}: the first step is infinite; choose numbers that are less extreme.")

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: F64) -> F64: ...
    def __call__(self, t: float | F64) -> float | F64:
        """The step size; never below the smallest normal float64, so that it stays positive."""
        # a number goes the way of an array of one: NumPy's own powers differ in the last bit between the two
        count = np.array(t, dtype=np.float64, ndmin=1, copy=None)
        if not np.all(count >= 1.0):
            raise OptionError(f"t = {t!r}: the steps are counted from 1.")
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            eta = np.maximum(self._eta(count), SMALLEST)
        return eta if np.ndim(t) else float(eta[0])

    @abstractmethod
    def _eta(self, t: F64) -> F64:
        """The formula, element by element."""

    def _sums(self) -> RobbinsMonro:
        """The two conditions for this family; nothing is known of a function in general."""
        return _series.unknown()

    def resolve(self, curvature: float) -> Schedule:
        """The schedule for an objective whose second derivative is at most `curvature`."""
        return self


@dataclass(frozen=True)
class constant(Schedule):
    """eta_t = eta."""

    eta: Positive

    def _eta(self, t: F64) -> F64:
        return np.full_like(t, self.eta)

    def _sums(self) -> RobbinsMonro:
        return _series.flat("the steps never shrink")


@dataclass(frozen=True)
class harmonic(Schedule):
    """eta_t = 1 / (t + shift).  Robbins and Monro 1951."""

    shift: NonNegative = 0.0

    def _eta(self, t: F64) -> F64:
        return 1.0 / (t + self.shift)

    def _sums(self) -> RobbinsMonro:
        return _series.powers(1.0)


@dataclass(frozen=True)
class inverse(Schedule):
    """eta_t = 1 / (alpha t).  Shalev-Shwartz et al. 2011 (Pegasos)."""

    alpha: Positive

    def _eta(self, t: F64) -> F64:
        return 1.0 / (self.alpha * t)

    def _sums(self) -> RobbinsMonro:
        return _series.powers(1.0)


@dataclass(frozen=True)
class optimal(Schedule):
    """eta_t = 1 / (alpha (t0 + t - 1)); t0 = alpha^(-3/4) unless given, as in scikit-learn.  Bottou 2012."""

    alpha: Positive
    t0: Positive | None = None

    def _eta(self, t: F64) -> F64:
        # Bottou: the first step, 1 / (alpha t0), is the size alpha^(-1/4) that w should have.
        t0 = 1.0 / (math.sqrt(1.0 / math.sqrt(self.alpha)) * self.alpha) if self.t0 is None else self.t0
        return 1.0 / (self.alpha * (t0 + t - 1.0))

    def _sums(self) -> RobbinsMonro:
        return _series.powers(1.0)


@dataclass(frozen=True)
class power(Schedule):
    """eta_t = eta0 / t^p.  Polyak and Juditsky 1992 (1/2 < p < 1, with averaging)."""

    eta0: Positive
    p: Positive

    def _eta(self, t: F64) -> F64:
        return self.eta0 / np.power(t, self.p)

    def _sums(self) -> RobbinsMonro:
        return _series.powers(self.p)


@dataclass(frozen=True)
class inverse_sqrt(Schedule):
    """eta_t = eta0 / sqrt(t).  Zinkevich 2003."""

    eta0: Positive

    def _eta(self, t: F64) -> F64:
        return self.eta0 / np.sqrt(t)

    def _sums(self) -> RobbinsMonro:
        return _series.powers(0.5)


@dataclass(frozen=True)
class exponential(Schedule):
    """eta_t = eta0 decay^(t - 1).  Goffin 1977."""

    eta0: Positive
    decay: Fraction

    def _eta(self, t: F64) -> F64:
        return self.eta0 * np.power(self.decay, t - 1.0)

    def _sums(self) -> RobbinsMonro:
        return _series.geometric("the steps are a geometric series")


@dataclass(frozen=True)
class step_decay(Schedule):
    """eta_t = eta0 drop^floor((t - 1) / every).  Ge et al. 2019."""

    eta0: Positive
    drop: Fraction
    every: Count

    def _eta(self, t: F64) -> F64:
        return self.eta0 * np.power(self.drop, np.floor((t - 1.0) / self.every))

    def _sums(self) -> RobbinsMonro:
        return _series.geometric(f"the steps are a geometric series, each term {self.every} times")


@dataclass(frozen=True)
class cosine(Schedule):
    """eta_t = eta0 (1 + cos(pi (min(t, total) - 1) / total)) / 2.  Loshchilov and Hutter 2017."""

    eta0: Positive
    total: Count

    def _eta(self, t: F64) -> F64:
        # (1 + cos x) / 2 = cos^2(x / 2) without the cancellation near x = pi
        half = np.cos((np.minimum(t, self.total) - 1.0) * (0.5 * math.pi / self.total))
        return self.eta0 * half * half

    def _sums(self) -> RobbinsMonro:
        return _series.flat(f"after {self.total} steps the step stays as it is")


@dataclass(frozen=True)
class inverse_curvature(Schedule):
    """eta_t = 1 / L, L the largest curvature of the objective; the solver puts L in.  Nesterov 2004."""

    needs_curvature: ClassVar[bool] = True

    def _eta(self, t: F64) -> F64:
        raise Refusal("inverse_curvature() has no value before L is known: call .resolve(L) first.")

    def _sums(self) -> RobbinsMonro:
        return _series.flat("the steps never shrink")

    def resolve(self, curvature: float) -> Schedule:
        """constant(1 / L); any step will do where L = 0, since the gradient is the same everywhere."""
        if not 0.0 <= curvature < math.inf:
            raise Refusal(
                f"schedule 'inverse_curvature' needs a finite curvature, and here L = {curvature!r}. "
                "Use a loss such as 'logistic' or 'smooth_hinge', a decaying schedule, or backtracking."
            )
        return constant(1.0 / curvature if curvature > 0.0 else 1.0)


@dataclass(frozen=True)
class custom(Schedule):
    """eta_t = function(t), called once for each t, with an int."""

    function: Callable[[int], float]

    def _eta(self, t: F64) -> F64:
        return np.array([self._step(int(count)) for count in t.flat], dtype=np.float64).reshape(t.shape)

    def _step(self, t: int) -> float:
        eta = self.function(t)
        try:
            value = float(eta)
        except (TypeError, ValueError):
            value = math.nan
        if not 0.0 < value < math.inf:
            raise OptionError(f"the schedule gave {eta!r} for t = {t}; a step is a positive, finite number.")
        return value


schedules: Mapping[str, type[Schedule]] = {
    family.__name__: family
    for family in (
        constant,
        cosine,
        exponential,
        harmonic,
        inverse,
        inverse_curvature,
        inverse_sqrt,
        optimal,
        power,
        step_decay,
    )
}


def parse(value: str | Schedule | Callable[[int], float]) -> Schedule:
    """A schedule from itself, from text such as "inverse:0.01" or "power:1,0.75", or from a function of t."""
    if isinstance(value, Schedule):
        return value
    if isinstance(value, str):
        return build("schedule", value, schedules)
    if isinstance(value, type):
        raise OptionError(f"schedule {value.__name__} came without its numbers: write {value.__name__}(...).")
    if callable(value):
        return custom(value)
    raise OptionError(
        f"schedule {value!r} is neither a rule, a text nor a function of t; for a fixed step write constant(0.1)."
    )


def robbins_monro(schedule: str | Schedule | Callable[[int], float]) -> RobbinsMonro:
    """Whether sum eta_t = inf and sum eta_t^2 < inf: proved, refuted or undecidable.  Robbins and Monro 1951.

    Speaks of the formula in real numbers, not of its rounding to float64.
    """
    return parse(schedule)._sums()
