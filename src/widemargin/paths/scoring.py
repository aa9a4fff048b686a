"""What weights are worth on rows that were held out: a loss, an error, a function, or any scorer of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from widemargin._held_out import METRICS
from widemargin._types import F64, I64, Array
from widemargin.data.intake import Dataset
from widemargin.errors import MissingExtra, OptionError, unknown
from widemargin.model import Model
from widemargin.solve.protocol import Problem

OWN = ("loss", *METRICS)
Metric = Callable[[I64, F64], F64]  # (numbers of the true classes, scores) -> one number a row, or one in all
Judge = Callable[[Problem, Any, F64, Array], float]  # (problem, theta, scores of all rows, rows held out)


def judge(metric: Any, data: Dataset) -> tuple[str, Judge]:
    """The metric's name, and what it says of a fit; smaller is better."""
    if isinstance(metric, str) and metric in OWN:
        return metric, lambda problem, _, scores, held: _plain(metric, data, problem, scores, held)
    if isinstance(metric, str) or hasattr(metric, "_score_func") or hasattr(metric, "_scorers"):
        name, scorer = _scorer(metric)
        return f"-{name}", lambda problem, theta, scores, held: -_scored(scorer, data, problem, theta, scores, held)
    if not callable(metric):
        raise unknown("metric", metric, OWN)
    return getattr(metric, "__name__", "metric"), lambda _, __, scores, held: _called(metric, data, scores, held)


def truth_of(data: Dataset) -> I64:
    """(n,) numbers of the true classes."""
    return (data.source.y > 0 if data.source.classes == 2 else data.source.y).astype(np.int64)


def _plain(metric: str, data: Dataset, problem: Problem, scores: F64, held: Array) -> float:
    source, objective = problem.source, problem.objective
    if metric == "loss" and not objective.joint:
        values = np.asarray(objective.loss.value(source.signs[held] * scores[held])).sum(axis=1)
        return float(np.average(values, weights=_weights(data, held)))
    return _called(METRICS["log_loss" if metric == "loss" else metric], data, scores, held)


def _called(metric: Metric, data: Dataset, scores: F64, held: Array) -> float:
    """The weighted mean over the rows held out."""
    truth, scores = truth_of(data)[held], scores[held]
    found = np.asarray(metric(truth, scores[:, 0] if scores.shape[1] == 1 else scores), dtype=float)
    if found.ndim > 1 or (found.ndim == 1 and len(found) != len(truth)):
        raise OptionError(f"metric gave shape {found.shape}; expected one number, or one for each of {len(truth)} rows")
    return float(np.average(found, weights=_weights(data, held))) if found.ndim else float(found)


def _weights(data: Dataset, held: Array) -> F64 | None:
    return None if data.source.s is None else data.source.s[held]


def _scorer(metric: Any) -> tuple[str, Callable[..., float]]:
    try:
        from sklearn.metrics import get_scorer, get_scorer_names
    except ImportError:
        if isinstance(metric, str):
            raise unknown("metric", metric, OWN) from None
        raise MissingExtra("a scorer of scikit-learn came: python -m pip install 'widemargin[sklearn]'") from None
    if isinstance(metric, str):
        if metric not in get_scorer_names():
            raise unknown("metric", metric, (*OWN, *get_scorer_names()))
        return metric, get_scorer(metric)
    return getattr(getattr(metric, "_score_func", None), "__name__", "scorer"), metric


def _scored(
    scorer: Callable[..., float], data: Dataset, problem: Problem, theta: Any, scores: F64, held: Array
) -> float:
    """scikit-learn asks a classifier; here is one that knows the scores of its rows already."""
    objective = problem.objective
    known = _known(Model(data.classes, theta.W, theta.b, objective.loss, objective.multiclass), scores[held])
    told: Mapping[str, Any] = {} if data.source.s is None else {"sample_weight": data.source.s[held]}
    return float(scorer(known, np.zeros((int(held.sum()), 1)), data.classes[truth_of(data)[held]], **told))


def _known(model: Model, scores: F64) -> Any:
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Known(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        """Answers for exactly the rows whose scores it holds."""

        classes_ = model.classes

        def decision_function(self, X: Any) -> F64:
            return scores[:, 0] if scores.shape[1] == 1 else scores

        def predict(self, X: Any) -> Array:
            return model.labels(scores)

        def predict_proba(self, X: Any) -> F64:
            return model.link(scores)

        def __sklearn_is_fitted__(self) -> bool:
            return True

    return Known()
