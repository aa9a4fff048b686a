"""separability(X, y): is there a hyperplane with every row on its side?  The door, and the parts of several classes."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.data.rows import Rows
from widemargin.errors import OptionError, unknown
from widemargin.separation.decide import decide
from widemargin.separation.door import chosen_rows, door
from widemargin.separation.result import Separability, SeparabilityTable, Witness
from widemargin.separation.words import proof

MULTICLASS = ("ovr", "pairwise")


def separability(
    X: Any, y: Any, *, intercept: bool = True, multiclass: str = "ovr"
) -> Separability | SeparabilityTable:
    """Whether a hyperplane separates the classes: "complete", "quasi" or "overlapping", with a proof.

    Two classes give a `Separability`.  More give a `SeparabilityTable`: multiclass="ovr" asks for each class against
    all others, "pairwise" for each pair of classes by itself.  intercept=False asks for hyperplanes through 0.
    """
    if not isinstance(intercept, bool | np.bool_):
        raise OptionError(f"intercept = {intercept!r}; expected True or False")
    if multiclass not in MULTICLASS:
        raise unknown("multiclass", multiclass, MULTICLASS)
    rows, classes, code = door(X, y)
    if len(classes) == 2:
        return part(rows, code, classes, (1, 0), bool(intercept))
    numbers = range(len(classes))
    pairs = [(k, None) for k in numbers] if multiclass == "ovr" else [(k, j) for j, k in combinations(numbers, 2)]
    return SeparabilityTable(tuple(part(rows, code, classes, pair, bool(intercept)) for pair in pairs), multiclass)


def part(rows: Rows, code: Array, classes: Array, pair: tuple[int, int | None], intercept: bool) -> Separability:
    """One class against another, or against all others."""
    index, A = chosen_rows(rows, code, *pair, intercept)
    found = decide(A)
    told = classes.tolist()
    return Separability(
        found.kind, found.exact, found.direction, found.whole, _at(found.witness, index), _at(found.overlap, index),
        found.margin, found.epsilon, proof(found, A), found.route, told[pair[0]],
        None if pair[1] is None else told[pair[1]], intercept, (rows.n, rows.d),
    )  # fmt: skip


def _at(witness: Witness | None, index: Array) -> Witness | None:
    """With row numbers of X."""
    return None if witness is None else witness._replace(rows=index[witness.rows])
