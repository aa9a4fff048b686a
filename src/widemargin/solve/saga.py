"""w <- prox(w - eta ((g_i - a_i) x_i + mean)), a_i <- g_i, mean = sum a x / n: SAGA, with a certificate.

Defazio, Bach, Lacoste-Julien 2014; on sparse rows Pedregosa, Leblond, Lacoste-Julien 2017.  Linear convergence with a
constant step 1 / (3 L), L the largest curvature of a row.  Every pass ends with a full gradient: its slopes are a dual
point, and its gap is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin import _core
from widemargin._options import Count, check
from widemargin._types import F64
from widemargin.errors import Verdict
from widemargin.loss import CallableLoss
from widemargin.objective import Theta
from widemargin.solve.adaptive import refuses_stream
from widemargin.solve.protocol import Problem, State, judged
from widemargin.solve.room import usual
from widemargin.solve.rowwise import copied
from widemargin.solve.start import begin_at, row_order
from widemargin.solve.watch import pieces

STEP = 3.0  # times the largest curvature of a row: Defazio et al. 2014, theorem 1
STILL = 1e-15  # of the weights: what a pass moves where rounding is all that is left


@dataclass(frozen=True)
class SAGA:
    """Stochastic gradients with the mean of all rows' last slopes; `passes` between two looks at the gap."""

    passes: Count = 2

    name: ClassVar[str] = "saga"
    cite: ClassVar[str] = "Defazio, Bach, Lacoste-Julien 2014; Pedregosa, Leblond, Lacoste-Julien 2017"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 2000
    at_limit: ClassVar[Verdict] = Verdict.passes

    def __post_init__(self) -> None:
        check(self)

    def refuses(self, problem: Problem) -> str | None:
        """A smooth loss of the registry with a largest curvature; penalties of L1 and L2."""
        objective = problem.objective
        if not objective.loss.smooth or not np.isfinite(objective.loss.curvature):
            other = "'newton'" if objective.loss.smooth else "'sgd'"
            return f"saga needs a loss of bounded curvature, not {objective.loss.name!r}: use solver={other}"
        if objective.multiclass == "crammer_singer":
            return "the rivals of Crammer and Singer have kinks: use multiclass='ovr', or solver='sgd'"
        return refuses_stream(problem, self.name)

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """Slopes 0, as if no row had been seen."""
        objective, source = problem.objective, problem.source
        theta, K = begin_at(problem, warm), objective.K
        norms, counts = source.squared_norms(), np.empty(source.d)
        _core.column_counts(source.X.core, counts)
        curvature = objective.loss.curvature * (2.0 if objective.joint else 1.0)  # softmax: 1/2 where logistic has 1/4
        most = source.n * curvature * float((source.p * (norms + (objective.intercept == "free"))).max())
        eta = 1.0 / (STEP * (most + objective.l2)) if most > 0 else 1.0
        arrays = {
            "W": theta.W.copy(), "b": theta.b.copy(), "mean": np.zeros_like(theta.W), "mean_b": np.zeros(K),
            "eta": np.array([eta]), "times": eta * source.n / np.maximum(counts, 1.0),
        }  # fmt: skip
        return State(theta, seed=seed, arrays=arrays, kept={"slopes": np.zeros((source.n, K))})

    def advance(self, problem: Problem, state: State) -> State:
        """Some passes, then the objective and its bound."""
        arrays, slopes, mistakes = copied(state.arrays), state.kept["slopes"].copy(), 0
        for number in range(self.passes):
            mistakes = self._pass(problem, state.seed, state.iteration * self.passes + number, arrays, slopes)
        theta = Theta(arrays["W"].copy(), arrays["b"].copy())
        moved = max(np.abs(theta.W - state.theta.W).max(initial=0.0), np.abs(theta.b - state.theta.b).max())
        size = max(np.abs(theta.W).max(initial=0.0), np.abs(theta.b).max())
        state = state.evolve(
            theta=theta, iteration=state.iteration + 1, passes=state.passes + self.passes + 1, mistakes=mistakes,
            arrays=arrays, kept={"slopes": slopes}, step=float(arrays["eta"][0]),
            done="stalled" if state.iteration > 0 and moved <= STILL * size else "",
        )  # fmt: skip
        return judged(problem, state, problem.fold("gradient", theta))

    def _pass(self, problem: Problem, seed: int, number: int, arrays: dict[str, F64], slopes: F64) -> int:
        """All rows once, in place; how many were misjudged."""
        objective, source, mistakes = problem.objective, problem.source, 0
        assert not isinstance(objective.loss, CallableLoss)
        order = row_order(problem, seed, number)
        order = np.arange(source.n) if order is None else order
        for part in pieces(source.n, source.nnz * objective.K / max(1, source.n)):
            problem.poll()
            mistakes += _core.saga_pass(
                source.X.core, objective.loss.index, objective.multiclass, source.y, source.s, source.o,
                source.total_weight / source.n, order[part], arrays["times"], float(arrays["eta"][0]), objective.l1,
                objective.l2, objective.intercept == "free", arrays["W"], arrays["b"], slopes, arrays["mean"],
                arrays["mean_b"],
            )  # fmt: skip
        return mistakes

    def room(self, problem: Problem) -> float:
        """A slope per row, now and before; the order of the rows."""
        return usual(problem, rows=2 + 1 / problem.objective.K, columns=8)

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Nothing beyond -l'(z)."""
        return None
