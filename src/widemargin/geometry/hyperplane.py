"""{x : w.x + b = 0}: its signed distance (w.x + b) / ||w|| from points, |b| / ||w|| from the origin.

Distances do not change when (w, b) is multiplied by a number, so it is brought near 1 by a power of two first: no
square overflows or vanishes, and no digit of a score is lost, so that a point on the hyperplane has distance 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, Array
from widemargin.data.intake import intake_rows
from widemargin.data.rows import Rows
from widemargin.errors import InputError, InputTypeError
from widemargin.model import Model

EXPECTED = "expected a model, a fit, or a pair (w, b) of d weights and an intercept"


class Hyperplane(NamedTuple):
    """One hyperplane a column of W; classes and names where a model brought them."""

    W: F64  # (d, K)
    b: F64  # (K,)
    classes: Array | None = None
    names: tuple[str, ...] | None = None

    def evened(self) -> tuple[Hyperplane, F64]:
        """The same hyperplanes with the largest |w_j| in [1/2, 1), and their ||w||, or an error where w = 0."""
        top = np.abs(self.W).max(axis=0, initial=0.0)
        if not top.all():
            raise InputError(
                "w = 0: it has no hyperplane, and no distance to it. The fit found nothing to tell the classes apart: "
                "penalise less, or look at the data."
            )
        power = -np.frexp(top)[1]
        with np.errstate(over="ignore"):
            W, b = np.ldexp(self.W, power), np.ldexp(self.b, power)
        return self._replace(W=W, b=b), np.sqrt((W * W).sum(axis=0))


def hyperplane(given: Any) -> Hyperplane:
    """From a model, from whatever has one (a fit), or from a pair (w, b)."""
    if isinstance(given, Hyperplane):
        return given
    model = given if isinstance(given, Model) else getattr(given, "model", None)
    if isinstance(model, Model):
        return Hyperplane(model.W, model.b, model.classes, model.feature_names)
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InputTypeError(f"the hyperplane is of type {type(given).__name__}; {EXPECTED}.")
    try:
        W, b = (np.asarray(part, dtype=np.float64) for part in given)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"the pair (w, b) cannot be read as numbers: {error}; {EXPECTED}.") from None
    W = W[:, None] if W.ndim == 1 else W
    if W.ndim != 2 or W.size == 0 or b.size != W.shape[1]:
        raise InputError(f"w has shape {np.shape(given[0])} and b has shape {np.shape(given[1])}; {EXPECTED}.")
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        raise InputError(f"(w, b) has NaN or infinite entries; {EXPECTED}, all of them finite.")
    return Hyperplane(W, b.reshape(-1))


class Points(NamedTuple):
    """Rows, and whether one single point was given."""

    rows: Rows
    single: bool

    def shaped(self, values: F64) -> float | F64:
        """A number for a single point, else an array."""
        return float(values[0]) if self.single and values.ndim == 1 else values[0] if self.single else values


def points(X: Any, plane: Hyperplane) -> Points:
    """A table of points, or a single one as a sequence of d numbers."""
    single = np.ndim(X) == 1 if isinstance(X, list | tuple) else getattr(X, "ndim", 2) == 1
    if single:
        X = X.reshape(1, -1) if hasattr(X, "reshape") else np.asarray(X).reshape(1, -1)
    rows = intake_rows(X, d=len(plane.W), feature_names=plane.names)
    return Points(rows, single)


def scores(plane: Hyperplane, rows: Rows) -> F64:
    """w.x + b, (n, K)."""
    return rows.times(plane.W) + plane.b


def signed_distance(plane: Any, X: Any) -> float | F64:
    """(w.x + b) / ||w||: positive on the side of the second class; (n, K) where a model has K hyperplanes."""
    even, length = hyperplane(plane).evened()
    at = points(X, even)
    found = scores(even, at.rows) / length
    return at.shaped(found[:, 0] if found.shape[1] == 1 else found)


def origin_distance(plane: Any) -> float | F64:
    """|b| / ||w||, one number a hyperplane."""
    even, length = hyperplane(plane).evened()
    found = np.abs(even.b) / length
    return float(found[0]) if len(found) == 1 else found
