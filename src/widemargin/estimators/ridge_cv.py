"""RidgeClassifier with the strength chosen by leave-one-out, from one eigendecomposition for all strengths.

With A = sqrt(s) (X - mean) = Q sqrt(Lambda) V' the residual without row i is r_i / (1 - h_i) exactly,
h_i = sum_j (Q_ij sqrt(lambda_j))^2 / (lambda_j + a) + s_i / sum s.  Allen 1974; Golub, Heath, Wahba 1979.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV
from sklearn.utils.validation import validate_data

from widemargin._types import F64, Array
from widemargin.data.intake import intake
from widemargin.errors import OptionError
from widemargin.estimators.base import LinearBase
from widemargin.estimators.ridge import RidgeClassifier

BLOCK = 1 << 16  # numbers of a block of rows, times the columns


class RidgeClassifierCV(LinearBase):
    """Least squares as a classifier; `alpha_` is the best of `alphas` by leave-one-out, or by `cv`."""

    _balances_weights = False

    def __init__(
        self, alphas: Any = (0.1, 1.0, 10.0), *, fit_intercept: bool = True, scoring: Any = None, cv: Any = None,
        class_weight: Any = None, store_cv_results: bool = False,
    ) -> None:  # fmt: skip
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None) -> Self:
        """Choose alpha, then fit with it to all rows."""
        strengths = np.atleast_1d(np.asarray(self.alphas, dtype=float))
        if strengths.ndim != 1 or len(strengths) == 0 or not (np.isfinite(strengths) & (strengths > 0)).all():
            raise OptionError(f"alphas = {self.alphas!r}; expected positive, finite numbers")
        if self.cv is None:
            self._leave_one_out(X, y, sample_weight, offset, strengths)
        else:
            self._search(X, y, sample_weight, strengths)
        return self

    def _final(self, X: Any, y: Any, sample_weight: Any, offset: Any, alpha: float) -> RidgeClassifier:
        best = RidgeClassifier(alpha=alpha, fit_intercept=self.fit_intercept, class_weight=self.class_weight)
        self.alpha_ = alpha
        return best.fit(X, y, sample_weight, offset=offset)

    def _adopt(self, best: RidgeClassifier) -> None:
        """The attributes of the fit with the best strength."""
        own = ("alpha", "fit_intercept", "class_weight")
        self.__dict__.update({k: v for k, v in best.__dict__.items() if k.endswith("_") and k not in own})

    def _search(self, X: Any, y: Any, sample_weight: Any, strengths: F64) -> None:
        if self.store_cv_results:
            raise OptionError("store_cv_results=True goes with leave-one-out: leave cv out")
        one = RidgeClassifier(fit_intercept=self.fit_intercept, class_weight=self.class_weight)
        search = GridSearchCV(one, {"alpha": strengths.tolist()}, cv=self.cv, scoring=self.scoring)
        search.fit(X, y, **({} if sample_weight is None else {"sample_weight": sample_weight}))
        self._adopt(search.best_estimator_)
        self.alpha_, self.best_score_ = search.best_estimator_.alpha, float(search.best_score_)

    def _leave_one_out(self, X: Any, y: Any, sample_weight: Any, offset: Any, strengths: F64) -> None:
        best = self._final(X, y, sample_weight, offset, float(strengths[0]))  # also checks the data
        Z, target = validate_data(self, X, y, accept_sparse=True, ensure_all_finite=False)
        weight = self._row_weights(Z, target, sample_weight)
        data = intake(Z, target, sample_weight=weight, offset=offset)
        source, s = data.source, np.ones(len(target)) if weight is None else weight
        goals = source.signs - (0.0 if source.o is None else source.o.reshape(source.n, -1))
        kept, scores = [], np.empty(len(strengths))
        for k, (residual, _) in enumerate(without_each(source.X.matrix, goals, s, strengths, self.fit_intercept)):
            predicted = source.signs - residual
            scores[k] = self._score(predicted, s[:, None] * residual**2, target, best.classes_, weight)
            if self.store_cv_results:
                kept.append(s[:, None] * residual**2 if self.scoring is None else predicted)
        found = int(np.argmax(scores))
        if found:
            best = self._final(X, y, sample_weight, offset, float(strengths[found]))
        self._adopt(best)
        self.alpha_, self.best_score_ = float(strengths[found]), float(scores[found])
        if self.store_cv_results:
            self.cv_results_ = np.stack(kept, axis=-1)

    def _score(self, predicted: F64, squares: F64, y: Array, classes: Array, weight: F64 | None) -> float:
        """The mean squared error, negated; or what `scoring` says of the predictions."""
        if self.scoring is None:
            return -float(squares.mean())
        held = _HeldOut(predicted, classes)
        told = {} if weight is None else {"sample_weight": weight}
        return float(check_scoring(held, scoring=self.scoring)(held, np.empty((len(y), 0)), y, **told))


class _HeldOut:
    """Predictions that are known already, as something that a scorer can ask."""

    _estimator_type = "classifier"

    def __init__(self, scores: F64, classes: Array) -> None:
        self.scores, self.classes_ = scores, classes

    def fit(self, X: Any, y: Any) -> Self:
        """Nothing to do."""
        return self

    def decision_function(self, X: Any) -> F64:
        """The scores."""
        return self.scores[:, 0] if self.scores.shape[1] == 1 else self.scores

    def predict(self, X: Any) -> Array:
        """The labels."""
        two = self.scores.shape[1] == 1
        index = (self.scores[:, 0] > 0).astype(int) if two else self.scores.argmax(axis=1)
        return np.asarray(self.classes_[index])

    def __sklearn_tags__(self) -> Any:
        return RidgeClassifier().__sklearn_tags__()


def without_each(M: Any, goals: F64, s: F64, strengths: F64, ones: bool) -> Iterator[tuple[F64, F64]]:
    """(y - f without the row, leverages) for every strength: (n, K) and (n,)."""
    n, d = M.shape
    mean = np.asarray(s @ M).ravel() / s.sum() if ones else np.zeros(d)
    middle = s @ goals / s.sum() if ones else np.zeros(goals.shape[1])
    root, b = np.sqrt(s)[:, None], np.sqrt(s)[:, None] * (goals - middle)
    base = s / s.sum() if ones else np.zeros(n)
    Q, values = _spectrum(M, mean, root)
    c, squares = Q.T @ b, Q**2
    for a in strengths:
        shrunk = values / (values + a)
        h = squares @ shrunk + base
        yield (b - Q @ (shrunk[:, None] * c)) / root / (1.0 - np.minimum(h, 1.0 - 1e-12))[:, None], h


def _spectrum(M: Any, mean: F64, root: F64) -> tuple[F64, F64]:
    """Left singular vectors of A and its squared singular values, from the smaller of A'A and AA'."""
    n, d = M.shape
    if n <= d:
        K = M @ M.T
        K = np.asarray(K.toarray() if hasattr(K, "toarray") else K, dtype=float)
        column = np.asarray(M @ mean).ravel()
        K = root * (K - column[:, None] - column[None, :] + mean @ mean) * root.T
        values, Q = np.linalg.eigh(K)
        return Q, np.maximum(values, 0.0)
    step = max(1, BLOCK * 64 // max(1, d))
    G, blocks = np.zeros((d, d)), [slice(lo, min(n, lo + step)) for lo in range(0, n, step)]

    def scaled(rows: slice) -> F64:
        x = M[rows]
        x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=float)
        return np.asarray(root[rows] * (x - mean))

    for rows in blocks:
        A = scaled(rows)
        G += A.T @ A
    values, V = np.linalg.eigh(G)
    kept = values > 1e-14 * max(float(values[-1]), 1e-300)
    V = V[:, kept] / np.sqrt(values[kept])
    Q = np.empty((n, int(kept.sum())))
    for rows in blocks:
        Q[rows] = scaled(rows) @ V
    return Q, values[kept]
