"""min C sum_i s_i log(1 + e^(-z_i)) + (1 - rho) ||w||^2 / 2 + rho ||w||_1: scikit-learn's LogisticRegression."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from widemargin import stops
from widemargin.estimators.base import LinearBase, Probabilities, gap_for, penalised, strength_of
from widemargin.estimators.parameters import choice, number, whole

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")


class LogisticRegression(Probabilities, LinearBase):
    """Logistic regression at its certified optimum; parameters mean what they mean in scikit-learn.

    Every name of a solver is taken and leads to the same certified optimum; "liblinear" penalises the intercept, as
    LIBLINEAR does, unless intercept="free".  `tol` is the relative duality gap.
    """

    def __init__(
        self, penalty: str | None = "deprecated", *, C: float = 1.0, l1_ratio: float | None = 0.0, dual: bool = False,
        tol: float = 1e-4, fit_intercept: bool = True, intercept_scaling: float = 1, class_weight: Any = None,
        random_state: Any = None, solver: str = "lbfgs", max_iter: int = 100, multi_class: str = "deprecated",
        verbose: int = 0, warm_start: bool = False, n_jobs: int | None = None, intercept: str = "auto",
        penalty_factor: Any = None, bounds: Any = None,
    ) -> None:  # fmt: skip
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.multi_class = multi_class
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.intercept = intercept
        self.penalty_factor = penalty_factor
        self.bounds = bounds

    def _check_parameters(self) -> None:
        number(self, "C", above=0.0, infinite=True)
        number(self, "tol", low=0.0)
        number(self, "intercept_scaling", above=0.0)
        if self.l1_ratio is not None:
            number(self, "l1_ratio", low=0.0, high=1.0)
        choice(self, "penalty", ("deprecated", "l1", "l2", "elasticnet", None))
        choice(self, "solver", SOLVERS)
        choice(self, "multi_class", ("deprecated", "auto", "ovr", "multinomial"))
        choice(self, "intercept", ("auto", "free", "penalised"))
        whole(self, "max_iter", low=0)

    def _options(self, total: float) -> Mapping[str, Any]:
        ratio = self._ratio()
        free = ratio is None or math.isinf(self.C)
        alpha = 0.0 if free else strength_of(self.C, total)
        one_by_one = self.solver == "liblinear" or self.multi_class == "ovr"
        return {
            "loss": "logistic",
            "penalty": "none" if free else named(ratio or 0.0),
            **penalised(
                alpha,
                self._intercept(),
                self.intercept_scaling,
                1 if ratio == 1.0 else 2,
                self.n_features_in_,
                getattr(self, "penalty_factor", None),
            ),
            "bounds": getattr(self, "bounds", None),
            "multiclass": "ovr" if one_by_one else "auto",
            "tol": gap_for(self.tol),
            "budget": stops.budget(iterations=max(1, self.max_iter)),
        }

    def _ratio(self) -> float | None:
        """The share of L1; None where nothing is penalised."""
        if self.penalty == "deprecated" or self.penalty == "elasticnet":
            return self.l1_ratio or 0.0
        return {None: None, "l2": 0.0, "l1": 1.0}[self.penalty]

    def _intercept(self) -> bool | str:
        if not self.fit_intercept:
            return False
        liblinear = self.intercept == "auto" and self.solver == "liblinear"
        return "penalised" if liblinear or self.intercept == "penalised" else True


def named(l1_ratio: float) -> str:
    """The penalty with a share of L1."""
    return {0.0: "l2", 1.0: "l1"}.get(l1_ratio, f"elastic_net:{l1_ratio!r}")
