"""tune_threshold: the rule that serves a metric, or costs, best; its worth measured on rows that did not choose it.

The rule is chosen on held-out scores of all folds.  What is reported of each fold comes from the rule that the *other*
folds choose: a value at its own optimum is too good to be true.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.calibration.measured import crossed_of, learned, usual, weights_of
from widemargin.decisions.counts import METRICS, Metric, counts_of, gain
from widemargin.decisions.sweep import Curve, curve, tuned
from widemargin.errors import OptionError, Refusal, unknown
from widemargin.model import Model
from widemargin.paths.crossed import CrossFit
from widemargin.rules import Rule, chosen

Chooser = Callable[[Any], Model]  # rows -> the model with the rule that they choose


@dataclass(frozen=True, eq=False)
class Decision:
    """A model with a rule, and what the rule is worth; larger is better, but costs, of which smaller is."""

    model: Model
    metric: str  # "cost", or what was asked for
    value: float  # each fold by the rule of the others: what to expect on new rows
    apparent: float  # on the rows that chose the rule: too good
    default: float  # without a rule of its own: f >= 0, or the largest score
    by_fold: F64  # (folds,) the value of each fold
    given: I64  # (n,) the number of the class that the rule of the other folds gives; -1: no fold held the row out
    confusion: F64  # (classes, classes) held-out weight of true class i that was given class j
    _curve: Curve | None

    @property
    def rule(self) -> Rule:
        """The rule of the model."""
        assert self.model.rule is not None
        return self.model.rule

    @property
    def threshold(self) -> float:
        """Of two classes: the least score f that leads to the second."""
        if self.rule.kind != "threshold":
            raise Refusal(f"the rule is one of {self.rule.kind}, not a threshold: read decision.rule.values")
        return float(self.rule.values)

    @property
    def probability(self) -> float:
        """Of two classes: the threshold as P(second class), by the model's link."""
        return float(self.model.link(np.array([[self.threshold]]))[0, 1])

    @cached_property
    def thresholds(self) -> F64:
        """All cuts between held-out scores, for two classes."""
        return -self._known().offsets

    @cached_property
    def values(self) -> F64:
        """The metric, or the mean cost, at each of the thresholds."""
        found = self._known().values
        return -found if self.metric == "cost" else found

    @property
    def helps(self) -> bool:
        """Whether the rule does better on rows that did not choose it than no rule of its own."""
        return self.value < self.default if self.metric == "cost" else self.value > self.default

    def _known(self) -> Curve:
        if self._curve is None:
            raise Refusal("a curve over thresholds needs two classes, and a rule that was tuned")
        return self._curve

    @property
    def standard_error(self) -> float:
        """Of the value, from how the folds differ."""
        return float(self.by_fold.std(ddof=1) / np.sqrt(len(self.by_fold)))

    def __repr__(self) -> str:
        at = f"threshold {self.threshold:.4g}, " if self.rule.kind == "threshold" else f"{self.rule.kind}, "
        return (
            f"Decision({at}held-out {self.metric} {self.value:.4g} ± {self.standard_error:.2g}, "
            f"{self.default:.4g} without)"
        )


def tune_threshold(found: Any, metric: Any = None, *, cost: Any = None, method: str = "empirical") -> Decision:
    """The rule with the best held-out metric, or the least cost, from cross_fit or cross_validate.

    metric: a name (see decisions.counts), or a function of Counts; "balanced_accuracy" unless given.
    cost[i][j] is paid for giving class j to a row of class i.  method="bayes" takes the class of least expected cost by
    the model's probabilities (calibrated on the same folds); "empirical" moves thresholds until the held-out cost is
    least: one threshold for two classes, an offset for each of more.
    """
    crossed = crossed_of(found, "tune_threshold")
    K = len(crossed.model.classes)
    name, measured, costs = _wanted(metric, cost, K)
    if method not in ("empirical", "bayes"):
        raise unknown("method", method, ("empirical", "bayes"))
    if method == "bayes" and cost is None:
        raise OptionError("method='bayes' minimises expected cost: pass cost=[[0, ...], ...]")
    choose = _bayes(crossed, costs) if method == "bayes" else _empirical(crossed, measured, costs)
    model, s, sign = choose(crossed.held), weights_of(crossed), -1.0 if name == "cost" else 1.0
    given = _given(crossed, choose)
    held, folds = crossed.held, np.unique(crossed.folds[crossed.held])

    def worth(labels: I64, rows: Any) -> float:
        return sign * float(measured(counts_of(labels[rows], crossed.truth[rows], s[rows], costs)))

    confusion = np.zeros((K, K))
    np.add.at(confusion, (crossed.truth[held], given[held]), s[held] if crossed.weights is not None else 1.0)
    return Decision(
        model, name, worth(given, held), worth(_labels(model, crossed.scores), held),
        worth(_labels(replace(model, rule=None), crossed.scores), held),
        np.array([worth(given, crossed.folds == fold) for fold in folds]), given, confusion,
        curve(_pair(crossed.scores[held]), crossed.truth[held], s[held], 1, measured, costs) if K == 2 else None,
    )  # fmt: skip


def _wanted(metric: Any, cost: Any, K: int) -> tuple[str, Metric, F64]:
    """The name, the function to maximise, and the costs."""
    if cost is not None and metric is not None:
        raise OptionError("metric and cost came together; expected one of them")
    if cost is None:
        metric = "balanced_accuracy" if metric is None else metric
        if isinstance(metric, str) and metric not in METRICS:
            raise unknown("metric", metric, METRICS)
        if not isinstance(metric, str) and not callable(metric):
            raise OptionError(f"metric = {metric!r}; expected one of {', '.join(METRICS)}, or a function of Counts")
        if metric == "f1" and K > 2:
            raise OptionError(f"metric 'f1' is of two classes, and there are {K}: use 'macro_f1'")
        named = isinstance(metric, str)
        return (metric if named else metric.__name__), (METRICS[metric] if named else metric), np.zeros((K, K))
    try:
        found = np.asarray(cost, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (K, K) or not np.isfinite(found).all():
        raise OptionError(f"cost = {cost!r}; expected {K} x {K} finite numbers, cost[true class][given class]")
    return "cost", gain, found


def _empirical(crossed: CrossFit, metric: Metric, costs: F64) -> Chooser:
    def choose(rows: Any) -> Model:
        f, truth, s = crossed.scores[rows], crossed.truth[rows], weights_of(crossed)[rows]
        if f.shape[1] == 1:
            t = tuned(_pair(f), truth, s, metric, costs)
            return replace(crossed.model, rule=Rule("threshold", np.asarray(-t[1])))
        return replace(crossed.model, rule=Rule("offsets", tuned(f, truth, s, metric, costs)))

    return choose


def _bayes(crossed: CrossFit, costs: F64) -> Chooser:
    method = usual(crossed.model)

    def choose(rows: Any) -> Model:
        return replace(crossed.model, calibration=learned(crossed, method, rows), rule=Rule("costs", costs))

    return choose


def _given(crossed: CrossFit, choose: Chooser) -> I64:
    """(n,) the class that each row is given by the rule of the other folds; -1 where no fold held it out."""
    given = np.full(len(crossed.truth), -1, dtype=np.int64)
    for fold in np.unique(crossed.folds[crossed.held]):
        rows = crossed.folds == fold
        given[rows] = _labels(choose(crossed.held & ~rows), crossed.scores[rows])
    return given


def _labels(model: Model, scores: F64) -> I64:
    return chosen(scores, model.rule, model.link)


def _pair(scores: F64) -> F64:
    """(0, f): two classes as scores of each."""
    return np.column_stack([np.zeros(len(scores)), scores[:, 0]])
