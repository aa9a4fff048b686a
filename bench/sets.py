"""The data that measurements run on: sets of the shared folder, and synthetic ones of the same kind.

The folder is $WIDEMARGIN_DATA, or ../shared/data beside the checkout.  Rows are put in a random order once, with a
fixed seed: some files are sorted by class.  `tiny` gives a small synthetic set of the same layout, for tests.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from bench.common import ROOT

DATA = Path(os.environ.get("WIDEMARGIN_DATA", ROOT.parent / "shared" / "data"))
CACHE = Path(tempfile.gettempdir()) / "widemargin-bench"


class Set(NamedTuple):
    """Rows and labels, 0 or 1."""

    name: str
    X: Any
    y: Any

    @property
    def sparse(self) -> bool:
        """Whether X is stored as CSR."""
        return bool(sp.issparse(self.X))


def get(name: str, tiny: bool = False) -> Set:
    """A set by its name."""
    if tiny:
        return Set(name, *_synthetic(name in SPARSE))
    if not DATA.is_dir():
        raise SystemExit("bench: the data folder is absent; set WIDEMARGIN_DATA to where the data sets are")
    X, y = LOADERS[name]()
    order = np.random.default_rng(0).permutation(len(y))
    X = X[order]
    if sp.issparse(X):
        X = sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
        X.sort_indices()
    return Set(name, X, y[order])


def _arrays(name: str, split: str | None = None) -> tuple[Any, Any]:
    z = np.load(DATA / name / "data.npz")
    X = sp.csr_matrix((z["data"].astype(float), z["indices"], z["indptr"]), shape=z["shape"])
    y = (z["y"] == z["y"].max()).astype(int)
    return (X, y) if split is None else (X[z["split"] == split], y[z["split"] == split])


def _table(name: str, positive: str) -> tuple[Any, Any]:
    import pandas as pd

    frame = pd.read_parquet(DATA / name / "data.parquet")
    X = np.ascontiguousarray(frame.drop(columns="target").to_numpy(float))
    return X, (frame["target"] == positive).to_numpy(int)


def _standardised() -> tuple[Any, Any]:
    X, y = _table("spambase", "spam")
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def _imdb() -> tuple[Any, Any]:
    """tf-idf of the 25,000 training reviews, words of at least two of them; kept outside the checkout."""
    file = CACHE / "imdb.npz"
    if not file.exists():
        import pandas as pd
        from sklearn.feature_extraction.text import TfidfVectorizer

        frame = pd.read_parquet(DATA / "imdb" / "data.parquet")
        frame = frame[frame["split"] == "train"]
        X = TfidfVectorizer(min_df=2).fit_transform(frame["text"])
        CACHE.mkdir(exist_ok=True)
        y = (frame["target"] == "pos").to_numpy(int)
        np.savez(file, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    z = np.load(file)
    return sp.csr_matrix((z["data"], z["indices"], z["indptr"]), shape=z["shape"]), z["y"]


def _iris() -> tuple[Any, Any]:
    import pandas as pd

    frame = pd.read_parquet(DATA / "iris" / "data.parquet")
    return frame.drop(columns="target").to_numpy(float), np.unique(frame["target"], return_inverse=True)[1]


def _adult() -> tuple[Any, Any]:
    """The training rows that ship with the package: numbers standardised, categories one-hot."""
    from widemargin.datasets import adult

    rows = adult()
    return sp.csr_matrix(rows.X), (rows.y == np.unique(rows.y)[1]).astype(int)


def _mnist() -> tuple[Any, Any]:
    """10,000 digits with pixels in [0, 1]."""
    import pandas as pd

    frame = pd.read_parquet(DATA / "mnist" / "data.parquet")
    chosen = frame.sample(10_000, random_state=0)
    X = np.ascontiguousarray(chosen.drop(columns=["target", "split"], errors="ignore").to_numpy(float) / 255)
    return X, chosen["target"].astype(int).to_numpy()


def _synthetic(sparse: bool) -> tuple[Any, Any]:
    """150 rows of 4 columns, or of 30 of which a fifth is stored; two classes that overlap."""
    random = np.random.default_rng(7)
    if sparse:
        X: Any = sp.random(150, 30, 0.2, "csr", random_state=7)
        X.data[:] = 1 + random.random(X.nnz)
    else:
        X = random.standard_normal((150, 4))
    score = np.asarray(X @ random.standard_normal(X.shape[1])) + random.standard_normal(150)
    return X, (score > np.median(score)).astype(int)


def regression_like(n: int, d: int, kind: str, seed: int = 0) -> Set:
    """Planted weights with noise; kind: "dense", "correlated" (neighbouring columns, 0.95) or "sparse" (1 % stored)."""
    random = np.random.default_rng([seed, n, d])
    if kind == "sparse":
        X: Any = sp.random(n, d, 0.01, "csr", random_state=seed)
        X.data[:] = random.standard_normal(X.nnz)
    else:
        X = random.standard_normal((n, d))
        for j in range(1, d if kind == "correlated" else 0):
            X[:, j] = 0.95 * X[:, j - 1] + np.sqrt(1 - 0.95**2) * X[:, j]
    score = np.asarray(X @ random.standard_normal(d)) / np.sqrt(d)
    score = score / max(score.std(), 1e-12) + random.standard_normal(n)
    return Set(f"{kind} {n} x {d}", X, (score > 0).astype(int))


SPARSE = ("a9a", "imdb", "farm_ads", "adult")
LOADERS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "a9a": lambda: _arrays("a9a", "train"),
    "imdb": _imdb,
    "farm_ads": lambda: _arrays("farm_ads"),
    "spambase": lambda: _table("spambase", "spam"),
    "spambase_standardised": _standardised,
    "breast_cancer": lambda: _table("breast_cancer_wdbc", "benign"),
    "iris": _iris,
    "adult": _adult,
    "mnist": _mnist,
}
