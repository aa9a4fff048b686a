"""One head of the augmented Lagrangian of kink_newton: its ramp, what its a proves, and its Newton step."""

from __future__ import annotations

import numpy as np

from widemargin import _core
from widemargin._types import F64, Array
from widemargin.data.rows import Rows
from widemargin.data.source import ArraySource
from widemargin.loss import losses
from widemargin.objective import Objective, Theta
from widemargin.penalty import penalties
from widemargin.solve.interior_system import cholesky
from widemargin.solve.line_search import where_flat
from widemargin.solve.protocol import Problem, Task

NARROWER = 0.2  # of one width to the next
LEAST_WIDTH = 1e-12
FLAT = 0.3  # what is left of phi, beside what the width costs, where the centre moves
RIDGE = 1e-14  # of the Hessian's largest pivot


def thinned(source: ArraySource, step: int) -> ArraySource:
    """Every step-th row; dense rows as a view."""
    if step == 1:
        return source
    X, every = source.X, slice(None, None, step)
    if X.sparse or X.values is None:
        rows = X.take(np.arange(0, X.n, step))
    else:
        rows = Rows(-(-X.n // step), X.d, X.values[every])
    s, o = (None if array is None else np.ascontiguousarray(array[every]) for array in (source.s, source.o))
    if s is not None and not s.sum() > 0:
        s = None
    return ArraySource(rows, np.ascontiguousarray(source.y[every]), s, o, source.classes)


def without_offsets(source: ArraySource) -> ArraySource:
    """The same rows; h holds what the offsets ask."""
    return ArraySource(source.X, source.y, source.s, None, source.classes)


class Head:
    """w, b and a of one column; z = y (w.x), to which y b is added where it is needed."""

    def __init__(
        self, problem: Problem, part: ArraySource, arrays: dict[str, F64], kept: dict[str, F64], k: int
    ) -> None:
        self.problem, self.rows, self.k = problem, without_offsets(part), k
        self.arrays, self.kept, self.alpha = arrays, kept, problem.objective.l2
        self.y, self.p = np.ascontiguousarray(part.signs[:, k]), part.p
        self.w, self.b = arrays["W"][:, k].copy(), float(arrays["b"][k])
        self.width, self.centre, self.scores = float(arrays["width"][k]), kept["centre"][k], kept["scores"][k]
        self.h = np.full(part.n, problem.objective.loss.threshold)
        if part.o is not None:
            self.h -= self.y * np.broadcast_to(part.o.reshape(part.n, -1), part.signs.shape)[:, k]
        self.free, self.held = (problem.objective.intercept == kind for kind in ("free", "penalised"))
        self._evaluate()

    def _evaluate(self) -> None:
        """a, V = sum p a y x, and from them P, D and the gap."""
        alpha, w, b = self.alpha, self.w, self.b
        margins = self.scores + b
        margins *= self.y
        self.short = self.h - margins  # of the margin that is asked
        self.a = self.ramp(self.short)
        weighted = self.p * self.a
        signed = weighted * self.y
        self.V, self.excess = self.problem.reducer.products(self.rows, signed[:, None])[:, 0], float(signed.sum())
        lost = _core.inner(self.p, np.maximum(self.short, 0.0))
        self.cost = lost - _core.inner(weighted, self.short)  # of the width: complementarity
        self.value = lost + 0.5 * alpha * (float(w @ w) + (b * b if self.held else 0.0))
        self.errors = float(self.p[margins <= 0].sum())
        self.T = _core.inner(weighted, self.h)
        self.gradient = np.append(alpha * w - self.V, -self.excess + (alpha * b if self.held else 0.0))
        if not (self.free or self.held):
            self.gradient[-1] = 0.0
        self.bound = self._bound()
        self.relative = (self.value - self.bound) / max(abs(self.value), 1e-300)

    def ramp(self, short: F64) -> F64:
        """clip(c + (h - z) / d, 0, 1)."""
        out = short / self.width
        out += self.centre
        return np.clip(out, 0.0, 1.0, out=out)

    def _bound(self) -> float:
        """D(a), an anchor taking what is left of sum p a y; on a sample the anchor is not needed."""
        V, T, alpha = self.V, self.T, self.alpha
        if self.held:
            T -= 0.5 * self.excess**2 / alpha
        if self.free and len(self.y) == self.problem.source.n and self.excess != 0.0:
            corner = self.problem.anchors.corners[self.k, self.excess < 0]
            share = abs(self.excess) / (abs(self.excess) + corner.mass)
            V, T = (1 - share) * V + share * corner.V, (1 - share) * T + share * corner.T
        return T - 0.5 * float(V @ V) / alpha

    def improve(self) -> bool:
        """A narrower ramp about a where phi is flat; else a Newton step.  False: neither helps any more."""
        flat = 0.5 * float(self.gradient[:-1] @ self.gradient[:-1]) / self.alpha + abs(self.gradient[-1])
        if flat <= FLAT * self.cost and self.width > LEAST_WIDTH:
            self.kept["centre"][self.k] = self.a
            self.arrays["width"][self.k] = NARROWER * self.width
            return True
        step = self._newton()
        along = self.y * (self.problem.reducer.scores(self.rows, Theta(step[:-1, None], np.zeros(1)))[:, 0] + step[-1])
        t = self._search(step, along)
        self.arrays["W"][:, self.k] += t * step[:-1]
        self.arrays["b"][self.k] += t * step[-1]
        self.kept["scores"][self.k] += t * (self.y * along - step[-1])
        return t > 0

    def _newton(self) -> F64:
        """-H^-1 gradient, H = alpha I + sum p (x, 1)(x, 1)' / d over the rows inside the ramp."""
        inside = np.flatnonzero((self.a > 0) & (self.a < 1) & (self.p > 0))
        d = len(self.w)
        H = self._gram(inside) if len(inside) else np.zeros((d + 1, d + 1))
        if not (self.free or self.held):
            H[d] = H[:, d] = 0.0
        diagonal = np.full(d + 1, self.alpha)
        diagonal[d] = self.alpha if self.held else RIDGE * max(float(H.diagonal().max()), self.alpha) + 1e-300
        if not (self.free or self.held):
            diagonal[d] = 1.0
        H[np.diag_indices(d + 1)] += diagonal
        step = -cholesky(H, self.problem.reducer.threads)(self.gradient)
        if self.free and not len(inside):
            step[d] = np.clip(step[d], -1.0, 1.0)  # phi is linear in b here
        return step

    def _gram(self, inside: Array) -> F64:
        """sum p (x, 1)(x, 1)' / d over some rows: the Hessian of a loss of constant curvature."""
        loss, d = losses["squared"], len(self.w)
        rows = self.rows.X.take(inside, self.problem.reducer.threads)
        part = ArraySource(rows, self.y[inside], self.p[inside])
        task = Task("gram", Theta(np.zeros((d, 1)), np.zeros(1)))
        gram = self.problem.reducer.fold(part, Objective(loss, penalties["none"], 0.0), task).gram
        assert gram is not None
        return np.asarray(gram[0] * (part.total_weight / (loss.curvature * self.width)))

    def _search(self, step: F64, along: F64) -> float:
        """t in (0, 1] where the slope of phi along the step has nearly vanished, or 1 where it is still downhill."""
        py, alpha = self.p, self.alpha
        bent = alpha * (float(step[:-1] @ step[:-1]) + (step[-1] ** 2 if self.held else 0.0))
        fixed = alpha * (float(self.w @ step[:-1]) + (self.b * step[-1] if self.held else 0.0))

        def slope(t: float) -> float:
            return fixed + t * bent - _core.inner(py, self.ramp(self.short - t * along) * along)

        return where_flat(slope)
