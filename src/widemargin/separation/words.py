"""What was proved, and how, in words."""

from __future__ import annotations

from widemargin.separation.decide import Decided
from widemargin.separation.signed import Signed


def proof(found: Decided, A: Signed) -> str:
    """One or two sentences."""
    if found.kind == "complete":
        return (
            f"y (w.x + b) > 0 in all {A.n} rows: in float64 with a bound on its rounding, and in whole numbers where "
            f"that does not decide. The geometric margin is at least {found.margin:.3g}."
        )
    sentences = [_not_complete(found)]
    if found.kind == "quasi":
        sentences.append(
            "y (w.x + b) >= 0 in all rows and > 0 in some, in whole numbers where float64 does not decide."
        )
    elif found.overlap is not None:
        sentences.append(
            "All rows take part in a combination of y (x, 1) with positive weights that vanishes exactly, so that no "
            "hyperplane has all rows on its side or on itself and some off it."
        )
    else:
        sentences.append("Quasi-complete separation was not found; it is not excluded by proof.")
    return " ".join(sentences)


def _not_complete(found: Decided) -> str:
    assert found.witness is not None
    rows = len(found.witness.rows)
    if found.witness.counts is not None:
        return f"A combination of y (x, 1) of {rows} rows with positive whole weights vanishes exactly."
    return (
        f"A combination of y (x, 1) of {rows} rows nearly vanishes: no hyperplane has a geometric margin above "
        f"{found.epsilon:.3g}, rounded up. Whether one has a smaller margin above 0 was not decided."
    )
