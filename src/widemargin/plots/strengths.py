"""Training and test error against alpha, or C = 1/(alpha n): too little regularisation overfits, too much underfits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputError, Refusal, unknown
from widemargin.model import Model
from widemargin.plots.reading import margins_of, model_of, named, numbers_of, rows_of
from widemargin.plots.style import axes, frame, grey, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES = {"error": "share of rows that are wrong", "loss": "mean loss"}
AGAINST = ("alpha", "C")


def regularisation(
    *fits: Any, X: Any, y: Any, X_test: Any, y_test: Any, measure: str = "error", against: str = "alpha",
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the error ("error": share of rows, or "loss": mean) of fits of several alpha on training and test rows.

    against="C" draws C = 1/(alpha n), n the training rows, as scikit-learn and the SVM literature count.
    """
    named(fits, None, "regularisation")
    for name, value, choices in (("measure", measure, MEASURES), ("against", against, AGAINST)):
        if value not in choices:
            raise unknown(name, value, choices)
    found = [model_of(fit) for fit in fits]
    n = rows_of(found[0], X).n
    models = sorted(found, key=lambda model: strength(model, n))
    alpha = _strengths(models, n)
    at = alpha if against == "alpha" else 1 / (alpha * n)
    trained = np.array([_measured(model, X, y, measure) for model in models])
    tested = np.array([_measured(model, X_test, y_test, measure) for model in models])
    ax = axes(ax)
    ax.set_xscale("log")
    ax.plot(at, trained, marker="o", markersize=4, label="training rows", **line(2, ax)._asdict())
    ax.plot(at, tested, marker="s", markersize=4, label="test rows", **line(1, ax)._asdict())
    best = int(np.argmin(tested))
    ax.axvline(at[best], color=grey(ax), linewidth=1.0)
    legend(ax)
    about = models[0].about
    below = f"line: least on the test rows, {tested[best]:.3g} at {at[best]:.3g}, and so chosen on them"
    x = "α (left overfits)" if against == "alpha" else "C = 1 / (α n) (right overfits)"
    frame(ax, title=f"Regularisation: {about['loss']}, {about['penalty']}", below=below, x=x, y=MEASURES[measure])
    return ax


def strength(model: Model, n: int) -> float:
    """alpha as the model says, or from the C of a margin programme over n rows; 0 where it says neither."""
    if "C" in model.about:
        return 1 / (float(model.about["C"]) * n)
    return float(model.about.get("alpha", 0.0))


def _strengths(models: Sequence[Model], n: int) -> F64:
    """The alpha of each model; all of one loss and penalty."""
    if len({(model.about.get("loss"), model.about.get("penalty")) for model in models}) > 1:
        raise Refusal("these fits have different losses or penalties: draw one curve for each.")
    alpha = np.array([strength(model, n) for model in models])
    if not (alpha > 0).all() or len(np.unique(alpha)) < 2:
        raise InputError(f"the fits have alpha = {alpha.tolist()}; expected two or more different positive numbers.")
    return alpha


def _measured(model: Model, X: Any, y: Any, measure: str) -> float:
    """The share of wrong labels, or the mean loss of the margins."""
    if measure == "loss":
        return float(np.mean(model.loss.value(margins_of(model, X, y))))
    own = numbers_of(model, y, rows_of(model, X).n)
    return float(np.mean(model.predict(X) != model.classes[own]))
