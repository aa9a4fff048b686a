"""NumPy twins of the row algorithms, for tests only: eager loops, written from the formulas of the papers.

X is dense, y is -1/+1 for two classes and a class number beyond, W is (d, K), b is (K,).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin._types import F64, I64

Slopes = Callable[[F64, float], tuple[float, F64]]  # scores, label -> margin, dl/df


@dataclass
class Run:
    """Weights after the last step, and what happened on the way."""

    W: F64
    b: F64
    t: int = 0
    mistakes: list[int] = field(default_factory=list)  # per pass
    updates: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)  # per step
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    iterates: list[tuple[F64, F64]] = field(default_factory=list)  # after each step

    def average(self, start: int = 1) -> tuple[F64, F64]:
        """The mean of the iterates from step `start` on."""
        kept = self.iterates[start - 1 :]
        return np.mean([W for W, _ in kept], axis=0), np.mean([b for _, b in kept], axis=0)


def orders(n: int, passes: int, seed: int | None) -> list[I64]:
    """Rows as they come, or the permutation of each pass."""
    if seed is None:
        return [np.arange(n)] * passes
    return [np.random.default_rng([seed, k]).permutation(n) for k in range(passes)]


def rival(f: F64, own: int) -> int:
    """The best wrong class, the first of several."""
    others = np.where(np.arange(len(f)) == own, -np.inf, f)
    return int(np.argmax(others))


def signs(y: float, K: int) -> F64:
    """Labels of the one-vs-rest problems of a row."""
    return np.array([y]) if K == 1 else np.where(np.arange(K) == int(y), 1.0, -1.0)


def margin(f: F64, y: float) -> float:
    """y f, or own score less the rival's."""
    return float(y * f[0]) if len(f) == 1 else float(f[int(y)] - f[rival(f, int(y))])


def one_vs_rest(loss: Any) -> Slopes:
    """sum_k l(y_k f_k)."""
    return lambda f, y: (margin(f, y), signs(y, len(f)) * loss.d1(signs(y, len(f)) * f))


def crammer_singer(loss: Any) -> Slopes:
    """l(f_own - f_rival)."""

    def slopes(f: F64, y: float) -> tuple[float, F64]:
        g, z = np.zeros(len(f)), margin(f, y)
        g[int(y)] = loss.d1(z)
        g[rival(f, int(y))] = -loss.d1(z)
        return z, g

    return slopes


def softmax(f: F64, y: float) -> tuple[float, F64]:
    """log sum exp f - f_own."""
    e = np.exp(f - f.max())
    return margin(f, y), e / e.sum() - (np.arange(len(f)) == int(y))


def soft(w: F64, t: float) -> F64:
    """The prox of t |.|_1."""
    return np.sign(w) * np.maximum(np.abs(w) - t, 0.0)


def sgd(
    X: F64, y: F64, slopes: Slopes, eta: Callable[[int], float], visits: Iterable[I64], *, K: int = 1,
    l1: float = 0.0, l2: float = 0.0, s: F64 | None = None, o: F64 | None = None, batch: int = 1,
    intercept: bool = True, rate_of_b: float = 1.0,
) -> Run:  # fmt: skip
    """w <- soft((1 - eta l2) w - eta mean s l'(f) x, eta l1): proximal stochastic gradient.  Duchi, Singer 2009."""
    n, d = X.shape
    run = Run(np.zeros((d, K)), np.zeros(K))
    weight = np.ones(n) if s is None else s / s.mean()
    offset = np.zeros((n, K)) if o is None else o.reshape(n, -1) * np.ones(K)
    for order in visits:
        mistakes = 0
        for start in range(0, n, batch):
            rows = order[start : start + batch]
            run.t += 1
            step, total_W, total_b = eta(run.t), np.zeros((d, K)), np.zeros(K)
            for i in rows:
                z, g = slopes(X[i] @ run.W + run.b + offset[i], y[i])
                mistakes += z <= 0 and weight[i] > 0
                total_W += weight[i] / len(rows) * np.outer(X[i], g)
                total_b += weight[i] / len(rows) * g
                run.rows.append(int(i))
                run.before.append(z)
            run.W = soft((1 - step * l2) * run.W - step * total_W, step * l1)
            run.b = run.b - (step * rate_of_b * total_b if intercept else 0.0)
            run.after += [margin(X[i] @ run.W + run.b + offset[i], y[i]) for i in rows]
            run.iterates.append((run.W.copy(), run.b.copy()))
        run.mistakes.append(mistakes)
    return run


def perceptron(
    X: F64, y: F64, visits: Iterable[I64], *, eta: Callable[[int], float] = lambda t: 1.0, intercept: bool = True,
    o: F64 | None = None,
) -> Run:  # fmt: skip
    """If y (w.x + b) <= 0: w <- w + eta y x, b <- b + eta y.  Rosenblatt 1958."""
    run = Run(np.zeros((X.shape[1], 1)), np.zeros(1))
    w, b = run.W[:, 0], run.b
    for order in visits:
        mistakes = 0
        for i in order:
            run.t += 1
            z = y[i] * (w @ X[i] + b[0] + (0.0 if o is None else o[i]))
            if z <= 0:
                mistakes += 1
                w += eta(run.t) * y[i] * X[i]
                b += eta(run.t) * y[i] * intercept
                run.updates.append(run.t)
                run.rows.append(int(i))
            run.iterates.append((run.W.copy(), run.b.copy()))
        run.mistakes.append(mistakes)
    return run


def rival_perceptron(X: F64, y: F64, K: int, visits: Iterable[I64]) -> Run:
    """If the rival's score reaches the own: own <- own + x, rival <- rival - x.  Crammer, Singer 2003."""
    run = Run(np.zeros((X.shape[1], K)), np.zeros(K))
    for order in visits:
        mistakes = 0
        for i in order:
            f = X[i] @ run.W + run.b
            own, other = int(y[i]), rival(f, int(y[i]))
            if f[own] <= f[other]:
                mistakes += 1
                for k, sign in ((own, 1.0), (other, -1.0)):
                    run.W[:, k] += sign * X[i]
                    run.b[k] += sign
        run.mistakes.append(mistakes)
    return run


def votes(X: F64, y: F64, visits: Iterable[I64]) -> list[tuple[F64, float, int]]:
    """(w_k, b_k, c_k): every weight vector and the rows it survived.  Freund, Schapire 1999, with an intercept."""
    found: list[tuple[F64, float, int]] = []
    w, b, c = np.zeros(X.shape[1]), 0.0, 0
    for order in visits:
        for i in order:
            if y[i] * (w @ X[i] + b) <= 0:
                found.append((w, b, c))
                w, b, c = w + y[i] * X[i], b + y[i], 1
            else:
                c += 1
    return [*found, (w, b, c)]


def tau(variant: str, z: float, norm: float, C: float) -> float:
    """How far a row moves the weights.  Crammer et al. 2006, figure 1."""
    loss = max(0.0, 1.0 - z)
    if norm == 0:
        return 0.0
    return {"pa": loss / norm, "pa1": min(C, loss / norm), "pa2": loss / (norm + 1 / (2 * C))}[variant]


def passive_aggressive(
    X: F64, y: F64, variant: str, C: float, visits: Iterable[I64], *, K: int = 1, intercept: bool = True,
    multiclass: str = "ovr",
) -> Run:  # fmt: skip
    """w <- w + tau y x.  Crammer et al. 2006; own class against rival: section 10."""
    run = Run(np.zeros((X.shape[1], K)), np.zeros(K))
    for order in visits:
        mistakes = 0
        for i in order:
            f, norm = X[i] @ run.W + run.b, X[i] @ X[i] + intercept
            step = np.zeros(K)
            if multiclass == "crammer_singer":
                move = tau(variant, margin(f, y[i]), 2 * norm, C)
                step[int(y[i])], step[rival(f, int(y[i]))] = move, -move
            else:
                sign = signs(y[i], K)
                step = sign * [tau(variant, z, norm, C) for z in sign * f]
            mistakes += margin(f, y[i]) <= 0
            run.W += np.outer(X[i], step)
            run.b += step * intercept
        run.mistakes.append(mistakes)
    return run


def dual_hinge_sweep(X: F64, y: F64, p: F64, alpha: float, a: F64, order: I64) -> tuple[F64, F64]:
    """a_i <- clip(a_i + alpha (1 - z_i) / (p_i ||x_i||^2), 0, 1), w = sum p a y x / alpha.  Hsieh et al. 2008."""
    a = a.copy()
    w = X.T @ (p * a * y) / alpha
    for i in order:
        gain = alpha * (1 - y[i] * (X[i] @ w)) / (p[i] * (X[i] @ X[i]))
        new = min(1.0, max(0.0, a[i] + gain))
        w += p[i] * (new - a[i]) * y[i] * X[i] / alpha
        a[i] = new
    return w, a
