"""One problem, everybody: scout, repeat, judge, and what is kept of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.common import Row
from bench.engine import best as ledger
from bench.engine.bandwidth import streaming
from bench.engine.data import load, stored_bytes
from bench.engine.peers import MODULES, known
from bench.engine.peers.contender import Contender
from bench.engine.problem import LEVELS, Problem
from bench.engine.problems import problem as named
from bench.engine.sweep import Judge, Runs, repeat, scout
from bench.engine.worker import Worker
from bench.objective import objective

OURS = "ours"


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    levels: tuple[float, ...] = LEVELS
    repeats: int = 3
    limit: float = 30.0  # seconds of one fit
    total: float = 90.0  # seconds of one contender's scouting
    threads: int = 2
    clock: str = "seconds"  # or "cpu"
    solvers: tuple[str, ...] = ()  # none: all that take the problem


def measure(name: str, plan: Plan, folder: Path) -> Row:
    """Everything that is known of a problem after this run."""
    wanted = named(name)
    X, y = load(wanted.data, wanted.storage)
    alpha = wanted.alpha(X, y)

    judge = judge_of(wanted, X, y, alpha)
    print_ = ledger.fingerprint(X, y)
    stored = ledger.known(folder, name, print_)
    found = [
        Runs(library, one, Worker(library, one.name, name, alpha, plan.threads), plan.clock)
        for library, one in _contenders(wanted, plan.solvers)
    ]
    try:
        best = _measured(found, judge, stored, plan)
    finally:
        for runs in found:
            runs.worker.close()
    ledger.keep(folder, name, best)
    bandwidth = streaming(plan.threads)
    return {
        "problem": name, "title": wanted.family.title, "data": wanted.data, "n": X.shape[0], "d": X.shape[1],
        "bytes": stored_bytes(X), "alpha": alpha, "intercept": wanted.intercept, "target": wanted.target,
        "threads": plan.threads, "clock": plan.clock, "bandwidth": bandwidth, "best": best["objective"],
        "best_by": best["by"],
        "bound": best["bound"], "levels": list(plan.levels), "repeats": plan.repeats, "limit": plan.limit,
        "contenders": [_kept(runs, best["objective"], plan, stored_bytes(X), bandwidth) for runs in found],
    }  # fmt: skip


def judge_of(wanted: Problem, X: Any, y: Any, alpha: float) -> Judge:
    """The objective as a function of the weights; along a path, the sum over all folds and strengths."""
    terms: dict[str, Any] = {"loss": wanted.loss, "penalty": wanted.penalty, "l1_ratio": wanted.l1_ratio}
    if wanted.grid is None:
        return lambda w, b: objective(X, y, w, b, alpha=alpha, **terms)
    alphas, folds = wanted.grid.strengths(alpha), [(X[rows], y[rows]) for rows in wanted.grid.training(len(y))]

    def along(w: Any, b: Any) -> float:
        return sum(
            objective(*fold, w[k, j], 0.0, alpha=float(one), **terms)
            for k, fold in enumerate(folds)
            for j, one in enumerate(alphas)
        )

    return along


def _contenders(problem: Problem, names: Sequence[str]) -> list[tuple[str, Contender]]:
    """Ours first: its optimum is what the others are scouted against."""
    found = [(library, one) for library, file in known(MODULES).items() for one in file.contenders(problem)]
    return [pair for pair in found if pair[0] == OURS or not names or pair[1].name in names]


def _measured(found: list[Runs], judge: Judge, best: ledger.Best, plan: Plan) -> ledger.Best:
    for runs in found:
        lowest = scout(runs, judge, best["objective"], plan.limit, plan.total, min(plan.levels))
        bound = max((said.get("bound", -math.inf) for said in runs.said.values()), default=-math.inf)
        best = best | {"bound": max(best["bound"], bound)}
        if lowest < best["objective"]:
            best = best | {"objective": lowest, "by": runs.contender.name}
        print(f"  {runs.contender.name}: {_line(runs, best['objective'])} {runs.ended}", file=sys.stderr, flush=True)
    repeat(found, judge, best["objective"], plan.levels, plan.repeats - 1, plan.limit)
    return best


def _line(runs: Runs, best: float) -> str:
    return ", ".join(f"{runs.median(tol):.3g} s {max(0.0, runs.above(tol, best)):.0e}" for tol in runs.objective)


def _kept(runs: Runs, best: float, plan: Plan, size: int, bandwidth: float) -> Row:
    points = []
    for tol in sorted(runs.objective, reverse=True):
        said, seconds = runs.said[tol], runs.median(tol)
        point = {
            "tol": tol, "above": runs.above(tol, best), "seconds": seconds, "spread": [*map(float, _span(runs, tol))],
            "cpu": min(runs.cpu[tol]), "runs": len(runs.seconds[tol]), "memory": runs.memory[tol], **said,
        }  # fmt: skip
        if "passes" in said:
            point["bandwidth"] = said["passes"] * size / seconds / bandwidth
        points.append(point)
    reach = {}
    for level in plan.levels:
        tol = runs.counts(best, level)
        reach[f"{level:.0e}"] = None if tol is None else runs.median(tol)
    return {
        "name": runs.contender.name, "library": runs.library, "version": runs.worker.version,
        "settings": runs.contender.settings,
        "cold": None if math.isnan(runs.cold) else runs.cold, "ended": runs.ended, "reach": reach, "points": points,
    }  # fmt: skip


def _span(runs: Runs, tol: float) -> tuple[float, float]:
    return min(runs.seconds[tol]), max(runs.seconds[tol])
