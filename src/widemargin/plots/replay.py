"""w_t = w_0 - sum eta s(z) y x over the recorded updates, s the slope of the loss at the margin before.

Nothing is decided anew: which rows moved w, by how much and in which order is read from the record of the solver,
whose margins must come out again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import F64, I64, Array
from widemargin.data.intake import intake
from widemargin.data.rows import Rows
from widemargin.errors import InputError, InputTypeError, Refusal
from widemargin.fitting import Fit
from widemargin.model import Model

SAME = 1e-6  # relative: a margin that differs by more is another margin
AGAIN = "fit again with solver='perceptron', trace='steps'"


class Update(NamedTuple):
    """The weights after an update, and its row (-1 for the start)."""

    w: F64
    b: float
    row: int


class Record(NamedTuple):
    """Rows, labels and what was added for each update: c x to w, c to b."""

    rows: Rows
    y: F64
    updated: I64
    change: F64
    before: F64 | None
    intercept: bool
    start: Model | None
    model: Model


def record(fit: Any, X: Any, y: Any, start: Model | None = None) -> Record:
    """What moved the weights of a fit, in order."""
    if not isinstance(fit, Fit):
        raise InputTypeError(f"updates are recorded by fits; got {type(fit).__name__}: {AGAIN}.")
    steps, votes, model = fit.trace.steps, fit.votes, fit.model
    if steps is None and votes is None:
        raise Refusal(f"this fit did not record its updates: {AGAIN}.")
    if len(model.b) > 1 or model.about.get("alpha"):
        raise Refusal("updates are replayed for two classes without penalty, where each adds a multiple of its row.")
    if steps is not None and steps.every > 1:
        raise Refusal(f"only one in {steps.every} steps was kept: fit fewer passes, as in stop='max_passes:10'.")
    source = intake(X, y).source
    if source.d != len(model.W):
        raise InputError(f"X has {source.d} columns; the model was fitted on {len(model.W)}. Pass the training rows.")
    if steps is not None:
        slopes, row, eta, before = np.asarray(model.loss.d1(steps.before)), steps.row, steps.step, steps.before
    else:
        assert votes is not None
        slopes, row, eta, before = np.full(len(votes), -1.0), votes.rows, votes.steps, None
    moved = np.flatnonzero(slopes)
    row = row[moved]
    if len(row) and int(row.max()) >= source.n:
        raise InputError(f"the updates are about row {int(row.max())}; X has {source.n} rows. Pass the training rows.")
    change = -eta[moved] * slopes[moved] * source.y[row]
    free = model.about.get("intercept") == "free"
    return Record(source.X, source.y, row, change, None if before is None else before[moved], free, start, model)


def updates(kept: Record) -> Iterator[Update]:
    """The start, then the weights after each update; each is a copy of its own."""
    w = np.zeros(kept.rows.d) if kept.start is None else kept.start.W[:, 0].copy()
    b = 0.0 if kept.start is None else float(kept.start.b[0])
    yield Update(w.copy(), b, -1)
    matrix = kept.rows.matrix
    for k, (i, c) in enumerate(zip(kept.updated.tolist(), kept.change.tolist(), strict=True)):
        x = _row(matrix, i)
        if kept.before is not None:
            z, size = kept.y[i] * (float(x @ w) + b), float(np.abs(x) @ np.abs(w)) + abs(b)
            if abs(z - kept.before[k]) > SAME * max(size, abs(z), 1e-300):
                raise InputError(
                    f"update {k + 1} met row {i} at the margin {kept.before[k]:.6g}, and these rows give {z:.6g}: pass "
                    "the training rows, unweighted, and start= where the fit was warm."
                )
        w += c * x
        b += c * kept.intercept
        yield Update(w.copy(), b, i)
    if w.any() and np.allclose(w, -kept.model.W[:, 0], rtol=SAME, atol=0):  # every margin is as it was
        raise InputError("these updates lead to the hyperplane's other side: y has its labels exchanged.")


def _row(matrix: Any, i: int) -> F64:
    found: Array = matrix[i] if isinstance(matrix, np.ndarray) else matrix[[i]].toarray()[0]
    return np.asarray(found, dtype=float)
