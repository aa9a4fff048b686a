"""Some rows for all: one at a hashed place in every `step` rows of a class, weighted back to the share of the class.

Rows that lie in order, by class or in time, keep their shares; rows that repeat with some period hide nothing, for the
places are hashed.  A class that is rare keeps all its rows.  Systematic sampling by strata: Madow 1949.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from widemargin._types import F64, I64
from widemargin.bounds import Anchors
from widemargin.data.source import ArraySource
from widemargin.solve.protocol import Problem

FEWEST = 500  # rows of a class that a sample keeps, if it has as many


def sampled(problem: Problem, rows: int) -> Problem:
    """The same objective on about so many rows."""
    source = problem.source
    if rows >= source.n:
        return problem
    index, factor = places(source, max(1, source.n // rows))
    s = factor if source.s is None else source.s[index] * factor
    o = None if source.o is None else source.o[index]
    few = ArraySource(source.X.take(index), source.y[index], s, o, source.classes)
    return replace(problem, source=few, anchors=Anchors(problem.objective, few, problem.reducer))


def places(source: ArraySource, step: int) -> tuple[I64, F64]:
    """Row numbers in order, and how many rows each stands for."""
    found, factors = [], []
    for value in [-1.0, 1.0] if source.classes == 2 else range(source.classes):
        members = np.flatnonzero(source.y == value)
        own = max(1, min(step, len(members) // FEWEST))
        starts = np.arange(0, len(members), own)
        picks = np.minimum(starts + np.random.default_rng(own).integers(0, own, len(starts)), len(members) - 1)
        found.append(members[picks])
        factors.append(np.full(len(picks), len(members) / max(1, len(picks))))
    index = np.concatenate(found)
    order = np.argsort(index, kind="stable")
    return index[order], np.concatenate(factors)[order]
