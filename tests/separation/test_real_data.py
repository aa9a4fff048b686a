"""On real data: the verdict that the list of the data sets states, wherever it says yes or no; each with its proof."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from widemargin.separation import Separability

pytestmark = pytest.mark.data

SEPARABLE = [
    "mushroom",
    "basehock",
    "breast_cancer_wdbc",
    "sonar",
    "golub38",
    "colon",
    "pd_speech",
]
NOT = ["ionosphere", "higgs_sample", "spambase", "skin_segmentation", "phishing_websites", "credit_data", "a9a"]


def listed(folder: Path, name: str) -> str:
    """What the list says in its column "linearly separable"."""
    head, *lines = [line for line in (folder / "INDEX.md").read_text().splitlines() if line.startswith("|")]
    column = [cell.strip() for cell in head.split("|")].index("linearly separable")
    return next(cells[column] for line in lines if (cells := [c.strip() for c in line.split("|")])[1] == name)


def encoded(folder: Path, name: str) -> tuple[object, np.ndarray]:
    """Levels one-hot, a missing one among them; numbers scaled, missing ones the mean."""
    if (folder / name / "data.npz").exists():
        with np.load(folder / name / "data.npz", allow_pickle=True) as z:
            X = sp.csr_array((z["data"].astype(float), z["indices"], z["indptr"]), shape=z["shape"])
            return X, z["y"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(folder / name / "data.parquet")
    y = frame.pop("target").to_numpy()
    frame = frame.drop(columns="split", errors="ignore")
    parts = []
    for column in frame:
        if isinstance(frame[column].dtype, pandas.CategoricalDtype):
            levels = frame[column].astype(object).where(frame[column].notna(), "missing").astype(str).to_numpy()
            parts.append((levels[:, None] == np.unique(levels)).astype(float))
        else:
            x = frame[column].to_numpy(dtype=float, na_value=np.nan)
            x = np.where(np.isnan(x), np.nanmean(x), x)[:, None]
            parts.append((x - x.mean()) / (x.std() or 1.0))
    return np.hstack(parts), y


@pytest.mark.parametrize("name", SEPARABLE + NOT)
def test_the_verdict_is_that_of_the_list(name: str, data_folder: Path) -> None:
    X, y = encoded(data_folder, name)
    result = wm.separability(X, y)
    assert isinstance(result, Separability)
    assert listed(data_folder, name).split()[0] == ("yes" if result.kind == "complete" else "no")
    assert result.exact
    assert result.verify(X, y), result.verify(X, y).problems


def test_iris_has_one_species_apart(data_folder: Path) -> None:
    X, y = encoded(data_folder, "iris")
    result = wm.separability(X, y, multiclass="pairwise")
    kinds = {frozenset((part.positive, part.negative)): part.kind for part in result.parts}
    assert kinds.pop(frozenset(("versicolor", "virginica"))) == "overlapping"
    assert set(kinds.values()) == {"complete"}
    assert result.verify(X, y)


@pytest.mark.parametrize("name", ["wine", "isolet"])
def test_classes_with_a_largest_score_of_their_own_are_apart_in_pairs(name: str, data_folder: Path) -> None:
    X, y = encoded(data_folder, name)
    assert wm.separability(X, y, multiclass="pairwise").kind == "complete"


def test_equal_rows_of_two_classes_are_found_in_pairs(data_folder: Path) -> None:
    X, y = encoded(data_folder, "soybean")
    result = wm.separability(X, y, multiclass="pairwise")
    assert result.kind != "complete"
    assert result.verify(X, y)
