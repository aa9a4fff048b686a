"""From scores to probabilities: the loss's own link, or one that was learned from rows held out; then class priors.

own          q(f), the loss's
sigmoid      q_k = sigma(a_k f_k + c_k)                            Platt 1999
temperature  q = softmax(beta f); sigma(beta f) for two classes    Guo, Pleiss, Sun, Weinberger 2017
isotonic     q_k = a rising, piecewise linear function of f_k      Zadrozny, Elkan 2002
priors       p_k ~ q_k r_k, r_k = true share / share learned from  Saerens, Latinne, Decaestecker 2002
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from widemargin._types import F64
from widemargin.errors import OptionError, unknown

KINDS = ("own", "sigmoid", "temperature", "isotonic")


@dataclass(frozen=True, eq=False)
class Link:
    """What was learned about scores: plain arrays, so that a model file can hold them."""

    kind: str
    arrays: Mapping[str, F64] = field(default_factory=dict)
    priors: F64 | None = None  # (classes,) r_k

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown("link", self.kind, KINDS)
        needed = {"own": (), "sigmoid": ("a", "c"), "temperature": ("beta",), "isotonic": ("f", "q", "starts")}[
            self.kind
        ]
        if set(self.arrays) != set(needed) or not all(np.isfinite(array).all() for array in self.arrays.values()):
            raise OptionError(
                f"a link of kind {self.kind!r} consists of {needed}, all finite; got {tuple(self.arrays)}"
            )

        if self.kind == "isotonic" and not all(_rises(f, q) for f, q in self._pieces()):
            raise OptionError("an isotonic link rises with f, and stays in [0, 1]; this one does not")

    def _pieces(self) -> list[tuple[F64, F64]]:
        """The points (f, q) of each class."""
        f, q, starts = (self.arrays[name] for name in ("f", "q", "starts"))
        cuts = [slice(int(a), int(b)) for a, b in pairwise(starts)]
        return [(f[cut], q[cut]) for cut in cuts]

    def shares(self, scores: F64) -> F64:
        """(n, K) scores to (n, K) numbers in [0, 1]: of the second of two classes, or of each, not yet of sum 1."""
        if self.kind == "sigmoid":
            return sigma(self.arrays["a"] * scores + self.arrays["c"])
        if self.kind == "temperature":
            scaled = self.arrays["beta"] * scores
            return sigma(scaled) if scores.shape[1] == 1 else softmax(scaled)
        return np.column_stack([np.interp(scores[:, k], f, q) for k, (f, q) in enumerate(self._pieces())])

    def with_priors(self, probabilities: F64) -> F64:
        """(n, classes), corrected for other shares of the classes."""
        return probabilities if self.priors is None else normalised(probabilities * self.priors)


def _rises(f: F64, q: F64) -> bool:
    return bool(len(f) > 0 and (np.diff(f) > 0).all() and (np.diff(q) >= 0).all() and q[0] >= 0 and q[-1] <= 1)


def both(q: F64) -> F64:
    """(n, 1) P(y = +1) to (n, 2)."""
    out = np.empty((len(q), 2), dtype=q.dtype)
    np.subtract(1.0, q[:, 0], out=out[:, 0])
    out[:, 1] = q[:, 0]
    return out


def normalised(q: F64) -> F64:
    """Rows divided by their sums; equal shares where all are 0."""
    total = q.sum(axis=1, keepdims=True)
    return np.where(total > 0, q / np.where(total > 0, total, 1.0), 1.0 / q.shape[1])


def softmax(scores: F64) -> F64:
    """e^f / sum e^f in each row."""
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def softmax_of_row(f: F64) -> F64:
    """The same for one row, in its place: reductions along an axis would take most of the time."""
    f -= np.maximum.reduce(f)
    np.exp(f, out=f)
    f /= np.add.reduce(f)
    return f


def sigma(f: F64) -> F64:
    """1 / (1 + e^-f), the logistic loss's own link."""
    from widemargin.loss import losses

    return np.asarray(losses["logistic"].probability(f))
