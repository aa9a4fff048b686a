"""min_D g.D + D'HD / 2 + sum_j g_j(w_j + D_j): the inner problem of projected Newton, all heads side by side.

Weights that sit at an end (or at the kink) and are pushed against it stay; the others take a Newton step together,
projected on their box and orthant, as long as the model confirms: Bertsekas 1982.  Weights within a hair of where they
are pushed to take a diagonal step of their own, which ends there.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from widemargin._types import F64, Array
from widemargin.objective import Objective, Theta, every
from widemargin.solve.damping import damped
from widemargin.solve.gram_set import GramModel as Descent
from widemargin.solve.newton import solve_positive
from widemargin.solve.protocol import Problem, State
from widemargin.terms import Separable

HAIR = 1e-10  # relative distance from an end that counts as being there
SHARE = 1e-4  # of the decrease that the slopes promise
HALVINGS = 30
ACCURACY = 1e-3  # of the first violation: the inner problem's, which shrinks with the outer one's


class Model(Protocol):
    """The quadratic part."""

    passes: int
    rounds: int  # how often the active set may change

    def product(self, D: Theta) -> Theta:
        """H D."""

    def solve(self, v: Theta, free: Array) -> Theta:
        """-(H + l2)^-1 v on the free weights, 0 on the others."""

    def diagonal(self) -> Theta:
        """diag H + l2."""


class Slopes(NamedTuple):
    """At a point of the model: steepest slopes, the orthant they are taken in, and who may move how."""

    v: Theta
    low: F64  # ends of the piece of the box and the orthant on which g is a parabola
    high: F64
    free: Array
    near: Array


def _stack(objective: Objective, theta: Theta) -> F64:
    return np.vstack([theta.W, theta.b]) if objective.intercept == "penalised" else theta.W


def slopes(objective: Objective, theta: Theta, g: Theta) -> Slopes:
    """Slopes of the model plus penalty; weights that are pushed against an end are neither free nor near."""
    g_of = objective.separable
    assert g_of is not None
    W, G = _stack(objective, theta), _stack(objective, g)
    smooth = G + g_of.l2 * W
    side = np.where(W == 0, -np.sign(smooth) * (np.abs(smooth) > g_of.l1), np.sign(W))  # where the kink lets it go
    kinked = np.broadcast_to(g_of.l1, W.shape) > 0
    v = np.where(kinked, smooth + g_of.l1 * side, smooth)
    v = np.where(kinked & (side == 0), 0.0, v)
    low = np.where(kinked & (side >= 0), np.maximum(g_of.low, 0.0), g_of.low) + np.zeros_like(W)
    high = np.where(kinked & (side <= 0), np.minimum(g_of.high, 0.0), g_of.high) + np.zeros_like(W)
    low, high = np.minimum(low, W), np.maximum(high, W)  # a weight is never outside its own piece
    hair = HAIR * np.maximum(np.abs(W), 1e-300)
    against = ((W - low <= hair) & (v > 0)) | ((high - W <= hair) & (v < 0))
    stays = ((low >= W) & (v > 0)) | ((high <= W) & (v < 0)) | (kinked & (side == 0))
    v = np.where(stays, 0.0, v)
    d = len(theta.W)
    if objective.intercept == "penalised":
        return Slopes(Theta(v[:d], v[d]), low, high, ~(against | stays), against & ~stays)
    b = g.b if objective.intercept == "free" else np.zeros_like(g.b)
    return Slopes(Theta(v, b), low, high, ~(against | stays), against & ~stays)


def minimise(objective: Objective, model: Model, theta: Theta, g: Theta) -> tuple[Theta, int]:
    """The model's minimiser from theta, and how many rounds it took."""
    if isinstance(model, GramModel) and model.curved and not objective.boxed:
        return model.descended(theta, g), 1
    dot, columns = objective.dot, objective.columns
    point, slope, first = theta, g, None
    count = 0
    while count < model.rounds:
        at = slopes(objective, point, slope)
        size = np.sqrt(dot(at.v, at.v))
        first = size if first is None else first
        if (count > 0 and every(size <= ACCURACY * first)) or not size.any():
            break
        count += 1
        step = model.solve(at.v, at.free)
        if at.near.any():
            diagonal = _stack(objective, model.diagonal())
            alone = np.where(at.near, -_stack(objective, at.v) / diagonal, 0.0)
            step = Theta(step.W + alone[: len(step.W)], step.b + (alone[-1] if len(alone) > len(step.W) else 0.0))
        t, moved = np.ones(objective.heads), None
        for _ in range(HALVINGS):
            trial = _projected(objective, point.plus(columns(t), step), at)
            move = Theta(trial.W - point.W, trial.b - point.b)
            bent = model.product(move)
            gain = dot(slope, move) + 0.5 * dot(move, bent)
            gain = gain + objective.penalty_value(trial) - objective.penalty_value(point)
            fine = gain <= SHARE * dot(at.v, move)
            if every(fine):
                moved = trial
                break
            t = np.where(fine, t, 0.25 * t)
        if moved is None or not (move.W.any() or move.b.any()):
            break
        point, slope = moved, slope.plus(1.0, bent)
    return point, count


def _projected(objective: Objective, theta: Theta, at: Slopes) -> Theta:
    """On the piece of box and orthant that the slopes hold for."""
    W = np.clip(_stack(objective, theta), at.low, at.high)
    return Theta(W[:-1], W[-1]) if objective.intercept == "penalised" else Theta(W, theta.b)


class GramModel:
    """H at hand: (H, d + 1, d + 1) per head, or all columns in one."""

    rounds = 60

    def __init__(self, problem: Problem, state: State) -> None:
        self.objective, self.passes = problem.objective, 0
        self.d, self.K = state.theta.W.shape
        self.H = state.arrays["gram"].copy()
        side = self.H.shape[1]
        if np.any(state.arrays["damping"] > 0):  # curvature lent to flat pieces, in the units of each column
            own = np.diagonal(self.H, axis1=1, axis2=2)
            typical = own + 1e-3 * own.max(axis=1, keepdims=True)
            self.H[:, np.arange(side), np.arange(side)] += state.arrays["damping"][:, None] * typical
        self.used = side
        if self.objective.intercept == "none":
            self.used -= self.K if self.objective.joint else 1
            self.H[:, self.used :], self.H[:, :, self.used :] = 0.0, 0.0

    def _flat(self, theta: Theta) -> F64:
        full = np.vstack([theta.W, theta.b])
        return full.reshape(1, -1) if self.objective.joint else full.T

    def _theta(self, flat: F64) -> Theta:
        full = flat.reshape(-1, self.K) if self.objective.joint else flat.T
        return Theta(np.ascontiguousarray(full[:-1]), full[-1])

    def _l2(self) -> F64:
        l2 = np.broadcast_to(self.objective.strengths[1], (self.d, self.K))
        return self._flat(Theta(l2, np.full(self.K, self.objective.l2 * (self.objective.intercept == "penalised"))))

    def product(self, D: Theta) -> Theta:
        """H D."""
        return self._theta(np.einsum("hij,hj->hi", self.H, self._flat(D)))

    def solve(self, v: Theta, free: Array) -> Theta:
        """By Cholesky, head by head."""
        right, l2 = self._flat(v), self._l2()
        on_b = free[-1] if len(free) > self.d else np.full(self.K, self.objective.intercept == "free")
        chosen = self._flat(Theta(free[: self.d].astype(float), on_b.astype(float))) > 0
        out = np.zeros_like(right)
        for h, H in enumerate(self.H):
            on = np.flatnonzero(chosen[h])
            if len(on):
                block = H[np.ix_(on, on)]
                block[np.arange(len(on)), np.arange(len(on))] += l2[h, on]
                out[h, on] = -solve_positive(block, right[h, on])
        return self._theta(out)

    @property
    def curved(self) -> bool:
        """Whether every unknown has curvature of its own, so that coordinate steps have a length."""
        own = np.diagonal(self.H, axis1=1, axis2=2) + self._l2()
        return bool((own[:, : self.used] > 0).all())

    def descended(self, theta: Theta, g: Theta) -> Theta:
        """The minimiser where nothing ends: coordinate steps find the support, exact steps what is on it."""
        l1 = np.broadcast_to(self.objective.strengths[0], (self.d, self.K))
        on_b = np.full(self.K, self.objective.l1 * (self.objective.intercept == "penalised"))
        l1, l2, right = self._flat(Theta(l1, on_b)), self._l2(), self._flat(g)
        at = self._flat(theta).copy()
        used = self.used
        for h, w in enumerate(at):
            here, ends = w[:used].copy(), np.full(used, np.inf)
            held = Separable(l1[h, :used].copy(), l2[h, :used].copy(), -ends, ends)
            enough = ACCURACY * float(held.distance(right[h, :used], here).max(initial=0.0))
            H = np.ascontiguousarray(self.H[h, :used, :used])
            model = Descent(H, right[h, :used].copy(), here, held.l1, held.l2, held.low, held.high)
            w[:used] = model.minimise(here.copy(), enough)
        return self._theta(at)

    def diagonal(self) -> Theta:
        """diag H + l2."""
        own = np.diagonal(self.H, axis1=1, axis2=2) + self._l2()
        return self._theta(np.where(own > 0, own, 1.0))


class FoldModel:
    """H by passes over the rows: conjugate gradients on the free weights, preconditioned with the diagonal."""

    rounds = 4

    def __init__(self, problem: Problem, state: State) -> None:
        self.problem, self.objective, self.passes = problem, problem.objective, 0
        self.theta = state.theta
        self.kept = {"curvature": damped(problem, state.kept["curvature"], state.arrays["damping"])}
        self._diagonal: Theta | None = None

    def product(self, D: Theta) -> Theta:
        """H D, one pass."""
        self.passes += 1
        found = self.problem.fold("product", self.theta, self.kept, direction=D).gradient
        assert found is not None
        return Theta(found.W, found.b if self.objective.intercept != "none" else np.zeros_like(found.b))

    def diagonal(self) -> Theta:
        """diag H + l2, one pass."""
        if self._diagonal is None:
            self.passes += 1
            found = self.problem.fold("diagonal", self.theta, self.kept).gradient
            assert found is not None
            W = found.W + self.objective.strengths[1]
            W = W + 0.01 * W.mean(axis=0)
            self._diagonal = Theta(np.maximum(W, 1e-300), np.maximum(found.b, 1e-300))
        return self._diagonal

    def solve(self, v: Theta, free: Array) -> Theta:
        """Until the residual is a tenth of the slopes, less near the optimum."""
        dot, columns = self.objective.dot, self.objective.columns
        weights, d = self.diagonal(), len(v.W)
        on_W = free[:d]
        on_b = free[d] if len(free) > d else np.full(v.b.shape, self.objective.intercept == "free")
        l2, l2_b = self.objective.strengths[1], self.objective.l2 * (self.objective.intercept == "penalised")
        r = Theta(np.where(on_W, -v.W, 0.0), np.where(on_b, -v.b, 0.0))
        x, z = Theta(np.zeros_like(r.W), np.zeros_like(r.b)), Theta(r.W / weights.W, r.b / weights.b)
        p, rz, size = z, dot(r, z), np.sqrt(dot(r, r))
        goal = size * np.minimum(0.1, np.sqrt(np.maximum(rz, 0.0)))
        for _ in range(min(500, 10 + d)):
            q = self.product(p)
            q = Theta(np.where(on_W, q.W + l2 * p.W, 0.0), np.where(on_b, q.b + l2_b * p.b, 0.0))
            curve = dot(p, q)
            active = (rz > 0) & (curve > 1e-14 * dot(p, Theta(weights.W * p.W, weights.b * p.b)))
            a = columns(np.where(active, rz / np.where(active, curve, 1.0), 0.0))
            x, r = x.plus(a, p), r.plus(-a, q)
            if np.all((np.sqrt(dot(r, r)) <= goal) | ~active):
                break
            z = Theta(r.W / weights.W, r.b / weights.b)
            following = dot(r, z)
            beta = columns(np.where(active, following / np.where(rz > 0, rz, 1.0), 0.0))
            p, rz = Theta(z.W + beta * p.W, z.b + beta * p.b), following
        return x
