"""What small things cost: the import, a fit on 150 x 4, one prediction.

Imports: seconds inside a fresh interpreter, median over interleaved processes.  widemargin puts off its imports until
they are needed, so "import and first fit" tells more: everything from nothing to a fitted model, NumPy included.
Fits and predictions: iris as arrays, in one process, scikit-learn's LogisticRegression with its defaults against
wm.fit with ours at the same strength, everything included that either does.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import widemargin as wm
from bench.common import Row, Table, interleaved, seconds, times
from bench.sets import get

IMPORTS = {
    "numpy": "import numpy",
    "widemargin": "import widemargin",
    "scikit-learn": "import sklearn.linear_model",
}
DATA = "import numpy as np; X = np.random.default_rng(0).random((150, 4)); y = (X[:, 0] > 0.5).astype(int); "
FIRST = {
    "widemargin": "import widemargin as wm; wm.fit(X, y)",
    "scikit-learn": "from sklearn.linear_model import LogisticRegression; LogisticRegression().fit(X, y)",
}


def fresh(code: str) -> tuple[float, float]:
    """Wall-clock and processor seconds of some code in a new interpreter."""
    text = f"import time; t, c = time.perf_counter(), time.process_time(); {code}; "
    command = [sys.executable, "-c", text + "print(time.perf_counter() - t, time.process_time() - c)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wall, cpu = map(float, done.stdout.split())
    return wall, cpu


def imports(repeats: int) -> list[Row]:
    """Processes take turns; the first of each fills the caches and is not counted."""
    jobs = {("import", name): code for name, code in IMPORTS.items()}
    jobs |= {("import and first fit", name): DATA + code for name, code in FIRST.items()}
    found: dict[tuple[str, str], list[tuple[float, float]]] = {key: [] for key in jobs}
    for _ in range(repeats + 1):
        for key, code in jobs.items():
            found[key].append(fresh(code))
    return [
        {"what": what, "who": who, "wall": statistics.median(w for w, _ in pairs[1:]),
         "cpu": statistics.median(c for _, c in pairs[1:])}
        for (what, who), pairs in found.items()
    ]  # fmt: skip


def arrays(tiny: bool) -> list[Row]:
    """Fits and predictions on iris."""
    from sklearn.linear_model import LogisticRegression

    iris = get("iris", tiny)
    rows: list[Row] = []
    one = iris.X[:1]
    for what, y in (("2 classes", (iris.y > 0).astype(int)), ("3 classes", iris.y)):
        alpha = 1 / len(y)
        ours, theirs = wm.fit(iris.X, y, alpha=alpha).model, LogisticRegression().fit(iris.X, y)
        pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
            "fit": (partial(wm.fit, iris.X, y, alpha=alpha), partial(LogisticRegression().fit, iris.X, y)),
            "predict one row": (partial(ours.predict, one), partial(theirs.predict, one)),
            "probabilities of one row": (partial(ours.probabilities, one), partial(theirs.predict_proba, one)),
        }
        for name, (left, right) in pairs.items():
            found, _ = interleaved({"widemargin": left, "scikit-learn": right}, repeats=3 if tiny else 300)
            rows += [
                {"what": f"{name}, {what}", "who": who, "wall": timing.median, "cpu": timing.cpu}
                for who, timing in found.items()
            ]
    return rows


def measure(tiny: bool = False) -> Iterator[Row]:
    """Imports, then fits and predictions."""
    yield from imports(1 if tiny else 15)
    yield from arrays(tiny)


def tables(rows: list[Row]) -> list[Table]:
    """One line per thing, everybody beside each other."""
    things = dict.fromkeys(row["what"] for row in rows)
    cost = {(row["what"], row["who"]): row for row in rows}
    lines = []
    for what in things:
        ours, theirs = cost[what, "widemargin"], cost[what, "scikit-learn"]
        numpy = cost.get((what, "numpy"))
        lines.append([
            what, seconds(ours["cpu"]), seconds(theirs["cpu"]), "" if numpy is None else seconds(numpy["cpu"]),
            times(theirs["cpu"] / ours["cpu"]),
        ])  # fmt: skip
    relative = cost["import", "widemargin"]["cpu"] / cost["import", "numpy"]["cpu"]
    note = f"Processor time.  import widemargin costs {relative:.2f} times import numpy (the aim is at most 1.3)."
    columns = ("what", "widemargin", "scikit-learn", "numpy", "scikit-learn / widemargin")
    return [Table("Small things", note, columns, lines)]


def headlines(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Import, fit, prediction."""
    cost = {(row["what"], row["who"]): row for row in rows}
    relative = cost["import", "widemargin"]["cpu"] / cost["import", "numpy"]["cpu"]
    fit = cost["fit, 2 classes", "widemargin"]["cpu"], cost["fit, 2 classes", "scikit-learn"]["cpu"]
    return [
        ("`import widemargin` against `import numpy`", f"{relative:.2f}×"),
        (
            "a fit on 150 × 4 with its certificate; scikit-learn's (processor time)",
            f"{seconds(fit[0])}; {seconds(fit[1])}",
        ),
    ]
