"""The exact optimum on a guess of the support: every free row at margin 1, every other dual at an end of its box.

  Q_SS delta + y_S b = 1 - z_S,  y_S . delta = -sum lambda y,   Q = (y y') o (X X')
Rows that end up on the wrong side of their condition change sides, all at once, until none does: block pivoting,
Júdice, Pires 1994 (Computers & Operations Research 21).  Few free rows: Cholesky; many: conjugate gradients on the
subspace y_S . delta = 0 (Hestenes, Stiefel 1952).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin._types import F64, I64
from widemargin.svm.programme import Programme

ROUNDS = 30
PATIENCE = 4  # exchanges that may pass without halving what is wrong
HOPELESS = 1.0  # a guess of the support that leaves margins this wrong is none
DIRECT = 2000  # free rows up to which a matrix of them is factored
DENSE = 1e7  # numbers of a dense copy of the free rows, at most
QR_FLOPS = 1e10
LIFT = 1e-15  # of the unit diagonal: rows may depend on each other
CG_STEPS = 500
CG_FINE = 1e-4  # of the residual at each solve: it shrinks from exchange to exchange
NEAR = 1e-10  # a margin this close to 1 is there
ENTERING = 1e-6  # of the largest dual: what a free row without one counts as
INDEPENDENT = 1e-10  # a diagonal of QR below this part of its first is taken for 0
REFINEMENTS = 3  # once the support stands still

Solve = Callable[[F64, float], tuple[F64, float]]


class Face(NamedTuple):
    """Duals, their w, the intercept, and the largest margin by which a condition fails."""

    duals: F64
    w: F64
    b: float
    wrong: float


def polished(programme: Programme, duals: F64, w: F64, b: float) -> Face:
    """The best of several exchanges that begin at a nearly optimal point."""
    z = programme.margins(w, b)
    wish = duals - (z - 1.0) * np.maximum(float(duals.max()), 1.0 / np.maximum(programme.sqnorms, 1e-300))
    free = (wish > 0) & (wish < programme.upper)
    duals = np.where(free, duals, np.where(wish > 0, programme.upper, 0.0))
    best, raw = _solved(programme, duals, free, b, 1)
    face, idle = best, 0
    for _ in range(ROUNDS):
        if best.wrong <= NEAR or face.wrong > HOPELESS or idle > PATIENCE:
            break
        before, free = free, _exchanged(programme, face, raw, free)
        face, raw = _solved(programme, face.duals, free, face.b, REFINEMENTS if (free == before).all() else 1)
        idle = 0 if face.wrong < 0.5 * best.wrong else idle + 1
        best = face if face.wrong < best.wrong else best
    return best


def _solved(programme: Programme, duals: F64, free: NDArray[np.bool_], b: float, refinements: int) -> tuple[Face, F64]:
    """All free rows to margin 1; the duals also as they are before the box cuts them.  No free row: b stays."""
    rows = _movable(programme, np.flatnonzero(free), duals)
    part = programme.of(rows)
    raw = duals.copy()
    solve = None if len(rows) == 0 else _direct(part) if len(rows) <= DIRECT else _iterative(part)
    for _ in range(0 if solve is None else refinements):
        w, on_b = programme.combination(raw)
        b = on_b if programme.intercept == "penalised" else b
        excess = float(raw @ programme.y) if programme.intercept == "free" else 0.0
        assert solve is not None
        delta, shift = solve(1.0 - part.margins(w, b), -excess)
        raw[rows] += delta
        b += shift
        if np.abs(delta).max() <= 1e-15 * np.abs(raw).max():
            break
    cut = np.clip(raw, 0.0, programme.upper)
    w, on_b = programme.combination(cut)
    b = on_b if programme.intercept == "penalised" else b
    return Face(cut, w, b, _wrong(programme, cut, programme.margins(w, b))), raw


def _movable(programme: Programme, rows: I64, duals: F64) -> I64:
    """Of more free rows than unknowns, those that span them, of large duals: the others' duals stay as they are.

    Were all of them solved for, a row that is free by mistake would move the duals without end: no w has all margins 1.
    """
    d = programme.source.d + 1
    if len(rows) <= d or not duals[rows].any() or float(len(rows)) * d > DENSE or float(len(rows)) * d * d > QR_FLOPS:
        return rows
    from scipy.linalg import qr

    part, weights = programme.of(rows), np.maximum(duals[rows], ENTERING * float(duals[rows].max()))
    size = weights / np.sqrt(np.maximum(part.sqnorms + 1.0, 1e-300))
    R, order = qr(_rows(part, size, float(programme.intercept != "none")).T, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(R))
    return np.sort(rows[order[: int((diagonal > INDEPENDENT * diagonal[0]).sum())]])


def _wrong(programme: Programme, duals: F64, z: F64) -> float:
    """The largest distance of a margin from where its dual wants it."""
    short = np.where(duals < programme.upper, 1.0 - z, 0.0)
    beyond = np.where(duals > 0, z - 1.0, 0.0)
    return float(max(short.max(initial=0.0), beyond.max(initial=0.0)))


def _exchanged(programme: Programme, face: Face, raw: F64, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Free rows that left the box are fixed; fixed rows whose margin says otherwise become free."""
    z = programme.margins(face.w, face.b)
    stays = free & (raw > 0) & (raw < programme.upper)
    at_zero, at_upper = face.duals <= 0, face.duals >= programme.upper
    returns = ~free & ((at_zero & (z < 1.0 - NEAR)) | (at_upper & (z > 1.0 + NEAR)))
    return np.asarray(stays | returns)


def _direct(part: Programme) -> Solve:
    """By a triangular R with R'R = B B', B the rows y (x, sqrt kappa) at length 1; refined, for Q may be singular.

    On y . delta = e the multiple kappa of y y' changes nothing, and leaves as many free rows as unknowns regular.
    """
    from scipy.linalg import solve_triangular

    kappa = {"free": float(part.sqnorms.mean()), "none": 0.0, "penalised": 1.0}[part.intercept]
    on_b, free = kappa if part.intercept == "free" else 0.0, part.intercept == "free"
    scale = 1.0 / np.sqrt(np.maximum(part.sqnorms + on_b, 1e-300))
    B = _rows(part, scale, np.sqrt(kappa))
    R, c = _triangle(B), scale * part.y

    def inverse(v: F64) -> F64:
        return np.asarray(
            solve_triangular(R, solve_triangular(R, v, trans="T", check_finite=False), check_finite=False)
        )

    border = inverse(c)

    def once(r: F64, excess: float) -> tuple[F64, float]:
        eta = inverse(r)
        b = (float(c @ eta) - excess) / float(c @ border) if free else 0.0
        return eta - b * border, b

    def solve(r: F64, excess: float) -> tuple[F64, float]:
        right = scale * r + (on_b * excess) * c
        eta, b = once(right, excess)
        for _ in range(REFINEMENTS):
            left = right - np.asarray(B @ (B.T @ eta)) - (b * c if free else 0.0)
            more, shift = once(left, excess - float(c @ eta))
            eta, b = eta + more, b + shift
        return scale * eta, b

    return solve


def _rows(part: Programme, scale: F64, last: float) -> Any:
    """scale y (x, last), dense where that is small."""
    M, factor = part.source.X.matrix, scale * part.y
    if part.source.X.sparse and len(factor) * part.source.d > DENSE:
        from scipy.sparse import csr_array, diags_array, hstack

        return csr_array(hstack([diags_array(factor) @ M, (factor * last)[:, None]]))
    rows = M if isinstance(M, np.ndarray) else M.toarray()
    return np.column_stack([rows, np.full(len(factor), last)]) * factor[:, None]


def _triangle(B: Any) -> F64:
    """R by QR of B', which keeps the digits that B B' would lose, or by Cholesky where that is too dear."""
    m, d = B.shape
    if isinstance(B, np.ndarray) and float(m) * m * (d + m) <= QR_FLOPS:
        return np.asarray(np.linalg.qr(np.vstack([B.T, np.sqrt(LIFT) * np.eye(m)]), mode="r"))
    gram = B @ B.T
    gram = gram if isinstance(gram, np.ndarray) else gram.toarray()
    lift = LIFT
    while True:
        try:
            return np.asarray(np.linalg.cholesky(gram + lift * np.eye(m)).T)
        except np.linalg.LinAlgError:
            lift *= 100.0


def _iterative(part: Programme) -> Solve:
    """Conjugate gradients on unit-diagonal Q; a free intercept is what the projection takes away."""
    scale = 1.0 / np.sqrt(np.maximum(part.sqnorms, 1e-300))
    equality = scale * part.y if part.intercept == "free" else np.zeros(len(scale))
    length = float(np.linalg.norm(equality)) or 1.0
    normal = equality / length

    def times(v: F64) -> F64:
        w, b = part.combination(scale * v)
        return scale * part.margins(w, b)

    def within(v: F64) -> F64:
        return np.asarray(v - normal * float(normal @ v))

    def solve(r: F64, excess: float) -> tuple[F64, float]:
        x = normal * (excess / length)
        residual = scale * r - times(x)
        g = within(residual)
        direction, size = g.copy(), float(g @ g)
        goal = CG_FINE**2 * size
        for _ in range(CG_STEPS):
            if not size > goal:
                break
            image = times(direction)
            t = size / max(float(direction @ image), 1e-300)
            x, residual = x + t * direction, residual - t * image
            g = within(residual)
            size, before = float(g @ g), size
            direction = g + (size / before) * direction
        return scale * x, float(normal @ residual) / length

    return solve
