"""Small problems for tests, what the registries take of them, and the objective in plain NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import widemargin as wm
from widemargin._types import F64, Array
from widemargin.data.intake import intake
from widemargin.errors import Refusal
from widemargin.fitting import Fit, assemble
from widemargin.solve.protocol import Problem, Solver
from widemargin.spec import spec

INTERCEPTS = (True, False, "penalised")
CONVEX = [name for name, loss in wm.losses.items() if loss.convex]
SHARED = [name for name, penalty in wm.penalties.items() if penalty.shares is not None]
PENALISING = [name for name in SHARED if wm.penalties[name].shares != (0.0, 0.0)]
CERTIFYING = [name for name, solver in wm.solvers.items() if solver.certifies]


@dataclass(frozen=True, eq=False)
class Data:
    """Rows and labels."""

    X: F64
    y: Array
    classes: int

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))


def overlapping(classes: int = 2, n: int = 80, d: int = 4, seed: int = 0) -> Data:
    """Columns of like size and weak correlation; no hyperplane separates any class from the others."""
    random = np.random.default_rng([seed, classes])
    y = np.arange(n) % classes
    centres = np.where(np.arange(classes)[:, None] == np.arange(d) % classes, 1.0, -0.3)
    X = centres[y] + 1.3 * random.standard_normal((n, d))
    far = np.arange(0, n, 7)
    X[far] = centres[(y[far] + 1) % classes] + 0.5 * random.standard_normal((len(far), d))
    return Data(X, y, classes)


def separable(n: int = 60, d: int = 3, seed: int = 1, margin: float = 0.5) -> Data:
    """Two classes on the two sides of a slab."""
    random = np.random.default_rng(seed)
    X, w = random.standard_normal((n, d)), random.standard_normal(d)
    w /= np.linalg.norm(w)
    side = np.where(X @ w + 0.2 >= 0, 1.0, -1.0)
    return Data(X + margin * side[:, None] * w, (side > 0).astype(int), 2)


def problem(X: Any, y: Any, *, shuffle: bool = True, threads: int | None = None, trace: str = "passes",
            data: dict[str, Any] | None = None, **options: Any) -> tuple[Problem, Solver]:  # fmt: skip
    """What fit puts together before it runs; a Refusal where the options cannot go together."""
    known = {"alpha": 0.05, "intercept": True, "multiclass": "auto", "solver": "auto", "tol": 1e-6}
    known |= dict.fromkeys(("loss", "penalty", "schedule"))
    return assemble(
        spec(**(known | options)), intake(X, y, **(data or {})), shuffle=shuffle, threads=threads, trace=trace
    )


def takes(data: Data, **options: Any) -> bool:
    """Whether a solver takes these options."""
    try:
        problem(data.X, data.y, **options)
    except Refusal:
        return False
    return True


def combinations(solver: str) -> list[dict[str, Any]]:
    """One penalty for every loss that the solver takes, one that penalises where there is a choice."""
    small = overlapping(2, 20)
    found, order = [], [*PENALISING, *wm.penalties]
    for loss in wm.losses:
        for penalty in order:
            wanted = {"solver": solver, "loss": loss, "penalty": penalty, "alpha": 0.05}
            if takes(small, **wanted):
                found.append(wanted)
                break
    return found


def reaches_optimum(X: Any, y: Any, **options: Any) -> bool:
    """Certifying, on what it solves to any precision: a slope everywhere, or dual numbers of its own."""
    made, solver = problem(X, y, **options)
    if not (solver.certifies and made.objective.convex):
        return False
    smooth = made.objective.loss.smooth and made.objective.multiclass != "crammer_singer"
    return smooth or solver.dual(made, solver.init(made, None, 0)) is not None


def holes(classes: int = 2, n: int = 60, d: int = 6) -> tuple[F64, F64]:
    """Rows of which a third of the entries is 0, one row that is all 0, and one column that is nearly so."""
    X, y = overlapping(classes, n, d)
    X = np.where(np.random.default_rng(3).random(X.shape) < 0.35, 0.0, X)
    X[7] = 0.0
    X[:-2, 3] = 0.0
    return X, y


def inside(y: F64) -> F64:
    """-1/+1, or class numbers."""
    return np.where(y > 0, 1.0, -1.0) if len(np.unique(y)) == 2 else y.astype(float)


def passes(X: Any, y: Any, seed: int | None, count: int = 3, **options: Any) -> Any:
    """The state after some passes, whatever the objective did."""
    data = {name: options.pop(name) for name in ("sample_weight", "offset") if name in options}
    trace = options.pop("trace", "passes")
    made, solver = problem(X, y, shuffle=seed is not None, trace=trace, data=data, **options)
    state = solver.init(made, None, seed or 0)
    mistakes = []
    for _ in range(count):
        state = solver.advance(made, state)
        mistakes.append(state.mistakes)
    return made, state, mistakes


def fit(X: Any, y: Any, **options: Any) -> Fit:
    """wm.fit without its warning: the verdict is what a test looks at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wm.NotConverged)
        return wm.fit(X, y, **options)


def objective(fitted: Fit, X: Any, y: Any, *, s: F64 | None = None, o: F64 | None = None) -> float:
    """P(W, b) of the model, from its definition; summed over one-vs-rest problems."""
    of, theta = fitted.certificate.problem, fitted.certificate.theta
    p = np.full(len(y), 1 / len(y)) if s is None else s / s.sum()
    scores = np.asarray(X @ theta.W) + theta.b + (0.0 if o is None else np.reshape(o, (len(y), -1)))
    own = np.asarray(y)[:, None] == fitted.model.classes
    if of.multiclass == "softmax":
        top = scores.max(axis=1, keepdims=True)
        value = float(p @ (np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0] - scores[own]))
    elif of.multiclass == "crammer_singer":
        value = float(p @ of.loss.value(scores[own] - np.where(own, -np.inf, scores).max(axis=1)))
    else:
        signs = np.where(own, 1.0, -1.0)[:, -scores.shape[1] :]
        value = float((p @ of.loss.value(signs * scores)).sum())
    if of.alpha == 0:
        return value
    W = np.vstack([theta.W, theta.b]) if of.intercept == "penalised" else theta.W
    vectors = [W.ravel()] if of.joint else list(W.T)
    return value + of.alpha * sum(of.penalty.value(v) for v in vectors)


def same_optimum(a: Fit, b: Fit, factor: float = 1.0, slack: float = 1e-12) -> bool:
    """Both certificates hold for one optimum: each lower bound is below the other's objective."""
    first, second = a.certificate, b.certificate
    size = abs(first.objective) + abs(second.objective)
    low = max(first.lower_bound, second.lower_bound * factor)
    high = min(first.objective, second.objective * factor)
    near = abs(first.objective - second.objective * factor) <= 3 * wide(a, b) * size
    return low <= high + slack * size and near


def wide(*fits: Fit) -> float:
    """The worst relative gap of several fits."""
    return max(1e-12, *(fitted.certificate.relative_gap for fitted in fits))
