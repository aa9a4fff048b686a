"""What a fit will hold beside X, before it begins: rows as they are read, what every fit keeps, what its solver adds.

The peak is that of the hungrier of two times: while a solver runs, and while the certificate is made.  A few megabytes
of the interpreter's own are not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.data.intake import intake
from widemargin.errors import OptionError
from widemargin.fitting import assemble
from widemargin.solve.protocol import Problem
from widemargin.solve.room import room, usual
from widemargin.spec import spec

OPTIONS: Mapping[str, Any] = {
    "loss": None, "penalty": None, "alpha": 1e-3, "intercept": True, "multiclass": "auto", "solver": "auto",
    "tol": 1e-6, "schedule": None, "penalty_factor": None, "bounds": None, "scale": False,
}  # fmt: skip
DATA = ("sample_weight", "class_weight", "offset")
STEPS = ("B", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class MemoryEstimate:
    """Bytes of X as it was given, and of what a fit holds beside it at most, by what it is for."""

    X: int
    parts: Mapping[str, int]
    solver: str

    @property
    def beside(self) -> int:
        """All parts."""
        return sum(self.parts.values())

    @property
    def total(self) -> int:
        """X and all that is beside it."""
        return self.X + self.beside

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {_size(count)}" for name, count in self.parts.items() if count)
        return f"MemoryEstimate({_size(self.total)}: X {_size(self.X)}, {said}; by {self.solver})"


def estimate_memory(X: Any, y: Any, *, threads: int | None = None, **options: Any) -> MemoryEstimate:
    """What `wm.fit` with the same arguments would hold at most; X and y are read, nothing is fitted.

    With solver="auto", of the solver that it begins with.
    """
    unknown = set(options) - {*OPTIONS, *DATA}
    if unknown:
        known = ", ".join(sorted({*OPTIONS, *DATA}))
        raise OptionError(f"estimate_memory does not know {', '.join(sorted(unknown))}; it takes {known} and threads")
    wanted = spec(**{name: options.get(name, default) for name, default in OPTIONS.items()})
    data = intake(X, y, threads=threads, **{name: options.get(name) for name in DATA})
    problem, chosen = assemble(wanted, data, shuffle=True, threads=threads, trace="passes")
    end = usual(problem, rows=2, columns=4)  # the last scores, and the dual point
    own, given = _arrays(X), problem.source.X
    held = [array for array in (given.values, given.indices, given.indptr) if array is not None]
    read = sum(array.nbytes for array in held if not any(np.may_share_memory(array, one) for one in own))
    return MemoryEstimate(
        X=sum(array.nbytes for array in own),
        parts={"rows as they are read": read, "labels and weights": _beside_rows(problem),
               "the solver": int(max(room(chosen, problem), end))},
        solver=chosen.name,
    )  # fmt: skip


def _beside_rows(problem: Problem) -> int:
    """y, p, s and o, and the signs of several classes."""
    source = problem.source
    numbers = 2 * source.n + sum(array.size for array in (source.s, source.o) if array is not None)
    return 8 * (numbers + (source.n * source.classes if source.classes > 2 else 0))


def _arrays(X: Any) -> list[Array]:
    """The arrays that X is made of, where it is one or a sparse matrix."""
    found = [getattr(X, name, None) for name in ("data", "indices", "indptr", "row", "col")]
    arrays = [X] if isinstance(X, np.ndarray) else [part for part in found if isinstance(part, np.ndarray)]
    return arrays or [np.asarray(X)]


def _size(count: float) -> str:
    step = 0
    while count >= 1000 and step + 1 < len(STEPS):
        count, step = count / 1000, step + 1
    return f"{count:.3g} {STEPS[step]}"
