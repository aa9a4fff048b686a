"""Which score, or which probabilities, should lead to which label: thresholds for a metric or for costs."""

from widemargin.decisions.tuning import Decision, tune_threshold

__all__ = ["Decision", "tune_threshold"]
