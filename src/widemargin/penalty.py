"""Penalties R(w), never of b: every fact about one is read from the core's list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.errors import InputError, OptionError, Refusal
from widemargin.loss import Registry


def _vector(w: Any) -> F64:
    return np.ascontiguousarray(w, dtype=np.float64).reshape(-1)


@dataclass(frozen=True)
class Penalty:
    """One penalty of the core's list, at one value of its parameter (if it has one)."""

    index: int
    name: str
    tex: str
    reference: str
    summary: str
    parameter: str  # the parameter's name, or ""
    standard: float
    low: float
    high: float
    has_conjugate: bool
    at: float  # the parameter's value
    convex: bool = field(init=False)
    norm: bool = field(init=False)  # convex and positively homogeneous: its conjugate is 0 on the dual ball
    separable: bool = field(init=False)  # a sum over coordinates
    smooth: bool = field(init=False)  # differentiable everywhere
    shares: tuple[float, float] | None = field(init=False)  # (l1, l2) if R is l1 |w|_1 + l2 |w|^2 / 2

    def __post_init__(self) -> None:
        *facts, l1, l2 = _core.penalty_at(self.index, self.at)
        for name, fact in zip(("convex", "norm", "separable", "smooth"), facts, strict=True):
            object.__setattr__(self, name, fact)
        object.__setattr__(self, "shares", None if np.isnan(l1) else (l1, l2))

    def __call__(self, *value: float | str, **named: float | str) -> Penalty:
        """The same penalty at another parameter: elastic_net(l1_ratio=0.2)."""
        if not self.parameter:
            raise OptionError(f"penalty {self.name!r} takes no parameter")
        if len(value) + len(named) != 1 or any(key != self.parameter for key in named):
            raise OptionError(f"penalty {self.name!r} takes one parameter, {self.parameter}=...")
        given = (*value, *named.values())[0]
        try:
            at = float(given)
        except (TypeError, ValueError):
            raise OptionError(f"{self.name}: {self.parameter} must be a number; {given!r} is not a number") from None
        if not self.low <= at <= self.high:
            raise OptionError(f"{self.name}: {self.parameter} must lie in [{self.low}, {self.high}]; got {at}")
        return replace(self, at=at)

    @cached_property
    def exponent(self) -> float | None:
        """p if R is ||w||_p, p >= 1; else None."""
        two = self.value([1.0, 1.0]) if self.norm else 0.0
        if not 1.0 <= two <= 2.0:
            return None
        p = np.inf if two == 1 else 1 / float(np.log2(two))
        return p if np.isclose(self.value([3.0, 4.0]), np.linalg.norm([3.0, 4.0], p), rtol=1e-12) else None

    @property
    def text(self) -> str:
        """How to write it in one word: l1, elastic_net:0.5."""
        return f"{self.name}:{self._at}" if self.parameter else self.name

    @property
    def _at(self) -> str:
        return repr(self.at).removesuffix(".0")  # all its digits, so that the text means the same penalty

    def value(self, w: Any) -> float:
        """R(w)."""
        return float(_core.penalty_value(self.index, self.at, _vector(w)))

    def prox(self, w: Any, t: float) -> F64:
        """argmin_x t R(x) + ||x - w||^2 / 2."""
        if t < 0:
            raise OptionError(f"the step t of a prox must be 0 or more; got {t}")
        vector = _vector(w)
        out = np.empty_like(vector)
        _core.penalty_prox(self.index, self.at, vector, float(t), out)
        return out.reshape(np.shape(w))

    def distance(self, g: Any, w: Any) -> float:
        """Distance of -g from the subdifferential of R at w; 0 where g + dR(w) contains 0."""
        g, w = _vector(g), _vector(w)
        if g.size != w.size:
            raise InputError(f"g has {g.size} entries and w has {w.size}; they must be as many")
        return float(_core.penalty_distance(self.index, self.at, g, w))

    def conjugate(self, v: Any) -> float:
        """R*(v) = sup_w v.w - R(w)."""
        if not (self.convex and self.has_conjugate):
            raise Refusal(f"penalty {self.text!r} is not convex: it has no conjugate")
        return float(_core.penalty_conjugate(self.index, self.at, _vector(v)))

    def dual_norm(self, v: Any) -> float:
        """sup of v.w over R(w) <= 1, for norms."""
        if not self.norm:
            raise Refusal(f"penalty {self.text!r} is not a norm: it has no dual norm")
        return float(_core.penalty_dual_norm(self.index, self.at, _vector(v)))

    def __repr__(self) -> str:
        return f"penalties[{self.name!r}]" + (f"({self.parameter}={self._at})" if self.parameter else "")


@dataclass(frozen=True)
class CallablePenalty:
    """A penalty given as NumPy functions of w, for batch solvers; `prox(w, t)`, or `gradient(w)` if smooth."""

    value: Callable[[F64], float]
    prox: Callable[[F64, float], F64] | None = None
    gradient: Callable[[F64], F64] | None = None
    conjugate: Callable[[F64], float] | None = None
    name: str = "callable"
    convex: bool = True
    norm: bool = False
    index: int = -1
    shares: tuple[float, float] | None = None
    has_conjugate: bool = False

    @property
    def smooth(self) -> bool:
        """Differentiable, as far as the caller said."""
        return self.gradient is not None

    @property
    def text(self) -> str:
        """Its name."""
        return self.name


class Penalties(Registry):
    """The registry; an entry is also an attribute: penalties.elastic_net(l1_ratio=0.5)."""

    def __getattr__(self, name: str) -> Penalty:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            found: Penalty = self[name]
        except OptionError as error:
            raise AttributeError(str(error)) from None  # what hasattr and getattr expect
        return found


def _load() -> dict[str, Penalty]:
    return {m["name"]: Penalty(index=k, at=m["standard"], **m) for k, m in enumerate(_core.penalties())}


penalties = Penalties("penalty", _load())


def as_penalty(penalty: str | Penalty | CallablePenalty | None) -> Penalty | CallablePenalty:
    """A penalty from "l1", "elastic_net:0.5", None, or itself."""
    if isinstance(penalty, Penalty | CallablePenalty):
        return penalty
    if penalty is None:
        penalty = "none"
    if not isinstance(penalty, str):
        raise OptionError(f"penalty must be a name or a Penalty; got {type(penalty).__name__}")
    name, colon, text = penalty.partition(":")
    found: Penalty = penalties[name]
    return found(text) if colon else found
