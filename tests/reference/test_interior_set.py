"""Columns that join as they are needed: the optimum of all columns, certified over all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from problems import fit, same_optimum

TOL = 1e-8
SAID: dict[str, dict[str, Any]] = {
    "nothing": {},
    "elastic net": {"penalty": "elastic_net"},
    "factors": {"penalty_factor": np.linspace(0.5, 2.0, 3000)},
    "no intercept": {"intercept": False},
}


def wide(sparse: bool, seed: int = 0) -> tuple[Any, Any]:
    """3,000 columns, of which twenty matter."""
    random = np.random.default_rng(seed)
    X: Any = sp.random(120, 3000, 0.03, "csr", random_state=seed)
    X.data = random.standard_normal(X.nnz)
    score = np.asarray(X[:, :20] @ random.standard_normal(20)) + 0.3 * random.standard_normal(120)
    return (sp.csr_array(X) if sparse else X.toarray()), (score > np.median(score)).astype(int)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("said", SAID)
def test_it_is_the_optimum_over_all_columns(sparse: bool, said: str) -> None:
    X, y = wide(sparse)
    options = {"loss": "hinge", "penalty": "l1", "alpha": 3e-3, "tol": TOL, **SAID[said]}
    sets = fit(X, y, solver="interior_set", **options)
    assert sets.certificate.verdict.success, sets.certificate
    assert sets.certificate.verify(X, y).ok
    assert same_optimum(sets, fit(X, y, solver="interior_point", **options))
    assert fit(X, y, **options).solver == "interior_set"


def test_columns_that_were_left_out_join() -> None:
    """The first set is too small where the rounded loss says too little of the kinked one."""
    X, y = wide(True, 1)
    fitted = fit(X, y, solver="interior_set", loss="hinge", penalty="l1", alpha=1e-3, tol=TOL)
    first, *_ = (int(event.note.split()[0]) for event in fitted.trace)
    assert first < 3000
    assert fitted.certificate.verdict.success
