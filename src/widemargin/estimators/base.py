"""What all estimators share: data and parameters -> wm.fit -> attributes; prediction from coef_ and intercept_.

scikit-learn's convention here: predict gives the positive class only where the decision is above 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from widemargin._types import F64, Array
from widemargin.certificate import Certificate
from widemargin.errors import InputError, Refusal, Verdict
from widemargin.estimators.callbacks import Callbacks, Told, listener, with_callbacks
from widemargin.estimators.deciding import decided
from widemargin.estimators.parameters import by_number
from widemargin.estimators.quick import plain, probabilities_of_row, scores_of
from widemargin.estimators.workers import threads
from widemargin.events import Trace
from widemargin.explained import contributions
from widemargin.fitting import Fit
from widemargin.loss import as_loss
from widemargin.model import Model


class LinearBase(Callbacks, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear classifier with a certificate; what is minimised, the subclass says in `_options`."""

    gives_probabilities = True  # of its loss, without calibration
    # whether class_weight="balanced" counts rows by their weights, as scikit-learn does where it can, or each row once
    _balances_weights = "sample_weight" in signature(compute_class_weight).parameters

    def _options(self, total: float) -> Mapping[str, Any]:
        """What wm.fit gets beside the data; `total` is the sum of all weights."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        """Raise for values that no fit can use."""

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None) -> Self:
        """Fit to rows X with labels y; `offset` is added to every row's score."""
        return self._fit(X, y, sample_weight, offset)

    def _fit(self, X: Any, y: Any, sample_weight: Any, offset: Any, **more: Any) -> Self:
        """`more` are options of wm.fit beside those of the estimator."""
        self._check_parameters()
        if not plain(self, X, y):
            X, y = validate_data(self, X, y, accept_sparse=True, ensure_all_finite=False)  # values: wm.fit checks them
            check_classification_targets(y)
        weight = self._row_weights(X, y, sample_weight)
        total = float(len(y)) if weight is None else float(weight.sum())
        options = by_number({**self._options(total), **more}, getattr(self, "feature_names_in_", None))
        given = {"sample_weight": sample_weight, "offset": offset}
        told = None
        if getattr(self, "_skl_callbacks", None):
            told = Told(self, X, y, {name: value for name, value in given.items() if value is not None}, options)
        try:
            found = decided(
                self, X, y, sample_weight, sample_weight=weight, offset=offset,
                threads=threads(getattr(self, "n_jobs", None)), warm=self._warm(X, y), on_event=listener(self, told),
                **options,
            )  # fmt: skip
        except InputError as error:
            raise as_expected(error, X) from None
        self._take(found, X.dtype)
        if told is not None:
            told.end()
        return self

    def _row_weights(self, X: Any, y: Array, sample_weight: Any) -> F64 | None:
        """Sample weights times class weights; None where all are 1."""
        chosen = getattr(self, "class_weight", None)
        if sample_weight is None and chosen is None:
            return None
        weight: F64 = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if chosen is None:
            return weight
        classes, codes = np.unique(y, return_inverse=True)
        told = {"sample_weight": sample_weight} if self._balances_weights and sample_weight is not None else {}
        return np.asarray(weight * compute_class_weight(chosen, classes=classes, y=y, **told)[codes])

    def _warm(self, X: Any, y: Array) -> Model | None:
        """The last fit, where it is asked for and of the same columns and classes."""
        known = self.__dict__.get("model_") if getattr(self, "warm_start", False) else None
        same = known is not None and known.W.shape[0] == X.shape[1] and np.array_equal(known.classes, np.unique(y))
        return known if same else None

    def _take(self, found: Fit, dtype: Any) -> Self:
        """The attributes that scikit-learn's users look for, and the certificate."""
        kind = np.float32 if dtype == np.float32 else np.float64
        model = found.model
        self.model_: Model = model
        self.classes_ = model.classes
        self.coef_ = np.ascontiguousarray(model.W.T, dtype=kind)
        self.intercept_ = model.b.astype(kind)
        self.n_iter_: Any = np.array([max(1, len(found.trace))], dtype=np.int32)
        self.certificate_: Certificate = found.certificate
        self.trace_: Trace = found.trace
        self.verdict_: Verdict = found.certificate.verdict
        return self

    def decision_function(self, X: Any, *, offset: Any = None) -> Array:
        """X coef_.T + intercept_ (+ offset): (n,) for two classes, else (n, K)."""
        scores = scores_of(self, X)
        if scores is None:
            check_is_fitted(self, "coef_")
            X = validate_data(self, X, accept_sparse=["csr", "csc"], reset=False)
            scores = X @ self.coef_.T
            scores = np.asarray(scores.toarray() if hasattr(scores, "toarray") else scores) + self.intercept_
        scores = np.asarray(scores.ravel() if scores.shape[1] == 1 else scores)
        return scores if offset is None else scores + offsets_like(offset, scores)

    def predict(self, X: Any, *, offset: Any = None) -> Array:
        """The label with the largest score; of two, the second where the score is above 0."""
        scores = self.decision_function(X) if offset is None else self.decision_function(X, offset=offset)
        model: Model | None = self.__dict__.get("model_")
        if model is not None and model.rule is not None:
            return model.labels(scores if scores.ndim == 2 else scores[:, None])
        index = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[index])

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None) -> float:
        """Weighted share of rows that are given their label."""
        given = self.predict(X) if offset is None else self.predict(X, offset=offset)
        return float(accuracy_score(y, given, sample_weight=sample_weight))

    def explain(self, X: Any, *, baseline: Any = None) -> Any:
        """What each feature adds to each decision: with intercept_ they add up to decision_function(X).

        (n, d), or (n, d, K) beyond two classes; of sparse X a CSR array, or a tuple of K.  With a `baseline` row they
        add up to the difference between the decisions for X and for it.
        """
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        coef = self.coef_.toarray() if hasattr(self.coef_, "toarray") else self.coef_
        return contributions(X, np.asarray(coef, dtype=float).T, baseline)

    def densify(self) -> Self:
        """coef_ as a dense array."""
        check_is_fitted(self, "coef_")
        if hasattr(self.coef_, "toarray"):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self) -> Self:
        """coef_ as a CSR matrix: smaller where most weights are 0, as with L1."""
        from scipy.sparse import csr_matrix

        check_is_fitted(self, "coef_")
        self.coef_ = csr_matrix(self.coef_)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def offsets_like(offset: Any, scores: Array) -> Array:
    """The offset of each row, of the shape of the scores."""
    found = np.asarray(offset, dtype=scores.dtype)
    if found.shape != scores.shape or not np.isfinite(found).all():
        raise InputError(f"offset has shape {found.shape}; expected finite numbers of shape {scores.shape}")
    return found


def gap_for(tol: float) -> float:
    """The relative gap that is asked for: scikit-learn's tol bounds a slope, and the objective goes with its square."""
    return max(tol * tol, 1e-12)


def strength_of(C: float, total: float) -> float:
    """alpha = 1 / (C sum s): `wm.translate(C, "c_sum")` without the search for units, which small fits would feel."""
    return 1.0 / (C * total)


def penalised(
    alpha: float, intercept: bool | str, scaling: float, power: int, d: int, factors: Any = None
) -> dict[str, Any]:
    """alpha (|w|^p + |b / scaling|^p) as (alpha / scaling^p) (scaling^p |w|^p + |b|^p): a factor for all columns."""
    if intercept != "penalised" or scaling == 1 or alpha == 0:
        return {"alpha": alpha, "intercept": intercept, "penalty_factor": factors}
    factor = float(scaling) ** power
    if isinstance(factors, Mapping):
        raise Refusal("penalty_factor by names and intercept_scaling cannot go together: pass one number a column")
    own = np.ones(d) if factors is None else np.asarray(factors, dtype=float)
    return {"alpha": alpha / factor, "intercept": intercept, "penalty_factor": factor * own}


def linked(estimator: Any) -> bool:
    """Whether there are probabilities: calibrated, or the loss's; the model says it exactly, once there is one."""
    if getattr(estimator, "calibration", None) is not None:
        return True
    model: Model | None = estimator.__dict__.get("model_")
    loss = as_loss(estimator.loss) if model is None else model.loss
    return loss.probability is not None and bool(getattr(loss, "link", True)) and estimator.gives_probabilities


class Probabilities:
    """predict_proba and predict_log_proba from the model's link: what was calibrated, else the loss's own."""

    def predict_proba(self: Any, X: Any, *, offset: Any = None) -> Array:
        """(n, classes), in the order of classes_."""
        if offset is None and (quick := probabilities_of_row(self, X)) is not None:
            return quick
        scores = self.decision_function(X) if offset is None else self.decision_function(X, offset=offset)
        found = self.model_.link(scores if scores.ndim == 2 else scores[:, None])
        return np.asarray(found.astype(scores.dtype, copy=False))

    def predict_log_proba(self: Any, X: Any, *, offset: Any = None) -> Array:
        """log of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X) if offset is None else self.predict_proba(X, offset=offset)))


def as_expected(error: InputError, X: Any) -> InputError:
    """The same error, in words that scikit-learn's users know, where they have some."""
    text = str(error)
    values = X.data if hasattr(X, "indptr") else X
    kind = next((name for name, test in (("NaN", np.isnan), ("infinity", np.isinf)) if _any(test, values)), None)
    return InputError(f"Input X contains {kind}. {text}" if kind else text)


def _any(test: Any, values: Any) -> bool:
    return getattr(values, "dtype", None) is not None and values.dtype.kind == "f" and bool(test(values).any())
