"""Weights, intercepts and labels of another program -> Model: classes sorted, f > 0 for the second of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.data.labels import labels as read_labels
from widemargin.errors import InputError
from widemargin.loss import losses
from widemargin.model import Model

DECIDES = "zero_one"  # the loss of a model of which only the decisions are known


def assembled(
    W: Array, b: Array, classes: Sequence[Any] | Array, loss: str, form: str, *,
    names: Sequence[str] | None = None, about: Mapping[str, Any] | None = None,
) -> Model:  # fmt: skip
    """W is (d, K), b (K,); K = 1 for two classes, of which `classes[1]` is the one where f > 0."""
    W, b = np.asarray(W, dtype=float), np.asarray(b, dtype=float).reshape(-1)
    found = read_labels(classes, len(classes))
    heads = 1 if len(classes) == 2 else len(classes)
    if len(found.classes) != len(classes) or W.ndim != 2 or W.shape[1] != heads or b.shape != (heads,):
        raise InputError(
            f"{len(classes)} classes, weights of shape {W.shape} and {len(b)} intercepts do not fit together; "
            f"expected (features, {heads}) and {heads}"
        )
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        raise InputError("a weight is not a finite number")
    if heads == 1:
        sign = float(found.y[1])  # -1 where the labels came in falling order
        W, b = sign * W, sign * b
    else:
        order = np.argsort(found.y, kind="stable")
        W, b = W[:, order], b[order]
    said = {"loss": loss, **(about or {})}
    return Model(
        found.classes, np.ascontiguousarray(W), b + 0.0, losses[loss], "binary" if heads == 1 else form,
        None if names is None else tuple(map(str, names)), said,
    )  # fmt: skip
