"""min C sum_i s_i l(z_i) + R(w, b / B), l = hinge or squared hinge: scikit-learn's LinearSVC, LIBLINEAR's conventions.

b is penalised as a weight whose feature is B = intercept_scaling, as LIBLINEAR does; intercept="free" leaves it alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils.metaestimators import available_if

from widemargin import stops
from widemargin.estimators.base import LinearBase, Probabilities, gap_for, linked, penalised, strength_of
from widemargin.estimators.parameters import choice, number, whole
from widemargin.fitting import Fit


class LinearSVC(LinearBase):
    """Linear support vector classification at its certified optimum; every pair of loss and penalty works.

    calibration="sigmoid" (or "isotonic", "temperature", "auto") opens predict_proba, learned from rows held out.
    """

    gives_probabilities = False  # of the squared hinge they are rough, and scikit-learn's has none

    def __init__(
        self, penalty: str = "l2", loss: str = "squared_hinge", *, dual: bool | str = "auto", tol: float = 1e-4,
        C: float = 1.0, multi_class: str = "ovr", fit_intercept: bool = True, intercept_scaling: float = 1,
        class_weight: Any = None, verbose: int = 0, random_state: Any = None, max_iter: int = 1000,
        intercept: str = "penalised", calibration: str | None = None, folds: Any = 5,
        penalty_factor: Any = None, bounds: Any = None,
    ) -> None:  # fmt: skip
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.intercept = intercept
        self.penalty_factor = penalty_factor
        self.bounds = bounds
        self.calibration = calibration
        self.folds = folds

    def _check_parameters(self) -> None:
        number(self, "C", above=0.0)
        number(self, "tol", low=0.0)
        number(self, "intercept_scaling", above=0.0)
        choice(self, "penalty", ("l1", "l2"))
        choice(self, "loss", ("hinge", "squared_hinge"))
        choice(self, "dual", (True, False, "auto"))
        choice(self, "multi_class", ("ovr", "crammer_singer"))
        choice(self, "intercept", ("penalised", "free"))
        whole(self, "max_iter", low=0)

    def _options(self, total: float) -> Mapping[str, Any]:
        alpha = strength_of(self.C, total)
        intercept = self.intercept if self.fit_intercept else False
        power = 1 if self.penalty == "l1" else 2
        return {
            # Crammer and Singer's loss is the hinge of the smallest margin, whatever `loss` says
            "loss": "hinge" if self.multi_class == "crammer_singer" else self.loss,
            "penalty": self.penalty,
            **penalised(alpha, intercept, self.intercept_scaling, power, self.n_features_in_, self.penalty_factor),
            "bounds": self.bounds,
            "multiclass": self.multi_class,
            "tol": gap_for(self.tol),
            "budget": stops.budget(iterations=max(1, self.max_iter)),
        }

    predict_proba = available_if(linked)(Probabilities.predict_proba)
    predict_log_proba = available_if(linked)(Probabilities.predict_log_proba)

    def _take(self, found: Fit, dtype: Any) -> LinearSVC:
        super()._take(found, dtype)
        self.n_iter_ = int(self.n_iter_.max())
        return self
