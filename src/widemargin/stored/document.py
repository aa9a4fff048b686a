"""Model <-> document: what is not an array, as JSON.

"needs" names abilities without which a reader would misunderstand the model: one that does not know all of them stops.
Any other name that a reader does not know, it may pass over.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.errors import ModelFileError, Refusal
from widemargin.loss import CallableLoss, losses
from widemargin.model import Model
from widemargin.stored.labels import labels_from, plain_labels
from widemargin.stored.learned import link_from, rule_from, told
from widemargin.stored.plain import parsed, plain
from widemargin.stored.provenance import provenance

KNOWN = frozenset({"link", "rule"})  # needs that this version meets
FORMS = ("binary", "ovr", "softmax", "crammer_singer")


def document(model: Model) -> tuple[bytes, dict[str, Array]]:
    """The document of a model, and its arrays."""
    if isinstance(model.loss, CallableLoss):
        raise Refusal("a model with a loss given as Python functions cannot be saved: a model file holds data only")
    about = dict(model.about)
    about.setdefault("provenance", provenance())
    words, arrays = told(model)
    found = {
        "loss": model.loss.name,
        "multiclass": model.multiclass,
        "classes": plain_labels(model.classes),
        "features": len(model.W),
        "feature_names": None if model.feature_names is None else list(model.feature_names),
        "needs": list(words),
        **words,
        "about": plain(about, "about"),
    }
    return json.dumps(found, allow_nan=False).encode(), {"W": model.W, "b": model.b, **arrays}


def model_from(text: bytes, arrays: dict[str, Array]) -> Model:
    """The model; a ModelFileError, or another error of damage, where its parts do not fit together."""
    found = parsed(text)
    lacking = set(found["needs"]) - KNOWN
    if lacking:
        raise ModelFileError(f"needs {', '.join(sorted(map(str, lacking)))}, unknown here; update widemargin")
    names = found["feature_names"]
    if names is not None and any(type(name) is not str for name in names):
        raise ModelFileError("damaged: a feature's name is no text")
    if type(found["about"]) is not dict:
        raise ModelFileError("damaged: what is told about the model is no mapping")
    model = assembled(arrays, labels_from(found["classes"]), found, None if names is None else tuple(names))
    K, classes = model.W.shape[1], len(model.classes)
    return replace(model, calibration=link_from(found, arrays, K, classes), rule=rule_from(found, arrays, classes))


def assembled(arrays: dict[str, Array], classes: Array, found: dict[str, Any], names: tuple[str, ...] | None) -> Model:
    """A model of parts that fit together."""
    W, b = arrays["W"], arrays["b"]
    heads = 1 if len(classes) == 2 else len(classes)
    if W.dtype != np.float64 or b.dtype != np.float64 or len(classes) < 2:
        raise ModelFileError("damaged: weights are not float64, or there are fewer than two classes")
    if W.ndim != 2 or b.shape != (W.shape[1],) or W.shape[1] != heads or len(W) < 1:
        raise ModelFileError("damaged: weights, intercepts and labels do not fit together")
    if found["multiclass"] not in FORMS or (found["multiclass"] == "binary") != (heads == 1):
        raise ModelFileError(f"damaged: {found['multiclass']!r} is no form of a model with {len(classes)} classes")
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        raise ModelFileError("damaged: a weight is not finite")
    if names is not None and len(names) != len(W):
        raise ModelFileError("damaged: as many feature names as weights are expected")
    if found["loss"] not in losses:
        raise ModelFileError(f"loss {found['loss']!r} is unknown here; update widemargin")
    return Model(classes, W, b, losses[found["loss"]], found["multiclass"], names, found["about"])
