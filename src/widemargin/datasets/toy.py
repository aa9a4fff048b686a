"""x = g + y (gap/2) u,  y = sgn(u.g),  g ~ N(0, I): a cloud cut by a hyperplane, its halves pulled apart."""

from __future__ import annotations

import numpy as np

from widemargin._types import F64


def blobs(n: int = 200, d: int = 2, *, gap: float = 0.5, seed: int = 0) -> tuple[F64, F64]:
    """(n, d) points and their labels -1/+1.

    Every row has y u.x >= gap/2 for one unit vector u: gap > 0 separates the classes by a margin of at least
    gap/2, gap < 0 pushes them through each other.

    >>> X, y = blobs(4, 2, gap=1.0)
    >>> X.shape, sorted(set(y.tolist()))
    ((4, 2), [-1.0, 1.0])
    """
    random = np.random.default_rng(seed)
    u = random.standard_normal(d)
    u /= np.linalg.norm(u)
    g = random.standard_normal((n, d))
    # Alternate the sides: both classes are there for every n >= 2.
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    g *= (np.where(g @ u >= 0.0, 1.0, -1.0) * y)[:, None]
    return g + np.outer(y, 0.5 * gap * u), y
