"""The fewest errors by other means: hyperplanes through points, subsets of rows, a programme with a box."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from widemargin._types import F64


def through_points(X: F64, y: F64) -> int:
    """Points in general position: an optimal hyperplane can be moved until it contains d of them, which are then
    right whatever their labels, since it can be tilted to any side of each."""
    n, d = X.shape
    fewest = min(int((y > 0).sum()), int((y < 0).sum()))
    for on in itertools.combinations(range(n), d):
        normal = np.linalg.svd(np.column_stack([X[list(on)], np.ones(d)]))[2][-1]
        z = y * (X @ normal[:-1] + normal[-1])
        others = np.delete(z, on)
        fewest = min(fewest, int((others <= 0).sum()), int((others >= 0).sum()))
    return fewest


def by_subsets(A: F64, s: F64) -> float:
    """The lightest rows without which a programme finds max t > 0 with A w >= t, |w| <= 1; every subset is tried."""
    n, d = A.shape
    subsets = itertools.chain.from_iterable(itertools.combinations(range(n), k) for k in range(n + 1))
    for gone in sorted(subsets, key=lambda rows: float(s[list(rows)].sum())):
        M = np.delete(A, gone, axis=0)
        if not len(M):
            break
        found = linprog(
            np.append(np.zeros(d), -1.0),
            A_ub=np.column_stack([-M, np.ones(len(M))]),
            b_ub=np.zeros(len(M)),
            bounds=[(-1, 1)] * d + [(0, 1)],
        )
        if found.x[-1] > 1e-7:
            return float(s[list(gone)].sum())
    return float(s.sum())


def with_box(A: F64, box: float) -> float:
    """min sum e, A w >= 1 - M e, |w_j| <= box: what a box makes of the question."""
    n, d = A.shape
    M = 1 + box * np.abs(A).sum(axis=1)
    found = milp(
        np.concatenate([np.zeros(d), np.ones(n)]),
        integrality=np.concatenate([np.zeros(d), np.ones(n)]),
        bounds=Bounds(np.concatenate([np.full(d, -box), np.zeros(n)]), np.concatenate([np.full(d, box), np.ones(n)])),
        constraints=LinearConstraint(np.column_stack([A, np.diag(M)]), 1, np.inf),
        options={"mip_rel_gap": 0},
    )
    assert found.status == 0
    return float(found.fun)


def on_a_line(x: F64, y: F64) -> int:
    """Distinct numbers: every threshold, both ways round."""
    order = np.argsort(x)
    left = np.append(0, np.cumsum(y[order] > 0))  # positives left of each threshold
    right = np.append(0, np.cumsum(y[order] < 0))
    wrong = left + right[-1] - right
    return int(min(wrong.min(), (len(x) - wrong).min()))
