"""A model's link and rule <-> document and arrays: the document names their kinds, arrays hold their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.errors import ModelFileError
from widemargin.links import Link
from widemargin.model import Model
from widemargin.rules import DIMENSIONS, Rule

PRIORS = "link.priors"


def told(model: Model) -> tuple[dict[str, str], dict[str, Array]]:
    """What the document says, which is also what a reader needs to know; and the arrays."""
    words, arrays = {}, {}
    if model.calibration is not None:
        words["link"] = model.calibration.kind
        arrays = {f"link.{name}": np.asarray(array, dtype=float) for name, array in model.calibration.arrays.items()}
        arrays |= {} if model.calibration.priors is None else {PRIORS: model.calibration.priors}
    if model.rule is not None:
        words["rule"] = model.rule.kind
        arrays["rule"] = np.asarray(model.rule.values, dtype=float)
    return words, arrays


def link_from(found: dict[str, Any], arrays: dict[str, Array], heads: int, classes: int) -> Link | None:
    """The link, or None; an error of damage where it does not fit the model."""
    if "link" not in found["needs"]:
        return None
    own = {name.removeprefix("link."): a for name, a in arrays.items() if name.startswith("link.") and name != PRIORS}
    priors = arrays.get(PRIORS)
    link = Link(found["link"], own, priors)
    if any(array.dtype != np.float64 for array in own.values()) or (
        link.kind != "own" and link.shares(np.zeros((1, heads))).shape != (1, heads)
    ):
        raise ModelFileError("damaged: the link and the weights do not fit together")
    if priors is not None and (
        priors.dtype != np.float64 or priors.shape != (classes,) or not ((priors >= 0) & np.isfinite(priors)).all()
    ):
        raise ModelFileError("damaged: the priors are not one number of at least 0 for each class")
    return link


def rule_from(found: dict[str, Any], arrays: dict[str, Array], classes: int) -> Rule | None:
    """The rule, or None; an error of damage where it does not fit the model."""
    if "rule" not in found["needs"]:
        return None
    rule = Rule(found["rule"], arrays["rule"])
    fits = np.shape(rule.values) == (classes,) * DIMENSIONS[rule.kind] and rule.values.dtype == np.float64
    if not fits or (rule.kind == "threshold" and classes > 2) or (rule.kind == "offsets" and classes == 2):
        raise ModelFileError("damaged: the rule and the labels do not fit together")
    return rule
