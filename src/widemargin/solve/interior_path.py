"""The central path of hinge-like programmes, and one predictor-corrector step along it.

  a_i s_i = mu,  (1 - a_i) xi_i = mu,                         xi_i - s_i = t - z_i,   a_i in [0, 1],
  u_j (l1 - q_j) = mu omega,  v_j (l1 + q_j) = mu omega,      u - v = w,              |q_j| <= l1,
  q = sum_i p_i a_i y_i x_i - l2 w,                           sum_i p_i a_i y_i = 0 (free intercept).

Mehrotra's predictor and corrector (1992, SIAM J. Optim. 2), then Gondzio's centrality correctors (1996, Comput.
Optim. Appl. 6): one factorisation a step, several cheap directions from it.  A row's products are weighted by p_i
in the gap, so that a weight of 2 and a row given twice take the same path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from widemargin._types import F64
from widemargin.solve.feasible import moved
from widemargin.solve.interior_design import Design
from widemargin.solve.interior_system import newton_system

CORRECTORS = 3
REACH = 0.2  # a centrality corrector aims this much beyond the step that is possible
NEAR, FAR = 0.1, 10.0  # products between these multiples of the target are central enough
BACK_OFF = 0.995  # share of the way to the boundary
LEAST_CENTRING = 1e-5  # of mu: keeps products comparable when the predictor could go all the way
EPS = float(np.finfo(float).eps)
TINY = 1e-30
PROXIMAL = 1e-11  # holds w back where no penalty does; vanishes with the step
LEAST = 1e-17  # ... and where L1 is so weak that rounding would move w more than it does


class Iterate(NamedTuple):
    """One point of the path; columns are the equilibrated ones, the intercept last."""

    beta: F64
    u: F64
    v: F64
    q: F64
    a: F64
    s: F64
    xi: F64

    def plus(self, steps: tuple[float, float], d: Iterate) -> Iterate:
        """Primal variables by the first step, dual ones by the second."""
        primal, dual = steps
        return Iterate(
            self.beta + primal * d.beta, self.u + primal * d.u, self.v + primal * d.v, self.q + dual * d.q,
            self.a + dual * d.a, self.s + primal * d.s, self.xi + primal * d.xi,
        )  # fmt: skip


class Products(NamedTuple):
    """What must vanish, or a change of it: (a s, (1 - a) xi) per row, (u (l1 - q), v (l1 + q)) per column."""

    rows: F64  # (2, n)
    columns: F64  # (2, width)


@dataclass(frozen=True, eq=False)
class Programme:
    """One head's linear or quadratic programme."""

    design: Design
    y: F64
    p: F64
    h: F64  # t - y o: the margin that is asked of w and b
    l1: F64  # (width,)
    l2: F64

    @property
    def omega(self) -> F64:
        """Weight of the columns' products in the path; columns without L1 have none."""
        return np.where(self.l1 > 0, 1.0 / len(self.y), 0.0)

    def start(self) -> Iterate:
        """w = 0, the classes balanced, every product near one mu."""
        positive = float(self.p[self.y > 0].sum())
        a = np.clip(np.where(self.y > 0, 1.0 - positive, positive), 0.05, 0.95)
        room = max(1.0, float(np.abs(self.h).mean()))
        q = np.clip(self.design.transposed_times(self.p * a * self.y), -0.5 * self.l1, 0.5 * self.l1)
        u = np.divide(self.omega * room, self.l1, out=np.zeros_like(q), where=self.l1 > 0)
        return Iterate(np.zeros_like(q), u, u, q, a, np.maximum(-self.h, 0) + room, np.maximum(self.h, 0) + room)

    def inside(self, x: Iterate) -> Iterate:
        """Off the boundary, where rounding may have put a point; beyond the last digit that matters."""
        s, xi, u, v = (np.maximum(part, TINY) for part in (x.s, x.xi, x.u, x.v))
        edge = self.l1 * (1 - EPS)
        on = self.l1 > 0
        return Iterate(
            x.beta, u * on, v * on, np.clip(x.q, -edge, edge), np.clip(x.a, TINY, 1 - EPS), s, xi
        )  # fmt: skip

    def products(self, x: Iterate) -> Products:
        """At a point."""
        rows = np.stack([x.a * x.s, (1 - x.a) * x.xi])
        return Products(rows, np.stack([x.u * (self.l1 - x.q), x.v * (self.l1 + x.q)]))

    def centrality(self, x: Iterate) -> float:
        """mu: the mean product, rows weighted by p and columns by omega."""
        found = self.products(x)
        total = np.sum(found.rows @ self.p) + np.sum(found.columns)
        return float(total / (2 * self.p.sum() + 2 * self.omega.sum()))

    def steps(self, x: Iterate, d: Iterate) -> tuple[float, float]:
        """The longest primal and dual steps up to 1 that stay inside; one for both where l2 couples them."""
        on = self.l1 > 0
        u, v, q, l1 = x.u[on], x.v[on], x.q[on], self.l1[on]
        primal = min(_longest(x.s, d.s), _longest(x.xi, d.xi), _longest(u, d.u[on]), _longest(v, d.v[on]))
        dual = min(_longest(x.a, d.a), _longest(1 - x.a, -d.a), _longest(l1 - q, -d.q[on]), _longest(l1 + q, d.q[on]))
        return (min(primal, dual),) * 2 if np.any(self.l2 > 0) else (primal, dual)


def _longest(v: F64, d: F64) -> float:
    return 1.0 / max(1.0, float(np.max(-d / v, initial=0.0)))


class Path:
    """The linearised equations at one point, factored once and solved for several right-hand sides."""

    def __init__(self, lp: Programme, x: Iterate) -> None:
        self.lp, self.x, self.on = lp, x, lp.l1 > 0
        self.plus = np.where(self.on, lp.l1 - x.q, 1.0)
        self.minus = np.where(self.on, lp.l1 + x.q, 1.0)
        curvature = np.divide(1.0, x.u / self.plus + x.v / self.minus, out=np.zeros_like(x.q), where=self.on)
        self.curvature = curvature  # dq / dw along the columns' complementarity
        D = lp.p / (x.xi / (1 - x.a) + x.s / x.a)
        E = lp.l2 + curvature
        free = len(E) - int(lp.design.ones)
        least = np.where(self.on, LEAST, np.where(lp.l2 > 0, 0.0, PROXIMAL)) * min(1.0, float(D.sum()))
        E[:free] = np.maximum(E, least)[:free]
        self.system = newton_system(lp.design, D, E, lp.l1)
        self.primal = lp.h - lp.y * lp.design.times(x.beta) - x.xi + x.s
        self.split = np.where(self.on, x.beta - x.u + x.v, 0.0)
        self.dual = lp.design.transposed_times(lp.p * x.a * lp.y) - lp.l2 * x.beta - x.q

    def direction(self, change: Products, share: float = 1.0) -> Iterate:
        """Newton's step that changes the products so and removes a share of the infeasibilities."""
        lp, x, (on_a, on_1), (on_u, on_v) = self.lp, self.x, change.rows, change.columns
        h = share * self.primal - on_1 / (1 - x.a) + on_a / x.a
        kappa = on_u / self.plus - on_v / self.minus - share * self.split
        beta, eta = self.system.solve(lp.y * h, -(share * self.dual + kappa * self.curvature))
        a = lp.y * eta / lp.p
        q = (beta - kappa) * self.curvature
        u, v = (on_u + x.u * q) / self.plus, (on_v - x.v * q) / self.minus
        return Iterate(beta, u, v, q, a, (on_a - x.s * a) / x.a, (on_1 + x.xi * a) / (1 - x.a))

    def predicted(self) -> tuple[Iterate, float]:
        """Mehrotra's direction, second-order terms included, and the mu that it aims at."""
        lp, x, now = self.lp, self.x, self.lp.products(self.x)
        d = self.direction(Products(-now.rows, -now.columns))
        mu, reached = lp.centrality(x), lp.centrality(x.plus(lp.steps(x, d), d))
        target = max(min(1.0, reached / mu) ** 3, LEAST_CENTRING) * mu
        rows = target - now.rows - np.stack([d.a * d.s, -d.a * d.xi])
        columns = target * lp.omega - now.columns - np.stack([-d.u * d.q, d.v * d.q])
        return self.direction(Products(rows, columns)), target

    def centred(self, d: Iterate, target: float) -> Iterate:
        """Gondzio's correctors: move products that a longer step would leave far off towards the target."""
        lp, x = self.lp, self.x
        steps = lp.steps(x, d)
        for _ in range(CORRECTORS):
            if min(steps) > 0.95:
                break
            primal, dual = (min(1.0, 1.08 * t + REACH) for t in steps)
            found = lp.products(x.plus((primal, dual), d))
            change = Products(_towards(found.rows, target), _towards(found.columns, target * lp.omega))
            trial = Iterate(*(i + j for i, j in zip(d, self.direction(change, share=0.0), strict=True)))
            longer = lp.steps(x, trial)
            if sum(longer) < sum(steps) + 0.1 * REACH:
                break
            d, steps = trial, longer
        return d

    def pruned(self, x: Iterate) -> F64:
        """beta with zeros where the weight is relatively smaller than the room in |q| <= l1.

        What the dropped weights gave to the scores is fitted again by the kept ones, weighted as in Newton's system:
        heavy on the rows at the kink, whose loss would change at first order.
        """
        size = np.abs(x.beta) / max(float(np.max(np.abs(x.beta))), 1e-300)
        room = 1.0 - np.divide(np.abs(x.q), self.lp.l1, out=np.ones_like(x.q), where=self.on)
        kept = size >= room
        if kept.all():
            return x.beta
        dropped = self.lp.design.times(np.where(kept, 0.0, x.beta))
        again, _ = self.system.solve_once(dropped, np.zeros_like(x.beta))
        return np.where(kept, x.beta + again, 0.0)


def _towards(products: F64, target: F64 | float) -> F64:
    return np.maximum(np.clip(products, NEAR * target, FAR * target) - products, -FAR * target)


class Stride(NamedTuple):
    """What one iteration leads to."""

    x: Iterate
    pruned: F64  # beta with the weights on their way to 0 taken out
    dual: F64  # a, moved to sum p a y x = 0 where nothing penalises w
    steps: tuple[float, float]  # primal and dual
    infeasible: float  # largest dual infeasibility before the step


def follow(lp: Programme, x: Iterate) -> Stride:
    """One iteration."""
    path = Path(lp, x)
    d = path.centred(*path.predicted())
    primal, dual = (BACK_OFF * t for t in lp.steps(x, d))
    reached = lp.inside(x.plus((primal, dual), d))
    a = reached.a
    if not np.any(lp.l1 + lp.l2 > 0):
        width = lp.design.width
        a = moved(lp.design, lp.y, lp.p, a, np.ones(width, dtype=bool), np.zeros(width))
    return Stride(reached, path.pruned(reached), a, (primal, dual), float(np.abs(path.dual).max()))
