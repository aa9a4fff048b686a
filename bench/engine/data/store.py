"""The data sets as .npy files: NAME_X and NAME_y, or for CSR NAME_X_{data,indices,indptr,shape}.  Made once."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from bench.common import ROOT

FOLDER = Path(os.environ.get("WIDEMARGIN_BENCH_DATA", ROOT / "build" / "bench-data"))
WHOLE = ("D1", "D2", "D3", "S1", "S2", "S3", "M1", "M2")
PARTS = {"S1s": ("S1", 200_000), "S3s": ("S3", 500_000), "S1h": ("S1", 20_000)}  # the first rows of another
CSR = ("data", "indices", "indptr", "shape")


def load(name: str, storage: str = "float64", folder: Path = FOLDER) -> tuple[Any, Any]:
    """X (C order, or CSR with 32-bit indices) and y; made if it is not there."""
    if not (folder / f"{name}_y.npy").exists():
        make(name, folder)
    y = np.load(folder / f"{name}_y.npy")
    if (folder / f"{name}_X.npy").exists():
        return np.ascontiguousarray(np.load(folder / f"{name}_X.npy"), dtype=storage), y
    values, indices, indptr, shape = (np.load(folder / f"{name}_X_{part}.npy") for part in CSR)
    X = sp.csr_matrix((values.astype(storage, copy=False), indices, indptr), shape=tuple(map(int, shape)))
    X.has_sorted_indices = True
    return X, y


def make(name: str, folder: Path = FOLDER, tiny: bool = False) -> None:
    """Draw a data set and keep it."""
    if name not in (*WHOLE, *PARTS):
        raise SystemExit(f"bench: no data set {name}; there are {', '.join((*WHOLE, *PARTS))}")
    folder.mkdir(parents=True, exist_ok=True)
    if name in PARTS:
        X, y = (load if not tiny else _tiny)(PARTS[name][0], folder=folder)
        rows = len(y) // 2 if tiny else PARTS[name][1]
        return save(name, X[:rows], y[:rows], folder)
    print(f"bench: making {name} in {folder}", file=sys.stderr)
    module = import_module(f"bench.engine.data.{name.lower()}")
    return save(name, *module.make(*(module.TINY if tiny else module.SIZE)), folder)


def _tiny(name: str, folder: Path) -> tuple[Any, Any]:
    if not (folder / f"{name}_y.npy").exists():
        make(name, folder, tiny=True)
    return load(name, folder=folder)


def save(name: str, X: Any, y: Any, folder: Path) -> None:
    """As files; y last: a set without labels counts as absent."""
    if sp.issparse(X):
        parts = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32), np.array(X.shape)
        for part, values in zip(CSR, parts, strict=True):
            np.save(folder / f"{name}_X_{part}.npy", values)
    else:
        np.save(folder / f"{name}_X.npy", X)
    np.save(folder / f"{name}_y.npy", y)


def stored_bytes(X: Any) -> int:
    """What one pass has to read of X."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) if sp.issparse(X) else int(X.nbytes)
