"""The registry of solvers: one algorithm, one file, one line here."""

from __future__ import annotations

from typing import Any

from widemargin._options import build
from widemargin.errors import OptionError
from widemargin.loss import Registry
from widemargin.solve.adagrad import AdaGrad
from widemargin.solve.augmented import AugmentedLagrangian
from widemargin.solve.cd import CoordinateDescent
from widemargin.solve.closed_form import ClosedForm
from widemargin.solve.dual_cd import DualCoordinateDescent
from widemargin.solve.dual_newton import DualNewton
from widemargin.solve.ftrl import FTRLProximal
from widemargin.solve.gd import GradientDescent
from widemargin.solve.interior_point import InteriorPoint
from widemargin.solve.interior_set import InteriorSet
from widemargin.solve.kernel_newton import KernelNewton
from widemargin.solve.kink_cd import KinkDescent
from widemargin.solve.kink_newton import KinkNewton
from widemargin.solve.newton import Newton
from widemargin.solve.newton_cg import NewtonCG
from widemargin.solve.pa import PassiveAggressive
from widemargin.solve.perceptron import Perceptron
from widemargin.solve.projected_newton import ProjectedNewton
from widemargin.solve.protocol import Solver
from widemargin.solve.rival_newton import RivalNewton
from widemargin.solve.saga import SAGA
from widemargin.solve.sampled_newton import SampledNewton
from widemargin.solve.sgd import SGD
from widemargin.solve.softmax_cg import SoftmaxCG

ALL: tuple[type[Any], ...] = (
    Perceptron,
    PassiveAggressive,
    SGD,
    AdaGrad,
    FTRLProximal,
    SAGA,
    GradientDescent,
    ClosedForm,
    Newton,
    SampledNewton,
    KernelNewton,
    NewtonCG,
    SoftmaxCG,
    DualCoordinateDescent,
    DualNewton,
    KinkDescent,
    KinkNewton,
    CoordinateDescent,
    ProjectedNewton,
    InteriorPoint,
    InteriorSet,
    AugmentedLagrangian,
    RivalNewton,
)


class Solvers(Registry):
    """Names to solver classes; also attributes: solvers.sgd(batch=32)."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]


solvers = Solvers("solver", {solver.name: solver for solver in ALL})


def solver_from(value: Any) -> Solver:
    """A solver from its name, from text such as "sgd:batch=32", or itself."""
    if isinstance(value, str):
        found: Solver = build("solver", value, solvers)
        return found
    if isinstance(value, type) and value in ALL:
        made: Solver = value()
        return made
    if isinstance(value, ALL):
        given: Solver = value
        return given
    raise OptionError(f"solver = {value!r}; expected a name ({', '.join(sorted(solvers))}) or a solver of wm.solvers")
