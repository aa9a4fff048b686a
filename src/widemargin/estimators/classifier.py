"""Any loss with any penalty, in this library's own convention: wm.fit as an estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from widemargin.estimators.base import LinearBase, Probabilities, linked


class LinearClassifier(LinearBase):
    """min sum p l(y (w.x + b)) + alpha R(w), certified; parameters are those of widemargin.fit.

    calibration: "auto", "sigmoid", "temperature" or "isotonic": probabilities for any loss.  metric or cost: the rule
    of predict that serves it best.  Both are learned from rows held out, in `folds`; see calibration_ and decision_.
    """

    def __init__(
        self, loss: Any = "logistic", penalty: Any = "l2", alpha: float = 1e-3, *, solver: Any = "auto",
        tol: float = 1e-6, fit_intercept: bool | str = True, scale: bool = False, penalty_factor: Any = None,
        bounds: Any = None, multiclass: str = "auto", schedule: Any = None, stop: Any = (), shuffle: bool = True,
        budget: Any = None, class_weight: Any = None, random_state: Any = 0, warm_start: bool = False,
        n_jobs: int | None = None, calibration: str | None = None, metric: Any = None, cost: Any = None,
        folds: Any = 5,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.solver = solver
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.penalty_factor = penalty_factor
        self.bounds = bounds
        self.multiclass = multiclass
        self.schedule = schedule
        self.stop = stop
        self.shuffle = shuffle
        self.budget = budget
        self.class_weight = class_weight
        self.random_state = random_state
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.calibration = calibration
        self.metric = metric
        self.cost = cost
        self.folds = folds

    def _options(self, total: float) -> Mapping[str, Any]:
        names = (
            "loss", "penalty", "alpha", "solver", "tol", "scale", "penalty_factor", "bounds", "multiclass", "schedule",
            "stop", "shuffle", "budget",
        )  # fmt: skip
        seed = self.random_state
        if not isinstance(seed, int):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        return {name: getattr(self, name) for name in names} | {"intercept": self.fit_intercept, "seed": seed}

    predict_proba = available_if(linked)(Probabilities.predict_proba)
    predict_log_proba = available_if(linked)(Probabilities.predict_log_proba)
