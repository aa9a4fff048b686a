"""The smallest ball that encloses all rows:  min_c max_i ||x_i - c||.

Dual: max sum lambda_i ||x_i - m||^2 - ||sum lambda_i (x_i - m)||^2 over lambda >= 0, sum lambda = 1, for any m; its
value is R^2 and c = sum lambda_i x_i.  The ball of a few rows (a core-set) is solved exactly, and the rows furthest
from its centre join until none is left outside: the radius of the few bounds R from below, the furthest distance from
above.
Bădoiu, Clarkson 2003 (SODA); Yıldırım 2008 (SIAM J. Optim. 19).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.data.intake import intake_rows
from widemargin.data.rows import Rows
from widemargin.errors import InputError, OptionError
from widemargin.geometry.simplex import concave_maximum

ROUNDS = 500
JOINING = 32  # rows that join the core-set in a round, at most; or half of it
LARGEST = 3000  # rows of the core-set: their Gram matrix is held and factored
TILE = 1 << 20  # numbers of a tile of differences
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class EnclosingBall:
    """A ball that encloses all rows, and a proved bound on how much smaller one could be."""

    centre: F64
    radius: float  # every row is within it
    lower_bound: float  # no ball with a smaller radius encloses all rows
    support: I64  # rows whose own smallest ball has radius lower_bound
    weights: F64  # centre = sum weights x[support]

    @property
    def relative_gap(self) -> float:
        """(radius - lower bound) / radius."""
        return (self.radius - self.lower_bound) / self.radius if self.radius > 0 else 0.0

    def contains(self, point: Any) -> bool:
        """Whether a point of d numbers lies in the ball."""
        at = np.asarray(point, dtype=np.float64).reshape(-1)
        if len(at) != len(self.centre):
            raise InputError(f"the point has {len(at)} numbers; the ball lives in {len(self.centre)} dimensions")
        return _norm(at - self.centre) <= self.radius

    def __repr__(self) -> str:
        return (
            f"EnclosingBall(radius {self.radius:.9g}, at least {self.lower_bound:.9g}, "
            f"{len(self.support)} rows on it, {len(self.centre)} dimensions)"
        )


def enclosing_ball(X: Any, *, tol: float = 1e-6) -> EnclosingBall:
    """The smallest enclosing ball of the rows of X, its radius within a factor 1 - tol of the smallest.

    Where the core-set would outgrow memory the ball is larger than that; `relative_gap` says by how much.
    """
    if not isinstance(tol, float | int) or isinstance(tol, bool) or not 0 < tol < 1:
        raise OptionError(f"tol = {tol!r}; expected a number strictly between 0 and 1")
    rows = intake_rows(X)
    if rows.n == 0:
        raise InputError("X has no rows: nothing to enclose. Pass at least one point.")
    _, _, size, _ = _scan(rows)
    scale = 1.0 if 1e-100 < size < 1e100 or size == 0 else float(2.0 ** np.round(np.log2(size)))
    if scale != 1.0:  # squares would leave float64
        assert rows.values is not None or scale == 1.0
        rows = Rows(rows.n, rows.d, rows.values.astype(np.float64) / scale, rows.indices, rows.indptr)  # type: ignore[union-attr]
    found = _ball(rows, float(tol))
    return EnclosingBall(
        found.centre * scale, found.radius * scale, found.lower_bound * scale, found.support, found.weights
    )


def enclosing_radius(X: Any, *, tol: float = 1e-6) -> float:
    """The radius of the smallest enclosing ball."""
    return enclosing_ball(X, tol=tol).radius


def _scan(rows: Rows) -> tuple[int, int, float, int]:
    from widemargin import _core

    row, column, size, widest = _core.scan(rows.core)
    return int(row), int(column), float(size), int(widest)


def _ball(rows: Rows, tol: float) -> EnclosingBall:
    """Core-sets that grow by the furthest rows and shed those without weight."""
    first = int(np.argmax(_distances(rows, _row(rows, 0))[0]))
    core, weights = np.array([first]), np.ones(1)
    best: EnclosingBall | None = None
    for _ in range(ROUNDS):
        centre = _centre(rows, core, weights)
        distances, error = _distances(rows, centre)
        reach = float(distances.max())
        lower = _lower(rows, core, weights)
        radius = float(np.sqrt(reach)) * (1 + 4 * EPS) + error
        if best is None or radius < best.radius or lower > best.lower_bound:
            keep = best is not None and best.radius <= radius
            centre, radius = (best.centre, best.radius) if keep and best is not None else (centre, radius)
            best = EnclosingBall(centre, radius, max(lower, 0.0 if best is None else best.lower_bound), core, weights)
        outside = np.flatnonzero(distances > (lower * (1 + 0.5 * tol)) ** 2)
        outside = np.setdiff1d(outside, core)
        if best.relative_gap <= tol or len(outside) == 0 or len(core) >= LARGEST:
            break
        joining = outside[np.argsort(-distances[outside], kind="stable")[: max(JOINING, len(core) // 2)]]
        core, weights = np.append(core, joining), np.append(weights, np.zeros(len(joining)))
        weights = concave_maximum(*_quadratic(rows, core), weights)
        core, weights = core[weights > 0], weights[weights > 0]
    assert best is not None
    return best


def _row(rows: Rows, i: int) -> F64:
    return np.asarray(_dense(rows.take(np.array([i])))[0])


def _dense(rows: Rows) -> F64:
    M = rows.matrix
    return np.asarray(M if isinstance(M, np.ndarray) else M.toarray(), dtype=np.float64)


def _centre(rows: Rows, core: I64, weights: F64) -> F64:
    return np.asarray(rows.take(core).transposed_times(weights[:, None])[:, 0])


def _quadratic(rows: Rows, core: I64) -> tuple[F64, F64]:
    """Gram matrix and squared norms about the core-set's mean: far from the origin digits would be lost."""
    part = rows.take(core)
    if isinstance(part.matrix, np.ndarray):
        moved = _dense(part)
        moved = moved - moved.mean(axis=0)
        gram = moved @ moved.T
    else:
        M = part.matrix.astype(np.float64)
        gram = (M @ M.T).toarray()
        mean = gram.mean(axis=0)
        gram = gram - mean - mean[:, None] + mean.mean()
    return gram, np.diagonal(gram).copy()


def _lower(rows: Rows, core: I64, weights: F64) -> float:
    """sqrt of the dual value: a bound from below, whatever the weights; rounding taken off."""
    gram, norms = _quadratic(rows, core)
    terms = float(weights @ norms), float(weights @ gram @ weights)
    slack = 8 * EPS * len(core) * float(norms.max(initial=0.0))
    return float(np.sqrt(max(0.0, terms[0] - terms[1] - slack)))


def _distances(rows: Rows, centre: F64) -> tuple[F64, float]:
    """||x_i - c||^2, and what rounding may have hidden of the largest distance."""
    M = rows.matrix
    if isinstance(M, np.ndarray):
        out = np.empty(rows.n)
        step = max(TILE // max(rows.d, 1), 1)
        for i in range(0, rows.n, step):
            tile = M[i : i + step] - centre
            out[i : i + step] = np.einsum("ij,ij->i", tile, tile)
        return out, EPS * rows.d * float(np.sqrt(out.max(initial=0.0)))
    from widemargin import _core

    norms = np.empty(rows.n)
    _core.sqnorms(rows.core, norms)
    own = float(centre @ centre)
    out = np.maximum(norms - 2 * rows.times(centre[:, None])[:, 0] + own, 0.0)
    hidden = 8 * EPS * (float(norms.max(initial=0.0)) + own)
    top = float(out.max(initial=0.0))
    return out, float(np.sqrt(top + hidden) - np.sqrt(top))


def _norm(v: F64) -> float:
    top = float(np.abs(v).max(initial=0.0))
    return top * float(np.linalg.norm(v / top)) if top > 0 else 0.0
