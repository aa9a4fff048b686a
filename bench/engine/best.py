"""The best known objective of every problem: the lowest that anybody reached, in results/best.json.

A value belongs to the data it was found on, which a fingerprint tells; `bound` is the highest lower bound that our
certificates proved, and no objective may be below it.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

FILE = "best.json"
Best = dict[str, Any]


def fingerprint(X: Any, y: Any) -> str:
    """Shape and some of the numbers."""
    values = X.data if sp.issparse(X) else X.ravel()
    sample = np.ascontiguousarray(values[:: max(1, len(values) // 10_000)])
    return hashlib.sha256(repr(X.shape).encode() + sample.tobytes() + np.ascontiguousarray(y).tobytes()).hexdigest()[
        :16
    ]


def known(folder: Path, problem: str, data: str) -> Best:
    """What is stored, or nothing."""
    stored = _all(folder).get(problem, {})
    empty = {"objective": math.inf, "by": "", "bound": -math.inf, "data": data}
    return stored if stored.get("data") == data else empty


def keep(folder: Path, problem: str, best: Best) -> None:
    """Store it."""
    stored = _all(folder) | {problem: best}
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(stored[name])}" for name in sorted(stored))
    (folder / FILE).write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def _all(folder: Path) -> dict[str, Best]:
    file = folder / FILE
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
