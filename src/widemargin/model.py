"""Model: weights, intercept and the user's labels.  Margins, labels, probabilities, explanations.  Needs no solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from widemargin._types import F64, Array
from widemargin.data.intake import intake_rows
from widemargin.errors import InputError, Refusal
from widemargin.loss import CallableLoss, Loss

if TYPE_CHECKING:
    from widemargin.scorer import Output, Scorer


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted linear classifier."""

    classes: Array  # the user's labels, sorted
    W: F64  # (d, K), K = 1 for two classes
    b: F64  # (K,)
    loss: Loss | CallableLoss
    multiclass: str
    feature_names: tuple[str, ...] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)  # objective, solver, gap ...: plain data

    @property
    def weights(self) -> F64:
        """(d,) for two classes, (d, K) beyond."""
        return self.W[:, 0] if self.W.shape[1] == 1 else self.W

    @property
    def intercept(self) -> float | F64:
        """A number for two classes, (K,) beyond."""
        return float(self.b[0]) if len(self.b) == 1 else self.b

    def decision(self, X: Any, *, offset: Any = None) -> F64:
        """f = w.x + b (+ offset): (n,) for two classes, (n, K) beyond."""
        scores = self._scores(X, offset)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any, *, offset: Any = None) -> Array:
        """The user's labels; a score of exactly 0 counts as the positive class."""
        scores = self._scores(X, offset)
        index = (scores[:, 0] >= 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes[index])

    def probabilities(self, X: Any, *, offset: Any = None) -> F64:
        """(n, classes), where the loss implies a probability; else a refusal that says what to do."""
        return self.link(self._scores(X, offset))

    def link(self, scores: F64) -> F64:
        """From scores (n, K) to probabilities (n, classes)."""
        if self.multiclass == "softmax":
            e = np.exp(scores - scores.max(axis=1, keepdims=True))
            return np.asarray(e / e.sum(axis=1, keepdims=True))
        if self.loss.probability is None or (isinstance(self.loss, Loss) and not self.loss.link):
            raise Refusal(
                f"loss {self.loss.name!r} implies no probabilities. Fit with loss='logistic', "
                "or calibrate the decision values."
            )
        q = np.asarray(self.loss.probability(scores))
        if q.shape[1] == 1:
            both = np.empty((len(q), 2), dtype=q.dtype)
            np.subtract(1.0, q[:, 0], out=both[:, 0])
            both[:, 1] = q[:, 0]
            return both
        total = q.sum(axis=1, keepdims=True)
        return np.where(total > 0, q / np.where(total > 0, total, 1.0), 1.0 / q.shape[1])

    def explain(self, X: Any) -> F64:
        """Contribution w_j x_j of every feature to every decision: (n, d), or (n, d, K); with b they add up to f."""
        matrix = intake_rows(X, d=len(self.W), feature_names=self.feature_names).matrix
        dense = np.asarray(matrix.toarray() if not isinstance(matrix, np.ndarray) else matrix, dtype=float)
        parts = dense[:, :, None] * self.W
        return parts[:, :, 0] if self.W.shape[1] == 1 else parts

    def scorer(self, output: Output = "decision") -> Scorer:
        """A function of one row (vector, mapping of names, sparse row) or a batch, without validation.

        output: "decision", "probabilities" or "label".
        """
        from widemargin.scorer import Scorer

        return Scorer(self, output)

    def save(self, path: str | Path, **notes: Any) -> None:
        """Write a data-only file: arrays and JSON, no code.  notes: plain data kept in `about`, as metrics={...}."""
        from widemargin.model_file import write

        write(replace(self, about={**self.about, **notes}) if notes else self, path)

    def _scores(self, X: Any, offset: Any) -> F64:
        rows = intake_rows(X, d=len(self.W), feature_names=self.feature_names)
        scores = rows.times(self.W)
        scores += self.b
        if offset is not None:
            o = np.asarray(offset, dtype=float)
            if o.shape not in ((rows.n,), scores.shape):
                raise InputError(f"offset has shape {o.shape}; expected ({rows.n},) or {scores.shape}")
            scores += o.reshape(rows.n, -1)
        return scores

    def __repr__(self) -> str:
        d = len(self.W)
        used = int(np.count_nonzero(self.W.any(axis=1)))
        return f"Model({self.loss.name}, {len(self.classes)} classes, {used} of {d} features used)"


class Weight(NamedTuple):
    """One weight of a model: how far one unit of a feature moves the score of a class."""

    feature: str
    label: Any
    value: float


def top_features(model: Model, count: int = 10) -> list[Weight]:
    """The largest weights that are not 0, with their signs; of two classes, towards the second."""
    d, K = model.W.shape
    names = model.feature_names or tuple(f"x{j}" for j in range(d))
    labels = model.classes[1:] if K == 1 else model.classes
    order = np.argsort(-np.abs(model.W), axis=None, kind="stable")[:count]
    cells = ((*divmod(int(k), K), float(model.W.flat[k])) for k in order)
    return [Weight(names[j], labels[c], w) for j, c, w in cells if w != 0]
