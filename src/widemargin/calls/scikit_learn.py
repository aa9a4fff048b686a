"""Estimators of scikit-learn: defaults are those of version 1.9."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from widemargin.calls.draft import Draft, Name, Words, check_names, number
from widemargin.errors import Refusal

COMMON = {"fit_intercept": True, "class_weight": None}
WORK = ("tol", "max_iter", "random_state", "n_jobs", "verbose", "warm_start", "dual", "copy_X", "solver", "shuffle",
        "early_stopping", "validation_fraction", "n_iter_no_change", "learning_rate", "eta0", "power_t", "average",
        "cache_size", "shrinking", "probability", "decision_function_shape", "break_ties", "positive", "epsilon",
        )  # fmt: skip
DEFAULTS: dict[str, dict[str, Any]] = {
    "LogisticRegression": {"C": 1.0, "penalty": "l2", "l1_ratio": None, "intercept_scaling": 1, "multi_class": "auto"},
    "LinearSVC": {"C": 1.0, "penalty": "l2", "loss": "squared_hinge", "intercept_scaling": 1, "multi_class": "ovr"},
    "SVC": {"C": 1.0, "kernel": "rbf"},
    "SGDClassifier": {"loss": "hinge", "penalty": "l2", "alpha": 1e-4, "l1_ratio": 0.15},
    "RidgeClassifier": {"alpha": 1.0},
    "Perceptron": {"penalty": None, "alpha": 1e-4, "l1_ratio": 0.15},
    "PassiveAggressiveClassifier": {"C": 1.0, "loss": "hinge"},
}
SGD_LOSSES = {"hinge": "hinge", "log_loss": "logistic", "modified_huber": "modified_huber",
              "squared_hinge": "squared_hinge", "perceptron": "perceptron", "squared_error": "squared"}  # fmt: skip
OWN_PACE = "scikit-learn ends after its passes, at a point that depends on them; wm.fit ends at the optimum"


def draft(source: str, given: Words) -> Draft:
    """The same problem."""
    defaults = COMMON | DEFAULTS[source]
    check_names(source, given, [*defaults, *WORK])
    told = {**defaults, **given}
    found = Draft(source)
    if not told["fit_intercept"]:
        found.options["intercept"] = False
    if isinstance(told["class_weight"], Name):
        found.note(f"class_weight is the variable {told['class_weight']}: the strength depends on the weights' sum")
    if told["class_weight"] is not None:
        found.options["class_weight"] = told["class_weight"]
    READERS[source](found, told, given)
    return found


def _logistic(found: Draft, told: Words, given: Words) -> None:
    found.options["loss"] = "logistic"
    _inverse(found, told, "c_sum")
    _penalty(found, told["penalty"], told["l1_ratio"], mixed_by_ratio=True)
    if given.get("solver") == "liblinear":
        _penalised(found, told)
    if told["multi_class"] == "ovr":
        found.options["multiclass"] = "ovr"


def _linear_svc(found: Draft, told: Words, given: Words) -> None:
    found.options["loss"] = told["loss"]
    _inverse(found, told, "c_sum")
    _penalty(found, told["penalty"], None)
    _penalised(found, told)
    if told["multi_class"] == "crammer_singer":
        found.options |= {"multiclass": "crammer_singer", "loss": "hinge"}


def _svc(found: Draft, told: Words, given: Words) -> None:
    if told["kernel"] != "linear":
        raise Refusal(f"SVC(kernel={told['kernel']!r}) is not linear: this library fits linear classifiers only")
    found.options["loss"] = "hinge"
    _inverse(found, told, "c_sum")
    found.note("with more than two classes SVC votes over pairs; wm.fit takes one score a class")


def _sgd(found: Draft, told: Words, given: Words) -> None:
    if told["loss"] not in SGD_LOSSES:
        raise Refusal(f"SGDClassifier(loss={told['loss']!r}) has no counterpart; there are {', '.join(SGD_LOSSES)}")
    found.options["loss"] = SGD_LOSSES[told["loss"]]
    found.strength, found.convention = number(found.source, "alpha", told["alpha"]), "sgd"
    _penalty(found, told["penalty"], told["l1_ratio"])
    if found.options["loss"] == "perceptron":
        found.options["solver"] = "sgd"
    found.note(f"{OWN_PACE}; for steps as there, solver='sgd' and stop='max_passes:5'")


def _ridge(found: Draft, told: Words, given: Words) -> None:
    found.options["loss"] = "squared"
    found.strength, found.convention = number(found.source, "alpha", told["alpha"]), "ridge"


def _perceptron(found: Draft, told: Words, given: Words) -> None:
    if told["penalty"] is not None:
        raise Refusal("Perceptron with a penalty is SGDClassifier(loss='perceptron'): translate that")
    found.options["solver"] = "perceptron"


def _passive(found: Draft, told: Words, given: Words) -> None:
    variant = "pa2" if told["loss"] == "squared_hinge" else "pa1"
    found.options["solver"] = f"pa:variant='{variant}',C={number(found.source, 'C', told['C'])!r}"


def _inverse(found: Draft, told: Words, convention: str) -> None:
    """C weighs the losses; an infinite one leaves no penalty."""
    C = number(found.source, "C", told["C"])
    if math.isinf(C):
        found.options["penalty"] = "none"
    else:
        found.strength, found.convention = C, convention


def _penalty(found: Draft, penalty: Any, ratio: Any, mixed_by_ratio: bool = False) -> None:
    if found.options.get("penalty") == "none":
        return
    if penalty is None or penalty == "none":
        found.options["penalty"], found.strength = "none", None
    elif penalty == "elasticnet" or (mixed_by_ratio and ratio is not None):
        share = number(found.source, "l1_ratio", 0.0 if ratio is None else ratio)
        found.options["penalty"] = {0.0: "l2", 1.0: "l1"}.get(share, f"elastic_net:{share!r}")
    else:
        found.options["penalty"] = penalty


def _penalised(found: Draft, told: Words) -> None:
    """As LIBLINEAR: the intercept is one more weight."""
    if not told["fit_intercept"]:
        return
    found.options["intercept"] = "penalised"
    if told["intercept_scaling"] != 1:
        found.note(f"intercept_scaling={told['intercept_scaling']}: here the intercept is penalised as any weight")


READERS: dict[str, Callable[[Draft, Words, Words], None]] = {
    "LogisticRegression": _logistic, "LinearSVC": _linear_svc, "SVC": _svc, "SGDClassifier": _sgd,
    "RidgeClassifier": _ridge, "Perceptron": _perceptron, "PassiveAggressiveClassifier": _passive,
}  # fmt: skip
