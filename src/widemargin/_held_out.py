"""Held-out rows, and the score of weights on them: mean of the metric over the rows, smaller is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.errors import InputError, Refusal
from widemargin.events import Event

if TYPE_CHECKING:
    from widemargin.data.intake import Dataset


def error(truth: I64, scores: F64) -> F64:
    """[predicted class != true class], with sgn(0) = +1."""
    predicted = scores >= 0.0 if scores.ndim == 1 else np.argmax(scores, axis=1)
    return np.asarray(predicted != truth, dtype=np.float64)


def log_loss(truth: I64, scores: F64) -> F64:
    """-log of the probability of the true class, scores being log-odds (two classes) or their softmax."""
    if scores.ndim == 1:
        return np.asarray(np.logaddexp(0.0, np.where(truth == 1, -scores, scores)))
    total = np.logaddexp.reduce(scores, axis=1)
    return np.asarray(total - np.take_along_axis(scores, truth[:, None], axis=1)[:, 0])


METRICS: Mapping[str, Callable[[I64, F64], F64]] = {"error": error, "log_loss": log_loss}


class HeldOut:
    """Event -> score of its weights on the rows (X, y), whose columns and labels are those of the fit."""

    def __init__(self, X: Any, y: Any, metric: str | Callable[..., float], fitted: Dataset | None) -> None:
        from widemargin.data.intake import intake_rows
        from widemargin.data.labels import labels, split_soft

        if fitted is not None and fitted.source.o is not None:
            raise Refusal("held_out knows no offsets, and the fit has some; stop by a function of the history.")
        d, names = (None, None) if fitted is None else (fitted.source.d, fitted.feature_names)
        rows = intake_rows(X, d=d, feature_names=names)
        if rows.n == 0:
            raise InputError("held_out: X has no rows; expected some that the fit does not see.")
        classes, own_labels, soft = labels(y, rows.n)
        self.weights: F64 | None = None
        if soft:
            index, own_labels, self.weights = split_soft(own_labels)
            rows = rows.take(index)
        self.rows = rows
        self.metric = metric
        own = own_labels > 0 if len(classes) == 2 else own_labels
        self.truth = _numbers(classes, classes if fitted is None else fitted.classes)[own.astype(np.int64)]

    def __call__(self, event: Event) -> float:
        if event.W is None or event.b is None:
            raise Refusal("held_out needs the weights, and only the newest event of a trace carries them.")
        scores = self.rows.times(event.W) + event.b
        scores = scores[:, 0] if scores.shape[1] == 1 else scores
        if callable(self.metric):
            return float(self.metric(self.truth, scores))
        return float(np.average(METRICS[self.metric](self.truth, scores), weights=self.weights))


def _numbers(own: Array, fitted: Array) -> I64:
    """For each class of the held-out rows its number among the classes of the fit."""
    number = {label: k for k, label in enumerate(fitted.tolist())}
    strange = [label for label in own.tolist() if label not in number]
    if strange:
        raise InputError(f"held_out: y has labels that the fit has not: {strange}; its classes are {list(number)}.")
    return np.array([number[label] for label in own.tolist()], dtype=np.int64)
