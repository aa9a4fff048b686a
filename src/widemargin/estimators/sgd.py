"""w <- (1 - eta a (1 - rho)) w - eta s l'(z) y x, and L1 by what is due in total: scikit-learn's SGDClassifier.

The perceptron and passive-aggressive classifiers are cases of it, with names of their own.
"""

from __future__ import annotations

from typing import Any, Self

from sklearn.utils.metaestimators import available_if

from widemargin.errors import Refusal
from widemargin.estimators.base import Probabilities
from widemargin.estimators.parameters import choice, number
from widemargin.estimators.stochastic import StochasticBase
from widemargin.loss import losses
from widemargin.solve.epochs import RESIDUAL, EpochPlan

PENALTIES = {"l2": 0.0, "l1": 1.0, "elasticnet": None, None: None}
SCHEDULES = {"invscaling": "inverse"}  # the others keep their names
RATES = ("constant", "optimal", "invscaling", "adaptive", "pa1", "pa2")
LOSSES = {"log_loss": "logistic"} | {name: name for name in RESIDUAL}
LOSSES |= {name: name for name, loss in losses.items() if name not in LOSSES and (loss.convex or loss.smooth)}


def _linked(estimator: Any) -> bool:
    """The losses of which scikit-learn offers probabilities."""
    return LOSSES.get(estimator.loss) in ("logistic", "modified_huber")


class Weighted(StochasticBase):
    """Rows with weights, penalties of L1 and L2."""

    penalty: str | None
    l1_ratio: float | None

    def _share(self) -> float | None:
        """The share of L1; None without a penalty."""
        return self.l1_ratio if self.penalty == "elasticnet" else PENALTIES[self.penalty]

    def fit(  # type: ignore[override]
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> Self:
        """Passes over X with labels y, from zero or from what is given, until they no longer improve."""
        self._learn(X, y, sample_weight=sample_weight, coef_init=coef_init, intercept_init=intercept_init)
        self._warn_at_the_limit()
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over X from where the weights are; the first call names all classes."""
        return self._learn(X, y, classes=classes, sample_weight=sample_weight, passes=1)


class SGDClassifier(Weighted):
    """Stochastic gradient descent with scikit-learn's steps, order of rows and end; any smooth or convex loss.

    It ends where passes no longer improve, and proves nothing: for a certificate take LinearClassifier.
    """

    def __init__(
        self, loss: str = "hinge", *, penalty: str | None = "l2", alpha: float = 1e-4, l1_ratio: float | None = 0.15,
        fit_intercept: bool = True, max_iter: int = 1000, tol: float | None = 1e-3, shuffle: bool = True,
        verbose: int = 0, epsilon: float = 0.1, n_jobs: int | None = None, random_state: Any = None,
        learning_rate: str = "optimal", eta0: float = 0.01, power_t: float = 0.5, early_stopping: bool = False,
        validation_fraction: float = 0.1, n_iter_no_change: int = 5, class_weight: Any = None, warm_start: bool = False,
        average: bool | int = False,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average

    def _check_parameters(self) -> None:
        super()._check_parameters()
        choice(self, "loss", LOSSES)
        choice(self, "penalty", PENALTIES)
        choice(self, "learning_rate", RATES)
        number(self, "alpha", low=0.0)
        number(self, "epsilon", low=0.0)
        number(self, "power_t")
        if self.learning_rate == "optimal":
            if self.alpha == 0:
                raise Refusal(
                    "alpha must be > 0 since learning_rate is 'optimal', whose steps are 1 / (alpha (t0 + t)): "
                    "choose learning_rate='invscaling' for no penalty"
                )
        else:
            number(self, "eta0", above=0.0)
        if self.l1_ratio is not None:
            number(self, "l1_ratio", low=0.0, high=1.0)
        elif self.penalty == "elasticnet":
            raise Refusal("l1_ratio must be set when penalty is 'elasticnet': a number from 0 to 1")
        if self.learning_rate in ("pa1", "pa2") and self.loss != "hinge":
            raise Refusal(
                f"Learning rate {self.learning_rate!r} only works with loss 'hinge': it is the hinge's implicit step"
            )

    def _plan(self, passes: int) -> EpochPlan:
        return EpochPlan(
            LOSSES[self.loss], self.epsilon, self.alpha, self._share(), bool(self.fit_intercept),
            SCHEDULES.get(self.learning_rate, self.learning_rate), self.eta0, self.power_t, passes, self.tol,
            self.n_iter_no_change, bool(self.shuffle), int(self.average),
        )  # fmt: skip

    predict_proba = available_if(_linked)(Probabilities.predict_proba)
    predict_log_proba = available_if(_linked)(Probabilities.predict_log_proba)
