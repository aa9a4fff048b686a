"""Soft margin:  min 1/2 ||w||^2 + C sum_i s_i xi_i  s.t.  y_i (w.x_i + b) >= 1 - xi_i,  xi_i >= 0.

Cortes, Vapnik 1995 (Machine Learning 20).  The best slack is the hinge, xi = max(0, 1 - y (w.x + b)), so this is
C S times the mean hinge with L2 at alpha = 1 / (C S), S = sum s, and lambda_i = C s_i a_i.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._threads import available_threads
from widemargin.data.intake import intake
from widemargin.fitting import Fit, fit
from widemargin.run.local import Local
from widemargin.spec import number
from widemargin.stops import Stop
from widemargin.svm.face import polished
from widemargin.svm.hard import intercept_kind, solution, two_classes
from widemargin.svm.programme import Programme
from widemargin.svm.result import SVM, Point, conditions
from widemargin.translation import translate

FINER = 1e-3  # of tol: asked for where the support could not be solved for from the first fit
EXACT = 1e-10
ROUNDING = 1e-13  # of a margin near 1


def soft_margin(
    X: Any, y: Any, *, C: float = 1.0, intercept: bool | str = True, sample_weight: Any = None,
    class_weight: Any = None, tol: float = 1e-6, seed: int = 0, threads: int | None = None, budget: Stop | None = None,
) -> SVM:  # fmt: skip
    """The hyperplane that trades margin for slack at price C, proved within a relative gap of tol.

    It always exists: w = 0 with xi = 1 is feasible and costs C sum s.
    """
    kind, C = intercept_kind(intercept), number("C", C, strict=True)
    data = two_classes(intake(X, y, sample_weight=sample_weight, class_weight=class_weight), y)
    source = data.source
    upper = C * (np.ones(source.n) if source.s is None else source.s)
    reducer = Local(available_threads() if threads is None else threads)
    programme = Programme(source, upper, kind, reducer)
    alpha = translate(C, "c_sum", sum_weights=source.total_weight)
    best, wanted = None, number("tol", tol, strict=True)
    for level in (wanted, FINER * wanted):
        found = fit(
            X, y, loss="hinge", penalty="l2", alpha=alpha, intercept=kind, sample_weight=sample_weight,
            class_weight=class_weight, tol=level, seed=seed, threads=threads, budget=budget,
        )  # fmt: skip
        best = _best(programme, found, best)
        # solvers that come from the inside leave a dual in each row; a finer level costs them a few iterations
        idle = (best.duals > 0) & (programme.margins(best.w, best.b) > 1.0 + wanted)
        if (_worst(programme, best) <= wanted and not idle.any()) or budget is not None:
            break
    assert best is not None
    return solution(programme, best, data, C, wanted, found.solver)


def _best(programme: Programme, found: Fit, best: Point | None) -> Point:
    """Of the fit's pair, the duals' own hyperplane, and the exact solve on the support, what fails least."""
    certificate = found.certificate
    w, b = certificate.theta.W[:, 0], float(certificate.theta.b[0])
    duals = np.zeros(programme.source.n) if certificate.dual is None else certificate.dual[:, 0]
    duals = programme.bounded(programme.upper * duals).duals
    candidates = [_point(programme, w, b, duals)]
    v, on_b = programme.combination(duals)
    candidates.append(_point(programme, v, on_b if programme.intercept == "penalised" else b, duals))
    face = polished(programme, duals, w, b)
    exact = programme.bounded(face.duals)
    on_b = exact.b if programme.intercept == "penalised" else face.b
    candidates.append(_point(programme, exact.w, on_b, exact.duals))
    return min([*candidates, *([best] if best is not None else [])], key=lambda at: _rank(programme, at))


def _point(programme: Programme, w: Any, b: float, duals: Any) -> Point:
    """With the best slacks: the hinge; what is below rounding is none."""
    short = 1.0 - programme.margins(w, b)
    return Point(w, b, np.where(short > ROUNDING, short, 0.0), duals)


def _rank(programme: Programme, at: Point) -> tuple[float, int]:
    """Of pairs that are all exact, the one with the fewest support vectors: interior points have a dual in each row."""
    return max(_worst(programme, at), EXACT), int(np.count_nonzero(at.duals))


def _worst(programme: Programme, at: Point) -> float:
    source = programme.source
    M = source.X.matrix
    M = M if M.dtype == np.float64 else M.astype(np.float64)
    return conditions(M, source.y, programme.upper, programme.intercept, at).worst
