"""Each row's score by a fit without it, from one fit: f_i + l'_i / l''_i h_i / (1 - h_i), h_i its leverage.

h_i = s_i l''_i x_i' (sum s l'' x x' + lambda R'')^-1 x_i.  Exact for the squared loss (Allen 1974), one Newton step
from the full fit for other smooth losses (Rad, Maleki 2020).  lambda = alpha sum s, the strength beside the *sum* of
losses, stays when a row goes, as C does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin._threads import available_threads
from widemargin._types import F64
from widemargin.bounds import Anchors
from widemargin.data.intake import Dataset, intake
from widemargin.errors import InputError, Refusal
from widemargin.fitting import Fit
from widemargin.objective import Objective
from widemargin.run.local import Local
from widemargin.solve.protocol import Problem

BLOCK = 4096  # rows that are made dense at a time
LARGEST = 10_000  # of min(n, d): the order of the matrix to factor


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Scores (n, K) of each row by the fit without it, and what they are worth."""

    scores: F64
    leverages: F64  # (n, K), in [0, 1)
    loss: float  # weighted mean loss
    errors: float  # weighted share of rows that are misjudged
    exact: bool

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "approximate"
        return f"LeaveOneOut({kind}: loss {self.loss:.6g}, errors {self.errors:.4g})"


def leave_one_out(fit: Fit, X: Any, y: Any, *, sample_weight: Any = None, offset: Any = None) -> LeaveOneOut:
    """How well the fit does on rows it has not seen, without fitting again; X, y, ... are those of the fit."""
    objective, theta = fit.certificate.problem, fit.certificate.theta
    _refuse(objective)
    data = intake(X, y, sample_weight=sample_weight, offset=offset)
    if not np.array_equal(data.classes, fit.model.classes):
        raise InputError(f"y has the classes {data.classes.tolist()}; the fit knows {fit.model.classes.tolist()}")
    source, reducer = data.source, Local(available_threads())
    problem = Problem(objective, source, reducer, Anchors(objective, source, reducer))
    f = reducer.scores(source, theta)
    z = source.signs * f
    first, second = source.signs * objective.loss.d1(z), _second(objective, z)
    h = np.column_stack([_leverages(problem, data, second[:, k], k) for k in range(objective.K)])
    share = h / (1.0 - np.minimum(h, 1.0 - 1e-12))
    ratio = np.divide(first, second, out=np.zeros_like(first), where=second > 0)
    scores = f + ratio * share
    out = source.signs * scores
    losses = np.asarray(objective.loss.value(out))
    wrong = out[:, 0] <= 0 if objective.K == 1 else scores.argmax(axis=1) != source.y
    total = float((source.p @ losses).sum())
    return LeaveOneOut(scores, h, total, float(source.p @ wrong), objective.loss.curvature == _least(objective))


def _least(objective: Objective) -> float:
    """The smallest curvature of the loss over a wide range of margins: equal to the largest for a quadratic."""
    return float(np.min(objective.loss.d2(np.linspace(-100.0, 100.0, 801))))  # type: ignore[misc]


def _refuse(objective: Objective) -> None:
    if not objective.loss.convex or objective.loss.d2 is None or objective.loss.joints or objective.loss.kinks:
        raise Refusal(
            f"leave-one-out needs a convex loss whose curvature does not jump, not {objective.loss.name!r}: one step "
            "from the full fit can be far off there. Cross-validate, or use 'logistic' or 'squared'."
        )
    if objective.joint:
        raise Refusal("leave-one-out knows one problem per class: fit with multiclass='ovr', or cross-validate.")
    if objective.shares is None or objective.l1 > 0 or objective.boxed:
        raise Refusal("leave-one-out needs the penalty 'l2' or 'none', without bounds: cross-validate instead.")


def _second(objective: Objective, z: F64) -> F64:
    assert objective.loss.d2 is not None
    return np.asarray(objective.loss.d2(z))


def _leverages(problem: Problem, data: Dataset, curvature: F64, k: int) -> F64:
    """p l'' x' (sum p l'' x x' + alpha R'')^-1 x per row: in d unknowns, or in n where rows are fewer."""
    source, objective = problem.source, problem.objective
    if min(source.n, source.d) > LARGEST:
        raise Refusal(
            f"leave-one-out factors a matrix of order {min(source.n, source.d)}; at most {LARGEST} are taken."
        )
    weight = source.p * curvature
    ridge = np.broadcast_to(objective.strengths[1], (source.d, 1))[:, 0].astype(float)
    if objective.intercept != "none":
        ridge = np.append(ridge, objective.l2 if objective.intercept == "penalised" else 0.0)
    if source.d <= source.n or not (ridge[: source.d] > 0).all():
        return _by_columns(data, weight, ridge, objective.intercept != "none")
    return _by_rows(data, weight, ridge, objective)


def _by_columns(data: Dataset, weight: F64, ridge: F64, ones: bool) -> F64:
    H = np.diag(ridge)
    for rows, x in _blocks(data, ones):
        H += (x * weight[rows, None]).T @ x
    values, vectors = np.linalg.eigh(H)
    root = vectors / np.sqrt(np.where(values > 1e-13 * values[-1], values, np.inf))  # flat directions: least norm
    return np.concatenate([weight[rows] * ((x @ root) ** 2).sum(axis=1) for rows, x in _blocks(data, ones)])


def _by_rows(data: Dataset, weight: F64, ridge: F64, objective: Objective) -> F64:
    """r K (r K r + I)^-1 r with K = X R^-1 X', r = sqrt(weight); a free intercept is taken out by a projection."""
    source, root = data.source, np.sqrt(weight)
    d = source.d
    M = source.X.matrix
    scaled = M.multiply(1 / np.sqrt(ridge[:d])).tocsr() if source.X.sparse else M / np.sqrt(ridge[:d])
    K = scaled @ scaled.T
    K = np.asarray(K.toarray() if hasattr(K, "toarray") else K, dtype=float)
    if objective.intercept == "penalised":
        K = K + 1.0 / ridge[d]
    S = np.linalg.inv(np.eye(source.n) + root[:, None] * K * root)  # I - S is the smoother without intercept
    h = 1.0 - np.diagonal(S)
    if objective.intercept == "free":
        u = S @ root
        h = h + u**2 / float(root @ u)
    return np.asarray(h)


def _blocks(data: Dataset, ones: bool) -> Iterator[tuple[slice, F64]]:
    """Rows as dense float64 blocks, with 1 as the last column where there is an intercept."""
    M, n = data.source.X.matrix, data.source.n
    for start in range(0, n, BLOCK):
        rows = slice(start, min(n, start + BLOCK))
        x = M[rows]
        x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=float)
        yield rows, np.column_stack([x, np.ones(len(x))]) if ones else x
