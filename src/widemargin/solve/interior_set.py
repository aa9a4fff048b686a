"""Piecewise-linear losses with L1 on many columns: an interior point on those that matter, which grow in number.

|sum p a y x_j| <= l1_j holds at the optimum, and w_j = 0 where it is strict: columns that a point a breaks it for join,
and the bound of a, scaled until all columns hold, says when no more need to.  The first set are the columns near their
limit at the optimum of a rounded loss, the logistic one, which coordinate descent finds in no time.
Column generation for support vector machines: Dedieu, Mazumder, Wang 2022 (SIAM J. Optim. 32).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from widemargin._types import F64, Array
from widemargin.bounds import Anchors
from widemargin.certificate import prove, relative_gap
from widemargin.duals import dual_points, signed_duals
from widemargin.errors import Verdict
from widemargin.events import Trace
from widemargin.loss import losses
from widemargin.objective import Theta
from widemargin.solve.cd import CoordinateDescent
from widemargin.solve.interior_point import LARGEST, InteriorPoint, piecewise_linear
from widemargin.solve.loop import Outcome, run
from widemargin.solve.measured import measured
from widemargin.solve.protocol import Problem, Solver, State
from widemargin.solve.start import begin_at, null_values
from widemargin.solve.watch import OutOfTime

NEAR = 0.7  # of its limit: a column that belongs to the first set
FIRST = 1000  # columns of it, at least
ROUGH = 1e-2  # relative gap at which the rounded loss is left
COARSE, SHARE = 1e-3, 0.3  # relative gaps of the first sets; of the last, beside the tolerance
BROKEN, CLOSE = 1 + 1e-9, 0.9  # of the limit: columns that must join, and that join along with them
FEW = 0.02  # of the set: so few more columns that the next set may be the last


@dataclass(frozen=True)
class InteriorSet:
    """Hinge and perceptron losses with L1 or elastic net, few of many columns in use."""

    name: ClassVar[str] = "interior_set"
    cite: ClassVar[str] = "Dedieu, Mazumder, Wang 2022; Mehrotra 1992"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    columns: ClassVar[str] = "factors"
    limit: ClassVar[int] = 40
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """What an interior point takes, with L1 on every column."""
        reason = piecewise_linear(problem, self.name)
        if reason is not None:
            return reason
        if not np.all(problem.objective.strengths[0] > 0):
            return "interior_set needs an L1 penalty on every column: use solver='interior_point'"
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """The columns near their limit for the rounded loss."""
        objective, source, threads = problem.objective, problem.source, problem.reducer.threads
        rounded = replace(objective, loss=losses["logistic"])
        smooth = replace(problem, objective=rounded, anchors=Anchors(rounded, source, problem.reducer), tol=ROUGH)
        found = _solved(smooth, CoordinateDescent())
        a = dual_points(rounded, source, problem.reducer.scores(source, found.theta), threads)
        load = self._load(problem, a)
        near = np.argsort(-load, kind="stable")[: max(FIRST, min(LARGEST // 2, int((load >= NEAR).sum())))]
        tol = (
            COARSE if len(near) < source.d else SHARE * problem.tol
        )  # where none is left to join, the first is the last
        arrays = {"columns": np.sort(near).astype(float), "tol": np.array([tol]), "proved": np.zeros(objective.K)}
        kept = {"dual": np.zeros((source.n, objective.K))}
        return State(begin_at(problem, warm), seed=seed, passes=found.state.passes, arrays=arrays, kept=kept)

    def advance(self, problem: Problem, state: State) -> State:
        """The optimum on the columns of the set; then those that break their limit join."""
        objective, source = problem.objective, problem.source
        chosen, fine = state.arrays["columns"].astype(np.intp), SHARE * problem.tol
        tol = max(fine, float(state.arrays["tol"][0]))
        part = _restricted(problem, chosen, tol)
        found = _solved(part, InteriorPoint())
        a = InteriorPoint().dual(part, found.state)
        assert a is not None
        W = np.zeros((source.d, objective.K))
        W[chosen] = found.theta.W
        here = measured(problem, Theta(W, found.theta.b))
        point = prove(objective, np.ascontiguousarray(a), source, problem.anchors)
        arrays, kept = dict(state.arrays), dict(state.kept)
        gained = point.bounds > arrays["proved"]
        kept["dual"] = np.where(gained, point.a, kept["dual"])
        arrays["proved"] = np.maximum(point.bounds, arrays["proved"])
        load = self._load(problem, np.ascontiguousarray(a))
        load[chosen] = 0.0
        broken, close = (np.flatnonzero(load > share) for share in (BROKEN, CLOSE))
        gap = float(relative_gap(here.value, arrays["proved"], np.zeros(objective.K)).max())
        arrays["columns"] = np.union1d(chosen, close).astype(float)
        arrays["tol"] = np.array([COARSE if len(broken) > FEW * len(chosen) else fine])
        stuck = not len(broken) and tol <= fine and gap > problem.tol
        return state.evolve(
            theta=here.theta, value=here.value, errors=here.errors, bound=arrays["proved"].copy(), arrays=arrays,
            kept=kept, iteration=state.iteration + 1, done="stalled" if stuck else "",
            passes=state.passes + 4.0 + found.state.passes * part.source.nnz / max(source.nnz, 1),
            note=f"{len(chosen)} columns, {len(close)} join",
        )  # fmt: skip

    def _load(self, problem: Problem, a: F64) -> F64:
        """|sum p a y x_j| beside the limit, the most of all heads; a column that is left out has none."""
        signed = signed_duals(problem.objective, problem.source, a, problem.reducer.threads)
        V = problem.reducer.products(problem.source, signed)
        return np.asarray((np.abs(V) / problem.objective.strengths[0]).max(axis=1))

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """The best proved so far."""
        return state.kept["dual"]


CUT = {Verdict.interrupted: KeyboardInterrupt, Verdict.budget: OutOfTime}


def _never(_: object) -> None:
    """A stop that never holds."""


def _solved(problem: Problem, solver: Solver) -> Outcome:
    trace: Trace = Trace()
    found = run(problem, solver, warm=None, seed=0, null=null_values(problem), stop=_never, on_event=None,
                started=time.perf_counter(), trace=trace)  # fmt: skip
    if found.verdict in CUT:  # the whole fit is to end, not this part of it
        raise CUT[found.verdict]
    return found


def _restricted(problem: Problem, chosen: Array, tol: float) -> Problem:
    """The problem on some of its columns."""
    objective, source = problem.objective, problem.source
    said = objective.terms
    if said is not None:
        fields = {name: getattr(said, name)[chosen] for name in ("factor", "sd", "low", "high")}
        objective = replace(objective, terms=replace(said, **fields))
    threads = problem.reducer.threads
    rows = replace(source, X=source.X.transposed.take(chosen, threads).turned(threads))
    return replace(
        problem, objective=objective, source=rows, anchors=Anchors(objective, rows, problem.reducer), tol=tol
    )
