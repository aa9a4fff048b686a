"""Hard margin:  min 1/2 ||w||^2  s.t.  y_i (w.x_i + b) >= 1.

Boser, Guyon, Vapnik 1992 (COLT); the margin is 1 / ||w||.  Where a matrix of order min(n, d) can be factored the
central path is followed (svm/interior), else duals descend (svm/descent); both end with an exact solve on the support.
"""

from __future__ import annotations

import warnings
from typing import Any, cast

import numpy as np

from widemargin._threads import available_threads
from widemargin._types import F64
from widemargin.data.intake import Dataset, intake
from widemargin.errors import InputError, Inseparable, NotConverged, OptionError, Refusal, Verdict
from widemargin.loss import losses
from widemargin.model import Model
from widemargin.objective import Intercept
from widemargin.run.local import Local
from widemargin.separation import Separability, separability
from widemargin.spec import INTERCEPTS, number
from widemargin.svm.descent import descend
from widemargin.svm.face import polished
from widemargin.svm.interior import Found, best_of, follow
from widemargin.svm.programme import Programme
from widemargin.svm.result import SVM, Point, conditions, objectives

ORDER = 8000  # of the largest matrix that is factored
FLOPS = 3e10  # of one interior point iteration beyond which duals descend
SMALLEST = 1e-100  # below, squares vanish
NOISE = 1e-12  # relative gap that is as good as none
SPARSE = 1e-12  # share of the largest dual below which one is 0, where the support could not be solved for


def hard_margin(
    X: Any, y: Any, *, intercept: bool | str = True, tol: float = 1e-6, seed: int = 0, threads: int | None = None
) -> SVM:
    """The separating hyperplane of largest margin, proved within a relative gap of tol.

    Raises Inseparable, with the proof, where there is none; `soft_margin` has no such need.
    """
    kind = intercept_kind(intercept)
    tol = number("tol", tol, strict=True)
    data = two_classes(intake(X, y), y)
    source = data.source
    size = max(abs(float(f(source.X.matrix.data if source.X.sparse else source.X.matrix))) for f in (np.min, np.max))
    if 0 < size < SMALLEST:
        raise InputError(
            f"the largest number in X is {size:.3g}; expected at least {SMALLEST:g}, so that squares do not vanish. "
            "Multiply X by a constant."
        )
    reducer = Local(available_threads() if threads is None else threads)
    programme = Programme(source, np.full(source.n, np.inf), kind, reducer)

    def ask() -> tuple[F64, float]:
        return _separating(X, y, kind)

    if _factors(programme):
        found, solver = follow(programme), "interior_point"
        if found.primal is None or found.gap > 1.0:
            found = Found(programme.feasible(*ask()) if found.primal is None else found.primal, found.dual)
    else:
        found, solver = descend(programme, tol, seed, ask), "dual_cd"
        if found.gap > tol and min(source.n, source.d + 1) <= ORDER:
            found, solver = best_of(found, follow(programme)), "interior_point"
    if found.primal is None:
        raise _too_thin(1 / float(np.sqrt(2 * found.dual.value)) if found.dual.value > 0 else np.inf)
    return _result(programme, _crisp(programme, found), data, tol, solver)


def _factors(programme: Programme) -> bool:
    """Whether an interior point iteration is cheap enough."""
    source = programme.source
    side = min(source.n, source.d + 1)
    return side <= ORDER and float(source.nnz) * side + side**3 / 3 <= FLOPS


def intercept_kind(intercept: bool | str) -> Intercept:
    """free, none or penalised."""
    try:
        return cast(Intercept, INTERCEPTS[intercept])
    except (KeyError, TypeError):
        raise OptionError(f"intercept = {intercept!r}; expected True, False or 'penalised'") from None


def two_classes(data: Dataset, y: Any) -> Dataset:
    """The data, or a refusal: the programmes are for two classes and definite labels."""
    if len(data.classes) > 2:
        raise Refusal(
            f"a margin programme is for two classes; y has {len(data.classes)}. Use wm.fit(X, y, loss='hinge', "
            "multiclass='crammer_singer'), or one class against the rest: y == label."
        )
    if data.source.n != len(y):
        raise Refusal(
            "y has probabilities between 0 and 1; a margin programme needs a definite label per row. Pass y > 0.5, or "
            "use wm.fit(X, y, loss='hinge')."
        )
    return data


def _separating(X: Any, y: Any, kind: Intercept) -> tuple[F64, float]:
    """A separating hyperplane, or the proof that there is none."""
    proof = separability(X, y, intercept=kind != "none")
    assert isinstance(proof, Separability)  # there are two classes
    if proof.kind != "complete":
        raise Inseparable(_message(proof), proof)
    if proof.direction is None:
        raise _too_thin(proof.epsilon)
    return proof.direction


def _message(proof: Separability) -> str:
    """How it is known, in one sentence, and what to do."""
    what = "no hyperplane separates the classes strictly"
    if proof.witness is None or not proof.exact:
        how = f"{what}: {proof.proof}"
    else:
        rows = proof.witness.rows.tolist()
        shown = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
        point = "y (x, 1)" if proof.intercept else "y x"
        how = f"{what}, for a convex combination of {point} over {len(rows)} rows ({shown}) vanishes"
    return (
        f"the hard margin has no feasible point: {how.rstrip('.')}. Use wm.soft_margin(X, y, C=...), which always "
        "has a solution; `proof` of this error can be verified."
    )


def _too_thin(margin: float) -> Refusal:
    return Refusal(
        f"the classes are separable, but with a margin of at most {margin:.3g}, too thin for float64. Use "
        "wm.soft_margin(X, y, C=...), or divide columns of very different sizes by their standard deviations."
    )


def _crisp(programme: Programme, found: Found) -> Found:
    """Duals that are exactly 0 off the support: by an exact solve, or by leaving out what does not matter."""
    assert found.primal is not None
    duals = found.dual.duals
    face = polished(programme, duals, found.primal.w, found.primal.b)
    dual, good = programme.bounded(face.duals), max(found.gap, NOISE)
    exact, mixed = Found(programme.feasible(face.w, face.b), dual), Found(found.primal, dual)
    if min(exact.gap, mixed.gap) <= good:  # w of the duals has lost digits where columns are of very different size
        return exact if exact.gap <= good else mixed
    beyond = programme.margins(found.primal.w, found.primal.b) - 1.0
    kept = duals > duals.max() * np.maximum(beyond, SPARSE)  # of lambda and z - 1 one tends to 0: the smaller one
    return Found(found.primal, programme.bounded(np.where(kept, duals, 0.0)))


def _result(programme: Programme, found: Found, data: Dataset, tol: float, solver: str) -> SVM:
    assert found.primal is not None
    at = Point(found.primal.w, found.primal.b, np.zeros(programme.source.n), found.dual.duals)
    svm = solution(programme, at, data, np.inf, tol, solver)
    if not svm.verdict.success:
        warnings.warn(
            f"hard_margin: {svm.verdict.text} (relative gap {svm.relative_gap:.2g}); divide badly scaled columns by a "
            f"constant, or loosen tol.", NotConverged, stacklevel=3,
        )  # fmt: skip
    return svm


def solution(programme: Programme, at: Point, data: Dataset, C: float, tol: float, solver: str) -> SVM:
    """A point with all that is true of it."""
    source, kind = programme.source, programme.intercept
    M = source.X.matrix
    M = M if M.dtype == np.float64 else M.astype(np.float64)
    P, D = objectives(M, source.y, programme.upper, kind, at)
    relative = max(0.0, P - D) / P if P > 0 else 0.0
    verdict = Verdict.tolerance if relative <= tol else Verdict.stalled
    length = float(np.linalg.norm(at.w))
    hard = bool(np.isinf(C))
    about = {
        "loss": "hinge", "penalty": "l2", "programme": "hard margin" if hard else "soft margin", "intercept": kind,
        "solver": solver, "objective": P, "lower_bound": D, "relative_gap": relative, "verdict": verdict.name,
    } | ({} if hard else {"C": C})  # fmt: skip
    model = Model(data.classes, at.w[:, None].copy(), np.array([at.b]), losses["hinge"], "binary", data.feature_names,
                  about)  # fmt: skip
    return SVM(
        model, "hard" if hard else "soft", C, kind, P, D, relative, 1.0 / length if length > 0 else np.inf,
        np.flatnonzero(at.duals > 0), at.duals, at.slacks,
        conditions(M, source.y, programme.upper, kind, at), verdict, solver,
    )  # fmt: skip
