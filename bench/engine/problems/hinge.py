"""Hinge loss with L2: the support vector machine."""

from bench.engine.problem import Family

FAMILY = Family(
    code="hinge",
    loss="hinge",
    penalty="l2",
    title="hinge",
    target={"D2": 0.4, "S1s": 0.5, "S2": 0.5},
    members={
        "D1_hinge_C0.01": ("sklearn LinearSVC hinge",),
        "D2_hinge_C1": ("lightning dual CD", "sklearn LinearSVC hinge"),
        "S1s_hinge_C1": ("lightning dual CD", "sklearn LinearSVC hinge"),
        "S2_hinge_C1": ("sklearn LinearSVC hinge", "LIBLINEAR s3 (dual CD)"),
    },
)
