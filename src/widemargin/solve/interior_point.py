"""Piecewise-linear losses by a primal-dual interior point.

min_{w,b} sum_i p_i (t - z_i)_+ + l1 ||w||_1 + l2/2 ||w||^2 is a linear or quadratic programme; its central path is
followed to the optimum.  Mehrotra 1992 (SIAM J. Optim. 2); Ferris, Munson 2002 (SIAM J. Optim. 13).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin._types import F64
from widemargin.certificate import prove, relative_gap, rounding
from widemargin.data.source import ArraySource
from widemargin.errors import OptionError, Verdict
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.solve.interior_design import TILE, Design, equilibrate
from widemargin.solve.interior_path import Iterate, Programme, follow
from widemargin.solve.measured import Measured, measured
from widemargin.solve.protocol import Problem, State
from widemargin.solve.room import usual
from widemargin.solve.start import begin_at

LARGEST = 8000  # order of the matrix to factor: at its peak 2 GB, and some seconds an iteration
GRACE = 2  # iterations more for an answer with exact zeros
PATIENCE = 10


def piecewise_linear(problem: Problem, name: str) -> str | None:
    """Why such a programme cannot be written down, or None."""
    objective = problem.objective
    if objective.joint:
        return f"{name} fits one head at a time, not {objective.multiclass!r}: use multiclass='ovr'"
    if not objective.loss.piecewise_linear or isinstance(objective.loss, CallableLoss):
        other = "'newton'" if objective.loss.smooth else "'sgd'"
        return f"{name} is for 'hinge' and 'perceptron', not {objective.loss.name!r}: use solver={other}"
    if objective.shares is None:
        return f"{name} needs the penalty 'l1', 'l2', 'elastic_net' or 'none': use solver='gd'"
    return None


@dataclass(frozen=True)
class InteriorPoint:
    """Hinge and perceptron losses with any mix of L1 and L2, to the last digits; min(n, d) up to some thousands."""

    name: ClassVar[str] = "interior_point"
    cite: ClassVar[str] = "Mehrotra 1992; Gondzio 1996; Ferris, Munson 2002; Fine, Scheinberg 2001"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    columns: ClassVar[str] = "factors"
    limit: ClassVar[int] = 10_000  # the option below comes first
    at_limit: ClassVar[Verdict] = Verdict.passes
    max_iterations: int = 200

    def __post_init__(self) -> None:
        if self.max_iterations < 1:
            raise OptionError(f"max_iterations = {self.max_iterations!r}; expected a whole number of at least 1")

    def refuses(self, problem: Problem) -> str | None:
        """Piecewise-linear loss, L1 and L2 only, separate heads, a matrix that can be factored."""
        objective, source = problem.objective, problem.source
        reason = piecewise_linear(problem, self.name)
        if reason is not None:
            return reason
        side = min(source.n, source.d + 1)
        if side > LARGEST:
            other = "'gd'" if objective.l1 > 0 else "'dual_cd'"
            return f"interior_point would factor a matrix of {side} x {side}: use solver={other}"
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """The path begins at its own centre; a warm point is only the best so far."""
        objective, rows = problem.objective, _weighted(problem.source)
        shift, inverse = equilibrate(rows.X, centre=objective.intercept == "free")
        best = measured(problem, begin_at(problem, None))
        arrays = {"shift": shift[None], "inverse": inverse[None], "null": best.value}
        if warm is not None:
            best = best.or_better(measured(problem, begin_at(problem, warm)))
        first = [_programme(problem, rows, arrays, k).start() for k in range(objective.heads)]
        arrays |= {name: np.stack([getattr(x, name) for x in first]) for name in Iterate._fields}
        arrays |= {name: np.zeros(objective.heads) for name in ("proved", "idle", "grace")}
        arrays |= {"pruned": arrays["beta"], "repaired": arrays["a"]}
        arrays["dual"] = np.zeros((objective.heads, problem.source.n))
        arrays["records"] = np.full((objective.heads, 3), np.inf)  # gap, mu, dual infeasibility
        bound, passes = np.zeros(objective.heads), 3.0 + objective.heads
        return State(best.theta, seed, 0, passes, best.value, best.errors, bound, arrays=arrays)

    def advance(self, problem: Problem, state: State) -> State:
        """One interior point iteration of every head that can still gain."""
        arrays = {name: array.copy() for name, array in state.arrays.items()}
        rows, passes, shortest = _weighted(problem.source), state.passes, 1.0
        residuals = np.zeros((problem.objective.heads, 2))
        for k in np.flatnonzero(_lively(problem, state)).tolist():
            lp = _programme(problem, rows, arrays, k)
            x, pruned, a, steps, infeasible = follow(lp, Iterate(*(arrays[name][k] for name in Iterate._fields)))
            mu = lp.centrality(x)
            passes += lp.design.passes * rows.n / problem.source.n
            if max(steps) < 1e-12 or not np.isfinite(mu + x.beta.sum()):
                arrays["idle"][k] = PATIENCE
                continue
            for name, value in zip(Iterate._fields, x, strict=True):
                arrays[name][k] = value
            arrays["pruned"][k], arrays["repaired"][k] = pruned, a
            residuals[k], shortest = (mu, infeasible), min(shortest, *steps)
        found = _improved(problem, state.evolve(arrays=arrays, passes=passes, step=shortest), residuals)
        found.iteration += 1
        if not _lively(problem, found).any():
            found.done = "stalled"
        elif found.iteration >= self.max_iterations:
            found.done = "passes"
        return found

    def room(self, problem: Problem) -> float:
        """Slacks and duals of every row and their directions; a factor and a tile."""
        side = min(problem.source.n, problem.source.d + 1)
        return usual(problem, rows=30, columns=20) + 24.0 * (side**2 + TILE)

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """The best proved so far."""
        return state.arrays["dual"].T


def _weighted(source: ArraySource) -> ArraySource:
    """The rows that count, offsets taken off: the programme holds them in its margins."""
    on = np.flatnonzero(source.p > 0)
    if len(on) == source.n:
        return ArraySource(source.X, source.y)
    return ArraySource(source.X.take(on), source.y[on])


def _programme(problem: Problem, rows: ArraySource, arrays: dict[str, F64], head: int) -> Programme:
    objective, source = problem.objective, problem.source
    on = source.p > 0
    shift, inverse = arrays["shift"][0], arrays["inverse"][0]
    design = Design(rows, problem.reducer, shift, inverse, objective.intercept != "none")
    y = source.signs[on, head]
    h = np.full(len(y), objective.loss.threshold)
    if source.o is not None:
        h -= y * np.broadcast_to(source.o.reshape(source.n, -1), source.signs.shape)[on, head]
    l1, l2 = (np.broadcast_to(strength[:, 0], inverse.shape) for strength in objective.strengths)
    l1, l2 = l1 * inverse, l2 * inverse**2
    if design.ones:
        last = 1.0 if objective.intercept == "penalised" else 0.0
        l1, l2 = np.append(l1, last * objective.l1), np.append(l2, last * objective.l2)
    return Programme(design, y, source.p[on], h, l1, l2)


def _improved(problem: Problem, state: State, residuals: F64) -> State:
    """Per head, the better of old and new point and bound, and the count of idle iterations."""
    objective, source, arrays = problem.objective, problem.source, state.arrays
    a = np.zeros((source.n, objective.heads))
    a[source.p > 0] = arrays["repaired"].T
    proved = prove(objective, a, source, problem.anchors)
    gained = proved.bounds > arrays["proved"]
    arrays["dual"] = np.where(gained[:, None], proved.a.T, arrays["dual"])
    arrays["proved"] = bound = np.maximum(proved.bounds, arrays["proved"])
    found, shown = measured(problem, _weights(arrays, arrays["beta"])), bound
    if objective.l1 > 0:
        found, waits = _sparser(problem, arrays, found)
        assert state.bound is not None
        shown = np.where(waits, state.bound, bound)  # an older full point must not come within the tolerance
    best = _best(state).or_better(found)
    records = np.column_stack([best.value - bound, residuals])
    close = relative_gap(best.value, bound, arrays["null"]) < 1e-6
    fell = records < 0.999 * arrays["records"]
    idle = ~np.where(close, fell[:, 0], fell.any(axis=1))
    arrays["idle"] = np.where(idle, arrays["idle"] + 1, 0 * arrays["idle"])
    arrays["records"] = np.minimum(records, arrays["records"])
    passes = state.passes + 2.0 + float(objective.l1 > 0)
    return state.evolve(theta=best.theta, value=best.value, errors=best.errors, bound=shown, passes=passes)


def _best(state: State) -> Measured:
    assert state.value is not None and state.errors is not None
    return Measured(state.theta, state.value, state.errors)


def _sparser(problem: Problem, arrays: dict[str, F64], full: Measured) -> tuple[Measured, NDArray[np.bool_]]:
    """The pruned point where it is better or within the tolerance, and where a full one that is waits for it."""
    pruned = measured(problem, _weights(arrays, arrays["pruned"]))
    enough, within = (
        relative_gap(point.value, arrays["proved"], arrays["null"]) <= problem.tol for point in (full, pruned)
    )
    waits = enough & ~within & (arrays["grace"] < GRACE)
    arrays["grace"] = arrays["grace"] + enough
    return full.or_better(pruned, np.where(within | waits, np.inf, 0.0)), waits


def _weights(arrays: dict[str, F64], beta: F64) -> Theta:
    """Weights of the equilibrated columns in the user's units."""
    inverse = arrays["inverse"][0]
    d = len(inverse)
    b = beta[:, d] if beta.shape[1] > d else np.zeros(len(beta))
    return Theta(np.ascontiguousarray((beta[:, :d] * inverse).T), b)


def _lively(problem: Problem, state: State) -> NDArray[np.bool_]:
    """Heads that can still gain; those within 1e-10 wait for the others."""
    assert state.value is not None and state.bound is not None
    able = state.arrays["idle"] < PATIENCE
    able &= state.value - state.bound > rounding(problem.objective, state.value, state.theta)
    far = able & (relative_gap(state.value, state.bound, state.arrays["null"]) > 1e-10)
    return far if far.any() else able
