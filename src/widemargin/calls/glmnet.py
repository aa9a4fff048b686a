"""glmnet(x, y, family = "binomial", alpha = ..., lambda = ...), a call of R.  Friedman, Hastie, Tibshirani 2010."""

from __future__ import annotations

import re

from widemargin.calls.draft import Draft, Words, check_names, number
from widemargin.errors import Refusal

R_WORDS = {"TRUE": "True", "FALSE": "False", "NULL": "None", "T": "True", "F": "False"}
KNOWN = ("0", "1", "x", "y", "family", "alpha", "lambda_", "standardize", "intercept", "weights", "penalty_factor",
         "lower_limits", "upper_limits", "thresh", "nlambda", "maxit", "nfolds", "type_measure")  # fmt: skip
FAMILIES = {"binomial": "auto", "multinomial": "softmax"}


def as_python(text: str) -> str:
    """The call in Python's grammar: no assignment, no dots in names, no R words; texts in quotes stay."""
    text = re.sub(r"^\s*[\w.]+\s*(<-|=(?!=))\s*(?=[\w.]+\s*\()", "", text)
    parts = re.split(r"(\"[^\"]*\"|'[^']*')", text)
    for k in range(0, len(parts), 2):
        part = re.sub(r"(?<=[A-Za-z])\.(?=[A-Za-z])", "_", parts[k])
        part = re.sub(r"\blambda\b", "lambda_", part)
        parts[k] = re.sub(r"\b[A-Z]+\b", lambda word: R_WORDS.get(word[0], word[0]), part)
    return "".join(parts)


def draft(source: str, given: Words) -> Draft:
    """The same problem."""
    check_names(source, given, KNOWN)
    family = given.get("family", "gaussian")
    if family not in FAMILIES:
        raise Refusal(f"{source}(family={family!r}) is a regression; this library fits {' and '.join(FAMILIES)}")
    found = Draft(source, {"loss": "logistic"}, convention="half_mean")
    share = number(source, "alpha", given.get("alpha", 1.0))
    found.options["penalty"] = {0.0: "l2", 1.0: "l1"}.get(share, f"elastic_net:{share!r}")
    if FAMILIES[family] != "auto":
        found.options["multiclass"] = FAMILIES[family]
    if given.get("standardize", True):
        found.options["scale"] = True
    if not given.get("intercept", True):
        found.options["intercept"] = False
    _strength(found, given)
    if "weights" in given:
        found.options["sample_weight"] = given["weights"]
    if "penalty_factor" in given:
        found.options["penalty_factor"] = given["penalty_factor"]
        found.note("glmnet divides penalty.factor by its mean first: pass factor / factor.mean()")
    if {"lower_limits", "upper_limits"} & set(given):
        found.note("limits are bounds=(lower, upper) here")
    return found


def _strength(found: Draft, given: Words) -> None:
    if "lambda_" in given:
        found.strength = number(found.source, "lambda", given["lambda_"])
        return
    along = "cross_validate" if found.source == "cv_glmnet" else "path"
    found.note(f"without lambda, glmnet fits a path: wm.{along}(X, y, ...) with these options, and no alpha")
