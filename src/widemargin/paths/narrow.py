"""Rows with far more columns than rows, under an L2 penalty: n columns say as much.

The weights are w = X'c, so that only K = X X' counts.  With K = U diag(s) U', the rows of U diag(sqrt s) have the same
inner products: any strength and any fold is solved there in n columns, with the same objective and the same scores.
Kimeldorf, Wahba 1970; Hastie, Tibshirani 2004.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from widemargin._types import F64
from widemargin.data.rows import Rows
from widemargin.data.source import ArraySource
from widemargin.loss import losses
from widemargin.objective import Objective, Theta
from widemargin.penalty import penalties
from widemargin.solve.protocol import Problem, Task

LARGEST = 3000  # rows: K takes their square, its eigenvectors their cube
EPS = float(np.finfo(float).eps)


def narrowed(problem: Problem) -> ArraySource:
    """The same problem in n columns, where the penalty is L2 alike in all of more columns; else the source itself."""
    source, objective = problem.source, problem.objective
    wide = source.d > source.n and source.n <= LARGEST and not source.X.sparse
    if not (wide and objective.plain and objective.penalty.shares == (0.0, 1.0) and objective.intercept != "penalised"):
        return source
    values, vectors = np.linalg.eigh(_kernel(problem))
    roots = np.sqrt(np.maximum(values, EPS * len(values) * values[-1]))
    return replace(source, X=Rows(source.n, source.n, np.ascontiguousarray(vectors * roots)))


def _kernel(problem: Problem) -> F64:
    """K = X X': the Gram sums of the columns taken as rows, under a loss whose curvature is 2 everywhere."""
    turned = problem.source.X.turned(problem.reducer.threads)
    columns = ArraySource(turned, np.ones(turned.n))
    squared = Objective(losses["squared"], penalties["none"], 0.0, "none")
    zero = squared.zero(turned.d)
    gram = problem.reducer.fold(columns, squared, Task("gram", Theta(zero.W, zero.b))).gram
    assert gram is not None
    return np.asarray(gram[0, :-1, :-1]) * (0.5 * turned.n)
