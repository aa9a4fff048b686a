"""Dual points where a weight is not penalised: V_j = sum p a y x_j vanishes there, as sum p a y for a free intercept.

So a is moved by a weighted least-squares correction over those columns J together: with H the Hessian of the loss and
H_JJ u = V_J, the point a - l'' y x_J.u has V_J = 0: one Newton step of the dual.  Where a weight has an end on one side
only, V_j must not lie on the other side of 0: it is corrected where it does.
"""

from __future__ import annotations

import numpy as np

from widemargin._types import F64, Array
from widemargin.objective import Objective, Theta
from widemargin.solve.protocol import Problem

LARGEST = 2000  # unknowns up to which the Gram matrix is formed; beyond, conjugate gradients
ROUNDS = 3
STEPS = 500  # of conjugate gradients
EPS = float(np.finfo(float).eps)


def unpenalised_duals(problem: Problem, a: F64, theta: Theta) -> F64:
    """The corrected point; the one that came, where it cannot be had."""
    objective, source = problem.objective, problem.source
    if objective.loss.d2 is None:
        return a
    blocks = objective.K if objective.joint else 1
    small = (source.d + 1) * blocks <= LARGEST
    kept = {"curvature": np.empty((source.n, objective.K))}
    gram = problem.fold("gram" if small else "gradient", theta, kept).gram
    fixed, wrong = a.copy(), np.zeros((source.d + 1, objective.K), dtype=bool)
    for _ in range(ROUNDS):
        signed = _signed(problem, fixed)
        V = np.vstack([problem.reducer.products(source, signed), signed.sum(axis=0)])
        wrong |= _wrong(objective, V)
        V = np.where(wrong, V, 0.0)
        if not V.any():
            break
        u = _solve(gram, V, wrong, objective) if gram is not None else _descend(problem, theta, kept, V, wrong)
        t = problem.reducer.scores(source, Theta(u[:-1], u[-1])) - _offsets(problem)
        h = kept["curvature"]
        if objective.joint:
            fixed += h * (t - (h * t).sum(axis=1, keepdims=True))
        else:
            p = source.p[:, None]
            fixed -= np.where(p > 0, h / np.where(p > 0, p, 1.0), 0.0) * source.signs * t
    low, high = (0.0, 1.0) if objective.joint else objective.loss.dual_domain
    return fixed if np.all((fixed >= low) & (fixed <= high)) else a


def _wrong(objective: Objective, V: F64) -> Array:
    """(d + 1, K) where V must be 0: no penalty and no end on the side that it pulls to; a free intercept."""
    lo, hi = (end[: len(V) - 1] for end in objective.limits)
    out = np.zeros(V.shape, dtype=bool)
    out[:-1] = ((lo == 0) & (V[:-1] < 0)) | ((hi == 0) & (V[:-1] > 0))
    out[-1] = objective.intercept == "free"
    return out


def _signed(problem: Problem, a: F64) -> F64:
    source = problem.source
    if problem.objective.joint:
        return np.asarray(source.p[:, None] * ((source.signs > 0) - a))
    return np.asarray(source.p[:, None] * a * source.signs)


def _offsets(problem: Problem) -> F64 | float:
    o = problem.source.o
    return 0.0 if o is None else o.reshape(problem.source.n, -1)


def _solve(gram: F64, V: F64, chosen: Array, objective: Objective) -> F64:
    """H_JJ u = V_J per head, of least norm in columns scaled to one unit."""
    right, on = (A.reshape(1, -1) if objective.joint else A.T for A in (V, chosen))
    found = np.zeros_like(right)
    for k, H in enumerate(gram):
        J = np.flatnonzero(on[k])
        if not len(J):
            continue
        block = H[np.ix_(J, J)]
        scale = np.sqrt(np.maximum(np.diagonal(block), 0.0))
        scale = np.where(scale > 0, scale, 1.0)
        found[k, J] = np.linalg.lstsq(block / np.outer(scale, scale), right[k, J] / scale, rcond=None)[0] / scale
    return found.reshape(V.shape) if objective.joint else found.T


def _descend(problem: Problem, theta: Theta, kept: dict[str, F64], V: F64, chosen: Array) -> F64:
    """The same by conjugate gradients, one pass over the rows a step, until rounding stops them."""
    dot, columns = problem.objective.dot, problem.objective.columns

    def split(A: F64) -> Theta:
        return Theta(A[:-1], A[-1])

    diagonal = problem.fold("diagonal", theta, kept).gradient
    assert diagonal is not None
    scale = np.maximum(np.vstack([diagonal.W, diagonal.b]), 1e-300)
    x, r = np.zeros_like(V), V
    z = r / scale
    p, rz = z, dot(split(r), split(z))
    goal = 1e-28 * rz
    for _ in range(STEPS):
        product = problem.fold("product", theta, kept, direction=split(p)).gradient
        assert product is not None
        q = np.where(chosen, np.vstack([product.W, product.b]), 0.0)
        curve = dot(split(p), split(q))
        active = (rz > goal) & (curve > 0)
        if not active.any():
            break
        step = columns(np.where(active, rz / np.where(active, curve, 1.0), 0.0))
        x, r = x + step * p, r - step * q
        z = r / scale
        following = dot(split(r), split(z))
        p, rz = z + columns(np.where(active, following / np.where(rz > 0, rz, 1.0), 0.0)) * p, following
    return x
