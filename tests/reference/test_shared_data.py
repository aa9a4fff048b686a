"""On real data: the perceptron separates what can be separated, and every convex pair reaches a certified 1e-6."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm

pytestmark = pytest.mark.data
TOL = 1e-6
PENALTIES = ("l2", "l1", "elastic_net")
CONVEX = [name for name, loss in wm.losses.items() if loss.convex]


def sparse(folder: Path, name: str) -> tuple[sp.csr_matrix, np.ndarray]:
    with np.load(folder / name / "data.npz", allow_pickle=True) as z:
        X = sp.csr_matrix((z["data"].astype(float), z["indices"], z["indptr"]), shape=z["shape"])
        return X, z["y"]


def table(folder: Path, name: str) -> tuple[object, np.ndarray]:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(folder / name / "data.parquet")
    y = frame.pop("target").to_numpy()
    return frame.drop(columns="split", errors="ignore"), y


def scaled(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def separable(folder: Path, name: str) -> tuple[object, np.ndarray]:
    if name == "basehock":
        return sparse(folder, name)
    frame, y = table(folder, name)
    if name == "iris":
        return frame.to_numpy(dtype=float), y == sorted(set(y))[0]
    if name == "mushroom":
        levels = frame.astype(object).where(frame.notna(), "missing").astype(str)
        columns = [levels[c].to_numpy().astype(str) for c in levels]
        return np.hstack([(column[:, None] == np.unique(column)).astype(float) for column in columns]), y
    return scaled(frame.to_numpy(dtype=float)), y


@pytest.mark.parametrize("name", ["iris", "mushroom", "basehock", "leukemia", "breast_cancer_wdbc"])
@pytest.mark.parametrize("shuffle", [True, False])
def test_the_perceptron_ends_without_mistakes_on_separable_data(name: str, shuffle: bool, data_folder: Path) -> None:
    X, y = separable(data_folder, name)
    fitted = wm.fit(X, y, solver="perceptron", shuffle=shuffle)
    assert fitted.certificate.verdict is wm.Verdict.no_mistakes
    assert fitted.trace[-1].mistakes == 0
    assert (fitted.model.predict(X) == y).all()


@pytest.fixture(scope="module", params=["a9a", "spambase", "farm_ads", "breast_cancer_wdbc"])
def raw(request: pytest.FixtureRequest, data_folder: Path) -> tuple[object, np.ndarray]:
    if request.param in ("a9a", "farm_ads"):
        return sparse(data_folder, request.param)
    frame, y = table(data_folder, request.param)
    return frame.to_numpy(dtype=float), y


@pytest.mark.slow
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", CONVEX)
def test_every_convex_pair_reaches_a_certified_optimum(loss: str, penalty: str, raw: tuple[object, np.ndarray]) -> None:
    X, y = raw
    with warnings.catch_warnings():
        warnings.simplefilter("error", wm.NotConverged)
        proof = wm.fit(X, y, loss=loss, penalty=penalty, alpha=1e-3, tol=TOL).certificate
    assert proof.verdict.success
    assert proof.relative_gap <= TOL or proof.verdict is wm.Verdict.rounding
    checked = proof.verify(X, y)
    assert checked.ok, checked.problems
    assert checked.relative_gap <= TOL * (1 + 1e-6) or proof.verdict is wm.Verdict.rounding


@pytest.mark.slow
def test_descent_by_backtracking_never_rises_and_records_a_gap(raw: tuple[object, np.ndarray]) -> None:
    X, y = raw
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wm.NotConverged)
        fitted = wm.fit(X, y, solver="gd:accelerate=False", stop=wm.stops.max_passes(1000))
    objective = fitted.trace.columns("objective")
    assert np.all(np.diff(objective) <= 1e-12 * objective[:-1])
    assert 0 < fitted.certificate.relative_gap <= 1
