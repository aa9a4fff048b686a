"""What is true of two classes, or of each pair of several, with the numbers that prove it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from widemargin._types import F64, I64

Kind = Literal["complete", "quasi", "overlapping"]
WORSE: tuple[Kind, ...] = ("complete", "quasi", "overlapping")


class Direction(NamedTuple):
    """w and b; b is 0 without intercept."""

    w: F64
    b: float


class Witness(NamedTuple):
    """sum_i weights_i y_i (x_i, 1) = 0 over these rows, weights > 0.

    `counts` are whole numbers in the proportions of the weights, with which the sum is 0 exactly; None where only
    nearly.  Every row that is not listed has the count `others`, 0 unless it is said that all rows take part.
    """

    rows: I64
    weights: F64
    counts: tuple[int, ...] | None
    others: int = 0


class Verification(NamedTuple):
    """What the recomputation found."""

    ok: bool
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, eq=False)
class Separability:
    """Two classes: how far a hyperplane can separate them.

    `kind`: "complete": some (w, b) has y (w.x + b) > 0 in every row; "quasi": none has, but one has >= 0 in every row
    and > 0 in some; "overlapping": neither.  `exact`: this is proved without any tolerance.  Otherwise what is proved
    is that no hyperplane has a geometric margin above `epsilon`.
    """

    kind: Kind
    exact: bool
    direction: Direction | None  # of complete and quasi separation
    whole: tuple[int, ...] | None  # the direction in whole numbers (b last), where float64 cannot hold it
    witness: Witness | None  # a few rows that no hyperplane has strictly on their sides
    overlap: Witness | None  # the same with all rows: none of them can be strictly on its side
    margin: float  # geometric margin achieved, rounded down; 0 unless complete
    epsilon: float  # no hyperplane has a larger geometric margin; inf: no bound was sought
    proof: str
    route: str
    positive: Any  # the label of y = +1
    negative: Any  # the label of y = -1; None: every other label
    intercept: bool
    shape: tuple[int, int]  # of X as a whole

    def __repr__(self) -> str:
        against = "the others" if self.negative is None else repr(self.negative)
        certain = "" if self.exact else ", not exact"
        return f"Separability({self.kind}{certain}: {self.positive!r} against {against}; by {self.route})"

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the proof against the data, in whole numbers where float64 could mislead; no algorithm is run."""
        from widemargin.separation.check import verify

        return verify(self, X, y)


@dataclass(frozen=True, eq=False)
class SeparabilityTable:
    """Several classes: each against the others (`ovr`), or each pair by itself (`pairwise`).

    `kind` is the worst of the parts: "complete" where every part is, "overlapping" where any part is.
    """

    parts: tuple[Separability, ...]
    multiclass: str

    @property
    def kind(self) -> Kind:
        """The worst of the parts."""
        return max((part.kind for part in self.parts), key=WORSE.index)

    @property
    def exact(self) -> bool:
        """Whether the kind is proved without any tolerance: that of all parts, or of one that overlaps."""
        worst = [part for part in self.parts if part.kind == self.kind]
        return all(p.exact for p in self.parts) or (self.kind == "overlapping" and any(p.exact for p in worst))

    def __getitem__(self, labels: Any) -> Separability:
        """The part of one label (against the others), or of a pair of labels in either order."""
        for part in self.parts:
            if self.multiclass == "ovr" and part.positive == labels:
                return part
            if self.multiclass == "pairwise" and tuple(labels) in (
                (part.positive, part.negative), (part.negative, part.positive),
            ):  # fmt: skip
                return part
        raise KeyError(labels)

    def __repr__(self) -> str:
        counts = {kind: sum(part.kind == kind for part in self.parts) for kind in WORSE}
        told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        return f"SeparabilityTable({self.kind}: {told}; {self.multiclass})"

    def table(self) -> str:
        """One line a part."""
        rows = [("label", "against", "kind", "margin", "route")]
        for p in self.parts:
            margin = f"{p.margin:.3g}" if p.kind == "complete" else ""
            rows.append(
                (str(p.positive), "the others" if p.negative is None else str(p.negative), p.kind, margin, p.route)
            )
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        return "\n".join(
            "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
        )

    def verify(self, X: Any, y: Any) -> Verification:
        """Check every part against the data."""
        from widemargin.separation.check import verify

        checks = [(part, verify(part, X, y)) for part in self.parts]
        problems = tuple(f"{part!r}: {text}" for part, check in checks for text in check.problems)
        return Verification(not problems, problems)
