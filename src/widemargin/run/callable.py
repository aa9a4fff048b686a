"""Folds for losses given as NumPy functions: scores, then the function, then X' slopes; two passes instead of one."""

from __future__ import annotations

import numpy as np

from widemargin._types import F64
from widemargin.data.source import ArraySource
from widemargin.errors import Refusal
from widemargin.loss import CallableLoss
from widemargin.objective import Objective, Theta
from widemargin.solve.protocol import Kept, Sums, Task


def fold_callable(source: ArraySource, objective: Objective, task: Task, kept: Kept | None) -> Sums:
    """The same sums as the core's, for a CallableLoss; every task but the softmax's."""
    loss, X, y, p = objective.loss, source.X, source.signs, source.p[:, None]
    assert isinstance(loss, CallableLoss)
    if task.kind in ("product", "diagonal"):
        assert kept is not None
        return _second_order(source, task, kept["curvature"])
    scores = X.times(task.theta.W) + task.theta.b
    if source.o is not None:
        scores = scores + source.o.reshape(source.n, -1)
    z = y * scores
    sums = Sums((p * loss.value(z)).sum(axis=0), (p * (z <= 0)).sum(axis=0))
    if kept is not None and "scores" in kept:
        kept["scores"][...] = scores
    if task.kind == "value":
        return sums
    slopes = p * y * loss.d1(z)
    gradient = Theta(X.transposed_times(slopes), slopes.sum(axis=0))
    if objective.intercept == "none":
        gradient.b[:] = 0.0
    sums = sums._replace(gradient=gradient)
    if task.kind == "gradient" and (kept is None or "curvature" not in kept):
        return sums
    if loss.d2 is None:
        raise Refusal("this loss was given without d2; Newton's method needs it: use solver='gd', or pass d2=...")
    curvature = p * loss.d2(z)
    if kept is not None and "curvature" in kept:
        kept["curvature"][...] = curvature
    if task.kind in ("gram", "rough_gram"):
        sums = sums._replace(gram=_gram(source, curvature))
    return sums


def _second_order(source: ArraySource, task: Task, h: F64) -> Sums:
    none = np.empty(0)
    if task.kind == "diagonal":
        M = source.X.matrix
        squares = M.multiply(M).T @ h if source.X.sparse else (np.asarray(M, dtype=float) ** 2).T @ h
        return Sums(none, none, Theta(np.asarray(squares), h.sum(axis=0)))
    assert task.direction is not None
    u = h * (source.X.times(task.direction.W) + task.direction.b)
    return Sums(none, none, Theta(source.X.transposed_times(u), u.sum(axis=0)))


def _gram(source: ArraySource, h: F64) -> F64:
    M = source.X.matrix
    dense = np.asarray(M.toarray() if source.X.sparse else M, dtype=float)
    one = np.column_stack([dense, np.ones(source.n)])
    return np.stack([one.T @ (one * h[:, [k]]) for k in range(h.shape[1])])
