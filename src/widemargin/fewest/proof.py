"""Is the result right?  Signs of A w, vanishing combinations and sums of a packing, in whole numbers; no search.

    sum u_S <= sum_i s_i e_i   where sum_{S: i in S} u_S <= s_i and every S has an error

What the packing does not reach, a tree or the programme over the proved conflicts must.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from widemargin._types import I64
from widemargin.errors import InputError
from widemargin.fewest.cover import programme
from widemargin.fewest.points import Points, points
from widemargin.fewest.pool import Pool
from widemargin.fewest.probe import vanishes
from widemargin.fewest.result import FewestErrors
from widemargin.fewest.tree import DEEPEST, Tree
from widemargin.separation.conflict import Conflict
from widemargin.separation.epsilon import epsilon
from widemargin.separation.signs import signs
from widemargin.separation.vanishing import vanishing
from widemargin.spec import number

SLACK = 1e-9


@dataclass(frozen=True)
class Verification:
    """What the recomputation found."""

    ok: bool
    weight: float  # that the model misjudges
    packed: float  # the bound by adding up the packing, exactly
    bound: float  # and by the cheapest choice that settles the conflicts, where the result claims more
    exact: int  # conflicts whose combination vanishes exactly
    epsilon: float  # no hyperplane has all rows of any other conflict right by a margin above this
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.ok


def verify(result: FewestErrors, X: Any, y: Any, *, seconds: float = 60.0, **data: Any) -> Verification:
    """Everything that the result says, against the data; `seconds` are for the choice that settles the conflicts."""
    from widemargin.fewest.minimum import checked

    rows = checked(X, y, data.pop("sample_weight", None), data.pop("class_weight", None))
    if data:
        raise InputError(f"verify() got {', '.join(sorted(data))}; expected sample_weight or class_weight, as given")
    limit = number("seconds", seconds, strict=True)
    if rows.source.d != len(result.model.W):
        raise InputError(f"the result is about {len(result.model.W)} columns; X has {rows.source.d}")
    if not np.array_equal(rows.classes, result.model.classes):
        text = f"the classes differ: {rows.classes.tolist()}, not {result.model.classes.tolist()}"
        return Verification(False, math.nan, 0.0, 0.0, 0, math.inf, (text,))
    cloud = points(rows.source, result.model.about["intercept"] == "free")
    weight, problems = _recount(result, cloud)
    pool, kept, exact, widest, wrong = _conflicts(result, cloud)
    packed, more = _packed(result, cloud, pool, kept)
    bound = cloud.up(packed)
    if bound < result.bound * (1 - SLACK) and len(pool):
        bound = max(bound, _chosen(result.bound, cloud, pool, limit))
    problems += wrong + more
    if bound < result.bound * (1 - SLACK):
        problems.append(f"the conflicts prove a bound of {bound:g} in {limit:g} s; the result says {result.bound:g}")
    problems += list(_misstated(result, weight, float(cloud.s.sum())))
    return Verification(not problems, weight, packed, bound, exact, widest, tuple(problems))


def _chosen(claimed: float, cloud: Points, pool: Pool, seconds: float) -> float:
    """What the cheapest choice that settles all conflicts costs: by the tree, without rounding, or by HiGHS."""
    if cloud.unit and claimed <= DEEPEST * cloud.unit:
        end = time.perf_counter() + seconds
        tree = Tree(pool, cloud.s, cloud.unit, lambda chosen: False, lambda: time.perf_counter() > end)
        return claimed if tree.none_within(round(claimed / cloud.unit) - 1) else 0.0
    return cloud.up(programme(pool.matrix, cloud.s, seconds).bound)


def _recount(result: FewestErrors, cloud: Points) -> tuple[float, list[str]]:
    """What the model misjudges; no row that is called right may be wrong, not even by rounding."""
    W, b = result.model.W, result.model.b
    w = np.append(W[:, 0], b[0]) if cloud.A.intercept else W[:, 0]
    problems = [] if cloud.A.intercept or b[0] == 0 else ["there is no intercept, yet b differs from 0"]
    wrong = cloud.misjudged(w)
    rows = np.flatnonzero((cloud.group >= 0) & wrong[cloud.group])
    if not np.array_equal(rows, result.wrong):
        problems.append(f"the model misjudges {len(rows)} rows, not the {len(result.wrong)} that are listed")
    if result.errors != len(rows):
        problems.append(f"the field errors says {result.errors}; it is {len(rows)}")
    if (signs(cloud.A, w).least[~wrong] <= 0).any():
        problems.append("a row that is called right has z <= 0")
    return cloud.weight(wrong), problems


def _conflicts(result: FewestErrors, cloud: Points) -> tuple[Pool, list[int], int, float, list[str]]:
    """The conflicts that are proved, which they are, how many exactly, and what is left open of the others."""
    pool, kept, exact, widest, problems = Pool(cloud.n), [], 0, 0.0, []
    for k, (rows, weights) in enumerate(result.conflicts):
        index = _points_of(rows, cloud)
        if index is None or len(index) != len(weights) or not (weights > 0).all():
            problems.append(f"conflict {k} names rows that are not there, or weighs some of them by 0 or less")
            continue
        if not vanishes(cloud.A.rows(index), weights):
            problems.append(f"conflict {k} is none: its combination does not vanish")
            continue
        if vanishing(cloud.A, index, weights) is not None:
            exact += 1
        else:
            widest = max(widest, epsilon(cloud.A, index, weights))
        order = np.argsort(index)
        pool.add(Conflict(index[order], weights[order]))
        kept.append(k)
    return pool, kept, exact, widest, problems


def _points_of(rows: I64, cloud: Points) -> I64 | None:
    if not len(rows) or rows.min() < 0 or rows.max() >= len(cloud.group):
        return None
    index = cloud.group[rows]
    return index if index.min() >= 0 and len(np.unique(index)) == len(index) else None


def _packed(result: FewestErrors, cloud: Points, pool: Pool, kept: list[int]) -> tuple[float, list[str]]:
    """The sum of the packing over the proved conflicts, if no point carries more than it weighs."""
    if len(result.packing) != len(result.conflicts):
        return 0.0, [f"the packing has {len(result.packing)} numbers for {len(result.conflicts)} conflicts"]
    u = [Fraction(x) for x in result.packing[kept].tolist()]
    load: dict[int, Fraction] = {}
    for x, k in zip(u, kept, strict=True):
        for i in cloud.group[result.conflicts[k].rows].tolist():
            load[i] = load.get(i, Fraction(0)) + x
    if any(x < 0 for x in u) or any(x > Fraction(float(cloud.s[i])) for i, x in load.items()):
        return 0.0, ["the packing puts more on a row than it weighs, or less than nothing"]
    used = [i for k in result.disjoint.tolist() for i in result.conflicts[k].rows.tolist()]
    shared = ["two of the disjoint conflicts share a row"] if len(set(used)) < len(used) else []
    return float(sum(u, Fraction(0))), shared


def _misstated(result: FewestErrors, weight: float, total: float) -> Iterator[str]:
    """The numbers that one reads, against those that were found."""
    for name, claimed, true in (("weight", result.weight, weight), ("share", result.share, weight / total)):
        if not abs(claimed - true) <= SLACK * true:
            yield f"the field {name} says {claimed:.12g}; it is {true:.12g}"
    if result.optimal and not result.weight - result.bound <= 1e-8 * result.weight:
        yield f"the field optimal says True; the bound {result.bound:g} is below {result.weight:g}"
    if result.bound > weight * (1 + SLACK):
        yield f"the bound {result.bound:g} lies above the errors {weight:g}: it bounds nothing"
