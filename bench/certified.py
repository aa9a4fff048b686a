"""The certified optimum against scikit-learn and LIBLINEAR: objective and seconds.

Ours is wm.fit with its defaults (solver="auto", tol=1e-6) on one thread, at alpha = 1 / (C n), the intercept treated
as the peer treats it.  Each peer runs twice: tight (a tolerance near rounding, many iterations) and as it comes.  One
NumPy function (objective.py) judges all.  "Against the lowest" is our objective / the lowest of any peer's - 1: 0 is a
tie, negative means that ours is lower; "gap" is what ours is proved to be from the optimum.  "Speed" is the seconds of
the fastest peer, tight or not, that ends within 1e-6 of our objective, over ours: above 1 where we are faster
(processor time; LIBLINEAR's conversion of the data is not counted).  "As they come" is how far above our objective
the peers of that problem stop with their defaults.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import Any

import widemargin as wm
from bench.common import Row, Table, interleaved, require, seconds, times
from bench.objective import objective
from bench.peers import Peer, peers
from bench.sets import Set, get

SETS = ("a9a", "spambase", "farm_ads", "breast_cancer")
STRENGTHS = (0.01, 1.0, 100.0)
TOL = 1e-6


def compare(peer: Peer, data: Set, C: float, tiny: bool) -> Row:
    """One line: ours, theirs tight, theirs as it comes."""
    X, y, alpha = data.X, data.y, 1 / (C * len(data.y))
    prepared = peer.prepare(X, y)
    problem: dict[str, Any] = {"loss": peer.loss, "penalty": peer.penalty, "alpha": alpha}
    jobs = {
        "ours": lambda: wm.fit(X, y, **problem, intercept=True if peer.b == "free" else peer.b, tol=TOL, threads=1),
        "tight": lambda: peer.solve(prepared, y, C, True),
        "default": lambda: peer.solve(prepared, y, C, False),
    }
    found, last = interleaved(jobs, repeats=1 if tiny else 7, seconds=1 if tiny else 6)
    fit = last["ours"]
    judged = {
        name: objective(X, y, w, b, **problem, penalise_b=peer.b == "penalised")
        for name, (w, b) in (last | {"ours": (fit.model.weights, float(fit.model.intercept))}).items()
    }
    require(
        abs(judged["ours"] / fit.certificate.objective - 1) < 1e-9, "the certificate's objective is not the judge's"
    )
    return {
        "loss": peer.loss, "penalty": peer.penalty, "b": peer.b, "set": data.name, "C": C, "peer": peer.name,
        "solver": fit.solver, "objective": judged["ours"], "gap": float(fit.certificate.relative_gap),
        "verdict": fit.certificate.verdict.name, "repeats": found["ours"].repeats,
        "ours_above": judged["ours"] / min(judged["tight"], judged["default"]) - 1,
        "tight_above": judged["tight"] / judged["ours"] - 1, "default_above": judged["default"] / judged["ours"] - 1,
        "ours": found["ours"].cpu, "tight": found["tight"].cpu, "default": found["default"].cpu,
    }  # fmt: skip


def measure(tiny: bool = False) -> Iterator[Row]:
    """All peers on all sets."""
    data = [get(name, tiny) for name in SETS]
    for peer in peers():
        for one in data[1:3] if tiny else data:
            if peer.columns is None or one.X.shape[1] <= peer.columns:
                for C in (1.0,) if tiny else STRENGTHS:
                    yield compare(peer, one, C, tiny)


def tables(rows: list[Row]) -> list[Table]:
    """One line per problem: C = 1 as a whole, and the lines of any C where a peer that gets there is faster."""
    columns = (
        "problem", "b", "set", "C", "ours", "gap", "against the lowest", "fastest peer that gets there", "speed",
        "as they come",
    )  # fmt: skip
    lines = [(group[0]["C"], *_line(group)) for group in groups(rows)]
    higher = sum(max(row["ours_above"] for row in group) > TOL for group in groups(rows))
    uncertain = sum(row["gap"] > TOL and row["verdict"] != "rounding" for row in rows)
    note = (
        f"Of {len(lines)} problems (all C), ours is above the lowest peer by more than {TOL:g} on {higher}, and not "
        f"certified to {TOL:g} in {uncertain} of {len(rows)} fits."
    )
    slower = sorted((line for line in lines if line[2] < 1), key=lambda line: line[2])
    return [
        Table("Certified fits against the fastest peer that gets there, C = 1", note, columns,
              [line[1] for line in lines if line[0] == 1]),
        Table("Where a peer that gets there is faster, any C", f"{len(slower)} of {len(lines)} problems.", columns,
              [line[1] for line in slower]),
    ]  # fmt: skip


def headlines(rows: list[Row]) -> list[tuple[str, str]]:
    """Who ends lower, and who is faster."""
    ratios = [line[1] for group in groups(rows) if math.isfinite((line := _line(group))[1])]
    higher = sum(max(row["ours_above"] for row in group) > TOL for group in groups(rows))
    certified = sum(row["gap"] <= TOL or row["verdict"] == "rounding" for row in rows)
    slower = sum(ratio < 1 for ratio in ratios)
    return [
        ("fits with a certified gap of at most 1e-6, `solver=\"auto\"`", f"{certified} of {len(rows)}"),
        ("problems on which ours ends above the lowest peer (scikit-learn, LIBLINEAR) by more than 1e-6",
         f"{higher} of {len(groups(rows))}"),
        ("seconds of the fastest peer that ends within 1e-6 of ours, over ours",
         f"median {times(median(ratios))}, from {times(min(ratios))} to {times(max(ratios))}; below 1 in {slower}"),
    ]  # fmt: skip


def groups(rows: list[Row]) -> list[list[Row]]:
    """Rows of one problem: same objective, same data."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in ("loss", "penalty", "b", "set", "C")), []).append(row)
    return list(found.values())


def _line(group: list[Row]) -> tuple[list[str], float]:
    """What is shown of a problem, and the speed ratio to sort by (infinite: no peer gets there)."""
    first = group[0]
    ways = [
        (row[way] / row["ours"], f"{row['peer']}{'' if way == 'default' else ', tight'}")
        for row in group
        for way in ("tight", "default")
        if row[f"{way}_above"] <= TOL
    ]
    ratio, who = min(ways, default=(math.inf, "none"))
    stops = ", ".join(_share(row["default_above"]) for row in group)
    return [
        f"{first['loss']} {first['penalty']}", first["b"], first["set"], f"{first['C']:g}",
        f"{seconds(min(row['ours'] for row in group))}, {first['solver']}", f"{max(row['gap'] for row in group):.0e}",
        _share(max(row["ours_above"] for row in group)), who, times(ratio) if ways else "", stops,
    ], ratio  # fmt: skip


def _share(value: float) -> str:
    """A signed relative difference."""
    return "0" if abs(value) < 1e-12 else f"{value:+.0e}" if abs(value) < 1e-3 else f"{100 * value:+.2g} %"
