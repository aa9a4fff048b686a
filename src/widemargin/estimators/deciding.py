"""calibration=, metric=, cost= and folds= of an estimator: what is learned from scores of rows held out, in one fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin.calibration import calibrate
from widemargin.decisions import tune_threshold
from widemargin.fitting import Fit, fit
from widemargin.paths.crossed import cross_fit


def decided(estimator: Any, X: Any, y: Any, counted: Any, **options: Any) -> Fit:
    """The fit; its model with a link and a rule where the estimator asks for them.

    `counted` are the sample weights without class weights: probabilities and costs are those of the data as it came.
    """
    method, told = getattr(estimator, "calibration", None), _rule_wanted(estimator)
    if method is None and not told:
        return fit(X, y, **options)
    crossed = cross_fit(X, y, folds=estimator.folds, **options)
    crossed = replace(crossed, weights=None if counted is None else np.asarray(counted, dtype=float))
    model = crossed.model
    if method is not None:
        estimator.calibration_ = calibrate(crossed, method)
        model = estimator.calibration_.model
    if told:
        estimator.decision_ = tune_threshold(crossed, **told)
        model = replace(model, rule=estimator.decision_.rule)
    return replace(crossed.fit, model=model)


def _rule_wanted(estimator: Any) -> Mapping[str, Any]:
    wanted = {name: getattr(estimator, name, None) for name in ("metric", "cost")}
    return {name: value for name, value in wanted.items() if value is not None}
