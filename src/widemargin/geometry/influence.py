"""w = sum_i c_i y_i x_i / alpha,  c_i = -p_i l'(z_i): which rows hold the hyperplane, and how many they amount to.

For the hinge they are the support vectors; for a smooth loss every row has some influence, and the effective number is
(sum c)^2 / sum c^2.  Kish 1965, Survey Sampling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin._types import F64, I64
from widemargin.data.weights import row_weights
from widemargin.errors import InputError, InputTypeError, Refusal
from widemargin.geometry.hyperplane import hyperplane
from widemargin.geometry.margins import functional_margin
from widemargin.model import Model

LEAST = 1e-9  # of the largest influence: below, a row has none that counts


@dataclass(frozen=True, eq=False)
class EffectiveSupport:
    """Rows by their influence on w."""

    rows: I64  # that have any, the largest first
    influence: F64  # (n,) shares, sum 1
    number: float  # (sum c)^2 / sum c^2, from 1 to n; 0 where no row has any

    def __repr__(self) -> str:
        return f"EffectiveSupport({len(self.rows)} of {len(self.influence)} rows, as good as {self.number:.4g})"


def effective_support(fit: Any, X: Any, y: Any, *, sample_weight: Any = None) -> EffectiveSupport:
    """The rows that w is made of.

    A solution of a margin programme, or a fit with a dual point, brings its own duals; from a model alone they are the
    slopes of its loss, at a kink those of its left side.
    """
    plane = hyperplane(fit)
    if plane.W.shape[1] > 1:
        raise Refusal("effective_support is for two classes: each class of several has its own rows.")
    z = np.atleast_1d(np.asarray(functional_margin(plane, X, y)))
    c = _own_duals(fit, len(z))
    if c is None:
        model = fit if isinstance(fit, Model) else getattr(fit, "model", None)
        if not isinstance(model, Model):
            raise InputTypeError("a pair (w, b) has no loss: pass a model or a fit.")
        c = -np.asarray(model.loss.d1(z))
    s = row_weights(sample_weight, len(z))
    if s is not None and not hasattr(fit, "duals"):  # those of a programme are weighted already
        c = c * s
    c = np.where(np.abs(c) > LEAST * np.abs(c).max(initial=0.0), np.abs(c), 0.0)
    total = float(c.sum())
    share = c / total if total > 0 else c
    rows = np.flatnonzero(share)
    number = 1.0 / float(share @ share) if total > 0 else 0.0
    return EffectiveSupport(rows[np.argsort(-share[rows], kind="stable")], share, number)


def _own_duals(fit: Any, n: int) -> F64 | None:
    """lambda of a margin programme, or a of a certificate."""
    found = getattr(fit, "duals", None)
    if found is None:
        found = getattr(getattr(fit, "certificate", None), "dual", None)
        found = None if found is None or found.shape[1] != 1 else found[:, 0]
    if found is not None and len(found) != n:
        raise InputError(f"the fit has duals of {len(found)} rows; X has {n}. Pass the rows that it was fitted on.")
    return None if found is None else np.asarray(found, dtype=np.float64)
