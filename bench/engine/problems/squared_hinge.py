"""Squared hinge loss with L2."""

from bench.engine.problem import Family

FAMILY = Family(
    code="sqh",
    loss="squared_hinge",
    penalty="l2",
    title="squared hinge",
    target={"D1": 0.2, "D2": 0.4, "S1s": 0.5, "S2": 0.5},
    members={
        "D1_sqh_C1": ("cyanure", "LIBLINEAR-multicore s2 (Newton)", "sklearn LinearSVC primal"),
        "D2_sqh_C1": ("cyanure", "sklearn LinearSVC dual"),
        "S1s_sqh_C1": ("LIBLINEAR s1 (dual CD)", "sklearn LinearSVC dual"),
        "S2_sqh_C1": ("LIBLINEAR s1 (dual CD)", "sklearn LinearSVC dual"),
    },
)
