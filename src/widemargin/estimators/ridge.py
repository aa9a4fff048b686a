"""min sum_i s_i (y_i - f_i)^2 + a ||w||^2, y = -1/+1, one problem per class: scikit-learn's RidgeClassifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from widemargin import stops
from widemargin.estimators.base import LinearBase, gap_for
from widemargin.estimators.parameters import choice, number, whole
from widemargin.translation import translate

SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")


class RidgeClassifier(LinearBase):
    """Least squares as a classifier, with L2 and a free intercept; every name of a solver gives the same answer."""

    _balances_weights = False

    def __init__(
        self, alpha: float = 1.0, *, fit_intercept: bool = True, copy_X: bool = True, max_iter: int | None = None,
        tol: float = 1e-4, class_weight: Any = None, solver: str = "auto", positive: bool = False,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    def _check_parameters(self) -> None:
        number(self, "alpha", low=0.0)
        number(self, "tol", low=0.0)
        choice(self, "solver", SOLVERS)
        choice(self, "positive", (True, False))
        if self.max_iter is not None:
            whole(self, "max_iter", low=1)

    def _options(self, total: float) -> Mapping[str, Any]:
        limit = {} if self.max_iter is None else {"budget": stops.budget(iterations=self.max_iter)}
        return {
            "loss": "squared",
            "alpha": float(translate(self.alpha, "ridge", sum_weights=total)) if self.alpha else 0.0,
            "intercept": self.fit_intercept,
            "multiclass": "ovr",
            "bounds": "nonnegative" if self.positive else None,
            "tol": gap_for(self.tol),
            **limit,
        }
