"""Losses l(z) of the margin z = y (w.x + b): every fact about one is read from the core's list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin import _core
from widemargin._types import F64, Array
from widemargin.errors import OptionError, Refusal, unknown


def _elementwise(function: Callable[..., None], index: int, z: Any, outputs: int = 1) -> Any:
    """Run a core map over any shape; float32 stays float32, everything else becomes float64."""
    array = np.asarray(z)
    dtype = np.float32 if array.dtype == np.float32 else np.float64
    flat = np.ascontiguousarray(array, dtype=dtype).reshape(-1)
    out = [np.empty_like(flat) for _ in range(outputs)]
    function(index, flat, *out)
    shaped = tuple(o.reshape(array.shape)[()] for o in out)
    return shaped[0] if outputs == 1 else shaped


@dataclass(frozen=True)
class Loss:
    """One loss of the core's list."""

    index: int
    name: str
    tex: str
    reference: str
    summary: str
    curvature: float  # sup l''
    bound_scale: float  # times this, the loss bounds zero-one; NaN: nothing does
    convex: bool
    smooth: bool
    piecewise_linear: bool
    kinks: tuple[float, ...]  # where l' jumps
    joints: tuple[float, ...]  # where l'' jumps
    dual_domain: tuple[float, float]  # the a for which l*(-a) is finite
    threshold: float  # the loss is 0 beyond; inf: never
    link: str  # P(y | f) in words, or ""

    def value(self, z: Any) -> Any:
        """l(z)."""
        return _elementwise(_core.loss_value, self.index, z)

    def d1(self, z: Any) -> Any:
        """l'(z); the left derivative at a kink."""
        return _elementwise(_core.loss_d1, self.index, z)

    def d2(self, z: Any) -> Any:
        """l''(z); one of its one-sided values where it jumps."""
        return _elementwise(_core.loss_d2, self.index, z)

    def subdifferential(self, z: Any) -> tuple[Any, Any]:
        """(lowest, highest) slope at z."""
        low, high = _elementwise(_core.loss_subdifferential, self.index, z, outputs=2)
        return low, high

    def conjugate(self, a: Any) -> Any:
        """l*(-a), infinite outside `dual_domain`."""
        self._need(self.convex, "a conjugate", "is not convex")
        return _elementwise(_core.loss_conjugate, self.index, a)

    def prox(self, c: Any, q: Any) -> Any:
        """argmin_z q l(z) + (z - c)^2 / 2."""
        self._need(self.convex, "a prox", "is not convex")
        c, q = np.broadcast_arrays(np.asarray(c, dtype=float), np.asarray(q, dtype=float))
        if np.any(q < 0):
            raise OptionError(f"the step q of a prox must be 0 or more; got {np.min(q)}")
        out = np.empty(c.size)
        _core.loss_prox(self.index, np.ascontiguousarray(c).reshape(-1), np.ascontiguousarray(q).reshape(-1), out)
        return out.reshape(c.shape)[()]

    def probability(self, f: Any) -> Any:
        """P(y = +1 | score f), where the loss implies one."""
        self._need(bool(self.link), "probabilities of its own", "implies none; calibrate, or use loss='logistic'")
        return _elementwise(_core.loss_probability, self.index, f)

    def _need(self, have: bool, what: str, why: str) -> None:
        if not have:
            raise Refusal(f"loss {self.name!r} has no {what}: it {why}")

    def __repr__(self) -> str:
        return f"losses[{self.name!r}]"


@dataclass(frozen=True)
class CallableLoss:
    """A loss given as NumPy functions of the margin, for batch solvers.

    `value` and `d1` are needed; `d2` opens Newton's method, `conjugate` (a -> l*(-a)) opens a certificate.
    """

    value: Callable[[F64], F64]
    d1: Callable[[F64], F64]
    d2: Callable[[F64], F64] | None = None
    conjugate: Callable[[F64], F64] | None = None
    probability: Callable[[F64], F64] | None = None
    name: str = "callable"
    convex: bool = True
    smooth: bool = True
    curvature: float = np.inf
    dual_domain: tuple[float, float] = (-np.inf, np.inf)
    threshold: float = np.inf
    index: int = -1
    tex: str = r"\ell(z)"
    reference: str = "given by the caller"
    piecewise_linear: bool = False
    kinks: tuple[float, ...] = ()
    joints: tuple[float, ...] = ()
    bound_scale: float = float("nan")
    link: str = ""

    def subdifferential(self, z: Array) -> tuple[Array, Array]:
        """The one slope that is known."""
        return self.d1(z), self.d1(z)


class Registry(Mapping[str, Any]):
    """Names to entries, in the core's order; an unknown name is answered with the nearest one."""

    def __init__(self, kind: str, entries: dict[str, Any]) -> None:
        self._kind = kind
        self._entries = entries

    def __getitem__(self, name: str) -> Any:
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            raise unknown(self._kind, name, self._entries) from None

    def get(self, name: str, default: Any = None) -> Any:
        """The entry, or the default: what a mapping promises, though [] raises no KeyError."""
        return self._entries.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<{self._kind} registry: {', '.join(self._entries)}>"


def _load() -> dict[str, Loss]:
    def plain(value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    facts = [{key: plain(value) for key, value in m.items()} for m in _core.losses()]
    return {m["name"]: Loss(index=k, **m) for k, m in enumerate(facts)}


losses = Registry("loss", _load())


def as_loss(loss: str | Loss | CallableLoss) -> Loss | CallableLoss:
    """A loss from its name, or itself."""
    if isinstance(loss, Loss | CallableLoss):
        return loss
    if isinstance(loss, str):
        found: Loss = losses[loss]
        return found
    raise OptionError(f"loss must be a name, a Loss or a CallableLoss; got {type(loss).__name__}")
