"""Logistic loss with L1: a hundred strengths from alpha_max to a hundredth of it, five folds, no intercept."""

from bench.engine.problem import Family

FAMILY = Family(
    code="l1path",
    loss="logistic",
    penalty="l1",
    title="L1 logistic path with cross-validation",
    target={"D3": 0.4, "S1h": 0.4},
    members={"D3_l1path_100x5": ("skglm", "adelie"), "S1h_l1path_100x5": ("skglm",)},
    l1_ratio=1.0,
    first="1",
    span=1e-2,
)
