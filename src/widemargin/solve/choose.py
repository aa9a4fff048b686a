"""auto: which solvers, in which order, from counts and metadata only, never from a clock.

A list of stages: the first that takes the problem runs; when it ends without success, the next one goes on from there.
"""

from __future__ import annotations

from typing import NamedTuple

from widemargin.errors import Refusal
from widemargin.solve.augmented import AugmentedLagrangian
from widemargin.solve.cd import CoordinateDescent
from widemargin.solve.closed_form import ClosedForm
from widemargin.solve.dual_cd import DualCoordinateDescent
from widemargin.solve.dual_newton import DualNewton
from widemargin.solve.gd import GradientDescent
from widemargin.solve.interior_point import InteriorPoint
from widemargin.solve.interior_set import InteriorSet
from widemargin.solve.kernel_newton import KernelNewton
from widemargin.solve.kink_cd import KinkDescent
from widemargin.solve.kink_newton import KinkNewton
from widemargin.solve.newton import Newton
from widemargin.solve.newton_cg import NewtonCG
from widemargin.solve.projected_newton import ProjectedNewton
from widemargin.solve.protocol import Problem, Solver, refusal
from widemargin.solve.rival_newton import RivalNewton
from widemargin.solve.sampled_newton import PER_UNKNOWN, SampledNewton
from widemargin.solve.sgd import SGD
from widemargin.solve.softmax_cg import SoftmaxCG

GRAM_FLOPS = 4e11  # n d^2 / 2 per Newton step: beyond, conjugate gradients win
NARROW = 500  # columns up to which an interior-point step costs less than the sweeps that it saves
TALL = 320  # rows per column from which a semismooth Newton method needs a few passes, most of them over samples
FACTORISATIONS = 25  # of an interior-point method: a descent that crawls may cost as much before it makes way
KERNEL_ROWS = 2000  # up to which X X' costs less than the passes over X that it saves
SAMPLED_ROWS = 20_000  # rows from which a sample tells enough to be worth its while
FEW_PASSES = 10  # that a Gram sum may cost beside one over the rows
WIDE = 2000  # columns from which an interior point begins with those that matter
JOINT = 100  # unknowns of a softmax from which a factor that its classes share beats the factor of all of them
SWEEP_FLOPS = 200  # per stored value and outer step of dual descent, some sixteen sweeps over the rows that move


class Stage(NamedTuple):
    """A solver, and after how many outer steps it makes way for the next."""

    solver: Solver
    limit: int


def candidates(problem: Problem, near: bool = False) -> list[Solver | Stage]:
    """Solvers in the order in which they should be tried; `near`: the optimum of a neighbouring strength is known."""
    objective = problem.objective
    if objective.multiclass == "crammer_singer":
        return [RivalNewton(), SGD(average=True), GradientDescent()]
    if not objective.convex:
        return [GradientDescent(), SGD()]
    if objective.shares is None:
        return [AugmentedLagrangian(), GradientDescent(), SGD()]
    if objective.boxed:
        first = ProjectedNewton() if objective.loss.smooth else AugmentedLagrangian()
        return [first, GradientDescent()]
    if objective.l1 > 0:
        sets = [InteriorSet()] if problem.source.d > WIDE else []
        return [CoordinateDescent(), *sets, InteriorPoint(), ProjectedNewton(), GradientDescent()]
    return _kinked(problem) if objective.loss.piecewise_linear else _smooth(problem, near)


def _kinked(problem: Problem) -> list[Solver | Stage]:
    """One kink, L2: descent on the duals where columns are many, a central path or semismooth steps where few."""
    source = problem.source
    factorising = FACTORISATIONS * min(source.n, source.d) ** 3 / 3
    patience = int(min(1000.0, max(20.0, factorising / (SWEEP_FLOPS * source.nnz + 1))))
    if InteriorPoint().refuses(problem) is not None:
        patience = KinkDescent.limit
    first: list[Solver | Stage] = [Stage(KinkDescent(), patience)] if source.d > NARROW else []
    if source.d <= NARROW and source.n > TALL * (source.d + 1):
        first = [Stage(KinkNewton(), 80)]
    return [*first, InteriorPoint(), KinkDescent(), DualCoordinateDescent(), GradientDescent()]


def _smooth(problem: Problem, near: bool) -> list[Solver | Stage]:
    """A loss without kinks, L2 or nothing."""
    objective, source = problem.objective, problem.source
    columns = (source.d + 1) * (objective.K if objective.joint else 1)
    per_row = source.nnz / max(1, source.n)
    gram = 0.5 * source.nnz * per_row * objective.heads * (objective.K**2 if objective.joint else 1)
    forming: list[Solver] = [Newton(), NewtonCG()] if columns <= 1000 and gram <= GRAM_FLOPS else [NewtonCG(), Newton()]
    if objective.joint and columns > JOINT:
        forming = [SoftmaxCG(), NewtonCG(), Newton()]
    if source.n >= SAMPLED_ROWS and source.n >= 2 * PER_UNKNOWN * (source.d + 1) and source.d < 3000:
        # a sample tells where to begin, which a neighbour tells better, if a Newton step costs few passes
        forming = forming if near and gram <= FEW_PASSES * source.nnz else [SampledNewton(), *forming]
    if not source.X.sparse and source.n <= KERNEL_ROWS and 4 * source.n <= source.d:
        forming = [KernelNewton(), *forming]
    sweeping = [DualNewton()] if source.X.sparse and columns > 1000 else []
    return [ClosedForm(), *sweeping, *forming, GradientDescent(), SGD()]


def stages(problem: Problem, near: bool = False) -> list[Stage]:
    """Those that take the problem; at least one, or a Refusal that says what each needs."""
    taken, reasons = [], []
    for candidate in candidates(problem, near):
        stage = candidate if isinstance(candidate, Stage) else Stage(candidate, candidate.limit)
        reason = refusal(stage.solver, problem)
        if reason is None:
            taken.append(stage)
        else:
            reasons.append(reason)
    if not taken:
        raise Refusal("no solver takes this combination: " + "; ".join(reasons))
    return taken


def choose(problem: Problem) -> Solver:
    """The solver that "auto" begins with."""
    return stages(problem)[0].solver
