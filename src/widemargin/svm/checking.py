"""Independent check of a margin programme's solution: plain NumPy from the user's own arrays, no solver kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.data.intake import intake
from widemargin.data.source import ArraySource
from widemargin.errors import InputError
from widemargin.svm.result import Point, conditions, objectives
from widemargin.verify import Verification

if TYPE_CHECKING:
    from widemargin.svm.result import SVM

SLACK = 1e-9  # relative disagreement that is blamed on the order of summation


def check(svm: SVM, X: Any, y: Any, **data: Any) -> Verification:
    """Recompute objective, bound, margin, slacks, support and conditions; say what does not agree."""
    rows = intake(X, y, **data)
    source = rows.source
    if source.d != len(svm.model.W) or source.n != len(svm.duals):
        n, d = len(svm.duals), len(svm.model.W)
        raise InputError(f"the solution is about {n} rows of {d} columns; X has shape {(source.n, source.d)}")
    if not np.array_equal(rows.classes, svm.model.classes):
        text = f"the classes differ: {rows.classes.tolist()}, solved for {svm.model.classes.tolist()}"
        return Verification(False, np.nan, np.nan, np.nan, np.nan, (text,))
    M = source.X.matrix
    M = M if M.dtype == np.float64 else M.astype(np.float64)
    upper, at = _upper(svm, source), _point(svm)
    P, D = objectives(M, source.y, upper, svm.intercept, at)
    true = conditions(M, source.y, upper, svm.intercept, at)
    gap = max(0.0, P - D)
    relative = gap / P if P > 0 else 0.0
    problems = _feasible(svm, M, source.y, upper, at)
    if D > P * (1 + SLACK):
        problems.append("the lower bound lies above the objective: it bounds nothing")
    claims = {
        "objective": (svm.objective, P, P), "lower_bound": (svm.lower_bound, D, P),
        "relative_gap": (svm.relative_gap, relative, 1.0), "margin": (svm.margin, _margin(at.w), _margin(at.w)),
    }  # fmt: skip
    claims |= {name: (getattr(svm.kkt, name), getattr(true, name), 1.0) for name in true._fields}
    problems += [
        f"{name} is {found:.12g}; the solution says {claimed:.12g}"
        for name, (claimed, found, scale) in claims.items()
        if not (claimed == found or abs(claimed - found) <= SLACK * scale)
    ]
    return Verification(not problems, P, D, gap, relative, tuple(problems))


def _upper(svm: SVM, source: ArraySource) -> F64:
    """The largest that each dual may be."""
    if svm.kind == "hard":
        return np.full(source.n, np.inf)
    return svm.C * (np.ones(source.n) if source.s is None else source.s)


def _point(svm: SVM) -> Point:
    return Point(svm.model.W[:, 0], float(svm.model.b[0]), svm.slacks, svm.duals)


def _margin(w: F64) -> float:
    length = float(np.linalg.norm(w))
    return 1.0 / length if length > 0 else np.inf


def _feasible(svm: SVM, M: Any, y: F64, upper: F64, at: Point) -> list[str]:
    """What is not feasible, and what is not what it is called."""
    problems = []
    z = y * (np.asarray(M @ at.w) + at.b)
    reach = float(np.abs(z).max(initial=1.0))
    if svm.intercept == "none" and at.b != 0:
        problems.append("the programme has no intercept, yet b differs from 0")
    if np.any(at.slacks < 0) or np.any(z < 1 - at.slacks - SLACK * reach):
        problems.append("the hyperplane and the slacks are not feasible")
    if svm.kind == "hard" and np.any(at.slacks != 0):
        problems.append("the hard margin has no slacks")
    if np.any(at.slacks > np.maximum(0.0, 1 - z) + SLACK * reach):
        problems.append("a slack is larger than it need be")
    if np.any(at.duals < 0) or np.any(at.duals > upper * (1 + SLACK)):
        problems.append("a dual lies outside its box")
    if svm.intercept == "free" and abs(float((at.duals * y).sum())) > SLACK * float(at.duals.sum()):
        problems.append("the duals of the two classes do not balance")
    if not np.array_equal(svm.support, np.flatnonzero(at.duals > 0)):
        problems.append("the support vectors are not the rows with a dual above 0")
    return problems
