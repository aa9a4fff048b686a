"""fit: parameters and data -> Problem -> loop -> Model, Trace, Certificate."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from widemargin import _core
from widemargin._threads import available_threads
from widemargin.bounds import Anchors
from widemargin.certificate import Certificate
from widemargin.checkpoint import Keeper, fingerprint
from widemargin.columns import terms
from widemargin.data.intake import Dataset, intake
from widemargin.errors import OptionError, Refusal
from widemargin.events import Event, Steps, Trace
from widemargin.finish import warn
from widemargin.model import Model
from widemargin.objective import Objective, Theta
from widemargin.run.local import Local
from widemargin.solve.choose import Stage, choose, stages
from widemargin.solve.loop import Outcome
from widemargin.solve.protocol import Problem, Solver, refusal
from widemargin.solve.start import null_values
from widemargin.solve.watch import Watch
from widemargin.spec import Spec, spec
from widemargin.staged import Course
from widemargin.stops import Stop, any_of, begin, seconds_allowed
from widemargin.stops import parse as parse_stop
from widemargin.votes import Votes

STEPS_KEPT = 100_000
PATIENCE = 100  # times a solver's own limit, before a stop that never holds is taken to be forgotten


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit is: the model, what is proved about it, and how it came about."""

    model: Model
    certificate: Certificate
    trace: Trace
    solver: str
    votes: Votes | None = None

    def __repr__(self) -> str:
        return f"Fit({self.solver}: {self.model!r}, {self.certificate!r})"


def fit(
    X: Any, y: Any = None, *, loss: Any = None, penalty: Any = None, alpha: float = 1e-3, solver: Any = "auto",
    tol: float = 1e-6, intercept: bool | str = True, sample_weight: Any = None, class_weight: Any = None,
    offset: Any = None, penalty_factor: Any = None, bounds: Any = None, scale: bool = False, multiclass: str = "auto",
    schedule: Any = None,
    stop: str | Stop | Iterable[str | Stop] = (), shuffle: bool = True, warm: Model | None = None, seed: int = 0,
    threads: int | None = None, budget: Stop | None = None, trace: str = "passes",
    on_event: Callable[[Event], object] | None = None, checkpoint: str | Path | None = None,
) -> Fit:  # fmt: skip
    """Minimise sum p l(y (w.x + b)) + alpha R(w) and prove how close to the minimum the result is.

    loss defaults to "logistic", penalty to "l2", unless the solver has its own (perceptron, pa, closed_form).
    penalty_factor weighs the penalty of each column (0: none, inf: the column is left out), bounds holds weights in a
    box or to a sign, scale=True penalises as if columns had standard deviation 1; weights stay in the user's units.
    X may be a `wm.Cache`, rows on disk with their labels; y is then left out.
    tol is the relative duality gap.  on_event hears of every step, and ends the fit by returning True.
    trace="steps" records every single update of a row solver.
    checkpoint names a file from which the same call goes on when it was cut off; it is removed when the fit has ended.
    """
    started = time.perf_counter()
    wanted = spec(
        loss=loss, penalty=penalty, alpha=alpha, intercept=intercept, multiclass=multiclass, solver=solver, tol=tol,
        schedule=schedule, penalty_factor=penalty_factor, bounds=bounds, scale=scale,
    )  # fmt: skip
    _check(shuffle, seed, threads, trace, warm, on_event)
    data = intake(X, y, sample_weight=sample_weight, class_weight=class_weight, offset=offset, threads=threads)
    # a budget alone gives no solver of "auto" more time than it deserves beside the next one
    patient = stop != () or (budget is not None and wanted.solver is not None)
    stops: Stop = any_of(*([budget] if budget is not None else []), parse_stop(stop))
    watch = Watch(started + seconds_allowed(stops))
    problem, chosen = assemble(
        wanted, data, shuffle=shuffle, threads=threads, trace=trace, patient=patient, watch=watch
    )
    stops = begin(stops, data)
    null = null_values(problem)
    events = Trace()
    order = [Stage(chosen, chosen.limit)] if wanted.solver is not None else stages(problem)
    told = {"seed": seed, "stop": stops, "on_event": on_event, "started": started, "trace": events}
    keeper = None if checkpoint is None else _keeper(checkpoint, problem, seed, order)
    course = Course(problem, order, null, data.classes, PATIENCE if patient else 1, told, keeper)
    ended = course.run(None if warm is None else _warm_theta(warm, data))
    warn(ended.certificate, ended.solver.name)
    return _result(problem, *ended, events, data, trace)


def _keeper(path: str | Path, problem: Problem, seed: int, order: list[Stage]) -> Keeper:
    if problem.recorder is not None:
        raise Refusal("single steps and votes are not kept in a checkpoint: leave out trace='steps', or checkpoint=")
    return Keeper(path, fingerprint(problem, seed, [stage.solver for stage in order]))


def assemble(
    wanted: Spec,
    data: Dataset,
    *,
    shuffle: bool,
    threads: int | None,
    trace: str,
    patient: bool = False,
    watch: Watch | None = None,
) -> tuple[Problem, Solver]:
    """The problem, and the solver that takes it."""
    reducer = Local(available_threads() if threads is None else threads, watch or Watch())
    objective = wanted.objective(data.source.classes)
    said = terms(
        objective, data, reducer, penalty_factor=wanted.penalty_factor, bounds=wanted.bounds, scale=wanted.scale
    )
    objective = objective if said is None else replace(objective, terms=said)
    recorder = None
    if trace == "steps" or getattr(wanted.solver, "votes", False):
        votes = bool(getattr(wanted.solver, "votes", False))
        recorder = _core.Steps(0 if votes else STEPS_KEPT, votes)
    problem = Problem(
        objective, data.source, reducer, Anchors(objective, data.source, reducer), wanted.tol, wanted.schedule,
        shuffle, recorder, patient,
    )  # fmt: skip
    if wanted.solver is None:
        return problem, choose(problem)
    reason = refusal(wanted.solver, problem)
    if reason is not None:
        raise Refusal(reason[0].upper() + reason[1:] + ".")
    return problem, wanted.solver


def _warm_theta(model: Model, data: Dataset) -> Theta:
    if not np.array_equal(model.classes, data.classes):
        raise OptionError(f"the warm model knows the classes {model.classes.tolist()}; y has {data.classes.tolist()}")
    return Theta(model.W, model.b)


def _check(shuffle: Any, seed: Any, threads: Any, trace: Any, warm: Any, on_event: Any) -> None:
    if not isinstance(shuffle, bool):
        raise OptionError(f"shuffle = {shuffle!r}; expected True or False")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"seed = {seed!r}; expected a whole number of at least 0")
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
        raise OptionError(f"threads = {threads!r}; expected None or a whole number of at least 1")
    if trace not in ("passes", "steps"):
        raise OptionError(f"trace = {trace!r}; expected 'passes' or 'steps'")
    if warm is not None and not isinstance(warm, Model):
        raise OptionError(f"warm = {type(warm).__name__}; expected a model, as in warm=fit.model")
    if on_event is not None and not callable(on_event):
        raise OptionError(f"on_event = {on_event!r}; expected a function of one Event")


def _result(
    problem: Problem,
    solver: Solver,
    outcome: Outcome,
    certificate: Certificate,
    events: Trace,
    data: Dataset,
    trace: str,
) -> Fit:
    objective, theta = problem.objective, certificate.theta
    model = Model(
        data.classes,
        theta.W,
        theta.b,
        objective.loss,
        objective.multiclass,
        data.feature_names,
        {**about(objective, solver, certificate), "data": {"rows": data.source.n, "columns": data.source.d}},
    )
    votes = None
    if problem.recorder is not None:
        time_, row, before, after, step = problem.recorder.arrays()
        if getattr(solver, "votes", False):
            seen = int(outcome.state.arrays["counters"][0])
            votes = Votes.from_updates(time_, row, step, seen, objective.intercept != "none")
        if trace == "steps":
            events.steps = Steps(row, before, after, step, int(problem.recorder.stride))
    return Fit(model, certificate, events, solver.name, votes)


def about(objective: Objective, solver: Solver, certificate: Certificate) -> dict[str, Any]:
    """What a model file says of its origin: plain data."""
    return {
        "loss": objective.loss.name, "penalty": objective.penalty.text, "alpha": objective.alpha,
        "intercept": objective.intercept, "solver": solver.name, "objective": certificate.objective,
        "lower_bound": certificate.lower_bound, "relative_gap": certificate.relative_gap,
        "certificate": certificate.kind, "verdict": certificate.verdict.name,
        **({} if objective.terms is None else {"columns": objective.terms.text}),
    }  # fmt: skip
