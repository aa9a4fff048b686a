"""Logistic loss with half L1, half L2."""

from bench.engine.problem import Family

FAMILY = Family(
    code="enet",
    loss="logistic",
    penalty="elastic_net",
    title="elastic-net logistic",
    target={"D2": 0.5, "D3": 0.5, "S1s": 0.5, "S2": 0.5},
    members={
        "D2_enet_0.02": ("adelie", "skglm"),
        "S1s_enet_0.02": ("skglm", "adelie"),
    },
    l1_ratio=0.5,
)
