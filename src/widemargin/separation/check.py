"""Is the proof right?  Signs of A w and sums of counted rows, from the user's data; nothing is searched for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputError
from widemargin.separation.door import chosen_rows, door
from widemargin.separation.epsilon import epsilon
from widemargin.separation.integers import column_sums, combined, power
from widemargin.separation.result import Separability, Verification, Witness
from widemargin.separation.signed import Signed
from widemargin.separation.signs import margin_of, signs

SLACK = 1e-9  # of numbers that are bounds: they are recomputed in the same order, but perhaps by other instructions


def verify(result: Separability, X: Any, y: Any) -> Verification:
    """Everything that the result says, against the data."""
    rows, classes, code = door(X, y)
    if (rows.n, rows.d) != result.shape:
        raise InputError(f"the result is about data of shape {result.shape}; X has shape {(rows.n, rows.d)}")
    told = classes.tolist()
    wanted = [result.positive] if result.negative is None else [result.positive, result.negative]
    if any(label not in told for label in wanted):
        return Verification(False, (f"y has the labels {told[:10]}; the result is about {wanted}",))
    pair = [told.index(label) for label in wanted]
    index, A = chosen_rows(rows, code, pair[0], pair[1] if len(pair) > 1 else None, result.intercept)
    problems = tuple(_problems(result, A, index))
    return Verification(not problems, problems)


def _problems(result: Separability, A: Signed, index: Any) -> Iterator[str]:
    if result.kind not in ("complete", "quasi", "overlapping"):
        yield f"there is no kind {result.kind!r}"
    if result.kind != "overlapping":
        yield from _direction(result, A)
    if result.kind != "complete":
        yield from _witness(result, A, index)
        if result.margin != 0:
            yield f"the margin says {result.margin:.3g}; without complete separation it is 0"
    if result.kind == "overlapping":
        yield from _overlap(result, A, index)


def _direction(result: Separability, A: Signed) -> Iterator[str]:
    """A w > 0, or >= 0 and not 0; and the margin."""
    if result.direction is None:
        yield f"a result of {result.kind} separation needs a direction"
        return
    w = np.append(result.direction.w, result.direction.b) if A.intercept else result.direction.w
    if w.shape != (A.d,) or not np.isfinite(w).all():
        yield f"the direction has the shape {result.direction.w.shape}, or is not finite; expected {A.X.d} numbers"
        return
    if not A.intercept and result.direction.b != 0:
        yield "there is no intercept, yet b differs from 0"
    if result.whole is not None and not _rounds(w, result.whole):
        yield "the direction is not a rounding of the whole numbers"
        return
    seen = signs(A, w, result.whole)
    if result.kind == "complete":
        if not seen.complete:
            yield f"{int((seen.least <= 0).sum())} rows have y (w.x + b) <= 0"
        elif not 0 < result.margin <= margin_of(A, w, seen) * (1 + SLACK):
            yield f"the margin says {result.margin:.6g}; what is proved is {margin_of(A, w, seen):.6g}"
    elif not seen.quasi:
        yield f"{int((seen.least < 0).sum())} rows have y (w.x + b) < 0, or none has > 0"


def _rounds(w: F64, whole: tuple[int, ...]) -> bool:
    """Whether w is, up to a power of two, the whole numbers correctly rounded."""
    if len(whole) != len(w) or not any(whole):
        return False
    unit = 1 << max(abs(n) for n in whole).bit_length()
    return bool((np.array([n / unit for n in whole]) == w).all())


def _witness(result: Separability, A: Signed, index: Any) -> Iterator[str]:
    """A few rows whose combination vanishes, or nearly."""
    if result.witness is None:
        yield f"a result of {result.kind} separation needs a witness"
        return
    yield from _counts(result.witness, A, index, "witness")
    if result.witness.counts is None:
        if result.exact:
            yield "the witness has no whole numbers, yet the result is said to be exact"
        at = np.searchsorted(index, result.witness.rows)
        if result.witness.weights.min(initial=1.0) > 0:
            true = epsilon(A, at, result.witness.weights)
            if not true <= result.epsilon * (1 + SLACK):
                yield f"epsilon says {result.epsilon:.6g}; what is proved is {true:.6g}"
    elif result.witness.others == 0 and result.epsilon != 0:
        yield f"epsilon says {result.epsilon:.6g}; the witness proves 0"


def _overlap(result: Separability, A: Signed, index: Any) -> Iterator[str]:
    """All rows take part."""
    if result.overlap is None:
        if result.exact:
            yield "overlap needs a combination of all rows to be exact"
        return
    yield from _counts(result.overlap, A, index, "overlap")
    if result.overlap.counts is None or (result.overlap.others <= 0 and len(result.overlap.rows) < A.n):
        yield "not all rows take part in the combination"


def _counts(witness: Witness, A: Signed, index: Any, name: str) -> Iterator[str]:
    """sum counts_i a_i = 0 with counts > 0, and the weights are those counts."""
    at = np.searchsorted(index, witness.rows)
    inside = at < len(index)
    if not len(at) or not inside.all() or (index[at] != witness.rows).any() or len(np.unique(at)) < len(at):
        yield f"the {name} names rows that are not among those of its classes, or names one twice, or none"
        return
    if witness.weights.shape != at.shape or not (witness.weights > 0).all():
        yield f"the {name} needs one positive weight for each row"
        return
    if witness.counts is None:
        return
    if len(witness.counts) != len(at) or min(witness.counts) <= 0 or witness.others < 0:
        yield f"the {name} needs one positive count for each row"
        return
    total = sum(witness.counts) + witness.others * (A.n - len(at))
    if not (np.array([count / total for count in witness.counts]) == witness.weights).all():
        yield f"the weights of the {name} are not its counts divided by their sum"
    if not _vanishes(witness, A, at):
        yield f"the combination of the {name} does not vanish"


def _vanishes(witness: Witness, A: Signed, at: Any) -> bool:
    """In whole numbers, column by column: sum of (count - others) a_i over the listed rows + others times all rows."""
    assert witness.counts is not None
    part, low = combined(A.entries(at), [count - witness.others for count in witness.counts], A.d)
    if not witness.others:
        return not any(part)
    every = column_sums((block for _, block in A.blocks()), A.d)
    return all(n * power(int(e)) + witness.others * s == 0 for n, e, s in zip(part, low, every, strict=True))
