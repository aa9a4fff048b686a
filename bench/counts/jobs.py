"""What is counted: one small fit per solver, one fused pass per layout.

python -m bench.counts.jobs runs all or those that are named; instructions.py does that under callgrind.  Each runs once
before it counts, so that what is imported on demand is there, and stands between two marks.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import widemargin as wm

Job = Callable[[], Any]


def dense(storage: str = "float64") -> tuple[Any, Any]:
    """400 x 20."""
    random = np.random.default_rng(5)
    X = random.standard_normal((400, 20))
    y = (X @ random.standard_normal(20) + 2 * random.standard_normal(400) > 0).astype(int)
    return X.astype(storage), y


def sparse(storage: str = "float64") -> tuple[Any, Any]:
    """400 x 200, a tenth stored."""
    random = np.random.default_rng(6)
    X = sp.random(400, 200, 0.1, "csr", random_state=6)
    X.data = random.standard_normal(X.nnz)
    y = (X @ random.standard_normal(200) + random.standard_normal(400) > 0).astype(int)
    return sp.csr_matrix(X, dtype=storage), y


def fits() -> dict[str, Job]:
    """Solver and data; losses and penalties that suit them."""
    on = {"dense": dense(), "dense32": dense("float32"), "sparse": sparse(), "sparse32": sparse("float32")}
    smooth, kink, l1 = {"loss": "logistic"}, {"loss": "hinge"}, {"loss": "logistic", "penalty": "l1", "alpha": 1e-2}
    wanted = {
        "newton dense": smooth, "newton dense32": smooth, "newton sparse": smooth, "newton_cg dense": smooth,
        "newton_cg sparse": smooth, "newton_cg sparse32": smooth, "gd dense": smooth, "sgd dense": smooth,
        "sgd sparse": smooth, "cd dense": l1, "cd sparse": l1, "dual_cd sparse": kink, "interior_point dense": kink,
        "closed_form dense": {"loss": "squared"}, "auto dense": smooth, "auto sparse": kink,
    }  # fmt: skip
    return {
        name: partial(wm.fit, *on[name.split()[1]], solver=name.split()[0], threads=1, **options)
        for name, options in wanted.items()
    }


def predictions() -> dict[str, Job]:
    """A fitted model at work."""
    X, y = dense()
    model = wm.fit(X, y, threads=1).model
    return {"predict dense": partial(model.predict, X), "probabilities dense": partial(model.probabilities, X)}


def jobs() -> dict[str, Job]:
    """All of them."""
    return fits() | predictions()


def mark() -> None:
    """A call of the C library that nothing else makes: callgrind writes its counts there, and begins anew."""
    os.getppid()


def main() -> None:
    """Run the jobs that are named, all without a name."""
    warnings.simplefilter("ignore")
    there = jobs()
    for name in sys.argv[1:] or there:
        there[name]()
        gc.collect()
        mark()
        there[name]()
        mark()


if __name__ == "__main__":
    main()
