"""If y (w.x + b) <= 0: w <- w + eta s y x, b <- b + eta s y: scikit-learn's Perceptron, its penalties and its end."""

from __future__ import annotations

from typing import Any

from widemargin.estimators.parameters import choice, number
from widemargin.estimators.sgd import PENALTIES, Weighted
from widemargin.solve.epochs import EpochPlan


class Perceptron(Weighted):
    """SGDClassifier with the perceptron's loss, a constant step and no penalty unless one is named."""

    def __init__(
        self, *, penalty: str | None = None, alpha: float = 1e-4, l1_ratio: float = 0.15, fit_intercept: bool = True,
        max_iter: int = 1000, tol: float | None = 1e-3, shuffle: bool = True, verbose: int = 0, eta0: float = 1.0,
        n_jobs: int | None = None, random_state: Any = 0, early_stopping: bool = False,
        validation_fraction: float = 0.1, n_iter_no_change: int = 5, class_weight: Any = None, warm_start: bool = False,
    ) -> None:  # fmt: skip
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start

    def _check_parameters(self) -> None:
        super()._check_parameters()
        choice(self, "penalty", PENALTIES)
        number(self, "alpha", low=0.0)
        number(self, "l1_ratio", low=0.0, high=1.0)
        number(self, "eta0", above=0.0)

    def _plan(self, passes: int) -> EpochPlan:
        return EpochPlan(
            "perceptron", 0.0, self.alpha, self._share(), bool(self.fit_intercept), "constant", self.eta0, 0.5, passes,
            self.tol, self.n_iter_no_change, bool(self.shuffle),
        )  # fmt: skip
