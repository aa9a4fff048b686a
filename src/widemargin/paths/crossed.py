"""cross_fit: the scores that each row gets from a fit without it, beside the fit to all rows.

They are what calibration and thresholds are learned from: a fit's scores of its own rows are too sure of themselves.
Stone 1974.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin._threads import available_threads
from widemargin._types import F64, I64, Array
from widemargin.data.labels import labels
from widemargin.data.weights import row_weights
from widemargin.errors import Refusal
from widemargin.fitting import Fit, fit
from widemargin.model import Model
from widemargin.paths.folds import Split, numbers_of, splits_of


@dataclass(frozen=True, eq=False)
class CrossFit:
    """A fit to all rows, and each row's scores by a fit that has not seen it."""

    fit: Fit
    scores: F64  # (n, K); NaN for rows that no fold holds out
    truth: I64  # (n,) the number of each row's class
    weights: F64 | None  # (n,) sample weights, without class weights
    folds: I64  # (n,) the fold that held each row out; -1: none did
    relative_gaps: F64  # (folds,) how far each fold's fit was from its optimum, at most

    @property
    def model(self) -> Model:
        """The model of all rows."""
        return self.fit.model

    @property
    def held(self) -> Array:
        """(n,) whether a fold held the row out."""
        return self.folds >= 0

    def __repr__(self) -> str:
        errors = float(np.mean(self.model.labels(self.scores[self.held]) != self.model.classes[self.truth[self.held]]))
        count = len(np.unique(self.folds[self.held]))
        return f"CrossFit({count} folds, {int(self.held.sum())} rows, errors {errors:.4g}; {self.model!r})"


def cross_fit(
    X: Any, y: Any, *, folds: Any = 5, groups: Any = None, time: Any = None, seed: int = 0, sample_weight: Any = None,
    offset: Any = None, threads: int | None = None, **options: Any,
) -> CrossFit:  # fmt: skip
    """Fit to all rows, and once without the rows of each fold; `options` are those of widemargin.fit.

    folds: how many (`groups` keeps rows of one group together, `time` learns from what came before), the fold of each
    row, a splitter of scikit-learn, or pairs of row numbers.  X is shared: a fold gives weight 0 to what it holds out.
    """
    told = {"offset": offset, "seed": seed, **options}
    whole = fit(X, y, sample_weight=sample_weight, threads=threads, **told)
    classes, numbers, soft = labels(y, _length(y))
    if soft:
        raise Refusal("y holds probabilities; cross_fit needs the class of each row, which calibration is judged by")
    splits = splits_of(folds, numbers, seed, groups=groups, time=time)
    s, total = row_weights(sample_weight, len(numbers)), available_threads() if threads is None else threads
    own = max(1, total // len(splits))

    def one(split: Split) -> tuple[F64, float]:
        kept = np.where(split.learn, 1.0 if s is None else s, 0.0)
        found = fit(X, y, sample_weight=kept, threads=own, **told)
        return found.model.scores(X, offset)[split.held], found.certificate.relative_gap

    with ThreadPoolExecutor(min(total, len(splits))) as pool:
        results = list(pool.map(one, splits))
    scores = np.full((len(numbers), whole.model.W.shape[1]), np.nan)
    for split, (found, _) in zip(splits, results, strict=True):
        scores[split.held] = found
    truth = (numbers > 0 if len(classes) == 2 else numbers).astype(np.int64)
    return CrossFit(whole, scores, truth, s, numbers_of(splits), np.array([gap for _, gap in results]))


def _length(y: Any) -> int:
    return int(y.shape[0]) if hasattr(y, "shape") else len(y)
