"""min sum s_i e_i  over e in {0, 1}^n with sum_{i in S} e_i >= 1 for every conflict S: a bound without a box on w.

Its relaxation has the dual  max sum u_S,  u >= 0, sum_{S: i in S} u_S <= s_i:  a packing of conflicts, whose sum is a
bound that anyone can check by adding.  Codato, Fischetti 2006; set covering: Chvatal 1979.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64


class Cover(NamedTuple):
    """What the programme found within its time."""

    bound: float
    chosen: I64 | None  # points whose error would settle all conflicts
    optimal: bool  # no cheaper choice settles them


def packing(matrix: Any, s: F64) -> F64:
    """u >= 0, one for each conflict, never more on a point than it weighs; sum u bounds the errors from below."""
    from scipy.optimize import linprog

    conflicts = matrix.shape[0]
    if not conflicts:
        return np.zeros(0)
    used = np.flatnonzero(np.diff(matrix.indptr))
    M = matrix[:, used]
    scale = float(s[used].max())
    found = linprog(-np.ones(conflicts), A_ub=M.T.tocsc(), b_ub=s[used] / scale, bounds=(0, None), method="highs-ds")
    if found.x is None:
        return np.zeros(conflicts)
    u = np.maximum(np.asarray(found.x, dtype=float), 0.0)
    load = np.asarray(M.T @ u)
    with np.errstate(divide="ignore"):
        room = np.where(load > 0, s[used] / scale / load, 1.0)
    return np.asarray(u * np.minimum(1.0, _lowest(M, room)) * scale * (1 - 1e-12))


def _lowest(M: Any, values: F64) -> F64:
    """The least value among the points of each conflict."""
    rows = M.tocsr()
    return np.minimum.reduceat(values[rows.indices], rows.indptr[:-1])


def programme(matrix: Any, s: F64, seconds: float) -> Cover:
    """The programme by HiGHS; its bound holds also when time runs out."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    used = np.flatnonzero(np.diff(matrix.indptr))
    M = matrix[:, used]
    scale = float(s[used].max())
    found = milp(
        s[used] / scale, integrality=np.ones(len(used)), bounds=Bounds(0, 1),
        constraints=LinearConstraint(M, 1, np.inf), options={"time_limit": max(seconds, 0.05), "mip_rel_gap": 0.0},
    )  # fmt: skip
    bound = found.mip_dual_bound
    chosen = None if found.x is None else used[found.x > 0.5]
    below = 0.0 if bound is None or not np.isfinite(bound) else float(bound) * scale
    return Cover(below, chosen, found.status == 0)


def greedy(matrix: Any, s: F64, random: np.random.Generator) -> I64:
    """Points that settle all conflicts, none to spare: those that settle most for their weight first, by chance."""
    conflicts, points = matrix.shape
    value = random.exponential(size=conflicts)
    noise = random.random(points) ** 0.1 / s
    open_, chosen = np.ones(conflicts, dtype=bool), []
    while open_.any():
        i = int(np.argmax((matrix.T @ (value * open_)) * noise))
        chosen.append(i)
        open_[_settled(matrix, i)] = False
    times = np.zeros(conflicts, dtype=int)
    for i in chosen:
        times[_settled(matrix, i)] += 1
    kept = []
    for i in sorted(chosen, key=lambda i: (-s[i], i)):
        if (times[_settled(matrix, i)] > 1).all():
            times[_settled(matrix, i)] -= 1
        else:
            kept.append(i)
    return np.array(sorted(kept), dtype=np.int64)


def _settled(matrix: Any, i: int) -> I64:
    """The conflicts that the error of point i settles."""
    return np.asarray(matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]])
