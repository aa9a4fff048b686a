"""Crammer and Singer's loss with L2: a semismooth Newton method on an augmented Lagrangian, all classes together.

  Phi(W) = sum p max_a [-l*(-t) - sum a_k m_k - d/2 ||a - c||^2] + sum_j l2_j ||W_j||^2 / 2,  a_k >= 0, t = sum a_k
(rivals.py).  Its slopes are a dual point; c <- a and a smaller d once they are flat: Rockafellar 1976; the steps come
from conjugate gradients with one Cholesky factor that all classes share.  The loss: Crammer, Singer 2001 (JMLR 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin._types import F64, Array
from widemargin.certificate import prove
from widemargin.errors import Verdict
from widemargin.objective import Theta
from widemargin.rivals import Nearest, kept, margins, nearest, own_classes
from widemargin.shift import weighted_sum
from widemargin.solve.conjugate import Product, solve
from widemargin.solve.interior_system import cholesky
from widemargin.solve.line_search import where_flat
from widemargin.solve.protocol import Problem, State
from widemargin.solve.softmax_cg import LARGEST, Together, shared
from widemargin.solve.start import begin_at

EXACT = 0.02  # of what c still moves, that the slopes may be
QUICK, SLOW = 4, 8  # Newton steps after which d shrinks much, and a little
MUCH, LITTLE = 0.25, 0.6
DAMPED = 1e-3  # of the slopes, added to the Hessian
PATIENCE = 6


@dataclass(frozen=True)
class RivalNewton:
    """The multiclass support vector machine, with its certificate; any loss that falls, L2, up to 3,000 columns."""

    name: ClassVar[str] = "rival_newton"
    cite: ClassVar[str] = "Crammer, Singer 2001; Rockafellar 1976"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    multiclass: ClassVar[str] = "crammer_singer"
    columns: ClassVar[str] = "factors"
    limit: ClassVar[int] = 400
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """Crammer-Singer with L2 on every column, a loss that falls, few columns."""
        objective = problem.objective
        if objective.multiclass != "crammer_singer":
            return "rival_newton is for three classes or more and multiclass='crammer_singer': use solver='gd'"
        if not objective.convex:
            return f"rival_newton needs a convex loss that falls, not {objective.loss.name!r}: use solver='sgd'"
        if objective.shares is None or objective.l1 > 0 or np.any(objective.strengths[1] <= 0):
            return "rival_newton needs the penalty 'l2' on every column: use solver='sgd'"
        if problem.source.d > LARGEST:
            return f"rival_newton would factor {problem.source.d} columns: use solver='sgd'"
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """At the warm point, or at 0; every rival with the same share."""
        source, K = problem.source, problem.objective.K
        centre = np.full((source.n, K), 0.5 / (K - 1))
        np.put_along_axis(centre, own_classes(source), 0.0, axis=1)
        arrays = {"level": np.ones(1), "newton": np.zeros(1), "idle": np.zeros(1), "proved": np.zeros(1)}
        theta = begin_at(problem, warm)
        arrays |= {"W": theta.W, "b": theta.b}
        return State(theta, seed=seed, arrays=arrays, kept={"centre": centre, "dual": 0 * centre})

    def advance(self, problem: Problem, state: State) -> State:
        """What the point proves; then c moves, or else a Newton step."""
        objective, source = problem.objective, problem.source
        arrays = {name: array.copy() for name, array in state.arrays.items()}
        rows = dict(state.kept)
        theta = Theta(arrays["W"], arrays["b"])
        scores, own = problem.reducer.scores(source, theta), own_classes(source)
        M, level = margins(scores, own), float(arrays["level"][0])
        near = nearest(objective.loss, M, rows["centre"], level)
        A = kept(near.a, own)
        point = prove(objective, A, source, problem.anchors)
        if point.bounds[0] > arrays["proved"][0]:
            arrays["proved"], rows["dual"] = point.bounds, point.a
        z = M.min(axis=1)
        value = float(weighted_sum(source.p, np.asarray(objective.loss.value(z)))) + objective.penalty_value(theta)
        following = state.evolve(
            theta=theta, value=value, errors=np.array([float(source.p @ (z <= 0))]), bound=arrays["proved"].copy(),
            step=level, iteration=state.iteration + 1, passes=state.passes + 4.0, arrays=arrays, kept=rows, note="",
        )  # fmt: skip
        return self._improved(problem, following, _Here(scores, own, near, A, level))

    def _improved(self, problem: Problem, state: State, here: _Here) -> State:
        """The state with what the next one begins from."""
        source, theta, arrays, rows = problem.source, state.theta, state.arrays, state.kept
        g = _slope(problem, theta, here.A)
        size = float(np.sqrt(problem.objective.dot(g, g)[0])) / max(here.reach(problem), 1e-300)
        moves = here.level * float(np.sqrt(source.p @ ((here.near.a - rows["centre"]) ** 2).sum(axis=1)))
        taken = int(arrays["newton"][0])
        if taken and size <= max(EXACT * moves / max(here.level, 1e-300) * min(1.0, here.level), 1e-14):
            rows["centre"] = here.near.a
            arrays["level"] = arrays["level"] * (MUCH if taken <= QUICK else LITTLE if taken <= SLOW else 1.0)
            arrays["newton"] = np.zeros(1)
            return state
        step, products = _direction(problem, theta, g, here, size)
        t = _search(problem, theta, step, rows["centre"], here)
        arrays["newton"] = arrays["newton"] + 1
        arrays["idle"] = np.zeros(1) if t > 1e-8 else arrays["idle"] + 1
        if t <= 1e-8:
            arrays["level"] = 2 * arrays["level"]
        arrays["W"], arrays["b"] = theta.plus(t, step)
        return state.evolve(
            passes=state.passes + products + 1, note=f"{products} products",
            done="stalled" if arrays["idle"][0] >= PATIENCE else "",
        )  # fmt: skip

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """The best proved so far."""
        return state.kept["dual"]


@dataclass(frozen=True, eq=False)
class _Here:
    """Scores and the smoothed loss's slopes at a point."""

    scores: F64
    own: Array
    near: Nearest
    A: F64
    level: float

    def reach(self, problem: Problem) -> float:
        """The size of a gradient in which every row counts."""
        return float(np.sqrt(problem.source.p @ self.scores.var(axis=1))) + 1.0

    def bent(self, D: F64) -> F64:
        """How the slopes of the smoothed loss change with the scores, without p."""
        own, on = self.own, self.near.a > 0
        m = np.where(on, np.take_along_axis(D, own, axis=1) - D, 0.0)
        change = np.where(on, (self.near.share * m.sum(axis=1))[:, None] - m, 0.0) / self.level
        np.put_along_axis(change, own, -change.sum(axis=1, keepdims=True), axis=1)
        return change


def _slope(problem: Problem, theta: Theta, A: F64) -> Theta:
    objective, source = problem.objective, problem.source
    signed = source.p[:, None] * A
    held = objective.penalty_gradient(theta)
    b = held.b - signed.sum(axis=0) if objective.intercept != "none" else np.zeros_like(held.b)
    return Theta(held.W - problem.reducer.products(source, signed), b)


def _direction(problem: Problem, theta: Theta, g: Theta, here: _Here, size: float) -> tuple[Theta, int]:
    """-H^-1 g, nearly."""
    objective, source = problem.objective, problem.source
    d, free = source.d, objective.intercept != "none"
    omega = np.count_nonzero(here.near.a > 0, axis=1) / (here.level * (objective.K - 1))
    gram = shared(problem, omega)
    damping = DAMPED * size * np.maximum(gram.diagonal(), 1e-12)
    on_b = objective.l2 if objective.intercept == "penalised" else 0.0
    l2 = np.append(np.broadcast_to(objective.strengths[1][:, 0], d), on_b) + damping
    if not free:
        gram[d] = gram[:, d] = 0.0
    gram[np.diag_indices(d + 1)] += l2 + 1e-12
    M = np.repeat(np.maximum(gram.diagonal(), 1e-300)[:, None], objective.K, axis=1)
    bare = problem.source if source.o is None else type(source)(source.X, source.y, source.s, None, source.classes)

    def multiply(p: F64, q: F64) -> None:
        b = p[-1] if free else np.zeros(objective.K)
        signed = source.p[:, None] * here.bent(problem.reducer.scores(bare, Theta(p[:-1], b)))
        q[:-1], q[-1] = problem.reducer.products(source, signed), signed.sum(axis=0) if free else 0.0

    product: Product = multiply
    heads = Together(objective, M, l2, problem.reducer.threads, cholesky(gram))
    found = solve(heads, product, g, 10 + 4 * (d + 1))
    return found.x, found.products


def _search(problem: Problem, theta: Theta, step: Theta, centre: F64, here: _Here) -> float:
    """t in (0, 1] where the slope of Phi has nearly vanished, or 1 where it is still downhill; 0: not downhill."""
    objective, source = problem.objective, problem.source
    zero = Theta(np.zeros_like(theta.W), np.zeros_like(theta.b))
    away = problem.reducer.scores(source, step) - problem.reducer.scores(source, zero)
    fixed = float(objective.dot(objective.penalty_gradient(theta), step)[0])
    bent = float(objective.dot(objective.penalty_gradient(step), step)[0])

    def slope(t: float) -> float:
        near = nearest(objective.loss, margins(here.scores + t * away, here.own), centre, here.level)
        signed = source.p[:, None] * kept(near.a, here.own)
        return fixed + t * bent - float((signed * away).sum())

    return where_flat(slope)
