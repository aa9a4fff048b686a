"""How much a solver holds at most beside the rows and what every fit has, in bytes: what wm.estimate_memory adds up."""

from __future__ import annotations

from widemargin.solve.protocol import Problem, Solver


def usual(
    problem: Problem, *, rows: float = 2.0, columns: float = 8.0, kind: str = "gradient", grams: float = 0.0
) -> float:
    """Vectors with one number a row (or a column) and head, Gram matrices, and the partial sums of a fold."""
    objective, source = problem.objective, problem.source
    numbers = rows * source.n * objective.K + columns * (source.d + 1) * objective.K + grams * gram(problem)
    return 8.0 * numbers + problem.reducer.room(source, objective, kind)


def gram(problem: Problem) -> float:
    """Numbers of the Gram sums of all heads."""
    objective, side = problem.objective, problem.source.d + 1
    return float((side * objective.K) ** 2 if objective.joint else objective.K * side**2)


def room(solver: Solver, problem: Problem) -> float:
    """What the solver says of itself, or what one needs that descends along gradients."""
    own = getattr(solver, "room", None)
    return usual(problem) if own is None else float(own(problem))
