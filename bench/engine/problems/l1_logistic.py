"""Logistic loss with L1."""

from bench.engine.problem import Family

FAMILY = Family(
    code="l1log",
    loss="logistic",
    penalty="l1",
    title="L1 logistic",
    target={"D2": 0.5, "D3": 0.5, "S1s": 0.5, "S2": 0.5},
    members={
        "D1_l1log_0.01": ("glum", "adelie"),
        "D2_l1log_0.01": ("SnapML primal", "cyanure"),
        "D3_l1log_0.1": ("skglm", "adelie"),
        "D3_l1log_0.01": ("skglm", "sklearn liblinear"),
        "S1s_l1log_0.1": ("SnapML primal", "adelie"),
        "S1s_l1log_0.01": ("LIBLINEAR s6 (CD)", "sklearn liblinear"),
        "S2_l1log_0.01": ("SnapML primal", "LIBLINEAR-multicore s6 (CD)"),
    },
    l1_ratio=1.0,
)
