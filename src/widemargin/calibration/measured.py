"""calibrate: a link learned from held-out scores, and what its probabilities are worth on rows that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from widemargin._types import F64
from widemargin.calibration.maps import METHODS
from widemargin.errors import InputError, unknown
from widemargin.links import Link
from widemargin.model import Model
from widemargin.paths.crossed import CrossFit

SMALLEST = 1e-15  # of a probability in the log loss


@dataclass(frozen=True, eq=False)
class Calibration:
    """A model with probabilities, and held-out probabilities: each row's by a fit and a link without its fold."""

    model: Model
    method: str
    probabilities: F64  # (n, classes); NaN for rows that no fold held out
    log_loss: float  # weighted mean of -log P(class that came true)
    brier: float  # weighted mean of |P - one-hot|^2

    @property
    def link(self) -> Link:
        """The link of the model."""
        assert self.model.calibration is not None
        return self.model.calibration

    def __repr__(self) -> str:
        return f"Calibration({self.method}: held-out log loss {self.log_loss:.4g}, Brier {self.brier:.4g})"


def calibrate(found: Any, method: str = "auto") -> Calibration:
    """Probabilities for any loss, from widemargin.cross_fit or widemargin.cross_validate.

    method: "temperature" (auto for softmax), "sigmoid" (auto for all else), "isotonic", or "own": the loss's own link,
    measured.  Sample weights count; class weights do not, so that probabilities are those of the data as it came.
    """
    crossed = crossed_of(found, "calibrate")
    chosen = usual(crossed.model) if method == "auto" else method
    if chosen not in ("own", *METHODS):
        raise unknown("method", method, ("auto", "own", *METHODS))
    held, s = crossed.held, weights_of(crossed)
    model = replace(crossed.model, calibration=learned(crossed, chosen, held), rule=None)
    q = held_probabilities(crossed, chosen)
    true = q[held, crossed.truth[held]]
    one_hot = np.eye(q.shape[1])[crossed.truth[held]]
    return Calibration(
        model, chosen, q, float(np.average(-np.log(np.maximum(true, SMALLEST)), weights=s[held])),
        float(np.average(((q[held] - one_hot) ** 2).sum(axis=1), weights=s[held])),
    )  # fmt: skip


def usual(model: Model) -> str:
    """Scores that already are softmax's need one number; others were learned each by itself, and need two each."""
    return "temperature" if model.multiclass in ("softmax", "crammer_singer") else "sigmoid"


def learned(crossed: CrossFit, method: str, rows: Any) -> Link:
    """The link that these rows teach."""
    if method == "own":
        return Link("own")
    return METHODS[method](crossed.scores[rows], crossed.truth[rows], weights_of(crossed)[rows])


def held_probabilities(crossed: CrossFit, method: str) -> F64:
    """(n, classes): of each fold by the link that the other folds teach."""
    found = np.full((len(crossed.truth), len(crossed.model.classes)), np.nan)
    for fold in np.unique(crossed.folds[crossed.held]):
        rows = crossed.folds == fold
        model = replace(crossed.model, calibration=learned(crossed, method, crossed.held & ~rows), rule=None)
        found[rows] = model.link(crossed.scores[rows])
    return found


def weights_of(crossed: CrossFit) -> F64:
    """(n,) sample weights of mean 1 on the rows held out: they count rows."""
    if crossed.weights is None:
        return np.ones(len(crossed.truth))
    return np.asarray(crossed.weights / crossed.weights[crossed.held].mean())


def crossed_of(found: Any, who: str) -> CrossFit:
    """The held-out scores that came, or an error that says how to have some."""
    crossed = getattr(found, "crossed", found)
    if not isinstance(crossed, CrossFit):
        raise InputError(
            f"{who} got a {type(found).__name__}; expected what widemargin.cross_fit(X, y, ...) or "
            "widemargin.cross_validate(X, y, ...) returns: scores of rows that the fit has not seen"
        )
    if len(np.unique(crossed.folds[crossed.held])) < 2:
        raise InputError(f"{who} needs rows of at least two folds: what one teaches is measured on the other")
    return crossed
