"""auto on every convex loss with every convex penalty and what may be said of columns: tol is reached, and proved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import CONVEX, Data, fit, overlapping
from widemargin.errors import Refusal
from widemargin.penalty import Penalty, as_penalty

EXPONENTS = (1.2, 1.5, 3.0, 8.0)
SAID: dict[str, dict[str, Any]] = {
    "nothing": {},
    "signs": {"bounds": "nonnegative"},
    "factors": {"penalty_factor": [0.0, 2.0, np.inf, 1.0, 0.5]},
    "box": {"bounds": (-0.2, [0.3, 0.0, np.inf, 0.1, 1.0])},
    "scaled columns": {"scale": True, "intercept": "penalised"},
    "no intercept": {"intercept": False},
    "weights": {"sample_weight": np.arange(90) % 4},
    "offsets": {"offset": np.sin(np.arange(90.0))},
}


def penalties() -> list[Penalty]:
    """Every convex penalty; of those with an exponent several."""
    found = []
    for name, penalty in wm.penalties.items():
        if penalty.parameter == "p":
            found += [as_penalty(f"{name}:{p}") for p in EXPONENTS]
        elif penalty.convex:
            found.append(penalty)
    return found


def data(classes: int, sparse: bool) -> Data:
    X, y = overlapping(classes, 90, 5)
    X = X * np.array([1.0, 5.0, 0.3, 1.0, 2.0])
    return Data(sp.csr_array(np.where(np.abs(X) < 0.4, 0.0, X)) if sparse else X, y, classes)  # type: ignore[arg-type]


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("loss", CONVEX)
def test_auto_reaches_tol(loss: str, classes: int, sparse: bool, subtests: pytest.Subtests) -> None:
    X, y = data(classes, sparse)  # type: ignore[misc]
    turn = CONVEX.index(loss) + 2 * classes + sparse  # each pair meets some of what can be said, all of it is met
    for k, penalty in enumerate(penalties()):
        for name in (list(SAID)[(turn + k) % len(SAID)], list(SAID)[(turn + k + 4) % len(SAID)]):
            options = dict(SAID[name])
            about = {key: options.pop(key) for key in ("sample_weight", "offset") if key in options}
            if "offset" in about and classes > 2:
                about["offset"] = np.outer(about["offset"], [1.0, 0.5, -1.0])
            with subtests.test(f"{penalty.text}, {name}"):
                if "bounds" in options and penalty.shares is None:  # said before the fit, with what to do
                    with pytest.raises(Refusal, match="use penalty="):
                        fit(X, y, loss=loss, penalty=penalty, **options)
                    continue
                proof = fit(X, y, loss=loss, penalty=penalty, alpha=0.02, **options, **about).certificate
                assert proof.verdict.success, proof
                checked = proof.verify(X, y, **about)
                assert checked.ok, checked.problems


@pytest.mark.parametrize("alpha", [1e-15, 1e-10])
def test_a_tiny_strength_is_certified_truthfully(alpha: float, subtests: pytest.Subtests) -> None:
    """Rounding in sum p a y x is not small beside a tiny dual ball: the bound must hold in any order of summation."""
    X, y = overlapping(2, 300, 3)
    for loss in CONVEX:
        for penalty in (at for at in penalties() if at.norm):
            with subtests.test(f"{loss}, {penalty.text}"):
                proof = fit(X * 1000.0, y, loss=loss, penalty=penalty, alpha=alpha, stop="max_passes:40").certificate
                checked = proof.verify(X * 1000.0, y)
                assert checked.ok, checked.problems
