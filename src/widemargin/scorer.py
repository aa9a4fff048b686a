"""f = W'x + b for one row at a time, as a service needs it: nothing is checked but what could be silently wrong.

A row is a NumPy vector, a sequence of d numbers, a mapping from feature names to numbers (those left out are 0), or a
SciPy sparse row; two dimensions are a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from widemargin import _core
from widemargin._types import F64, Array
from widemargin.errors import InputError, unknown
from widemargin.links import softmax_of_row
from widemargin.loss import Loss

if TYPE_CHECKING:
    from widemargin.model import Model

Output = Literal["decision", "probabilities", "label"]


class Scorer:
    """A function of rows, made once from a model; its answers are those of the model's own methods."""

    def __init__(self, model: Model, output: Output = "decision") -> None:
        links: dict[str, Callable[[F64], Any]] = {
            "decision": _plain, "probabilities": model.link, "label": model.labels,
        }  # fmt: skip
        if output not in links:
            raise unknown("output", output, links)
        if output == "probabilities":
            model.link(np.zeros((1, len(model.b))))  # a loss without probabilities says so now
        self.output = output
        self.classes = model.classes
        self._names = {name: j for j, name in enumerate(model.feature_names or ())}
        self._link = links[output]
        self._binary = model.W.shape[1] == 1
        self._W = np.ascontiguousarray(model.W)
        self._w = np.ascontiguousarray(model.W[:, 0]) if self._binary else np.ascontiguousarray(model.W.T)
        self._b: Any = float(model.b[0]) if self._binary else model.b
        self._quick = output == "decision"
        # probabilities of two classes, of a loss in the core: one call there, nothing in between
        plain = isinstance(model.loss, Loss) and model.calibration is None
        direct = output == "probabilities" and self._binary and plain
        self._loss = model.loss.index if direct else -1
        joint = model.multiclass == "softmax" and model.calibration is None
        self._softmax = output == "probabilities" and joint

    def __call__(self, x: Any) -> Any:
        """One row: a number (two classes), (K,) scores, (classes,) probabilities or a label; a batch: one a row."""
        if type(x) is np.ndarray and x.ndim == 1:
            score = self._w.dot(x) + self._b
        elif isinstance(x, Mapping):
            score = self._of_mapping(x)
        elif hasattr(x, "indptr") or hasattr(x, "tocsr"):
            x = x.tocsr()
            if x.shape[0] != 1:
                return self._batch(x)
            score = self._w[..., x.indices] @ x.data + self._b
        else:
            x = np.asarray(x, dtype=float)
            if x.ndim == 2:
                return self._batch(x)
            score = self._w.dot(x) + self._b
        if self._quick:
            return score
        if self._loss >= 0:
            q = np.empty(1)
            _core.loss_probability(self._loss, np.array((score,)), q)
            return np.array((1.0 - q[0], q[0]))
        if self._softmax:
            return softmax_of_row(score)
        return self._link(np.reshape(score, (1, -1)))[0]

    def _of_mapping(self, x: Mapping[str, float]) -> Any:
        try:
            index = [self._names[name] for name in x]
        except KeyError as error:
            if not self._names:
                raise InputError("the model knows no feature names: pass its numbers in the order of the fit") from None
            raise unknown("feature", error.args[0], self._names) from None
        return self._w[..., index] @ np.fromiter(x.values(), float, len(index)) + self._b

    def _batch(self, X: Any) -> Array:
        scores = np.asarray(X @ self._W) + self._b
        return np.asarray(scores[:, 0] if self._quick and self._binary else self._link(scores))


def _plain(scores: F64) -> F64:
    return scores
