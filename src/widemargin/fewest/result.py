"""What is known about the fewest errors: a hyperplane that makes so few, and conflicts that none can avoid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from widemargin._types import F64, I64
from widemargin.errors import Verdict
from widemargin.fewest.surrogates import Surrogate
from widemargin.model import Model
from widemargin.separation.conflict import Conflict

if TYPE_CHECKING:
    from widemargin.fewest.proof import Verification


class Curve(NamedTuple):
    """Incumbent and bound against time."""

    seconds: F64
    incumbent: F64
    bound: F64


@dataclass(frozen=True, eq=False)
class FewestErrors:
    """No hyperplane misjudges less than `bound`; `model` misjudges `weight`.  All are sums of sample weights.

    A row is misjudged where z = y (w.x + b) <= 0, or where z > 0 is not certain beyond rounding.  A conflict is a
    set of rows of which every hyperplane misjudges one: with its weights lambda > 0, sum lambda y (x, 1) = 0.
    """

    errors: int  # rows that the model misjudges
    weight: float  # what they weigh: as many, without weights
    share: float  # of the weight of all rows
    bound: float
    optimal: bool  # weight = bound
    verdict: Verdict
    model: Model
    wrong: I64  # the rows that the model misjudges
    conflicts: tuple[Conflict, ...]  # numbers of rows of X; of rows that are the same, the first
    disjoint: I64  # conflicts no two of which share a row
    packing: F64  # u: one number for each conflict, on no row more than it weighs; their sum is a bound
    surrogates: tuple[Surrogate, ...]
    trace: Curve

    @property
    def gap(self) -> float:
        """weight - bound: how many errors fewer there might be, at most."""
        return self.weight - self.bound

    def verify(self, X: Any, y: Any, **data: Any) -> Verification:
        """Count again, and prove every conflict again: in whole numbers, without the search.

        Takes sample_weight and class_weight as they were given, and `seconds` for the cheapest choice of rows that
        settles the conflicts.
        """
        from widemargin.fewest.proof import verify

        return verify(self, X, y, **data)

    def table(self) -> str:
        """What each surrogate's best solution misjudges, and how far above the bound that is at most."""
        lines = [f"{'loss':<16}{'alpha':>8}{'errors':>8}{'above':>8}"]
        lines += [f"{r.loss:<16}{r.alpha:>8g}{r.errors:>8d}{r.above:>8g}" for r in self.surrogates]
        return "\n".join([*lines, f"{'fewest found':<24}{self.errors:>8d}{self.gap:>8g}"])

    def __repr__(self) -> str:
        known = "proved fewest" if self.optimal else f"at least {self.bound:g} by {len(self.conflicts)} conflicts"
        weighing = "" if self.weight == self.errors else f" weighing {self.weight:g}"
        return f"FewestErrors({self.errors} errors{weighing}, {known}; {self.verdict.name})"
