"""Losses with one kink on many rows of few columns: semismooth Newton on an augmented Lagrangian.

With a centre c and a width d, a = clip(c + (h - z) / d, 0, 1) maximises a (h - z) - d/2 (a - c)^2, and
  phi(w, b) = alpha/2 ||w||^2 + sum p max_a [a (h - z) - d/2 (a - c)^2]
is differentiable; its generalised Hessian is alpha I + sum p x x' / d over the rows with 0 < a < 1, which are few.
Once phi is flat enough, c <- a and d shrinks: the method of multipliers on the dual (Rockafellar 1976; Yan, Li 2020).
Samples come first: every 8^k-th row, until their optimum is as good as a sample of that size can tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from widemargin._types import F64
from widemargin.certificate import kink_duals
from widemargin.errors import Verdict
from widemargin.objective import Theta
from widemargin.solve.kink_cd import kinked_l2
from widemargin.solve.kink_ramp import Head, thinned, without_offsets
from widemargin.solve.protocol import Problem, State
from widemargin.solve.start import begin_at

LARGEST = 2000  # columns of the Hessian
WIDE = 4.0  # the first width, in margins: every row is inside at w = 0
RESUMED = 0.04  # ... and where a sample, or a warm model, has been
GROWTH = 8  # of one sample to the next
ROWS_PER_COLUMN = 40  # of the first sample
SAMPLING_ERROR = 0.05  # times columns / rows: the relative gap that a sample is worth


@dataclass(frozen=True)
class KinkNewton:
    """Hinge and perceptron losses with L2 on tall data: a few passes over the rows, a small Hessian."""

    name: ClassVar[str] = "kink_newton"
    cite: ClassVar[str] = "Rockafellar 1976; Yan, Li 2020"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 300
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """A piecewise-linear loss of the registry with a pure L2 penalty, heads apart, few columns."""
        reason = kinked_l2(problem, self.name)
        if reason is None and problem.source.d > LARGEST:
            reason = f"kink_newton would factor {problem.source.d} columns: use solver='kink_cd'"
        return reason

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """w = 0 and the first sample; from a warm model all rows, and a narrow ramp."""
        source, K = problem.source, problem.objective.K
        step = 1
        while warm is None and source.n > GROWTH * step * ROWS_PER_COLUMN * (source.d + 1):
            step *= GROWTH
        theta = begin_at(problem, warm)
        arrays = {
            "step": np.array([float(step)]), "W": theta.W.copy(), "b": theta.b.copy(),
            "width": np.full(K, WIDE if warm is None else RESUMED), "bounds": np.zeros(K),
        }  # fmt: skip
        none = np.zeros((K, 0))
        return State(theta, seed=seed, arrays=arrays, kept={"centre": none, "scores": none, "best": none})

    def advance(self, problem: Problem, state: State) -> State:
        """Every head: what its a proves; then a narrower ramp where phi is flat, or else a Newton step."""
        step, K = int(state.arrays["step"][0]), problem.objective.K
        part = thinned(problem.source, step)
        arrays = {name: array.copy() for name, array in state.arrays.items()}
        kept, passes = {name: array.copy() for name, array in state.kept.items()}, 1.0
        if kept["scores"].shape[1] != part.n:
            bare = Theta(arrays["W"], np.zeros(K))
            kept["scores"] = np.ascontiguousarray(problem.reducer.scores(without_offsets(part), bare).T)
            kept["centre"] = np.full((K, part.n), 0.5)
            passes += 1.0
        heads = [Head(problem, part, arrays, kept, k) for k in range(K)]
        worth = max(problem.tol, SAMPLING_ERROR * (part.d + 1) / part.n) if step > 1 else problem.tol
        here = state.evolve(theta=Theta(arrays["W"].copy(), arrays["b"].copy()))
        judged = self._judged(here, heads, arrays, kept) if step == 1 else here
        ready = all(head.relative <= worth for head in heads)
        moved = True
        if step > 1 and ready:
            arrays["step"][0], arrays["width"] = step // GROWTH, np.maximum(arrays["width"], RESUMED)
        elif not ready:
            moved = max([head.improve() for head in heads if head.relative > worth])
            passes += 1.0
        return judged.evolve(
            iteration=state.iteration + 1, passes=state.passes + passes / step, arrays=arrays, kept=kept,
            done="" if moved else "stalled", note=f"every {step}th row" if step > 1 else "",
        )  # fmt: skip

    def _judged(self, state: State, heads: list[Head], arrays: dict[str, F64], kept: dict[str, F64]) -> State:
        """The point that the heads stand at, with its objective, and the best duals so far."""
        if kept["best"].shape[1] == 0:
            kept["best"] = np.zeros_like(kept["scores"])
        for k, head in enumerate(heads):
            if head.bound > arrays["bounds"][k]:
                arrays["bounds"][k], kept["best"][k] = head.bound, head.a
        value, errors = (np.array([getattr(head, name) for head in heads]) for name in ("value", "errors"))
        return state.evolve(value=value, errors=errors, bound=arrays["bounds"].copy())

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Its own a, the best so far of each head; while only samples were seen, the ramp's at all rows."""
        best, source = state.kept["best"], problem.source
        if best.shape[1]:
            return np.ascontiguousarray(best.T)
        scores = problem.reducer.scores(source, state.theta)
        return kink_duals(problem.objective, scores, source, float(state.arrays["width"].max()))
