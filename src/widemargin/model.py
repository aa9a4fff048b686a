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
from widemargin.explained import contributions
from widemargin.links import Link, both, normalised, softmax
from widemargin.loss import CallableLoss, Loss
from widemargin.rules import Rule, chosen

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
    calibration: Link | None = None  # None: the loss's own link
    rule: Rule | None = None  # None: the largest score

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
        scores = self.scores(X, offset)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any, *, offset: Any = None) -> Array:
        """The user's labels, by the model's rule; without one, a score of exactly 0 counts as the positive class."""
        return self.labels(self.scores(X, offset))

    def labels(self, scores: F64) -> Array:
        """From scores (n, K) to the user's labels."""
        return np.asarray(self.classes[chosen(scores, self.rule, self.link)])

    def probabilities(self, X: Any, *, offset: Any = None) -> F64:
        """(n, classes), where the loss implies a probability; else a refusal that says what to do."""
        return self.link(self.scores(X, offset))

    def link(self, scores: F64) -> F64:
        """From scores (n, K) to probabilities (n, classes): by what was calibrated, else by the loss."""
        learned = self.calibration
        if learned is None or learned.kind == "own":
            found = self._own_link(scores)
        else:
            q = learned.shares(scores)
            found = both(q) if q.shape[1] == 1 else normalised(q)
        return found if learned is None else learned.with_priors(found)

    def _own_link(self, scores: F64) -> F64:
        if self.multiclass == "softmax":
            return softmax(scores)
        if self.loss.probability is None or (isinstance(self.loss, Loss) and not self.loss.link):
            raise Refusal(
                f"loss {self.loss.name!r} implies no probabilities. Fit with loss='logistic', or calibrate: "
                "widemargin.calibrate(widemargin.cross_fit(X, y, ...)).model."
            )
        q = np.asarray(self.loss.probability(scores))
        return both(q) if q.shape[1] == 1 else normalised(q)

    def explain(self, X: Any, *, baseline: Any = None) -> Any:
        """Contribution w_j x_j of every feature to every decision: (n, d), or (n, d, K); with b they add up to f.

        Of sparse X a sparse array of the same pattern, or a tuple of one per class.  With a `baseline` row x0 they are
        w_j (x_j - x0_j), and add up to f(x) - f(x0).
        """
        rows = intake_rows(X, d=len(self.W), feature_names=self.feature_names)
        return contributions(rows.matrix, self.W, baseline)

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

    def scores(self, X: Any, offset: Any = None) -> F64:
        """f as (n, K), also for two classes."""
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
