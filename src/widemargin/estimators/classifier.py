"""Any loss with any penalty, in this library's own convention: wm.fit as an estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from widemargin import stops
from widemargin.errors import OptionError
from widemargin.estimators.base import LinearBase, Probabilities, linked
from widemargin.estimators.callbacks import with_callbacks


class LinearClassifier(LinearBase):
    """min sum p l(y (w.x + b)) + alpha R(w), certified; parameters are those of widemargin.fit.

    calibration: "auto", "sigmoid", "temperature" or "isotonic": probabilities for any loss.  metric or cost: the rule
    of predict that serves it best.  Both are learned from rows held out, in `folds`; see calibration_ and decision_.
    on_event hears of every step, and stops the fit by returning True.
    """

    def __init__(
        self, loss: Any = "logistic", penalty: Any = "l2", alpha: float = 1e-3, *, solver: Any = "auto",
        tol: float = 1e-6, fit_intercept: bool | str = True, scale: bool = False, penalty_factor: Any = None,
        bounds: Any = None, multiclass: str = "auto", schedule: Any = None, stop: Any = (), shuffle: bool = True,
        budget: Any = None, class_weight: Any = None, random_state: Any = 0, warm_start: bool = False,
        n_jobs: int | None = None, calibration: str | None = None, metric: Any = None, cost: Any = None,
        folds: Any = 5, on_event: Any = None, patience: int = 5, patience_metric: Any = "error",
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
        self.on_event = on_event
        self.patience = patience
        self.patience_metric = patience_metric

    @with_callbacks
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None, X_val: Any = None, y_val: Any = None
    ) -> Self:
        """Fit to rows X with labels y; `offset` is added to every row's score.

        With X_val and y_val the fit ends once patience_metric on these rows ("error", "log_loss" or a function of class
        numbers and scores) is no better than `patience` steps before.
        """
        if (X_val is None) != (y_val is None):
            raise OptionError("X_val and y_val belong together; only one of them came")
        if X_val is None:
            return self._fit(X, y, sample_weight, offset)
        held = stops.held_out(X_val, y_val, self.patience_metric, self.patience)
        given = self.stop if isinstance(self.stop, tuple | list) else (self.stop,)
        return self._fit(X, y, sample_weight, offset, stop=(*given, held))

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
