"""What a fit holds beside X: estimated before it, measured in a process of its own, and within what is promised."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import widemargin as wm
from problems import overlapping

PROGRAM = """
import ctypes, gc, json, sys, warnings
import numpy as np, scipy.sparse as sp
import widemargin as wm
warnings.simplefilter("ignore")
shape, kind, wanted = json.loads(sys.argv[1])
random, (n, d) = np.random.default_rng(0), shape

def status(name):
    with open("/proc/self/status") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))

if kind == "csr":
    k = 60
    index = (np.arange(k) * (d // k) + random.integers(0, d // k, (n, k))).astype(np.int32)
    X = sp.csr_array((random.random(n * k), index.ravel(), np.arange(0, n * k + 1, k, dtype=np.int32)), shape=(n, d))
else:
    X = random.standard_normal((n, d), dtype=np.float32 if kind == "f4" else np.float64)
    X = np.asfortranarray(X) if kind == "F" else X
y = (X @ random.standard_normal(d) / np.sqrt(d) + random.standard_normal(n) > 0).astype(int)
A = random.standard_normal((300, 5))
for loss in ("logistic", "hinge"):
    wm.fit(A, A[:, 0] > 0, alpha=0.1, loss=loss)
estimate = wm.estimate_memory(X, y, threads=2, **wanted)
gc.collect()
ctypes.CDLL(None).malloc_trim(0)
before = status("VmRSS")
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")
found = wm.fit(X, y, threads=2, **wanted)
print(json.dumps([estimate.X, estimate.beside, status("VmHWM") - before, found.solver, estimate.solver]))
"""

CASES = [
    ((200_000, 50), "C", {}),
    ((200_000, 50), "F", {"loss": "squared_hinge"}),
    ((400_000, 50), "f4", {}),
    ((20_000, 500), "C", {"loss": "squared"}),
    ((400, 20_000), "C", {}),
    ((60_000, 20_000), "csr", {}),
    ((60_000, 20_000), "csr", {"loss": "hinge"}),
    ((200_000, 50), "C", {"solver": "sgd"}),
    ((200_000, 50), "C", {"solver": "saga:passes=1", "tol": 0.5}),
    ((60_000, 20_000), "csr", {"solver": "newton_cg", "tol": 1e-3}),
]


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux says what a process held at most")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_estimate_is_what_is_held(case: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(case)], capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    X, beside, held, solver, expected = json.loads(done.stdout)
    assert solver == expected
    assert abs(beside - held) <= 0.1 * (X + held), (X / 1e6, beside / 1e6, held / 1e6)
    (n, d), kind, _ = case  # type: ignore[misc]
    columns = X if kind == "csr" and solver in ("newton_cg", "dual_newton") else 0
    gram = 8 * min(n, d + 1) ** 2 if kind != "csr" else 0
    assert held <= 8 * (6 * n + 12 * d) + 0.1 * X + 32e6 + columns + 4 * gram


def test_an_estimate_says_what_for() -> None:
    X, y = overlapping(3)
    found = wm.estimate_memory(X, y, loss="hinge", sample_weight=np.ones(len(y)))
    assert X.nbytes == found.X
    assert found.total - found.X == found.beside == sum(found.parts.values())
    assert found.solver in repr(found)
    assert X.size == wm.estimate_memory(X.astype(np.int8), y).X
    assert wm.estimate_memory(X.tolist(), y).parts["rows as they are read"] == X.nbytes
    with pytest.raises(wm.errors.OptionError, match="budget"):
        wm.estimate_memory(X, y, budget=1)
