"""What often decides without a programme: one column, equal rows, a perceptron, a hinge loss with little penalty."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from widemargin._threads import available_threads
from widemargin._types import F64, I64, Array
from widemargin.bounds import Anchors
from widemargin.data.rows import Rows
from widemargin.data.source import ArraySource
from widemargin.run.local import Local
from widemargin.separation.scaling import exponents
from widemargin.separation.signed import Signed, absolute
from widemargin.solve.protocol import Problem, State
from widemargin.spec import spec

PASSES = 200
TOUCHED = 3e7  # stored values that a solver may read
WIDE = 10  # times as many where d > n / 2, for there a hyperplane is likely to separate (Cover 1965)
ROW = 8  # what a row costs beside its values
EVEN = 3  # columns whose sizes differ by less than 2^3 are left as they are
ALPHA = 1e-7


def column(A: Signed, *, touching: bool = False) -> tuple[int, ...] | None:
    """w in whole numbers: s (x_j - t) > 0 on one side and < 0 on the other; without intercept t = 0.

    With `touching`, >= and <=, and not 0 in every row: a word that only one class uses.
    """
    minus, plus = _ranges(A.X, A.y < 0), _ranges(A.X, A.y > 0)
    for s, (low, below), (above, high) in ((1, minus, plus), (-1, plus, minus)):
        if touching:
            apart = (above >= below) & (high > low) if A.intercept else (above >= 0) & (below <= 0) & (high > low)
        else:
            apart = above > below if A.intercept else (above > 0) & (below < 0)
        if apart.any():
            j = int(np.argmax(apart))
            t = (Fraction(float(below[j])) + Fraction(float(above[j]))) / 2 if A.intercept else Fraction(0)
            w = [0] * A.d
            w[j] = s * t.denominator
            if A.intercept:
                w[-1] = -s * t.numerator
            return tuple(w)
    return None


def _ranges(X: Rows, chosen: Array) -> tuple[Array, Array]:
    """The least and the largest of each column, over some rows."""
    M = X.matrix
    if isinstance(M, np.ndarray):
        where = chosen[:, None]
        return M.min(axis=0, where=where, initial=np.inf), M.max(axis=0, where=where, initial=-np.inf)
    part = M[np.flatnonzero(chosen)].tocsc()
    return part.min(axis=0).toarray().ravel(), part.max(axis=0).toarray().ravel()


def contradictions(A: Signed) -> I64:
    """Pairs of rows with a_i + a_k = 0, such as the same x with two labels; one pair for each a.  Found by a hash."""
    code = A.margins(np.random.default_rng(0).standard_normal(A.d))
    key, side = np.abs(code), np.sign(code)
    order = np.lexsort((side, key))
    first, second = order[:-1], order[1:]
    meet = (key[first] == key[second]) & (side[first] < side[second])
    i, k = first[meet], second[meet]
    if not len(i):
        return np.zeros((0, 2), dtype=np.int64)
    most = absolute(A.rows(i) + A.rows(k)).max(axis=1)
    equal = (most if isinstance(most, np.ndarray) else most.toarray().ravel()) == 0
    return np.asarray(np.column_stack([i, k])[equal], dtype=np.int64)


def directions(A: Signed) -> Iterator[tuple[str, F64]]:
    """What the perceptron and the hinge loss find in a few passes."""
    touched = TOUCHED * (WIDE if 2 * A.X.d > A.n else 1)
    passes = min(PASSES, 1 + touched / (A.X.nnz + ROW * A.n))
    yield "the perceptron", _until_right(states(A, "perceptron", None, 0.0, passes))
    yield "the hinge loss", _until_right(states(A, "dual_cd", "hinge", ALPHA, passes))


def _until_right(steps: Iterator[tuple[F64, State]]) -> F64:
    """The last w, or the first that makes no mistake."""
    for w, state in steps:
        last = w
        if state.errors is not None and not state.errors.any():
            break
    return last


def states(A: Signed, solver: str, loss: str | None, alpha: float, passes: float) -> Iterator[tuple[F64, State]]:
    """w after each step of a solver, until so many passes or its end."""
    source = ArraySource(A.X, A.y)
    wanted = spec(loss=loss, penalty=None, alpha=alpha, intercept=A.intercept, multiclass="auto", solver=solver,
                  tol=1e-6, schedule=None)  # fmt: skip
    objective, reducer = wanted.objective(2), Local(available_threads())
    problem = Problem(objective, source, reducer, Anchors(objective, source, reducer), shuffle=True, patient=True)
    assert wanted.solver is not None
    state = wanted.solver.init(problem, None, 0)
    while state.passes < passes and not state.done:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            state = wanted.solver.advance(problem, state)
        theta = state.theta
        yield (np.append(theta.W[:, 0], theta.b) if A.intercept else theta.W[:, 0].copy()), state


def even(A: Signed) -> tuple[Signed, I64]:
    """A with columns of like size, by powers of two, and which; A itself where they are."""
    X, M = A.X, A.X.matrix
    size = absolute(M).max(axis=0)
    size = size if isinstance(size, np.ndarray) else size.toarray().ravel()
    columns = np.where(size > 0, -exponents(size.astype(np.float64)), 0).astype(np.int64)
    used = columns[size > 0]
    if not len(used) or (np.ptp(used) <= EVEN and abs(int(used[0])) <= EVEN):
        return A, np.zeros(A.d, dtype=np.int64)
    values = _times(M, columns) if isinstance(M, np.ndarray) else _times(M.data, columns[M.indices])
    return Signed(Rows(X.n, X.d, values, X.indices, X.indptr), A.y, A.intercept), np.append(columns, 0)[: A.d]


def _times(values: Array, exponents: Array) -> F64:
    """values 2^exponents; as a product where that cannot overflow on the way, for it is quicker."""
    if np.abs(exponents).max(initial=0) > 1000:
        return np.asarray(np.ldexp(values.astype(np.float64), exponents))
    return np.asarray(values * np.ldexp(1.0, exponents), dtype=np.float64)
