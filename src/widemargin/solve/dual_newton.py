"""Sweeps of dual coordinate descent while they make way, then Newton's method by conjugate gradients from their w.

A sweep moves every a_i by its own Newton step and is worth many gradients as long as alpha is large beside the rows'
inner products; where it is not, the gap falls by the same small factor in every sweep, and Newton-CG wins.
Shalev-Shwartz, Zhang 2013; Hsieh, Chang, Lin, Keerthi, Sundararajan 2008; Ioannou et al. 2019; Dembo, Steihaug 1983.

A free intercept is a bias feature of small value B about a centre that moves to b after each sweep: a proximal point
(Rockafellar 1976) whose pull alpha / B^2 is a hundredth of the loss's curvature, so that b follows w at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin import _core
from widemargin._options import Count, check
from widemargin._types import F64
from widemargin.bounds import has_bound
from widemargin.duals import dual_points
from widemargin.errors import Verdict
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.solve import dual_rounds as rounds
from widemargin.solve.newton_cg import NewtonCG
from widemargin.solve.protocol import Problem, State
from widemargin.solve.room import usual
from widemargin.solve.start import begin_at

PULL = 100.0  # the loss's curvature in b over that of the proximal term
WORTH = (8, 20)  # sweeps still needed, beyond which conjugate gradients cost less: by one hand, by several
SETTLED = 3  # sweeps before the rate of descent says anything
LOOK = 0.5  # look at the gap when it is expected below such a share of what is asked for: sweeps promise too much
HALF = 0.5  # of the gap has to be gone ...
IDLE = 3  # ... after so many looks, whatever the rows say
STILL = 1e-12  # change of every margin in a sweep that is nothing


@dataclass(frozen=True)
class DualNewton:
    """Dual descent, then Newton; at most `sweeps` sweeps between two looks at the gap."""

    sweeps: Count = 8

    name: ClassVar[str] = "dual_newton"
    cite: ClassVar[str] = "Shalev-Shwartz, Zhang 2013; Dembo, Steihaug 1983"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 400
    at_limit: ClassVar[Verdict] = Verdict.passes

    def __post_init__(self) -> None:
        check(self)

    def refuses(self, problem: Problem) -> str | None:
        """A smooth convex loss of the registry, one problem a column, a pure L2 penalty."""
        objective = problem.objective
        if isinstance(objective.loss, CallableLoss) or not objective.loss.smooth or not has_bound(objective):
            return "dual_newton needs a smooth convex loss of the registry: use solver='dual_cd', 'gd' or 'sgd'"
        if objective.joint:
            return "dual_newton solves one-vs-rest problems: use multiclass='ovr', or solver='newton_cg' for softmax"
        if objective.shares is None or objective.l1 > 0 or not objective.l2 > 0 or not objective.plain:
            return "dual_newton needs the same penalty 'l2' on every column, alpha > 0: use solver='gd'"
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """a = 0; or a = -l'(z) at the warm point, if that proves anything."""
        objective, source = problem.objective, problem.source
        norms = np.empty(source.n)
        _core.sqnorms(source.X.core, norms)
        theta = begin_at(problem, warm)
        a, W, b = np.zeros((source.n, objective.K)), np.zeros_like(theta.W), theta.b.copy()
        if warm is not None:
            a, W = self._from_primal(problem, theta, a, W)
        arrays = {"W": W, "b": b, "centre": b.copy(), "bias_sq": np.array([_bias(problem, norms)]),
                  "best": np.zeros(objective.K), "sweeps": np.zeros(1), "gaps": np.full(2, np.inf),
                  "gap": np.array([np.inf]), "idle": np.zeros(1)}  # fmt: skip
        return State(theta, seed=seed, arrays=arrays, kept={"dual": a, "best": a.copy(), "sqnorms": norms})

    def _from_primal(self, problem: Problem, theta: Theta, a: F64, W: F64) -> tuple[F64, F64]:
        source, l2 = problem.source, problem.objective.l2
        duals = dual_points(problem.objective, source, problem.reducer.scores(source, theta), problem.reducer.threads)
        w = problem.reducer.products(source, source.p[:, None] * duals * source.signs) / l2
        found = rounds.report(problem, Theta(w, theta.b), duals)
        return (duals, w) if np.all(found.bound > 0) else (a, W)

    def advance(self, problem: Problem, state: State) -> State:
        """Sweeps up to the next look, or a Newton step."""
        if "sqnorms" not in state.kept:
            following = NewtonCG().advance(problem, state)
            held = "best" in state.kept
            return self._with_dual(following, state.arrays["best"], state.kept["best"]) if held else following
        arrays, a = {key: array.copy() for key, array in state.arrays.items()}, state.kept["dual"].copy()
        scale = (
            float(np.max(problem.objective.loss.value(np.zeros(1))))
            if state.value is None
            else float(state.value.min())
        )
        worth = WORTH[rounds.cut(problem).parts > 1]
        for done in range(1, self.sweeps + 1):
            change = self._sweep(problem, state, arrays, a)
            expected, more = _outlook(arrays, problem.tol * scale)
            if more > worth or arrays["idle"][0] >= IDLE:
                return self._hand_over(problem, state, arrays, done, more)
            if change <= STILL or expected <= LOOK * problem.tol * scale:
                break
        return self._look(problem, state, arrays, a, done, change)

    def _sweep(self, problem: Problem, state: State, arrays: dict[str, F64], a: F64) -> float:
        """One sweep, in place; a free b is met by the centre of its pull."""
        number, b, bias_sq = int(arrays["sweeps"][0]), arrays["b"], float(arrays["bias_sq"][0])
        draw = np.random.default_rng([state.seed, number]) if problem.shuffle else None
        order = rounds.order_of(problem, rounds.cut(problem), draw)
        change, gap = rounds.sweep(problem, arrays["W"], b, a, state.kept["sqnorms"], bias_sq, order)
        arrays["sweeps"] += 1
        arrays["gaps"] = np.array([arrays["gaps"][1], gap])
        if problem.objective.intercept == "free" and number > 0:  # at first w moves too much for b to be trusted
            arrays["centre"], arrays["b"] = b, 2 * b - arrays["centre"]
        return change

    def _look(self, problem: Problem, state: State, arrays: dict[str, F64], a: F64, done: int, change: float) -> State:
        """P and D here; what is kept as dual point is balanced where b is free and that wins something."""
        objective, passes = problem.objective, state.passes + done + 1
        free = objective.intercept == "free"
        theta = Theta(arrays["W"], arrays["centre"] if free else arrays["b"])  # the next step works on copies
        found = rounds.report(problem, theta, a)
        proved, bound = a, found.bound
        if free and np.any(found.value - bound > problem.tol * found.value):
            moved, reached = rounds.balanced(problem, theta, a, found)
            proved, bound = np.where(reached > bound, moved, a), np.maximum(reached, bound)
            passes += 2
        better, best = bound > arrays["best"], state.kept["best"]
        gap = float(np.max(found.value - bound))
        halved = gap <= HALF * arrays["gap"][0]
        arrays["idle"] = np.zeros(1) if halved else arrays["idle"] + 1
        arrays["gap"] = np.array([gap]) if halved else arrays["gap"]
        arrays["best"] = np.maximum(bound, arrays["best"])
        return state.evolve(
            theta=theta, iteration=state.iteration + 1, passes=passes, value=found.value, errors=found.errors,
            bound=bound, step=change, arrays=arrays, note=f"{done} sweep{'s' * (done > 1)}",
            kept=state.kept | {"dual": a, "best": np.where(better, proved, best)},
        )  # fmt: skip

    def _hand_over(self, problem: Problem, state: State, arrays: dict[str, F64], done: int, more: float) -> State:
        """Newton goes on from w."""
        following = NewtonCG().advance(problem, State(Theta(arrays["W"], arrays["b"]), seed=state.seed))
        needed = f"about {more:.0f} more" if WORTH[0] < more < math.inf else "far more"
        return self._with_dual(
            following.evolve(
                iteration=state.iteration + 1, passes=state.passes + done + following.passes,
                note=f"{done} sweeps; dual descent would need {needed}: Newton-CG from here",
            ),
            arrays["best"], state.kept["best"],
        )  # fmt: skip

    def _with_dual(self, state: State, bound: F64, a: F64) -> State:
        """The best dual point of the sweeps stays until Newton's -l'(z) proves more."""
        assert state.bound is not None
        if np.all(state.bound >= bound):
            return state
        return state.evolve(arrays=state.arrays | {"best": bound}, kept=state.kept | {"best": a})

    def room(self, problem: Problem) -> float:
        """Duals: now, before, the best; squares and the order of the rows; then Newton's."""
        return max(usual(problem, rows=7), NewtonCG().room(problem) + usual(problem, rows=3, columns=0))

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """The sweeps' own a, the best so far of each head; nothing beyond -l'(z) after Newton's steps."""
        return state.kept.get("best")


def _bias(problem: Problem, norms: F64) -> float:
    """B^2: what is penalised has B = 1; what is free is pulled to its centre a hundredth as hard as by the loss."""
    objective = problem.objective
    if objective.intercept != "free":
        return 1.0 if objective.intercept == "penalised" else 0.0
    bend = objective.loss.curvature
    if not np.isfinite(bend):
        assert objective.loss.d2 is not None
        bend = float(np.asarray(objective.loss.d2(np.zeros(1)))[0])
    return max(min(_core.inner(problem.source.p, norms), PULL * objective.l2 / bend), 1e-300)


def _outlook(arrays: dict[str, F64], goal: float) -> tuple[float, float]:
    """(the gap to be expected now, sweeps still needed), from what rows saw of it in the last two sweeps."""
    before, now = arrays["gaps"]
    if arrays["sweeps"][0] < SETTLED:
        return float(now), 0.0
    ratio = now / before if before > 0 else 0.0
    if ratio >= 1:
        return float(now), math.inf if now > goal else 0.0
    return float(now * ratio), math.log(now / goal) / -math.log(ratio) if ratio > 0 and now > goal else 0.0
