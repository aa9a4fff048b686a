"""The strength from which on all weights are 0, and grids of strengths below it.

With an L1 share rho, w = 0 is optimal exactly where alpha >= max_j |g_j| / (rho m_j), g the slopes of the loss at w = 0
and its best intercept (Friedman, Hastie, Tibshirani 2010).  Without an L1 share no strength makes weights vanish: then
the grid begins at sup l'' sum p |x|^2 / 2, where the penalty is as curved as the loss in all directions together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.errors import OptionError, Refusal
from widemargin.solve.follow import follow
from widemargin.solve.protocol import Problem
from widemargin.solve.start import begin_at, null_values
from widemargin.spec import number

WIDE, TALL = 1e-2, 1e-4  # the last strength beside the first: fewer rows than columns, or more


def largest(problem: Problem) -> float:
    """alpha_max of a problem, whatever its own strength is."""
    objective, source = problem.objective, problem.source
    if objective.penalty.shares is None:
        raise Refusal(f"penalty {objective.penalty.text!r} has no largest strength that is known: pass alphas=[...]")
    share = objective.penalty.shares[0]
    if share == 0:
        norms = np.empty(source.n)
        _core.sqnorms(source.X.core, norms)
        curvature = objective.loss.curvature if np.isfinite(objective.loss.curvature) else 1.0
        return max(0.5 * curvature * float(source.p @ norms), 1e-12)
    theta = begin_at(problem, None)
    size = np.ones((source.d, 1))
    if objective.terms is not None:
        size = objective.terms.size
        if np.any((size == 0) & ~objective.terms.excluded[:, None]):  # what is not penalised is at its best
            theta = _unpenalised(problem)
    sums = problem.fold("gradient", theta)
    assert sums.gradient is not None
    held = (size > 0) & (theta.W == 0)
    if objective.terms is not None:
        held &= ~objective.terms.excluded[:, None]
    pull = np.where(held, np.abs(sums.gradient.W) / np.where(size > 0, size, 1.0), 0.0)
    if not np.any(pull > 0):
        raise Refusal("no column moves the loss at w = 0: every strength gives w = 0")
    return float(pull.max()) / share


def _unpenalised(problem: Problem) -> Any:
    """The optimum at a strength so large that only what is not penalised differs from 0."""
    huge = 1e6 * max(problem.objective.loss.curvature if np.isfinite(problem.objective.loss.curvature) else 1.0, 1.0)
    (found,) = follow(replace(problem, tol=1e-10), [huge], null_values(problem))
    return found.outcome.theta


def grid(problem: Problem, alphas: Any, n_alphas: Any, ratio: Any) -> F64:
    """Strengths from the largest down: those given, or a geometric grid below alpha_max."""
    if alphas is not None:
        try:
            given = np.unique(np.asarray(alphas, dtype=float).reshape(-1))[::-1]
        except (TypeError, ValueError):
            raise OptionError(f"alphas = {alphas!r}; expected numbers of at least 0") from None
        if len(given) == 0 or not np.isfinite(given).all() or given[-1] < 0:
            raise OptionError(f"alphas = {alphas!r}; expected at least one number, all finite and of at least 0")
        return np.ascontiguousarray(given)
    if isinstance(n_alphas, bool) or not isinstance(n_alphas, int | np.integer) or n_alphas < 1:
        raise OptionError(f"n_alphas = {n_alphas!r}; expected a whole number of at least 1")
    last = (WIDE if problem.source.n < problem.source.d else TALL) if ratio is None else number("ratio", ratio)
    if not 0 < last < 1:
        raise OptionError(f"ratio = {ratio!r}; expected a number between 0 and 1: the last strength beside the first")
    return largest(problem) * np.geomspace(1.0, last, n_alphas)
