"""Random small and middling problems: shape, sparsity, conditioning, strength, imbalance, loss x penalty.

Problem number k is drawn from the seed (SEED, k) alone, so that a problem stays the same when others are added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

SEED = 20_26
COUNT = 72
LOSSES = ("logistic", "logistic", "logistic", "hinge", "hinge", "squared_hinge", "smooth_hinge", "modified_huber",
          "squared")  # fmt: skip
PENALTIES = ("l2", "l2", "l2", "l1", "l1", "elastic_net")
LAYOUTS = ("dense", "correlated", "sparse", "sparse", "counts")
SIZES = 300_000  # numbers stored at most
L1_RATIO = 0.5


@dataclass(frozen=True)
class Drawn:
    """A problem, and in words what it is."""

    number: int
    X: Any
    y: Any
    loss: str
    penalty: str
    alpha: float
    about: str

    @property
    def option(self) -> str:
        """The penalty as wm.fit takes it."""
        return f"elastic_net:{L1_RATIO}" if self.penalty == "elastic_net" else self.penalty


def draw(number: int, largest: int = SIZES) -> Drawn:
    """Problem number k."""
    random = np.random.default_rng([SEED, number])
    layout, loss, penalty = (str(random.choice(names)) for names in (LAYOUTS, LOSSES, PENALTIES))
    alpha = float(10 ** random.uniform(-8, 2))
    spread, positive = float(random.choice([0, 0, 1, 2])), float(random.choice([0.5, 0.5, 0.2, 0.03]))
    X = rows(random, layout, largest)
    X = scaled(X, 10 ** random.uniform(-spread, spread, X.shape[1]))
    y = labels(random, X, positive)
    about = f"{layout} {X.shape[0]} x {X.shape[1]}, scales 1e±{spread:.0f}, {100 * positive:.0f} % positive"
    return Drawn(number, X, y, loss, penalty, alpha, about)


def rows(random: np.random.Generator, layout: str, largest: int) -> Any:
    """X before its columns are scaled."""
    n = int(10 ** random.uniform(1.7, 4.3))
    if layout in ("dense", "correlated"):
        d = int(np.clip(10 ** random.uniform(0.5, 3.0), 2, max(2, largest / n)))
        X = random.standard_normal((n, d))
        return 0.3 * X + X @ random.standard_normal((d, d)) / d if layout == "correlated" else X
    share = 10 ** random.uniform(-2.5, -0.7)
    d = int(np.clip(10 ** random.uniform(1.5, 4.3), 5, max(5, largest / (n * share))))
    X = sp.random(n, d, share, "csr", random_state=int(random.integers(2**31)))
    X.data = np.ones(X.nnz) if layout == "counts" else random.standard_normal(X.nnz)
    return X


def scaled(X: Any, scale: Any) -> Any:
    """Columns times their scales."""
    return sp.csr_matrix(X.multiply(scale)) if sp.issparse(X) else X * scale


def labels(random: np.random.Generator, X: Any, positive: float) -> Any:
    """The largest noisy scores are positive: at least one row of each class."""
    length = np.sqrt(np.asarray((X.multiply(X) if sp.issparse(X) else X * X).mean(axis=0)).ravel())
    w = random.standard_normal(X.shape[1]) / np.maximum(length, 1e-300)
    score = np.asarray(X @ w).ravel()
    score = score / max(score.std(), 1e-300) + random.uniform(0.1, 2.0) * random.standard_normal(len(score))
    count = int(np.clip(round(positive * len(score)), 1, len(score) - 1))
    return np.where(score >= np.sort(score)[-count], 1, -1)
