"""w <- w + tau y x, tau = min(C, l / |x|^2) or l / (|x|^2 + 1 / 2C), l = (1 - z)+: scikit-learn's PA-I and PA-II.

Crammer et al. 2006, but |x|^2 leaves the intercept out, as there.
"""

from __future__ import annotations

from typing import Any, Self

from widemargin.estimators.parameters import choice, number
from widemargin.estimators.stochastic import StochasticBase
from widemargin.solve.epochs import EpochPlan


class PassiveAggressiveClassifier(StochasticBase):
    """loss="hinge" is PA-I, loss="squared_hinge" is PA-II; `C` bounds how far one row moves the weights."""

    def __init__(
        self, *, C: float = 1.0, fit_intercept: bool = True, max_iter: int = 1000, tol: float | None = 1e-3,
        early_stopping: bool = False, validation_fraction: float = 0.1, n_iter_no_change: int = 5, shuffle: bool = True,
        verbose: int = 0, loss: str = "hinge", n_jobs: int | None = None, random_state: Any = None,
        warm_start: bool = False, class_weight: Any = None, average: bool | int = False,
    ) -> None:  # fmt: skip
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.loss = loss
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.average = average

    def _check_parameters(self) -> None:
        super()._check_parameters()
        number(self, "C", above=0.0, infinite=True)
        choice(self, "loss", ("hinge", "squared_hinge"))

    def _plan(self, passes: int) -> EpochPlan:
        return EpochPlan(
            "hinge", 0.0, 1.0, None, bool(self.fit_intercept), "pa1" if self.loss == "hinge" else "pa2", self.C, 0.5,
            passes, self.tol, self.n_iter_no_change, bool(self.shuffle), int(self.average),
        )  # fmt: skip

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> Self:  # type: ignore[override]
        """Passes over X with labels y, from zero or from what is given, until they no longer improve."""
        self._learn(X, y, coef_init=coef_init, intercept_init=intercept_init)
        self._warn_at_the_limit()
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """One pass over X from where the weights are; the first call names all classes."""
        return self._learn(X, y, classes=classes, passes=1)
