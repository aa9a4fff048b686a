"""min sum p l(z) + alpha/2 |w|^2 for the convex losses l: where the fewest errors are looked for first.

Fitted again with weights s / (max(0, 1 - z) + eps), rows far on the wrong side count less and less, and the sum
approaches that of the zero-one loss: Mangasarian 1996; Candes, Wakin, Boyd 2008.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64
from widemargin.errors import NotConverged, Verdict
from widemargin.events import Event
from widemargin.fewest.incumbent import Known
from widemargin.fewest.points import Points
from widemargin.fitting import Fit, fit
from widemargin.loss import CallableLoss, Loss, losses
from widemargin.separation.scaling import exponents
from widemargin.solve.perceptron import Perceptron
from widemargin.stops import budget

EPS = 0.1
WEAKEST = 1e-8  # alpha of the reweighted fits, columns being of size 1
SMOOTH = "logistic"  # their loss: of the smooth ones, that which costs least far on the wrong side
GIVEN_UP = 0.7  # of the rows that the incumbent misjudges, a new start gives up so many
LITTLE = 0.02  # of their weight is what they then have
ROUNDS = 8
TOL = 1e-3
PASSES = "max_passes:300"  # of the perceptron, which has no end of its own here


class Surrogate(NamedTuple):
    """The fewest errors of a surrogate's solutions over the strengths tried."""

    loss: str
    alpha: float  # 0: the pocket perceptron, whose loss w = 0 minimises
    errors: int
    weight: float
    above: float  # weight - bound: at most so much above the fewest


class Interrupted(Exception):
    """Ctrl-C came during a fit, which has returned."""


def defaults() -> tuple[Loss, ...]:
    """The convex losses of the registry."""
    return tuple(loss for loss in losses.values() if loss.convex)


class Surrogates:
    """Fits on the points; all that they meet is tried as incumbent."""

    def __init__(self, known: Known, left: Callable[[], float], intercept: bool, seed: int) -> None:
        self.known, self.left, self.intercept, self.seed = known, left, intercept, seed
        self.points: Points = known.points
        self._even: tuple[Any, F64] | None = None

    def table(self, chosen: Sequence[Loss | CallableLoss], alphas: Sequence[float], seconds: float) -> list[Surrogate]:
        """Each loss at its best alpha; what the time does not suffice for is left out."""
        best: dict[str, Surrogate] = {}
        each = seconds / max(1, len(chosen) * len(alphas))
        for alpha in alphas:
            for loss in chosen:
                trivial = float(loss.value(np.zeros(1))[0]) == 0.0
                if self.left() <= 0 or (trivial and loss.name in best):
                    continue
                found = self._one(loss, 0.0 if trivial else alpha, each)
                if loss.name not in best or found.weight < best[loss.name].weight:
                    best[loss.name] = found
        return [best[loss.name] for loss in chosen if loss.name in best]

    def _one(self, loss: Loss | CallableLoss, alpha: float, seconds: float) -> Surrogate:
        options = (
            {"solver": Perceptron(variant="pocket"), "stop": PASSES} if alpha == 0 else {"loss": loss, "alpha": alpha}
        )
        w = self._fit(self.points.A.X.matrix, self.points.s, seconds, np.zeros(self.points.A.X.d, dtype=int), **options)
        wrong = self.points.misjudged(w)
        rows = int(np.count_nonzero(wrong[self.points.group[self.points.group >= 0]]))
        return Surrogate(loss.name, alpha, rows, self.points.weight(wrong), np.nan)

    def start(self, random: np.random.Generator) -> F64:
        """Weights by chance; the rows that the incumbent misjudges have little, but for some of them."""
        given_up = self.known.wrong & (random.random(self.points.n) < GIVEN_UP)
        return self.points.s * np.where(given_up, LITTLE, 1.0) * random.exponential(size=self.points.n)

    def reweighted(self, s: F64, seconds: float) -> None:
        """Fits, each with weights from the one before, from s on; ends where they no longer improve."""
        if self._even is None:
            self._even = _even_columns(self.points)
        X, columns = self._even
        fewest, patience = np.inf, 0
        for _ in range(ROUNDS):
            if self.left() <= 0 or patience > 2 or self.known.weight == 0:
                return
            w = self._fit(X, s, seconds / ROUNDS, columns, loss=SMOOTH, alpha=WEAKEST)
            z = self.points.A.margins(w)
            weight = self.points.weight(~(z > 0))
            patience = 0 if weight < fewest else patience + 1
            fewest = min(fewest, weight)
            s = self.points.s / (np.maximum(0.0, 1.0 - z) + EPS)

    def _fit(self, X: Any, s: F64, seconds: float, columns: Any, **options: Any) -> F64:
        """One fit; w in the units of the data, met on the way and at the end."""
        total = float(s.sum())

        def watch(event: Event) -> None:
            if event.W is not None and event.b is not None and event.errors * total < self.known.weight:
                self.known.meet(self._w(event.W, event.b, columns))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            found: Fit = fit(
                X, self.points.A.y, sample_weight=s, intercept=self.intercept, tol=TOL, seed=self.seed,
                budget=budget(seconds=max(1e-3, min(seconds, self.left()))), on_event=watch, **options,
            )  # fmt: skip
        w = self._w(found.model.W, found.model.b, columns)
        self.known.meet(w)
        if found.certificate.verdict is Verdict.interrupted:
            raise Interrupted
        return w

    def _w(self, W: F64, b: F64, columns: Any) -> F64:
        w = np.ldexp(W[:, 0], columns)
        return np.append(w, b[0]) if self.intercept else w


def _even_columns(points: Points) -> tuple[Any, Any]:
    """X 2^columns, its columns of root mean square near 1; no digit changes."""
    M = points.A.X.matrix
    squares = np.square(M, dtype=np.float64).sum(axis=0) if isinstance(M, np.ndarray) else M.multiply(M).sum(axis=0)
    columns = -exponents(np.sqrt(np.asarray(squares, dtype=np.float64).ravel() / points.n))
    if not columns.any():
        return M, columns
    if isinstance(M, np.ndarray):
        return np.ldexp(M.astype(np.float64), columns), columns
    even = M.astype(np.float64)
    even.data = np.ldexp(even.data, columns[even.indices])
    return even, columns
