"""max_a D(a) for losses with one kink and L2, one row's a_i at a time, only over the rows that still move.

D(a) = sum p a h - alpha/2 ||w||^2, 0 <= a <= 1, w = sum p a y x / alpha, h = threshold - y o.  Hsieh et al. 2008: exact
steps, rows at a bound left out (core/kink_cd.hpp).  A free intercept is the multiplier of sum p a y = 0 (Hestenes
1969).  When the rows that move are close enough, all rows are looked at: kink_head.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin import _core
from widemargin._types import F64, Array
from widemargin.bounds import has_bound
from widemargin.certificate import relative_gap
from widemargin.errors import Verdict
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.solve.kink_head import DUAL, GATHERED, IMBALANCE, LENT, Head, targets
from widemargin.solve.protocol import Kept, Problem, State
from widemargin.solve.room import usual

SWEEPS, LEAST, MOST = 16, 2e6, 2e8  # between two looks at all rows: so many sweeps, within these stored values
SOFT = 1e-3  # B^2 of the method of multipliers, beside the mean of ||x||^2 ...
STIFF = 30.0  # ... and beside alpha, so that b follows at once where the rows hardly move
RAMP = 0.1  # width of the kink where a warm model's margins become a


def kinked_l2(problem: Problem, name: str) -> str | None:
    """Why a solver for one kink with L2 does not apply, or None."""
    objective = problem.objective
    if not objective.loss.piecewise_linear or isinstance(objective.loss, CallableLoss):
        other = "'newton'" if objective.loss.smooth else "'sgd'"
        return f"{name} is for 'hinge' and 'perceptron', not {objective.loss.name!r}: use solver={other}"
    if objective.joint or not has_bound(objective):
        return f"{name} solves one-vs-rest problems: use multiclass='ovr'"
    if objective.shares is None or objective.l1 > 0 or not objective.l2 > 0:
        return f"{name} needs the penalty 'l2' with alpha > 0: use solver='interior_point'"
    return None


@dataclass(frozen=True)
class KinkDescent:
    """Dual coordinate descent for hinge and perceptron losses, with shrinking and an exact intercept."""

    name: ClassVar[str] = "kink_cd"
    cite: ClassVar[str] = "Hsieh et al. 2008; Hestenes 1969"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 1000
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """A piecewise-linear loss of the registry with a pure L2 penalty, heads apart."""
        return kinked_l2(problem, self.name)

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """a = 0; or where a warm model's margins put it."""
        objective, source = problem.objective, problem.source
        K, n = objective.K, source.n
        norms = np.empty(n)
        _core.sqnorms(source.X.core, norms)
        typical = max(_core.inner(source.p, norms), 1e-300)
        soft = min(typical, max(SOFT * typical, STIFF * objective.l2))
        W, b, a = np.zeros((K, source.d)), np.zeros(K), np.zeros((K, n))
        if warm is not None:
            b = b if objective.intercept == "none" else np.array(warm.b, dtype=float)
            a, W = _placed(problem, Theta(warm.W, b))
        elif objective.intercept != "none":
            b = 2.0 * (source.p @ (source.signs > 0)) - 1.0
        marks = np.tile(_core.kink_marks(), (K, 1))
        marks[:, DUAL] = (a * targets(problem)) @ source.p - 0.5 * objective.l2 * (W * W).sum(axis=1)
        marks[:, IMBALANCE] = (a * source.signs.T) @ source.p
        arrays = {
            "W": np.ascontiguousarray(W), "b": b, "marks": marks, "theta_b": b.copy(),
            "soft": np.full(K, 0.0 if objective.intercept == "none" else soft), "counts": np.full(K, float(n)),
            "values": np.full(K, np.inf), "bounds": np.zeros(K), "errors": np.ones(K),
        }  # fmt: skip
        live: Array = np.tile(np.arange(n, dtype=np.int32), (K, 1))
        kept: Kept = {
            "a": a, "best": a.copy(), "scores": np.zeros((K, n)), "sqnorms": norms, "live": live, "h": targets(problem),
        }  # fmt: skip
        return State(Theta(W.T, b), seed=seed, arrays=arrays, kept=kept)

    def advance(self, problem: Problem, state: State) -> State:
        """Sweeps over what moves, then a look at all rows, for every head that is not done."""
        arrays = {name: array.copy() for name, array in state.arrays.items()}
        kept = state.kept | {name: state.kept[name].copy() for name in ("a", "live", "best", "scores")}
        nnz, passes = max(float(problem.source.nnz), 1.0), state.passes
        work = max(min(max(SWEEPS * nnz, LEAST), MOST), 2 * nnz)
        for k in _undone(problem, arrays):
            head = Head(problem, arrays, kept, k, state.seed)
            passes += head.sweep(work) / nnz + head.look()
        theta = Theta(np.ascontiguousarray(arrays["W"].T), arrays["theta_b"])
        problem.last.take(theta, np.ascontiguousarray(kept["scores"].T))
        return state.evolve(
            theta=theta, iteration=state.iteration + 1,
            passes=passes, value=arrays["values"], errors=arrays["errors"], bound=arrays["bounds"],
            arrays=arrays, kept=kept, note=f"{int(arrays['counts'].sum())} rows move",
        )  # fmt: skip

    def room(self, problem: Problem) -> float:
        """Duals: now, before, the best; what the rows ask, which move; copies of the rows that move."""
        moving = GATHERED if problem.source.X.sparse else LENT
        return usual(problem, rows=9) + moving * problem.source.X.nbytes

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Its own a, the best so far of each head."""
        return np.ascontiguousarray(state.kept["best"].T)


def _placed(problem: Problem, warm: Theta) -> tuple[F64, F64]:
    """a of a warm model, 1 left of the kink, 0 right of it, between on a ramp, at the length that is best; and w."""
    source, alpha = problem.source, problem.objective.l2
    z = source.signs * problem.reducer.scores(source, warm)
    a = np.clip((problem.objective.loss.threshold - z) / RAMP + 0.5, 0.0, 1.0)
    W = problem.reducer.products(source, source.p[:, None] * a * source.signs).T / alpha
    T, square = (a.T * targets(problem)) @ source.p, alpha * (W * W).sum(axis=1)
    length = np.clip(np.divide(T, square, out=np.ones_like(T), where=square > 0), 0.0, 1.0)[:, None]
    return np.ascontiguousarray(a.T) * length, np.asarray(W * length)


def _undone(problem: Problem, arrays: dict[str, F64]) -> list[int]:
    """Heads whose gap is above the tolerance; all of them where none is."""
    every = range(problem.objective.K)
    if not np.isfinite(arrays["values"]).all():
        return list(every)
    gaps = relative_gap(arrays["values"], arrays["bounds"], np.zeros(len(every)))
    return [k for k in every if gaps[k] > problem.tol] or list(every)
