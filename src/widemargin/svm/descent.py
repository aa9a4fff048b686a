"""max sum lambda - 1/2 ||v||^2, one lambda_i at a time, on the rows near the margin; all rows are looked at in between.

The core's dual coordinate descent of the hinge (Hsieh et al. 2008) at a C beyond every dual, so that its box never
binds; a free intercept by proximal points.  When the gap is small, svm/face solves for the support exactly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from widemargin import _core
from widemargin._types import F64, I64
from widemargin.loss import losses
from widemargin.svm.face import polished
from widemargin.svm.interior import Found
from widemargin.svm.programme import Primal, Programme

SWEEPS = 5  # between two looks at all rows
ROUNDS = 400
BOX = 1e10  # C in units of 1 / ||x||^2
NEAR = 0.1  # rows beyond margin 1 + NEAR with no dual rest until the next look
FIRST_TRY, NEXT_TRY = 1e-3, 1e-2  # gap at which the support is solved for, and what it must shrink by before the next
STILL = 1e-7  # growth of the bound in a round below which the support is likely found, whatever the gap
WAIT = 10  # rounds between two tries for that reason
DOUBT = 40  # rounds without any separating hyperplane, after which it is asked whether there is one

Ask = Callable[[], tuple[F64, float]]


def descend(programme: Programme, tol: float, seed: int, ask: Ask) -> Found:
    """The hard margin's optimum; `ask` gives a separating hyperplane, or raises for there is none."""
    source = programme.source
    n, typical = source.n, max(float(programme.sqnorms.mean()), 1e-300)
    C = BOX / typical
    norms = programme.sqnorms - (1.0 if programme.intercept == "penalised" else 0.0)
    bias = {"free": typical, "none": 0.0, "penalised": 1.0}[programme.intercept]
    W, b, a = np.zeros((source.d, 1)), np.zeros(1), np.zeros((n, 1))
    random, active = np.random.default_rng(seed), np.arange(n)
    best, attempt, tried = Found(None, programme.bounded(a[:, 0])), FIRST_TRY, 0
    for k in range(ROUNDS):
        for _ in range(SWEEPS):
            order = random.permutation(active)
            _core.dual_cd_sweep(
                source.X.core, losses["hinge"].index, source.y, None, None, 1.0, order, norms, W, b, a, 1.0 / C, bias
            )
        duals = C * a[:, 0]
        before, best = best.dual.value, _improved(programme, best, duals, W[:, 0], float(b[0]))
        if k == DOUBT and best.primal is None:
            best = Found(programme.feasible(*ask()), best.dual)
        still = best.dual.value <= before * (1 + STILL) and k >= tried + WAIT
        if best.gap <= attempt or (still and best.primal is not None):
            best, attempt, tried = _finished(programme, best, duals), min(attempt, best.gap) * NEXT_TRY, k
        if best.gap <= tol:
            break
        if programme.intercept == "free":  # the proximal point: the next subproblem begins where this one is best
            b += bias * float(duals @ source.y)
        active = _near(programme, duals, W[:, 0], float(b[0]))
    return best


def _near(programme: Programme, duals: F64, w: F64, b: float) -> I64:
    """Rows that carry a dual, or may soon."""
    return np.flatnonzero((duals > 0) | (programme.margins(w, b) < 1.0 + NEAR))


def _improved(programme: Programme, best: Found, duals: F64, w: F64, b: float) -> Found:
    """The better of each half."""
    dual = programme.bounded(duals)
    primal = programme.feasible(w, b)
    if primal is None or (best.primal is not None and best.primal.value <= primal.value):
        primal = best.primal
    return Found(primal, dual if dual.value > best.dual.value else best.dual)


def _finished(programme: Programme, best: Found, duals: F64) -> Found:
    """With the support solved for, where that is better."""
    near: Primal | None = programme.feasible(best.dual.w, best.dual.b) or best.primal
    assert near is not None
    face = polished(programme, duals, near.w, near.b)
    return _improved(programme, best, face.duals, face.w, face.b)
