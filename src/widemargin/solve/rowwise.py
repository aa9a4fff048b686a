"""What solvers that walk from row to row share: the pass itself, and how its state is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widemargin import _core
from widemargin._types import F64, I64
from widemargin.loss import CallableLoss, Loss
from widemargin.objective import Theta
from widemargin.schedules import Schedule, constant
from widemargin.solve.protocol import Problem
from widemargin.solve.watch import pieces

CHEAP = 200_000  # stored values up to which the objective is evaluated after every pass


@dataclass(frozen=True)
class PassOptions:
    """One stochastic pass: which loss moves the weights, and how."""

    loss: Loss
    schedule: Schedule
    l1: float = 0.0
    l2: float = 0.0
    implicit: bool = False
    batch: int = 1
    average_from: int = -1
    intercept_rate: float = 1.0


def refuses_rows(problem: Problem, name: str) -> str | None:
    """Row solvers run in the core: a loss given in Python would be called once per row."""
    if isinstance(problem.objective.loss, CallableLoss):
        return (
            f"{name} walks row by row in the core and needs a loss of the registry: use solver='gd' for a callable loss"
        )
    if problem.objective.intercept == "penalised":
        return f"{name} has no penalised intercept: use solver='dual_cd', 'newton' or 'gd', or intercept=True"
    return None


def fresh_arrays(theta: Theta, average: bool, pocket: bool) -> dict[str, F64]:
    """Weights, and zeros for what else is asked for; `counters` is t, averaged, run, longest run."""
    arrays = {"W": theta.W.copy(), "b": theta.b.copy(), "counters": np.zeros(4)}
    for name, wanted in (("sum", average), ("pocket", pocket)):
        if wanted:
            arrays[f"{name}_W"], arrays[f"{name}_b"] = np.zeros_like(theta.W), np.zeros_like(theta.b)
    return arrays


def walk(problem: Problem, arrays: dict[str, F64], options: PassOptions, order: I64 | None) -> tuple[int, int]:
    """One pass over all rows, in place; (mistakes met, rows that changed the weights)."""
    source, K = problem.source, problem.objective.K
    each = source.nnz * K / max(1, source.n)
    if "pocket_W" in arrays or (options.l1 > 0 and options.average_from >= 0):
        each += source.d * K  # a row may touch every weight
    mistakes = updates = 0
    for part in pieces(source.n if order is None else len(order), each, options.batch):
        problem.poll()
        found = _walk_part(problem, arrays, options, part, order)
        mistakes, updates = mistakes + found[0], updates + found[1]
    return mistakes, updates


def _walk_part(
    problem: Problem, arrays: dict[str, F64], options: PassOptions, part: slice, order: I64 | None
) -> tuple[int, int]:
    """The steps of some rows of a pass."""
    block = problem.source.whole()
    if order is None:
        block = block.part(part)
    else:
        order = order[part]
    objective, (t, averaged, run, longest) = problem.objective, (int(v) for v in arrays["counters"])
    count = block.X.n if order is None else len(order)
    steps = -(-count // options.batch)
    schedule = options.schedule
    if isinstance(schedule, constant):
        eta = np.array([schedule.eta])
    else:
        eta = schedule(np.arange(t + 1, t + steps + 1, dtype=np.float64))
    mean = problem.source.total_weight / problem.source.n
    t, added, mistakes, updates, run, longest = _core.sgd_pass(
        block.X.core, options.loss.index, objective.multiclass, block.y, block.s, block.o, mean, order, block.start,
        arrays["W"], arrays["b"], arrays.get("sum_W"), arrays.get("sum_b"), arrays.get("pocket_W"),
        arrays.get("pocket_b"), eta, options.l1, options.l2, options.implicit, objective.intercept == "free",
        options.intercept_rate, options.batch, options.average_from, t, run, longest, problem.recorder,
    )  # fmt: skip
    arrays["counters"][:] = t, averaged + added, run, longest
    return mistakes, updates


def last_step(schedule: Schedule, arrays: dict[str, F64]) -> float:
    """The size of the step that was made last."""
    return schedule.eta if isinstance(schedule, constant) else float(schedule(max(1.0, arrays["counters"][0])))


def last_weights(arrays: dict[str, F64]) -> Theta:
    """The weights where the pass ended: the next pass walks on in copies."""
    return Theta(arrays["W"], arrays["b"])


def average(arrays: dict[str, F64]) -> Theta:
    """The mean of all iterates so far; the last one before any is in the sum."""
    count = arrays["counters"][1]
    if count == 0:
        return last_weights(arrays)
    return Theta(arrays["sum_W"] / count, arrays["sum_b"] / count)


def copied(arrays: dict[str, F64]) -> dict[str, F64]:
    """The next state's arrays: a state that was handed out never changes."""
    return {name: array.copy() for name, array in arrays.items()}


def due(problem: Problem, iteration: int, every: int | None) -> bool:
    """Whether to evaluate now: every `every` passes; by default always while cheap, else after 1, 2, 4, 8 ..."""
    if every is not None:
        return iteration % every == 0
    return problem.source.nnz <= CHEAP or iteration & (iteration - 1) == 0
