"""Logistic loss with L2: fifty strengths from C = 1e-5 to C = 10, five folds, no intercept."""

from bench.engine.problem import Family

FAMILY = Family(
    code="l2path",
    loss="logistic",
    penalty="l2",
    title="L2 logistic path with cross-validation",
    target={"D3": 0.05},
    members={"D3_l2path_50x5": ("sklearn newton-cg", "sklearn lbfgs")},
    first="C1e-5",
    span=1e-6,
)
