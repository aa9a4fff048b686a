"""Logistic loss with L2."""

from bench.engine.problem import Family

FAMILY = Family(
    code="l2log",
    loss="logistic",
    penalty="l2",
    title="L2 logistic",
    target={"D1": 0.2, "D2": 0.4, "D3": 0.4, "S1s": 0.5, "S2": 0.5, "S3s": 0.3},
    members={
        "D1_l2log_C1": ("sklearn newton-cholesky", "sklearn newton-cholesky, 1 BLAS thread", "glum"),
        "D1f32_l2log_C1": ("sklearn newton-cholesky", "sklearn newton-cholesky, 1 BLAS thread", "glum"),
        "D1_l2log_C1e-4": ("sklearn newton-cholesky", "sklearn newton-cholesky, 1 BLAS thread", "glum"),
        "D2_l2log_C1": ("SnapML dual", "cyanure", "sklearn lbfgs"),
        "D2_l2log_C100": ("sklearn lbfgs", "cyanure"),
        "D2_l2log_C0.01": ("SnapML dual", "sklearn lbfgs"),
        "D3_l2log_C1e-2": ("SnapML dual", "sklearn newton-cg"),
        "S1s_l2log_C1": ("SnapML dual", "LIBLINEAR s7 (dual CD)", "sklearn newton-cg"),
        "S1s_l2log_C100": ("LIBLINEAR-multicore s0 (Newton)", "cyanure", "sklearn lbfgs"),
        "S1s_l2log_C0.01": ("SnapML dual", "sklearn lbfgs"),
        "S2_l2log_C1": ("LIBLINEAR s7 (dual CD)", "SnapML dual", "sklearn newton-cg"),
        "S2_l2log_C100": ("SnapML dual", "cyanure"),
        "S3s_l2log_C1": ("cyanure", "SnapML dual"),
        "S3s_l2log_C0.01": ("SnapML dual", "cyanure"),
    },
)
