"""A fitted linear classifier of scikit-learn, or a pipeline that ends in one -> Model.  scikit-learn is not imported.

Of a step x' = a x + c before it, f = w.x' + b becomes (a w).x + (b + w.c).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputTypeError, Refusal
from widemargin.imports.assembled import DECIDES, assembled
from widemargin.model import Model


class Affine(NamedTuple):
    """x' = factor x + shift, column by column."""

    factor: Any
    shift: Any


def _standard(step: Any) -> Affine:
    factor = 1.0 if step.scale_ is None else 1.0 / step.scale_
    return Affine(factor, 0.0 if step.mean_ is None or not step.with_mean else -step.mean_ * factor)


def _robust(step: Any) -> Affine:
    factor = 1.0 if step.scale_ is None else 1.0 / step.scale_
    return Affine(factor, 0.0 if step.center_ is None else -step.center_ * factor)


def _min_max(step: Any) -> Affine:
    if step.clip:
        raise Refusal("MinMaxScaler(clip=True) is not affine: its part of the model cannot be taken over")
    return Affine(step.scale_, step.min_)


SCALERS: dict[str, Callable[[Any], Affine]] = {
    "StandardScaler": _standard,
    "RobustScaler": _robust,
    "MinMaxScaler": _min_max,
    "MaxAbsScaler": lambda step: Affine(1.0 / step.scale_, 0.0),
}
SGD = {
    "hinge": "hinge", "log_loss": "logistic", "log": "logistic", "modified_huber": "modified_huber",
    "squared_hinge": "squared_hinge", "perceptron": "perceptron", "squared_error": "squared",
}  # fmt: skip
LOSSES: dict[str, Callable[[Any], str]] = {
    "LogisticRegression": lambda _: "logistic",
    "LogisticRegressionCV": lambda _: "logistic",
    "LinearDiscriminantAnalysis": lambda _: "logistic",
    "LinearSVC": lambda e: e.loss,
    "SVC": lambda _: "hinge",
    "NuSVC": lambda _: "hinge",
    "RidgeClassifier": lambda _: "squared",
    "RidgeClassifierCV": lambda _: "squared",
    "Perceptron": lambda _: "perceptron",
    "PassiveAggressiveClassifier": lambda e: e.loss if e.loss in SGD else "hinge",
    "SGDClassifier": lambda e: SGD.get(e.loss, DECIDES),
}
SOFTMAX = ("LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis")


def from_sklearn(estimator: Any) -> Model:
    """The model of a fitted classifier of scikit-learn (or of this library's façades), with the same decisions.

    Also of a pipeline of StandardScaler, MinMaxScaler, MaxAbsScaler or RobustScaler and such a classifier: the scaling
    is folded into the weights.  Where a score is exactly 0, scikit-learn predicts the first of two classes, and a
    Model the second.
    """
    steps = [step for _, step in getattr(estimator, "steps", [("", estimator)]) if step not in ("passthrough", None)]
    *before, last = steps or [None]
    kind = type(last).__name__
    if kind not in LOSSES and not hasattr(last, "model_"):
        raise InputTypeError(
            f"{kind} is not known here; expected a fitted linear classifier: {', '.join(LOSSES)}. "
            "A regressor has no classes; fit its classifier instead."
        )
    W, b, classes = _parts(last, kind)
    for step in reversed(before):
        name = type(step).__name__
        if name not in SCALERS:
            raise Refusal(
                f"the step {name} is not a scaling that can be folded into weights; it is one of {list(SCALERS)}"
            )
        factor, shift = SCALERS[name](step)
        b = b + (np.broadcast_to(np.asarray(shift, dtype=float), len(W)) @ W)
        W = np.broadcast_to(np.asarray(factor, dtype=float), len(W))[:, None] * W
    names = getattr(steps[0], "feature_names_in_", None)
    loss = LOSSES[kind](last) if kind in LOSSES else last.model_.loss.name
    return assembled(W, b, classes, loss, _form(last, kind), names=names, about=_about(last, kind))


def _parts(last: Any, kind: str) -> tuple[F64, F64, Any]:
    """W (d, K), b (K,), and the classes in scikit-learn's order."""
    if not hasattr(last, "classes_"):
        raise InputTypeError(f"the {kind} is not fitted: call its fit first")
    if kind in ("SVC", "NuSVC") and last.kernel != "linear":
        raise Refusal(f"{kind}(kernel={last.kernel!r}) is not linear; use kernel='linear'")
    classes = last.classes_
    coef = last.coef_.toarray() if hasattr(last.coef_, "toarray") else np.asarray(last.coef_)
    if kind in ("SVC", "NuSVC") and len(classes) > 2:
        raise Refusal(f"{kind} decides {len(classes)} classes by votes of pairs, which is not one score a class")
    if isinstance(classes, list) or np.ndim(classes) != 1:
        raise Refusal(f"the {kind} answers several questions at once; take one model for each")
    W = np.atleast_2d(coef).T.astype(float)
    b = np.broadcast_to(np.asarray(last.intercept_, dtype=float).reshape(-1), W.shape[1]).copy()
    return W, b, classes


def _form(last: Any, kind: str) -> str:
    """How scores of more than two classes become probabilities."""
    apart = getattr(last, "multi_class", "") in ("ovr", "crammer_singer") or getattr(last, "solver", "") == "liblinear"
    if kind == "LinearSVC" and last.multi_class == "crammer_singer":
        return "crammer_singer"
    if hasattr(last, "model_"):
        return str(last.model_.multiclass)
    return "softmax" if kind in SOFTMAX and not apart else "ovr"


def _about(last: Any, kind: str) -> dict[str, Any]:
    plain = {k: v for k, v in last.get_params().items() if v is None or isinstance(v, bool | int | float | str)}
    return {"solver": f"scikit-learn {kind}", "parameters": plain}
