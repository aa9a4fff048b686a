"""Newton in n unknowns where columns are many: w = X' u (Kimeldorf, Wahba 1971), f = K u + b with K = X X' formed once.

With r = p y l'(z) and h = p l''(z) a step solves (I + h K / alpha) u = c, c = (h (f - o) - r - h b) / alpha, through
B = I + sqrt(h) K sqrt(h) / alpha, whose eigenvalues are at least 1 however K is conditioned: Chapelle 2007; Rasmussen,
Williams 2006, algorithm 3.1.

K bends the model only: slopes are those of X itself.  So K may come from products in single precision, at half the
cost, where the curvature that it misses is small beside alpha; what is left, the next look at X corrects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.data.source import ArraySource
from widemargin.errors import Verdict
from widemargin.objective import Theta
from widemargin.shift import weighted_sum
from widemargin.solve.newton import smooth_l2
from widemargin.solve.protocol import Problem, State, judged
from widemargin.solve.room import usual
from widemargin.solve.start import begin_at
from widemargin.solve.symmetric import factored, outer, solved, times

LARGEST = 4000  # rows: beyond, K and its factors cost more than passes over X
FLOPS = 2e9  # of factorisations between two passes over X, so that an interrupt is heard
WORTH = 1e8  # multiply-adds from which single precision is worth its while
BENT = 1e4  # curvature of a row beside alpha, up to which the seven digits of a rough K are enough
NEAR = 1e-9  # tolerances below which they are not
SETTLED = 0.01  # of the tolerance, promised by a Newton step: the next one would promise its square
HALVINGS = 40
EPS = float(np.finfo(float).eps)


class Point(NamedTuple):
    """One head: the coefficients of the rows, the intercept, and the scores that they give (without offsets)."""

    u: F64
    b: float
    f: F64


def kernel(source: ArraySource, threads: int, rough: bool = False) -> F64:
    """X X', (n, n); `rough`: from products in single precision."""
    if source.X.sparse:
        M = source.X.matrix.astype(np.float64, copy=False)  # float32 is for storage only
        return np.asarray((M @ M.T).toarray(), dtype=float)
    assert source.X.values is not None
    return outer(source.X.values, threads, rough)


def _roughly(problem: Problem) -> F64 | None:
    """The rough kernel, where it will do: its diagonal is that of X X', and alpha bends more than its error."""
    objective, source = problem.objective, problem.source
    if source.X.sparse or problem.tol < NEAR or source.n**2 * source.d < WORTH:
        return None
    exact = np.empty(source.n)
    _core.sqnorms(source.X.core, exact)
    if not objective.loss.curvature * float(np.max(source.p * exact)) <= BENT * objective.l2:
        return None
    with np.errstate(over="ignore", under="ignore"):
        found = kernel(source, problem.reducer.threads, rough=True)
    return found if np.allclose(found.diagonal(), exact, rtol=1e-5, atol=0.0) else None


@dataclass(frozen=True)
class KernelNewton:
    """Newton on the coefficients of the rows, for data with many more columns than rows."""

    name: ClassVar[str] = "kernel_newton"
    cite: ClassVar[str] = "Chapelle 2007; Rasmussen, Williams 2006"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 200
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """Smooth convex loss, L2, few rows."""
        objective, source = problem.objective, problem.source
        reason = smooth_l2(problem, self.name)
        if reason is not None:
            return reason
        if objective.loss.d2 is None or objective.l2 == 0:
            return f"{self.name} needs the penalty 'l2': use solver='newton'"
        if objective.joint:
            return f"{self.name} takes one column of weights at a time: use solver='newton_cg' or multiclass='ovr'"
        if source.n > LARGEST:
            return f"{self.name} would need a matrix of {source.n} x {source.n}: use solver='newton_cg'"
        return None

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """At 0 with the best intercept; a warm point lends its intercept alone, for its w need not be X' u."""
        start = begin_at(problem, None)
        return State(start if warm is None else Theta(start.W, begin_at(problem, warm).b), seed=seed)

    def advance(self, problem: Problem, state: State) -> State:
        """Newton steps in u as far as they help; then w = X' u, judged on X itself."""
        n, note = problem.source.n, ""
        if state.iteration == 0:
            rough = _roughly(problem)
            G = kernel(problem.source, problem.reducer.threads) if rough is None else rough
            b = np.zeros_like(state.theta.b) if problem.objective.intercept == "penalised" else state.theta.b
            f, u = np.tile(b, (n, 1)), np.zeros((n, len(b)))
            state.arrays = {"K": G, "u": u, "f": f, "rough": np.array([rough is not None])}
            state.passes, note = 1.0, f"kernel of {n:,} x {n:,}" + ", rough" * (rough is not None)
        state = self._stepped(problem, state.evolve(note=note))
        if state.done and state.arrays["rough"][0]:  # as good as it gets with what is missing in K
            state.arrays = state.arrays | {
                "K": kernel(problem.source, problem.reducer.threads),
                "rough": np.array([False]),
            }
            state = state.evolve(done="", note="exact kernel", passes=state.passes + 1)
        sums = problem.fold("gradient", state.theta)
        scores, o = problem.measured(state.theta)[1], problem.source.o
        state.arrays = state.arrays | {"f": scores - (0.0 if o is None else o.reshape(n, -1))}
        return judged(problem, state.evolve(iteration=state.iteration + 1, passes=state.passes + 2), sums)

    def _stepped(self, problem: Problem, state: State) -> State:
        objective, source = problem.objective, problem.source
        G, u, b, moved = state.arrays["K"], state.arrays["u"].copy(), state.theta.b.copy(), False
        if objective.intercept == "penalised":
            G = G + 1.0
        steps = max(1, int(FLOPS * 3 / source.n**3))
        for k in range(objective.K):
            head = _Head(problem, G, k)
            fixed = 0.0 if objective.intercept == "penalised" else float(b[k])
            point = Point(u[:, k], fixed, state.arrays["f"][:, k])
            for _ in range(steps):
                problem.poll()
                new, promised = head.step(point)
                if new is None:
                    break
                point, moved = new, True
                if promised <= SETTLED * problem.tol * head.value(point):
                    break
            u[:, k] = point.u
            b[k] = point.u.sum() if objective.intercept == "penalised" else point.b
        theta = Theta(problem.reducer.products(source, u), b)
        state.arrays = state.arrays | {"u": u}
        return state.evolve(theta=theta, done="" if moved else "stalled")

    def room(self, problem: Problem) -> float:
        """K, the model's matrix, and what products of K are packed in."""
        return usual(problem, rows=8) + 8.0 * 3 * problem.source.n**2

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Nothing beyond -l'(z)."""
        return None


class _Head:
    """The problem of one column of weights, in the coefficients of the rows."""

    def __init__(self, problem: Problem, G: F64, k: int) -> None:
        source = problem.source
        self.loss, self.alpha, self.G, self.p = problem.objective.loss, problem.objective.l2, G, source.p
        self.free, self.threads = problem.objective.intercept == "free", problem.reducer.threads
        self.y = source.signs[:, k]
        self.o: F64 | float = 0.0
        if source.o is not None:
            self.o = np.broadcast_to(source.o.reshape(source.n, -1), (source.n, problem.objective.K))[:, k]

    def product(self, u: F64) -> F64:
        """K u."""
        return times(self.G, u, self.threads)

    def value(self, at: Point) -> float:
        """The objective."""
        losses = np.asarray(self.loss.value(self.y * (at.f + self.o)))
        return float(weighted_sum(self.p, losses)) + 0.5 * self.alpha * _core.inner(at.u, at.f - at.b)

    def step(self, at: Point) -> tuple[Point | None, float]:
        """Newton's step, halved until it helps; and what it promised."""
        z = self.y * (at.f + self.o)
        assert self.loss.d2 is not None
        r = np.where(self.p > 0, self.p * self.y * np.asarray(self.loss.d1(z)), 0.0)
        h = np.where(self.p > 0, self.p * np.asarray(self.loss.d2(z)), 0.0)
        target = self._target(h, h * (self.product(at.u) + at.b) - r, at.b)
        if target is None:  # numbers so large that the kernel is rounding: another solver's turn
            return None, 0.0
        u, b = target
        du, db = u - at.u, b - at.b
        df = self.product(du) + db
        promised = -(_core.inner(r, df) + self.alpha * _core.inner(at.u, df - db))
        now, t = self.value(at), 1.0
        if not promised > 16 * EPS * abs(now):
            return None, promised
        for _ in range(HALVINGS):
            trial = Point(at.u + t * du, at.b + t * db, at.f + t * df)
            if self.value(trial) <= now - 1e-4 * t * promised + 16 * EPS * abs(now):
                return trial, t * promised
            t *= 0.5
        return None, promised

    def _target(self, h: F64, c: F64, b: float) -> tuple[F64, float] | None:
        """u and b with alpha u = c - h (K u + b), and sum u = 0 where b is free."""
        root = np.sqrt(h)
        B = self.G * (root / self.alpha)[:, None] * root
        B.reshape(-1)[:: len(h) + 1] += 1.0
        L = factored(B, self.threads)
        if L is None:
            return None

        def found(q: F64) -> F64:
            return np.asarray(q - root * solved(L, root * self.product(q)) / self.alpha)

        if not self.free:
            return found((c - h * b) / self.alpha), b
        base, lift = found(c / self.alpha), found(h / self.alpha)
        if lift.sum() > 0:
            b = float(base.sum() / lift.sum())
        return base - b * lift, b
