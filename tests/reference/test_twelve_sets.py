"""On twelve real data sets no objective is worse than scikit-learn's at the same parameters; where both converged,
predictions agree.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import linear_model, svm

import widemargin as wm
from estimators.cases import objective
from reference.test_shared_data import scaled, sparse, table
from widemargin import estimators

pytestmark = pytest.mark.data
SETS = (
    "breast_cancer_wdbc", "spambase", "sonar", "ionosphere", "phishing_websites", "higgs_sample", "satellite", "dna",
    "wine", "digits", "a9a", "basehock",
)  # fmt: skip
ROWS = 1500
PAIRS = {
    "LogisticRegression": (linear_model, {"max_iter": 1000, "tol": 1e-6}, {"loss": "logistic"}),
    "LinearSVC": (svm, {"max_iter": 10_000, "tol": 1e-6}, {"loss": "squared_hinge", "penalise_b": True}),
    "RidgeClassifier": (linear_model, {}, {"loss": "squared", "C": 0.5}),
}


def rows(folder: Path, name: str) -> tuple[Any, Any]:
    """Some rows in an order of chance, numbers standardised."""
    X, y = sparse(folder, name) if (folder / name / "data.npz").exists() else table(folder, name)
    chosen = np.random.default_rng(0).permutation(len(y))[:ROWS]
    if hasattr(X, "to_numpy"):
        frame = X.select_dtypes("number").iloc[chosen]
        return scaled(frame.fillna(frame.median()).to_numpy(dtype=float)), np.asarray(y)[chosen].astype(str)
    return X[chosen], np.asarray(y)[chosen].astype(str)


@pytest.mark.parametrize("estimator", PAIRS)
@pytest.mark.parametrize("name", SETS)
def test_no_objective_is_worse(name: str, estimator: str, data_folder: Path) -> None:
    home, options, told = PAIRS[estimator]
    X, y = rows(data_folder, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two = (getattr(kind, estimator)(**options).fit(X, y) for kind in (home, estimators))
    judged = {"C": 1.0} | told
    if judged["loss"] == "logistic" and len(two.classes_) > 2:
        judged["loss"] = "softmax"
    theirs, ours = (objective(model, X, y, **judged) for model in (one, two))
    assert ours <= theirs * (1 + 1e-9)
    assert two.verdict_.success
    if theirs <= ours * (1 + 1e-9):
        f = two.decision_function(X)
        sure = np.abs(f) > 1e-3 if f.ndim == 1 else np.ptp(np.partition(f, -2, axis=1)[:, -2:], axis=1) > 1e-3
        assert (one.predict(X) == two.predict(X))[sure].all()
    assert isinstance(two.certificate_, wm.Certificate)
