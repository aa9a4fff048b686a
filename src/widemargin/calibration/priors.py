"""P(k) ~ q(k) true_k / learned_k: probabilities where classes have other shares than those that the fit saw.

A fit with class weights w saw shares ~ n_k w_k.  Elkan 2001; Saerens, Latinne, Decaestecker 2002; King, Zeng 2001.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin._types import F64, Array
from widemargin.data.frames import is_real
from widemargin.errors import InputError, OptionError
from widemargin.fitting import Fit
from widemargin.links import Link
from widemargin.model import Model


def correct_priors(model: Model | Fit, *, learned: Mapping[Any, float], true: Mapping[Any, float]) -> Model:
    """The model with probabilities for class shares `true`, where it learned from shares `learned`.

    Both map labels to numbers above 0, of any sum: counts do as well as shares.
    """
    known = model.model if isinstance(model, Fit) else model
    if not isinstance(known, Model):
        raise InputError(f"correct_priors got a {type(model).__name__}; expected a model or a fit")
    ratio = _by_class("true", true, known.classes) / _by_class("learned", learned, known.classes)
    link = known.calibration or Link("own")
    priors = ratio if link.priors is None else link.priors * ratio
    return replace(known, calibration=replace(link, priors=priors / priors.max()))


def _by_class(name: str, shares: Mapping[Any, float], classes: Array) -> F64:
    labels = classes.tolist()
    if not isinstance(shares, Mapping) or set(shares) != set(labels):
        raise OptionError(f"{name} = {shares!r}; expected a number for each of the classes {labels}")
    found = np.array([float(shares[k]) if is_real(type(shares[k])) else np.nan for k in labels])
    if not ((found > 0) & np.isfinite(found)).all():
        raise OptionError(f"{name} = {dict(shares)!r}; expected finite numbers above 0")
    return np.asarray(found / found.sum())
