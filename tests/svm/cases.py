"""Ten data sets for margin programmes, and the programmes as an independent quadratic solver states them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp

from widemargin._types import F64

Data = tuple[Any, F64]


def slab(n: int, d: int, seed: int, gap: float) -> tuple[F64, F64]:
    """Two classes on the two sides of a slab whose half width is gap."""
    random = np.random.default_rng(seed)
    X, w = random.standard_normal((n, d)), random.standard_normal(d)
    w /= np.linalg.norm(w)
    y = np.where(X @ w + 0.2 >= 0, 1.0, -1.0)
    return X + gap * y[:, None] * w, y


def thinned(n: int, d: int, seed: int) -> Data:
    random = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.05, rng=random, format="csr") + sp.eye_array(n, d, format="csr") * 0.3
    return X.tocsr(), np.where(random.random(n) < 0.4, 1.0, -1.0)


def outliers() -> Data:
    X, y = slab(120, 3, 5, 0.4)
    X[:4] *= 40.0
    return X, y


def doubled() -> Data:
    X, y = slab(40, 4, 6, 0.3)
    return np.vstack([X, X, X[:7]]), np.concatenate([y, y, y[:7]])


def uneven() -> Data:
    X, y = slab(100, 3, 7, 0.5)
    return X * [1e-3, 1.0, 1e3], y


def lopsided() -> Data:
    X, y = slab(200, 3, 8, 0.2)
    keep = np.concatenate([np.flatnonzero(y > 0), np.flatnonzero(y < 0)[:3]])
    return X[keep], y[keep]


SEPARABLE: dict[str, Callable[[], Data]] = {
    "narrow": lambda: slab(80, 2, 1, 0.3),
    "dense": lambda: slab(150, 10, 2, 0.2),
    "wide": lambda: slab(30, 90, 3, 0.0),
    "square": lambda: slab(60, 60, 4, 0.1),
    "sparse": lambda: thinned(60, 120, 9),
    "outliers": outliers,
    "doubled": doubled,
    "uneven": uneven,
    "lopsided": lopsided,
    "integers": lambda: (np.array([[0, 0], [1, 1], [3, 0], [3, 4], [0, 1]]), np.array([-1.0, -1, 1, 1, -1])),
}


def overlapping(name: str) -> Data:
    """The same rows; every ninth label is turned round."""
    X, y = SEPARABLE[name]()
    y = y.copy()
    y[::9] *= -1
    return X, y


def optimum(X: Any, y: F64, upper: F64 | None, intercept: bool | str) -> float:
    """min 1/2 |w|^2 + u.xi by clarabel; upper None: no slack."""
    X = sp.csr_array(X, dtype=float) if sp.issparse(X) else np.asarray(X, dtype=float)
    n, d = X.shape
    slacks = 0 if upper is None else n
    on_b = {True: 0.0, "penalised": 1.0, False: 1.0}[intercept]
    P = sp.diags_array(np.concatenate([np.ones(d), [on_b], np.zeros(slacks)]))
    q = np.concatenate([np.zeros(d + 1), np.zeros(0) if upper is None else upper])
    column = np.zeros((n, 1)) if intercept is False else y[:, None]
    rows = [sp.diags_array(y) @ sp.csr_array(X), sp.csr_array(column)]
    G = sp.hstack([*rows, sp.eye_array(n)] if slacks else rows)
    h = np.ones(n)
    if slacks:
        G = sp.vstack([G, sp.hstack([sp.csr_array((n, d + 1)), sp.eye_array(n)])])
        h = np.concatenate([h, np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(len(h))]
    found = clarabel.DefaultSolver(sp.csc_matrix(P), q, sp.csc_matrix(-G), -h, cones, settings).solve()
    return float(found.obj_val)
