"""What is known of sum eta_t = inf and sum eta_t^2 < inf.  Robbins and Monro 1951.

Three shapes of tail decide it for every known family: a power of t, a constant, a geometric series.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class RobbinsMonro:
    """Whether the sum diverges and the sum of squares converges (None: not known), and why."""

    sum_diverges: bool | None
    squares_converge: bool | None
    reason: str

    @property
    def verdict(self) -> Literal["proved", "refuted", "undecidable"]:
        """Whether both conditions hold."""
        known = (self.sum_diverges, self.squares_converge)
        if False in known:
            return "refuted"
        return "undecidable" if None in known else "proved"

    def __str__(self) -> str:
        return f"{self.verdict}: {self.reason}"


NOT_NECESSARY = "The two conditions are sufficient, not necessary: a rule that fails them can still work."


def unknown() -> RobbinsMonro:
    """Of a function nothing is known."""
    return RobbinsMonro(
        None,
        None,
        "an arbitrary function can be evaluated at finitely many t only, and finitely many values decide "
        f"nothing about an infinite sum: every beginning can go on as 1/t, or as 1/2^t. {NOT_NECESSARY}",
    )


def powers(p: float) -> RobbinsMonro:
    """eta_t ~ t^-p: sum eta_t = inf for p <= 1, sum eta_t^2 < inf for p > 1/2."""
    return RobbinsMonro(
        p <= 1.0,
        p > 0.5,
        f"the steps fall like 1/t^{p:g}; sum 1/t^p is infinite exactly for p <= 1, "
        f"and the sum of its squares finite exactly for p > 1/2. {NOT_NECESSARY}",
    )


def flat(why: str) -> RobbinsMonro:
    """eta_t constant from some t on: both sums diverge."""
    return RobbinsMonro(
        True,
        False,
        f"{why}, so both sums are infinite: noise in the gradient never dies out. {NOT_NECESSARY}",
    )


def geometric(why: str) -> RobbinsMonro:
    """eta_t = c r^t: both sums converge."""
    return RobbinsMonro(
        False,
        True,
        f"{why}, so both sums are finite: bounded gradients can move w only so far. {NOT_NECESSARY}",
    )
