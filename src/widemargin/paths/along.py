"""path: one certified fit per strength, from the largest down, each begun where the last one ended.

Osborne, Presnell, Turlach 2000; Friedman, Hastie, Tibshirani 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from widemargin._types import F64
from widemargin.certificate import Certificate
from widemargin.data.intake import intake
from widemargin.finish import certify, warn
from widemargin.fitting import about, assemble
from widemargin.model import Model
from widemargin.paths.strengths import grid, largest
from widemargin.solve.follow import follow
from widemargin.solve.start import null_values
from widemargin.spec import spec


@dataclass(frozen=True, eq=False)
class Path:
    """Models along strengths, from the largest to the smallest."""

    alphas: F64
    models: tuple[Model, ...]
    certificates: tuple[Certificate, ...]

    @cached_property
    def coefficients(self) -> F64:
        """(strengths, d) for two classes, (strengths, d, K) beyond."""
        return np.stack([model.weights for model in self.models])

    @cached_property
    def intercepts(self) -> F64:
        """(strengths,) for two classes, (strengths, K) beyond."""
        return np.array([model.intercept for model in self.models])

    @cached_property
    def counts(self) -> F64:
        """How many features each model uses."""
        return np.array([np.count_nonzero(model.W.any(axis=1)) for model in self.models])

    @property
    def relative_gaps(self) -> F64:
        """How far each model is from the optimum, at most."""
        return np.array([certificate.relative_gap for certificate in self.certificates])

    def __len__(self) -> int:
        return len(self.models)

    def __repr__(self) -> str:
        first, last = self.alphas[0], self.alphas[-1]
        return (
            f"Path({len(self)} strengths from {first:.3g} to {last:.3g}, {self.counts[0]} to {self.counts[-1]} features"
            f", largest relative gap {float(np.max(self.relative_gaps)):.2g})"
        )


def path(
    X: Any, y: Any, *, loss: Any = None, penalty: Any = "l1", alphas: Any = None, n_alphas: int = 100,
    ratio: float | None = None, solver: Any = "auto", tol: float = 1e-6, intercept: bool | str = True,
    sample_weight: Any = None, class_weight: Any = None, offset: Any = None, multiclass: str = "auto",
    penalty_factor: Any = None, bounds: Any = None, scale: bool = False, threads: int | None = None,
) -> Path:  # fmt: skip
    """A certified fit for each strength: those given, or n_alphas of them from alpha_max down to ratio * alpha_max.

    Each point is the model that wm.fit would find at that strength, to the gap that its certificate states; the work
    that neighbours share is done once.
    """
    wanted = spec(
        loss=loss, penalty=penalty, alpha=1.0, intercept=intercept, multiclass=multiclass, solver=solver, tol=tol,
        schedule=None, penalty_factor=penalty_factor, bounds=bounds, scale=scale,
    )  # fmt: skip
    data = intake(X, y, sample_weight=sample_weight, class_weight=class_weight, offset=offset)
    problem, _ = assemble(wanted, data, shuffle=True, threads=threads, trace="passes")
    chosen, null = grid(problem, alphas, n_alphas, ratio), null_values(problem)
    models, certificates = [], []
    for found in follow(problem, chosen, null, wanted.solver):
        certificate = certify(found.problem, found.solver, found.outcome, null, data.classes)
        warn(certificate, found.solver.name)
        theta, objective = certificate.theta, found.problem.objective
        models.append(
            Model(
                data.classes, theta.W, theta.b, objective.loss, objective.multiclass, data.feature_names,
                about(objective, found.solver, certificate),
            )
        )  # fmt: skip
        certificates.append(certificate)
    return Path(chosen, tuple(models), tuple(certificates))


def alpha_max(
    X: Any, y: Any, *, loss: Any = None, penalty: Any = "l1", intercept: bool | str = True, sample_weight: Any = None,
    class_weight: Any = None, offset: Any = None, multiclass: str = "auto", penalty_factor: Any = None,
    scale: bool = False, threads: int | None = None,
) -> float:  # fmt: skip
    """The least strength at which every penalised weight is 0, with the intercept at its best."""
    wanted = spec(
        loss=loss, penalty=penalty, alpha=1.0, intercept=intercept, multiclass=multiclass, solver="auto", tol=1e-6,
        schedule=None, penalty_factor=penalty_factor, bounds=None, scale=scale,
    )  # fmt: skip
    data = intake(X, y, sample_weight=sample_weight, class_weight=class_weight, offset=offset)
    return largest(assemble(wanted, data, shuffle=True, threads=threads, trace="passes")[0])
