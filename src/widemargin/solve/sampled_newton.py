"""Newton's method on samples that grow, then on all rows with the last sample's Hessian as metric.

The loss is a mean: a sample of m rows finds the optimum to about d / 2m (Mokhtari et al. 2016), its Hessian is that of
all rows to about sqrt(d / m) (Byrd, Chin, Neveitt, Nocedal 2011), so that few passes over all rows are left: quasi.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from widemargin._types import F64
from widemargin.errors import Verdict
from widemargin.objective import Theta, every
from widemargin.solve.damping import lent
from widemargin.solve.line_search import ROUNDING
from widemargin.solve.metric import Factored, Metric, diagonal, factored, hessian
from widemargin.solve.newton import LARGEST, newton_step, smooth_l2
from widemargin.solve.protocol import Problem, State, Sums, judged
from widemargin.solve.quasi import Place, direction, place, settled, walk
from widemargin.solve.room import gram, usual
from widemargin.solve.sample import sampled
from widemargin.solve.start import begin_at

SHARE = 8  # the last sample has n / 8 rows, at least
PER_UNKNOWN = 8  # rows that a sample has for each unknown, at least
NARROW = 200  # unknowns up to which forming the Hessian costs no more than a few passes
INNER = 12  # Newton steps on a sample
GENTLE = 60  # passes over the first sample where there are many unknowns
STALE = 8  # passes after which the Hessian is taken anew, from twice as many rows


@dataclass(frozen=True)
class SampledNewton:
    """Newton on growing samples; then all rows, with a sample's Hessian."""

    name: ClassVar[str] = "sampled_newton"
    cite: ClassVar[str] = "Byrd, Chin, Neveitt, Nocedal 2011; Mokhtari et al. 2016"
    certifies: ClassVar[bool] = True
    minimises: ClassVar[bool] = True
    limit: ClassVar[int] = 200
    columns: ClassVar[str] = "factors"
    at_limit: ClassVar[Verdict] = Verdict.passes

    def refuses(self, problem: Problem) -> str | None:
        """Smooth convex loss, L2 or no penalty, many more rows than unknowns."""
        reason = smooth_l2(problem, self.name)
        if reason is None and problem.objective.joint:
            reason = f"{self.name} takes one column of weights at a time: use solver='newton_cg' or multiclass='ovr'"
        side = unknowns(problem)
        if reason is None and side > LARGEST:
            reason = f"{self.name} would need a Gram matrix of {side} x {side}: use solver='newton_cg'"
        return reason

    def init(self, problem: Problem, warm: Theta | None, seed: int) -> State:
        """At the warm point, or at 0 with the best intercept."""
        return State(begin_at(problem, warm), seed=seed)

    def advance(self, problem: Problem, state: State) -> State:
        """The minimum of one sample; then one pass over all rows."""
        sizes = samples(problem)
        after = state.iteration - len(sizes)
        state = state.evolve(iteration=state.iteration + 1, note="")
        if after < 0:
            return _on_sample(problem, state, sizes[after], first=-after == len(sizes))
        if after == 0:
            return _judged(problem, state, place(problem, state.theta))
        if after % STALE == 0:
            state = _refreshed(problem, state, min(problem.source.n, sizes[-1] << (after // STALE)))
        at = _restored(problem, state)
        step, slope = direction(problem, at, Factored(problem.objective, state.arrays["scale"], state.arrays["L"]))
        moved = walk(problem, at, step, slope)
        if moved is None:
            return state.evolve(done="stalled", note="no step helps")
        new, found = moved
        noise = ROUNDING * np.abs(at.value)
        done = "stalled" if settled(at, slope) and every(new.value >= at.value - noise) else ""
        note = ", ".join(filter(None, [state.note, found.note]))
        state = state.evolve(step=float(found.t.min()), note=note, done=done, passes=state.passes + found.halvings)
        return _judged(problem, state, new)

    def room(self, problem: Problem) -> float:
        """The last sample, its Gram sums and a factor."""
        source, last = problem.source, samples(problem)[-1]
        few = last * (source.X.nbytes / source.n + 40 * problem.objective.K)
        return max(few + 8 * 4 * gram(problem), usual(problem, rows=2, grams=1))

    def dual(self, problem: Problem, state: State) -> F64 | None:
        """Nothing beyond -l'(z)."""
        return None


def unknowns(problem: Problem) -> int:
    """Of one column of weights."""
    return problem.source.d + 1


def _narrow(problem: Problem) -> bool:
    return unknowns(problem) <= NARROW


def samples(problem: Problem) -> list[int]:
    """Rows of each sample; the last one gives the metric."""
    n, side = problem.source.n, unknowns(problem)
    last = min(n, max(n // SHARE, PER_UNKNOWN * side))
    return [max(1, last // (SHARE if _narrow(problem) else 2)), last]


def _on_sample(problem: Problem, state: State, rows: int, first: bool) -> State:
    """Close to the minimum of a sample, or the metric where it was found."""
    few = sampled(problem, rows)
    share = few.source.n / problem.source.n
    if not first and not _narrow(problem):
        return _refreshed(problem, state, rows)
    theta, count, metric = (_newton if _narrow(problem) else _quasi)(few, state.theta)
    note = f"sample of {few.source.n:,} rows"
    state = state.evolve(theta=theta, passes=state.passes + count * share, note=note)
    state.arrays = {"scale": metric.scale, "L": metric.L} if isinstance(metric, Factored) else {}
    return state


def _newton(few: Problem, theta: Theta) -> tuple[Theta, int, Metric]:
    """Few unknowns: the Hessian at every point."""
    at, count = place(few, theta, "gram"), 1
    goal = _goal(few, at)
    for _ in range(INNER):
        assert at.sums.gram is not None
        step = newton_step(few.objective, lent(few, at.sums.gram), at.g, threads=few.reducer.threads)
        slope = few.objective.dot(at.g, step)
        moved = None if every(-0.5 * slope <= goal) else walk(few, at, step, slope, "gram")
        if moved is None:
            break
        at, count = moved[0], count + 1 + moved[1].halvings
    assert at.sums.gram is not None
    return at.theta, count, factored(few, lent(few, at.sums.gram))


def _quasi(few: Problem, theta: Theta) -> tuple[Theta, int, Metric]:
    """Many unknowns: the diagonal as metric, and weights held back as far as so few rows can tell.

    Without that the sample would be fitted too well, and rows beyond their margins have no curvature left.
    """
    metric = diagonal(few, theta)
    objective = few.objective
    noise = float((metric.at.W - objective.strengths[1]).sum()) / few.source.n / objective.K
    if objective.plain and objective.penalty.shares == (0.0, 1.0):
        few = replace(few, objective=replace(objective, alpha=max(objective.alpha, noise)))
    at, count = place(few, theta), 3
    goal = _goal(few, at)
    for _ in range(GENTLE):
        step, slope = direction(few, at, metric)
        moved = None if every(-0.5 * slope <= goal) else walk(few, at, step, slope)
        if moved is None:
            break
        at, count = moved[0], count + 1 + moved[1].halvings
    return at.theta, count, metric


def _goal(few: Problem, at: Place) -> F64:
    """A tenth of how far the sample's minimum is from that of all rows."""
    return np.asarray(0.1 * min(1.0, unknowns(few) / (2 * few.source.n)) * np.abs(at.value))


def _refreshed(problem: Problem, state: State, rows: int) -> State:
    """The metric anew, here."""
    few = sampled(problem, rows)
    metric = hessian(few, state.theta)
    state.arrays = state.arrays | {"scale": metric.scale, "L": metric.L}
    note = f"Hessian of {few.source.n:,} rows"
    return state.evolve(note=note, passes=state.passes + few.source.n / problem.source.n)


def _judged(problem: Problem, state: State, at: Place) -> State:
    """The state at a place, with all that the next step needs."""
    kept = {key: state.arrays[key] for key in ("scale", "L")}
    pairs = {"s": at.steps, "y": at.changes, "g": (at.g,)}
    for key, thetas in pairs.items():
        kept[key] = np.array([np.concatenate([theta.W, theta.b[None]]) for theta in thetas])
    state = state.evolve(theta=at.theta, passes=state.passes + 1, arrays=kept)
    return judged(problem, state, at.sums)


def _restored(problem: Problem, state: State) -> Place:
    thetas = {key: tuple(Theta(A[:-1], A[-1]) for A in state.arrays[key]) for key in ("s", "y", "g")}
    assert state.value is not None
    nothing = np.zeros(0)
    return Place(state.theta, state.value, thetas["g"][0], Sums(nothing, nothing), thetas["s"], thetas["y"])
