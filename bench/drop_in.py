"""One import changed: the estimators against scikit-learn's.

Both get the same arrays and the same parameters, one thread each, and take turns.  "Time" is our processor time over
theirs: below 1 where we are faster.  "Above" is how far an objective lies above the lower of the two, by one NumPy
function (objective.py); for LogisticRegressionCV it is the worst over all folds and strengths.  "Equal accuracy": both
end within 1e-6 of the optimum, theirs with whichever solver and tolerance of a list gets there first (the search for
these is not counted).  Sets: the census in one-hot columns, imdb as tf-idf, mnist's digits (ten classes; the first
10,000 rows, 1,000 for LogisticRegressionCV).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from bench.common import Row, Table, interleaved, require, seconds, times
from bench.objective import objective
from bench.sets import Set, get
from widemargin import estimators as ours

AIM = {
    "LogisticRegression, defaults": 0.5, "LogisticRegression, equal accuracy": 0.2, "LogisticRegressionCV": 0.1,
    "LinearSVC": 0.5, "predict_proba of one row": 0.05, "fit of 150 × 4": 0.5,
}  # fmt: skip
SETS = ("adult", "imdb", "mnist")
SOLVERS = {"adult": ("newton-cholesky", "lbfgs"), "imdb": ("newton-cg", "lbfgs"), "mnist": ("newton-cg", "lbfgs")}
TOLS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-9)
EQUAL = 1e-6
CV_ROWS = 1_000  # of mnist


def judged(data: Set, model: Any, C: float = 1.0, loss: str = "logistic", penalise_b: bool = False) -> float:
    """The objective of a fitted estimator, from its coefficients."""
    coef, b = np.asarray(model.coef_, dtype=float), np.asarray(model.intercept_, dtype=float)
    return _judged(data.X, data.y, coef, b, C, loss, penalise_b)


def _judged(X: Any, y: Any, coef: Any, b: Any, C: float, loss: str = "logistic", penalise_b: bool = False) -> float:
    w, at = (coef[0], float(b[0])) if len(coef) == 1 else (coef.T, b)
    return objective(X, y, w, at, loss=loss, penalty="l2", alpha=1 / (C * len(y)), penalise_b=penalise_b)


def compared(what: str, data: Set, jobs: dict[str, Callable[[], Any]], above: Callable[[Any, Any], tuple[float, float]],
             repeats: int, most: float = 20.0) -> Row:  # fmt: skip
    """One line: both in turn."""
    found, last = interleaved(jobs, repeats=repeats, seconds=most)
    left, right = above(last["ours"], last["theirs"])
    return {
        "what": what, "set": data.name, "rows": len(data.y), "ours": found["ours"].cpu, "theirs": found["theirs"].cpu,
        "ours_above": left, "theirs_above": right, "repeats": found["ours"].repeats,
    }  # fmt: skip


def excess(data: Set, **told: Any) -> Callable[[Any, Any], tuple[float, float]]:
    """How far each objective lies above the lower one."""

    def above(one: Any, two: Any) -> tuple[float, float]:
        left, right = judged(data, one, **told), judged(data, two, **told)
        return left / min(left, right) - 1, right / min(left, right) - 1

    return above


def defaults(data: Set, tiny: bool) -> Row:
    """LogisticRegression()."""
    from sklearn.linear_model import LogisticRegression

    jobs = {
        "ours": lambda: ours.LogisticRegression(n_jobs=1).fit(data.X, data.y),
        "theirs": lambda: LogisticRegression().fit(data.X, data.y),
    }
    row = compared("LogisticRegression, defaults", data, jobs, excess(data), 1 if tiny else 5)
    require(row["ours_above"] <= 1e-9, f"our objective on {data.name} is worse than scikit-learn's")
    return row


def equal_accuracy(data: Set, tiny: bool) -> Row | None:
    """Both within EQUAL of the optimum; None where no solver of theirs gets there."""
    from sklearn.linear_model import LogisticRegression

    best = ours.LogisticRegression(tol=1e-5, n_jobs=1).fit(data.X, data.y).certificate_.lower_bound
    reached = []
    for solver in SOLVERS.get(data.name, ("lbfgs",)):
        for tol in TOLS:
            make = partial(LogisticRegression, solver=solver, tol=tol, max_iter=10_000)
            found, last = interleaved({"theirs": lambda make=make: make().fit(data.X, data.y)}, repeats=0)
            if judged(data, last["theirs"]) <= best * (1 + EQUAL):
                reached.append((found["theirs"].cpu, make))
                break
    if not reached:
        return None
    make = min(reached, key=lambda pair: pair[0])[1]
    tol = EQUAL**0.5  # the estimator's tol is the root of the relative gap
    jobs = {
        "ours": lambda: ours.LogisticRegression(tol=tol, n_jobs=1).fit(data.X, data.y),
        "theirs": lambda: make().fit(data.X, data.y),
    }
    row = compared("LogisticRegression, equal accuracy", data, jobs, excess(data), 1 if tiny else 5)
    require(max(row["ours_above"], row["theirs_above"]) <= 2 * EQUAL, "the accuracies are not equal")
    return row | {"peer": f"{make.keywords['solver']}, tol={make.keywords['tol']:g}"}


def search(data: Set) -> Row:
    """LogisticRegressionCV with ten strengths and five folds; every point of every fold is judged."""
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import StratifiedKFold

    told: dict[str, Any] = {"Cs": 10, "l1_ratios": (0,), "use_legacy_attributes": False, "scoring": "neg_log_loss"}
    folds = [train for train, _ in StratifiedKFold(5).split(data.X, data.y)]

    def above(one: Any, two: Any) -> tuple[float, float]:
        worst = [0.0, 0.0]
        for k, train in enumerate(folds):
            for c, C in enumerate(one.Cs_):
                values = [
                    _judged(data.X[train], data.y[train], np.atleast_2d(W)[:, :-1], np.atleast_2d(W)[:, -1], float(C))
                    for W in (one.coefs_paths_[k, 0, c], two.coefs_paths_[k, 0, c])
                ]
                worst = [max(w, value / min(values) - 1) for w, value in zip(worst, values, strict=True)]
        return worst[0], worst[1]

    jobs = {
        "ours": lambda: ours.LogisticRegressionCV(cv=5, n_jobs=1, **told).fit(data.X, data.y),
        "theirs": lambda: LogisticRegressionCV(cv=5, **told).fit(data.X, data.y),
    }
    return compared("LogisticRegressionCV", data, jobs, above, repeats=1, most=0.0)


def svm(data: Set, tiny: bool) -> Row:
    """LinearSVC()."""
    from sklearn.svm import LinearSVC

    from widemargin.estimators import workers

    jobs = {
        "ours": lambda: _one_thread(workers, lambda: ours.LinearSVC().fit(data.X, data.y)),
        "theirs": lambda: LinearSVC().fit(data.X, data.y),
    }
    return compared("LinearSVC", data, jobs, excess(data, loss="squared_hinge", penalise_b=True), 1 if tiny else 7)


def _one_thread(workers: Any, job: Callable[[], Any]) -> Any:
    """LinearSVC has no n_jobs, as scikit-learn's: inside a worker of joblib it takes one thread."""
    from joblib import parallel_config

    assert workers is not None
    with parallel_config(backend="threading", n_jobs=1):
        return job()


def small(tiny: bool) -> Iterator[Row]:
    """One row's probabilities, and fits of 150 x 4."""
    from sklearn.linear_model import LogisticRegression

    iris = get("iris", tiny)
    for data in (iris._replace(name="iris, 2 classes", y=(iris.y > 0).astype(int)), iris._replace(name="iris")):
        one, two, row = (
            ours.LogisticRegression().fit(data.X, data.y),
            LogisticRegression().fit(data.X, data.y),
            data.X[:1],
        )
        scorer, x = one.model_.scorer("probabilities"), data.X[0]
        nothing = lambda left, right: (0.0, 0.0)  # noqa: E731
        many = 20 if tiny else 500
        answers: dict[str, Callable[[], Any]] = {
            "ours": partial(one.predict_proba, row), "theirs": partial(two.predict_proba, row)
        }  # fmt: skip
        yield compared("predict_proba of one row", data, answers, nothing, many)
        yield compared("scorer of one row", data, {**answers, "ours": partial(scorer, x)}, nothing, many)
        fits = {
            "ours": partial(ours.LogisticRegression(n_jobs=1).fit, data.X, data.y),
            "theirs": partial(LogisticRegression().fit, data.X, data.y),
        }
        yield compared("fit of 150 × 4", data, fits, excess(data), 5 if tiny else 100)


def measure(tiny: bool = False) -> Iterator[Row]:
    """Small things first: they are the most easily disturbed."""
    yield from small(tiny)
    for name in SETS:
        data = get(name, tiny)
        yield defaults(data, tiny)
        if (row := equal_accuracy(data, tiny)) is not None:
            yield row
        if name == "imdb":
            yield svm(data, tiny)
    for name in SETS:
        data = get(name, tiny)
        yield search(data._replace(X=data.X[:CV_ROWS], y=data.y[:CV_ROWS]) if name == "mnist" else data)


def tables(rows: Sequence[Row]) -> list[Table]:
    """One line per comparison, with the aim where there is one."""
    columns = ("what", "set", "rows", "ours", "scikit-learn", "time", "aim", "ours above", "theirs above", "repeats")
    lines = []
    for row in rows:
        ratio, aim = row["ours"] / row["theirs"], AIM.get(row["what"])
        told = "" if aim is None else f"{aim:g} {'met' if ratio <= aim else 'missed'}"
        peer = f" ({row['peer']})" if "peer" in row else ""
        measured = (seconds(row["ours"]), seconds(row["theirs"]) + peer, f"{ratio:.3f}", told)
        above = (f"{row['ours_above']:.0e}", f"{row['theirs_above']:.0e}")
        lines.append([row["what"], row["set"], f"{row['rows']:,}", *measured, *above, str(row["repeats"])])
    met = sum(row["ours"] / row["theirs"] <= AIM[row["what"]] for row in rows if row["what"] in AIM)
    note = f"{met} of {sum(row['what'] in AIM for row in rows)} aims are met (processor time, lowest decile)."
    return [Table("Estimators against scikit-learn's", note, columns, lines)]


def headlines(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The spread of each comparison."""
    found = []
    for what in dict.fromkeys(row["what"] for row in rows):
        ratios = [row["theirs"] / row["ours"] for row in rows if row["what"] == what]
        found.append((f"{what}, scikit-learn's time over ours",
                      f"{times(median(ratios))} ({times(min(ratios))} to {times(max(ratios))})"))  # fmt: skip
    return found
