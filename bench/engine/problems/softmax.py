"""Softmax over K columns with L2."""

from bench.engine.problem import Family

FAMILY = Family(
    code="multi",
    loss="logistic",
    penalty="l2",
    title="softmax",
    target={"M1": 0.3, "M2": 0.3},
    members={
        "M1_multi_C1": ("cyanure", "sklearn newton-cg"),
        "M2_multi_C1": ("cyanure", "sklearn sag"),
        "M2_multi_C100": ("sklearn newton-cg", "sklearn lbfgs"),
    },
    multiclass=True,
)
