"""Independent check of a certificate: plain NumPy in float64 from the user's own arrays, no solver kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin._types import F64
from widemargin.bounds import has_bound, negative_conjugate
from widemargin.certificate import relative_gap
from widemargin.data.intake import intake
from widemargin.data.source import ArraySource
from widemargin.errors import InputError
from widemargin.objective import Objective, Theta
from widemargin.shift import null_objective, weighted_sum
from widemargin.verify_terms import penalty, price_of, wrong_terms

if TYPE_CHECKING:
    from widemargin.certificate import Certificate

EPS = float(np.finfo(float).eps)
SLACK = 1e-9  # relative disagreement that is blamed on the order of summation


@dataclass(frozen=True)
class Verification:
    """What the recomputation found."""

    ok: bool
    objective: float
    lower_bound: float
    gap: float
    relative_gap: float
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.ok


def primal(objective: Objective, theta: Theta, M: Any, signs: F64, p: F64, o: F64 | None) -> F64:
    """P per head."""
    scores = np.asarray(M @ theta.W) + theta.b
    if o is not None:
        scores = scores + o.reshape(len(p), -1)
    if objective.multiclass == "softmax":
        top = scores.max(axis=1, keepdims=True)
        losses = np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0] - scores[signs > 0]
        value = np.array([weighted_sum(p, losses)])
    elif objective.multiclass == "crammer_singer":
        rival = np.where(signs > 0, -np.inf, scores).max(axis=1)
        value = np.array([weighted_sum(p, np.asarray(objective.loss.value(scores[signs > 0] - rival)))])
    else:
        value = weighted_sum(p, np.asarray(objective.loss.value(signs * scores)))
    return np.asarray(value + penalty(objective, theta))


def dual(objective: Objective, a: F64, M: Any, signs: F64, p: F64, o: F64 | None) -> tuple[F64, list[str], F64]:
    """D per head, what is wrong with the dual point, and what the rounding of V may have changed in D."""
    signed, t, problems = _signed(objective, a, signs, p)
    gains = np.where(p[:, None] > 0, negative_conjugate(objective, t), 0.0)
    if not np.all(np.isfinite(gains)):
        problems.append("the dual point leaves the domain of the conjugate")
    T = p @ gains
    if o is not None:
        on_offsets = (signed * o.reshape(len(p), -1)).sum(axis=0)
        T = T - (on_offsets.sum() if objective.joint else on_offsets)
    V = Theta(np.asarray(M.T @ signed), signed.sum(axis=0))
    scale = np.abs(signed).sum(axis=0) + 1e-300
    if objective.intercept == "free" and np.any(np.abs(V.b) > 1e-12 * scale):
        problems.append(f"the dual point is not balanced: sum p a y = {np.max(np.abs(V.b)):.3g}, expected 0")
    reach = np.asarray(abs(M).T @ np.abs(signed))
    if objective.terms is not None:
        price, wrong = price_of(objective, V, reach)
        return np.asarray(T - price), problems + wrong, np.zeros(objective.heads)
    if objective.alpha == 0:
        if np.any(np.abs(V.W) > 1e-12 * (reach + 1e-300)):
            problems.append("nothing penalises w, so sum p a y x must vanish, and it does not")
        return np.asarray(T), problems, np.zeros(objective.heads)
    fits = objective.fits(V)
    if objective.penalty.shares == (1.0, 0.0):  # to the rounding of V
        inside = np.abs(V.W) <= objective.alpha * (1 + SLACK) + 8 * EPS * reach
        fits = np.where(inside.all(), 1.0, fits)
    if np.any(fits < 1 - SLACK):
        problems.append("sum p a y x lies outside the dual ball of the penalty")
    columns = objective.columns(np.minimum(fits, objective.fits(V)))
    price = objective.conjugate(Theta(V.W * columns, V.b * columns))
    more = objective.conjugate(Theta(np.abs(V.W * columns) + 8 * EPS * reach, V.b * columns)) - price
    return np.asarray(T - price), problems, np.where(np.isfinite(more), more, 0.0)


def _signed(objective: Objective, a: F64, signs: F64, p: F64) -> tuple[F64, F64, list[str]]:
    """Whose X'-product is V, whose conjugate is priced, and what is wrong with the rows of a joint problem."""
    if objective.multiclass == "softmax":
        wrong = a.min() < 0 or not np.allclose(a.sum(axis=1), 1, rtol=0, atol=1e-9)
        return p[:, None] * ((signs > 0) - a), a, ["the dual rows are not probabilities"] if wrong else []
    if objective.multiclass != "crammer_singer":
        return p[:, None] * a * signs, a, []
    most, size, t = objective.loss.dual_domain[1], np.abs(a).sum(axis=1), a[signs > 0]
    wrong = bool(np.any(np.abs(a.sum(axis=1)) > 1e-12 * size) or np.any(np.where(signs > 0, 0.0, a) > 0))
    wrong = wrong or bool(np.any(t > most * (1 + SLACK)))
    said = ["the dual rows are not what a class has of each rival"] if wrong else []
    return p[:, None] * a, np.minimum(t, most)[:, None], said


def verify(certificate: Certificate, X: Any, y: Any, **data: Any) -> Verification:
    """Recompute P and D from the stored point and the data; say what does not agree."""
    rows = intake(X, y, **data)
    objective, theta, source = certificate.problem, certificate.theta, rows.source
    if source.d != len(theta.W):
        raise InputError(f"the certificate is about {len(theta.W)} columns; X has {source.d}")
    problems = []
    if certificate.classes is not None and not np.array_equal(rows.classes, certificate.classes):
        problems.append(f"the classes differ: {rows.classes.tolist()}, certified {certificate.classes.tolist()}")
        return Verification(False, np.nan, np.nan, np.nan, np.nan, tuple(problems))
    M, p, signs = source.X.matrix, source.p, source.signs
    M = M.astype(np.float64) if M.dtype != np.float64 else M
    null = _null(objective, source)
    problems += wrong_terms(objective, theta, M, p)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is reported as such
        values = primal(objective, theta, M, signs, p, source.o)
        problems += _disagreement("objective", values, certificate.values, null)
        bounds, wrong, noise = _bounds(certificate, M, signs, p, source.o)
        problems += wrong + _disagreement("lower bound", bounds, certificate.bounds, null, noise)
        problems += _disagreement("objective at w = 0", null, certificate.null, null)
        if np.any(bounds - values > SLACK * np.abs(values) + 64 * EPS * null):
            problems.append("the lower bound lies above the objective: it bounds nothing")
        if objective.intercept == "none" and np.any(theta.b != 0):
            problems.append("the problem has no intercept, yet b differs from 0")
        gap = float((values - bounds).sum())
        relative = float(relative_gap(values, bounds, null).max())
    found = Verification(True, float(values.sum()), float(bounds.sum()), gap, relative, ())
    problems += _misstated(certificate, found, float(null.sum()), noise)
    return replace(found, ok=not problems, problems=tuple(problems))


def _null(objective: Objective, source: ArraySource) -> F64:
    """P_0 per head: w = 0 with the best intercept."""
    free = objective.intercept == "free"
    if objective.joint or not objective.loss.convex:
        zero = Theta(np.zeros((source.d, objective.K)), np.zeros(objective.K))
        if objective.multiclass == "softmax" and free:
            zero = Theta(zero.W, np.log(np.maximum(source.p @ (source.signs > 0), 1e-300)))
        return primal(objective, zero, source.X.matrix, source.signs, source.p, source.o)
    o = np.zeros((source.n, 1)) if source.o is None else source.o.reshape(source.n, -1)
    o = np.broadcast_to(o, (source.n, objective.K))
    y = source.signs
    return np.array([null_objective(objective.loss, o[:, k], y[:, k], source.p, free) for k in range(objective.K)])


def _bounds(certificate: Certificate, M: Any, signs: F64, p: F64, o: F64 | None) -> tuple[F64, list[str], F64]:
    """The bound that the stored dual point proves: 0 without one."""
    objective = certificate.problem
    if certificate.dual is None or not has_bound(objective):
        return np.zeros(objective.heads), [], np.zeros(objective.heads)
    if len(certificate.dual) != len(p):
        raise InputError(f"the certificate is about {len(certificate.dual)} rows; X has {len(p)}")
    raw, wrong, noise = dual(objective, certificate.dual, M, signs, p, o)
    return (np.zeros(objective.heads) if wrong else np.fmax(raw, 0.0)), wrong, noise


def _misstated(certificate: Certificate, found: Verification, null: float, noise: F64) -> list[str]:
    """The numbers that one reads, against those that were found."""
    problems = []
    slack = 2 * SLACK * max(abs(found.objective), 1e-8 * null) + 64 * EPS * null + float(noise.sum())
    for name in ("objective", "lower_bound", "gap"):
        claimed, true = getattr(certificate, name), getattr(found, name)
        if np.isfinite(true) and not abs(claimed - true) <= slack:
            problems.append(f"the field {name} says {claimed:.12g}; it is {true:.12g}")
    claimed = certificate.relative_gap
    allowed = 1e-6 * found.relative_gap + 2 * SLACK + np.max(noise / np.maximum(np.abs(certificate.values), 1e-300))
    if certificate.kind == "duality gap" and not abs(claimed - found.relative_gap) <= allowed:
        problems.append(f"the field relative_gap says {claimed:.3g}; it is {found.relative_gap:.3g}")
    return problems


def _disagreement(what: str, found: F64, claimed: F64, null: F64, noise: F64 | float = 0.0) -> list[str]:
    scale = np.maximum(np.maximum(np.abs(claimed), np.abs(found)), 1e-8 * null)
    neither = ~np.isfinite(found) & ~np.isfinite(claimed)
    if np.all((np.abs(found - claimed) <= SLACK * scale + 64 * EPS * null + noise) | neither):
        return []
    worst = int(np.argmax(np.abs(found - claimed)))
    return [f"the {what} is {found[worst]:.12g}; the certificate says {claimed[worst]:.12g}"]
