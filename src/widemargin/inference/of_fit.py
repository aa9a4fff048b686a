"""Standard errors, z, p-values and intervals for a fit without penalty.  Wald 1943; White 1980; Liang, Zeger 1986.

What would not be valid is refused, with the reason and what to do: a penalty shrinks, separable classes have no
finite maximum, collinear columns share one effect.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin._threads import available_threads
from widemargin._types import F64, I64, Array
from widemargin.bounds import Anchors
from widemargin.data.intake import Dataset, intake
from widemargin.errors import InputError, OptionError, Refusal, Verdict, unknown
from widemargin.fitting import Fit
from widemargin.inference.result import Inference
from widemargin.inference.sandwich import clustered, scatter
from widemargin.objective import Objective
from widemargin.run.local import Local
from widemargin.solve.protocol import Problem

KINDS = ("wald", "robust", "cluster")
CLOSE = 1e-6  # relative gap: above, the point is not the maximum that the theory is about
SINGULAR = 1e-10  # share of a column that no other column explains


def infer(
    fit: Fit, X: Any, y: Any, *, sample_weight: Any = None, offset: Any = None, kind: str = "wald",
    clusters: Any = None, level: float = 0.95, correction: bool = False, reference: Any = None,
) -> Inference:  # fmt: skip
    """What the data of a fit say about its coefficients.

    kind: "wald" (the inverse information; the loss must be a likelihood), "robust" (sandwich), "cluster" (sandwich over
    `clusters`, one label per row).  correction=True multiplies robust covariances by n / (n - p), clustered ones by
    g / (g - 1) (n - 1) / (n - p).  reference: the class that the others are compared with, of three or more.
    """
    if kind not in KINDS:
        raise unknown("kind", kind, KINDS)
    if not 0 < level < 1:
        raise OptionError(f"level = {level!r}; expected a number strictly between 0 and 1, such as 0.95")
    objective = fit.certificate.problem
    _refuse(fit, objective, kind)
    data = intake(X, y, sample_weight=sample_weight, offset=offset)
    if not np.array_equal(data.classes, fit.model.classes):
        raise InputError(f"y has the classes {data.classes.tolist()}; the fit knows {fit.model.classes.tolist()}")
    reducer = Local(available_threads())
    problem = Problem(objective, data.source, reducer, Anchors(objective, data.source, reducer))
    theta, ones = fit.certificate.theta, objective.intercept != "none"
    kept = {"scores": np.empty((data.source.n, objective.K))}
    sums = problem.fold("gram", theta, kept)
    assert sums.gram is not None
    total = data.source.total_weight
    base = _reference(data, reference) if objective.joint else None
    names, kept_unknowns = _names(data, base, ones), _told_apart(data.source.d + ones, objective.K, base)
    H = total * sums.gram[0][np.ix_(kept_unknowns, kept_unknowns)]
    covariance = inverse(H, names)
    if kind != "wald":
        groups = _clusters(clusters, data.source.n) if kind == "cluster" else None
        middle = _middle(data, objective, kept["scores"], ones, groups, correction)
        covariance = covariance @ middle[np.ix_(kept_unknowns, kept_unknowns)] @ covariance
    full = np.vstack([theta.W, theta.b[None]])[: data.source.d + ones]
    estimates = (full if base is None else np.delete(full - full[:, [base]], base, axis=1)).ravel()
    likelihood = -total * float(sums.value.sum()) if objective.loss.name == "logistic" else float("nan")
    return Inference(names, estimates, covariance, kind, level, total, likelihood)


def _refuse(fit: Fit, objective: Objective, kind: str) -> None:
    verdict = fit.certificate.verdict
    if verdict is Verdict.separable:
        raise Refusal(
            "the classes are linearly separable: no finite coefficients are the most likely ones, and their standard "
            "errors mean nothing. Use widemargin.firth(X, y), whose estimates are finite."
        )
    if objective.alpha > 0:
        raise Refusal(
            f"the fit has a penalty (alpha = {objective.alpha:g}), which pulls coefficients towards 0: intervals "
            "around them would not cover what they claim. Fit with penalty='none', or use widemargin.firth(X, y)."
        )
    if objective.boxed:
        raise Refusal("coefficients at the end of their bounds have no normal limit: fit without bounds=.")
    if objective.multiclass == "ovr" or objective.loss.d2 is None or objective.multiclass == "crammer_singer":
        raise Refusal("standard errors need one smooth loss: for three classes or more use multiclass='softmax'.")
    if kind == "wald" and objective.loss.name != "logistic":
        raise Refusal(f"the loss {objective.loss.name!r} is no likelihood of classes: use kind='robust'.")
    if not fit.certificate.relative_gap <= CLOSE:
        raise Refusal(
            f"the fit is {fit.certificate.relative_gap:.1e} above its optimum ({verdict.text}): fit again with a "
            f"relative gap of at most {CLOSE:g}."
        )


def _told_apart(p: int, K: int, base: int | None) -> I64:
    """The unknowns (rows of W, then b) whose information is regular: of softmax, all classes but the reference."""
    every = np.arange(p * K).reshape(p, K)
    return np.asarray((every if base is None else np.delete(every, base, axis=1)).ravel())


def _reference(data: Dataset, reference: Any) -> int:
    if reference is None:
        return 0
    found = np.flatnonzero(data.classes == reference)
    if len(found) == 0:
        raise OptionError(f"reference = {reference!r}; expected one of the classes {data.classes.tolist()}")
    return int(found[0])


def _names(data: Dataset, base: int | None, ones: bool) -> tuple[str, ...]:
    columns = data.feature_names or tuple(f"x{j}" for j in range(data.source.d))
    columns = (*columns, "intercept") if ones else columns
    if base is None:
        return columns
    return tuple(f"{name} [{label}]" for name in columns for label in np.delete(data.classes, base))


def inverse(H: F64, names: tuple[str, ...]) -> F64:
    """H^-1, or a refusal that names the columns which share one effect."""
    scale = np.sqrt(np.maximum(np.diagonal(H), 0.0))
    if not (scale > 0).all():
        lost = ", ".join(names[k] for k in np.flatnonzero(scale == 0)[:5])
        raise Refusal(f"nothing is known about {lost}: the column is 0 wherever a row counts. Drop it.")
    values, vectors = np.linalg.eigh(H / np.outer(scale, scale))
    if values[0] <= SINGULAR * len(values):
        shared = np.flatnonzero(np.abs(vectors[:, 0]) > 0.01 * np.abs(vectors[:, 0]).max())[:8]
        raise Refusal(
            f"the columns {', '.join(names[k] for k in shared)} are collinear: their effects cannot be told apart. "
            "Drop one of them (a constant column repeats the intercept)."
        )
    return np.asarray((vectors / values) @ vectors.T / np.outer(scale, scale))


def _middle(
    data: Dataset, objective: Objective, scores: F64, ones: bool, groups: Array | None, correction: bool
) -> F64:
    source = data.source
    s = np.ones(source.n) if source.s is None else source.s
    R = slopes(objective, scores, source.signs)
    n, p = source.total_weight, (source.d + ones) * (max(1, objective.K - 1))
    if groups is None:
        return scatter(source.X.matrix, R, s, ones) * (n / (n - p) if correction else 1.0)
    kinds, numbers = np.unique(groups, return_inverse=True)
    g = len(kinds)
    if g < 2:
        raise InputError("clusters: all rows are in one cluster; at least two are needed, better forty")
    factor = g / (g - 1) * (n - 1) / (n - p) if correction else 1.0
    return clustered(source.X.matrix, R, s, ones, numbers, g) * factor


def slopes(objective: Objective, scores: F64, signs: F64) -> F64:
    """dl/df of every row and column."""
    if objective.joint:
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True) - (signs > 0))
    return np.asarray(signs * objective.loss.d1(signs * scores))


def _clusters(clusters: Any, n: int) -> Array:
    if clusters is None:
        raise OptionError("kind='cluster' needs clusters=, one label per row")
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise InputError(f"clusters has shape {labels.shape}; expected one label per row, ({n},)")
    return labels
