"""What pictures ask of the user's things: the model of a fit, z = y (w.x + b) of rows, names for lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.data.intake import intake_rows
from widemargin.data.rows import Rows
from widemargin.errors import InputError, InputTypeError, OptionError, Refusal
from widemargin.model import Model
from widemargin.spec import number

if TYPE_CHECKING:
    from widemargin.fitting import Fit

AIM = ("loss", "penalty", "alpha", "intercept")


def model_of(fit: Any) -> Model:
    """The model itself, or that of a fit or of any other result that has one."""
    found = getattr(fit, "model", fit)
    if not isinstance(found, Model):
        raise InputTypeError(
            f"a picture was asked of {type(fit).__name__}; expected a fit or a model, as in plots.boundary(fit, X, y)."
        )
    return found


def binary(model: Model, picture: str) -> Model:
    """The model, if it has one hyperplane."""
    if len(model.b) > 1:
        raise Refusal(
            f"{picture}() shows one hyperplane, and this model has {len(model.b)}: fit one class against the rest, "
            "as in wm.fit(X, y == label)."
        )
    return model


def rows_of(model: Model, X: Any) -> Rows:
    """The rows of X, with the columns of the fit."""
    rows = intake_rows(X, d=len(model.W), feature_names=model.feature_names)
    if rows.n == 0:
        raise InputError("X has no rows: there is nothing to draw. Pass at least one.")
    return rows


def numbers_of(model: Model, y: Any, n: int) -> I64:
    """For each label its number among the model's classes."""
    if y is None or isinstance(y, str | bytes):
        raise InputTypeError(f"y is {'None' if y is None else 'text'}; expected one label per row.")
    given = np.asarray(y)
    given = given.ravel() if given.ndim == 2 and given.shape[1] == 1 else given
    if given.shape != (n,):
        raise InputError(f"y has shape {given.shape} but X has {n} rows; expected one label per row. Align the two.")
    number = {label: k for k, label in enumerate(model.classes.tolist())}
    own = given.tolist()
    strange = next((label for label in own if label not in number), None)
    if strange is not None:
        raise InputError(f"y has the label {strange!r}, which the model does not know; its classes are {list(number)}.")
    return np.array([number[label] for label in own], dtype=np.int64)


def scores_of(model: Model, rows: Rows) -> F64:
    """w.x + b, (n, K)."""
    return rows.times(model.W) + model.b


def margins_of(model: Model, X: Any, y: Any) -> F64:
    """z = y (w.x + b); of more than two classes, the own score less that of the best rival."""
    rows = rows_of(model, X)
    own, f = numbers_of(model, y, rows.n), scores_of(model, rows)
    if f.shape[1] == 1:
        return np.where(own == 1, 1.0, -1.0) * f[:, 0]
    every = np.arange(rows.n)
    mine = f[every, own]
    f[every, own] = -np.inf
    return np.asarray(mine - f.max(axis=1))


def norm_of(model: Model) -> float:
    """||w||, where there is a hyperplane."""
    size = float(np.linalg.norm(model.W))
    if size == 0:
        raise Refusal("w = 0: this model has no hyperplane to draw. Use a smaller alpha, or look at the data.")
    return size


def feature(model: Model, j: int) -> str:
    """The name of a column."""
    return f"x{j}" if model.feature_names is None else model.feature_names[j]


def describe(model: Model) -> str:
    """Loss, strength and penalty, as far as the model says."""
    said = model.about
    if not said.get("alpha"):
        return model.loss.name
    return f"{model.loss.name} + {said['alpha']:g} {said['penalty']}"


def with_names(model: Model, names: Sequence[str] | None) -> Model:
    """The model, with names of its columns where some came."""
    if names is None:
        return model
    if isinstance(names, str) or len(names) != len(model.W):
        raise InputError(f"{len(names)} names for {len(model.W)} columns; expected a list of as many.")
    return replace(model, feature_names=tuple(map(str, names)))


def describe_aim(model: Model) -> str:
    """Loss and penalty, without a strength."""
    return f"{model.loss.name} + {model.about['penalty']}"


def named(fits: Sequence[Any], labels: Sequence[str] | None, picture: str) -> Sequence[str] | None:
    """The labels, if there are as many as fits; of fits at least one."""
    if not fits:
        raise InputError(f"{picture}() came without fits; expected one or more: {picture}(wm.fit(X, y)).")
    if isinstance(labels, str):
        raise OptionError(f"labels = {labels!r}; expected a list of names, one for each fit.")
    if labels is not None and len(labels) != len(fits):
        raise InputError(f"{len(labels)} labels for {len(fits)} fits; expected as many.")
    return labels


def traced(fits: Sequence[Fit]) -> None:
    """Every fit has a trace with events."""
    for fit in fits:
        if not hasattr(fit, "trace"):
            raise InputTypeError(f"this picture shows the trace of a fit; got {type(fit).__name__}, which has none.")
        if not len(fit.trace):
            raise InputError(f"the fit by {fit.solver} has no events to draw: {fit.certificate.verdict.text}.")


def one_objective(fits: Sequence[Fit]) -> None:
    """All fits minimise the same thing."""
    if len({tuple(fit.model.about[key] for key in AIM) for fit in fits}) > 1:
        raise Refusal("these fits minimise different objectives, to which no one bound belongs: draw them apart.")


def count(name: str, value: Any, low: int = 1) -> int:
    """A whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
        raise OptionError(f"{name} = {value!r}; expected a whole number of at least {low}.")
    return int(value)


def column(name: str, values: Any) -> F64:
    """Finite numbers in one dimension, at least two."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 1 or len(found) < 2 or not np.isfinite(found).all():
        raise InputError(f"{name} should hold two or more finite numbers in one dimension; got {values!r:.80}.")
    return found


def several(name: str, values: Any, *, positive: bool = True) -> F64:
    """One or more finite numbers, positive unless any will do."""
    low = 0.0 if positive else -math.inf
    found = [number(name, value, low, strict=positive) for value in np.atleast_1d(values).ravel().tolist()]
    if not found:
        raise OptionError(f"{name} = {values!r}; expected one or more numbers")
    return np.array(found)
