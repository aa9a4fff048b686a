"""Seconds of auto to a certified 1e-6 over those of the best registered solver that takes the problem.

Processor seconds at one thread, the lowest of a few fits.  A solver that takes longer than auto cannot be the best, so
it gets auto's time and not more; it counts if the judge finds its objective within 1e-6 of the best known.  Where auto
itself does not get there within the limit, its time is the limit and the row says so.  A listener to events ends a fit:
a budget would change what auto does.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import widemargin as wm
from bench.common import Row
from bench.objective import objective
from bench.regret.draw import L1_RATIO, Drawn
from widemargin.errors import OptionError, Refusal

TOL = 1e-6
ENOUGH = 0.3  # seconds of one solver: what takes longer is measured once
LIMIT = 10.0  # seconds of auto
ROOM = 1.2  # of auto's time for the others, and a little for what is tiny
FLOOR = 0.02
KEPT = 6  # events of auto that are kept as its reasons


def regret(drawn: Drawn, repeats: int = 5) -> Row:
    """One line: auto, the best, and their ratio."""
    auto = _best(drawn, "auto", LIMIT, repeats)
    limit = ROOM * auto["seconds"] + FLOOR
    others = {name: found for name in wm.solvers if (found := _best(drawn, name, limit, repeats))}
    auto = min(
        auto, _best(drawn, "auto", LIMIT, repeats), key=lambda one: one["seconds"]
    )  # the first meets cold caches
    lowest = min(one["objective"] for one in (auto, *others.values()))
    there = {name: one["seconds"] for name, one in others.items() if _above(one, lowest) <= TOL}
    best = min(there, key=lambda name: there[name], default="auto")
    seconds = min(there.get(best, auto["seconds"]), auto["seconds"])
    return {
        "number": drawn.number, "about": drawn.about, "loss": drawn.loss, "penalty": drawn.penalty,
        "alpha": drawn.alpha, "seconds": auto["seconds"], "best": best, "best_seconds": seconds,
        "regret": auto["seconds"] / seconds, "above": _above(auto, lowest), "gap": auto["gap"],
        "verdict": auto["verdict"], "solver": auto["solver"], "passes": auto["passes"], "trace": auto["trace"],
        "others": {name: round(value, 6) for name, value in sorted(there.items(), key=lambda pair: pair[1])},
    }  # fmt: skip


def _above(found: Row, lowest: float) -> float:
    """Relative distance to the lowest; infinite for a fit that was stopped."""
    value = found["objective"]
    return float((value - lowest) / max(abs(lowest), 1e-300)) if math.isfinite(value) else math.inf


def _best(drawn: Drawn, solver: str, limit: float, repeats: int) -> Row:
    """The quickest of a few fits, of long ones the first; nothing where the solver refuses."""
    found: Row = {}
    spent = 0.0
    for _ in range(repeats):
        one = _timed(drawn, solver, limit)
        if not one:
            return {}
        if not found or one["seconds"] < found["seconds"]:
            found = one
        spent += one["seconds"]
        if spent > ENOUGH or not one["gap"] <= TOL:
            break
    return found


def _timed(drawn: Drawn, solver: str, limit: float) -> Row:
    fit, seconds = clocked(lambda: _fit(drawn, solver, limit))
    if fit is None:
        return {}
    if isinstance(fit, TooLong):
        return {"objective": math.inf, "seconds": seconds, "gap": math.inf, "solver": solver, "verdict": "stopped",
                "passes": fit.event.passes, "trace": f"{fit.event.solver}, gap {fit.event.gap:.0e}"}  # fmt: skip
    model, certificate = fit.model, fit.certificate
    value = objective(
        drawn.X, drawn.y, model.weights, model.intercept, loss=drawn.loss, penalty=drawn.penalty, alpha=drawn.alpha,
        l1_ratio=L1_RATIO,
    )  # fmt: skip
    return {
        "objective": value, "seconds": seconds, "gap": float(certificate.relative_gap), "solver": fit.solver,
        "verdict": certificate.verdict.name, "passes": float(fit.trace[-1].passes), "trace": said(fit.trace),
    }  # fmt: skip


class TooLong(Exception):
    """A fit passed its limit."""

    def __init__(self, event: Any) -> None:
        super().__init__(event)
        self.event = event


def _fit(drawn: Drawn, solver: str, limit: float) -> Any:
    """The fit, or what ended it, or nothing where the solver does not take the problem."""
    end = time.process_time() + limit

    def listen(event: Any) -> None:
        if time.process_time() > end:
            raise TooLong(event)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return wm.fit(
                drawn.X, drawn.y, loss=drawn.loss, penalty=drawn.option, alpha=drawn.alpha, tol=TOL, solver=solver,
                threads=1, on_event=listen,
            )  # fmt: skip
        except TooLong as reason:
            return reason
        except (Refusal, OptionError):
            return None


def clocked(job: Callable[[], Any]) -> tuple[Any, float]:
    """The result and its processor seconds."""
    started = time.process_time()
    result = job()
    return result, time.process_time() - started


def said(trace: Any) -> str:
    """Solvers in order with their outer steps and passes, then the last notes."""
    stages: dict[str, list[Any]] = {}
    for event in trace:
        stages.setdefault(event.solver, []).append(event)
    steps = "; ".join(f"{name} {len(events)} steps, gap {events[-1].gap:.0e}" for name, events in stages.items())
    notes = [event.note for event in trace if event.note][-KEPT:]
    return steps + (f" ({'; '.join(dict.fromkeys(notes))})" if notes else "")
