"""What a row weighs, s = sample weight times class weight, and its offset o."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from widemargin._types import F64, Array
from widemargin.data.frames import as_array, is_real, numbers, short
from widemargin.data.labels import plain
from widemargin.errors import InputError, OptionError, unknown


def _reals(values: Any, what: str, shape: tuple[int, ...], remedy: str) -> F64:
    """A copy, as finite float64 numbers of that shape."""
    expected = f"expected numbers of shape {shape}"
    given = as_array(values, what, expected)
    if given.shape != shape:
        raise InputError(f"{what} has shape {given.shape}; {expected}. {remedy}")
    width = given.size // len(given)
    read = numbers(given, what, lambda k: f"row {k // width} (counted from 0)")
    out = np.array(read, dtype=np.float64, order="C")
    wrong = ~np.isfinite(out)
    if wrong.any():
        k = int(wrong.argmax())
        raise InputError(
            f"{what} has {out.flat[k]} at row {k // width} (counted from 0); expected finite numbers. "
            "Replace it, or drop the row."
        )
    return out


def row_weights(sample_weight: Any, n: int) -> F64 | None:
    """s >= 0, not all 0; None where all are 1."""
    if sample_weight is None:
        return None
    s = _reals(sample_weight, "sample_weight", (n,), "Give one weight per row.")
    if s.min() < 0:
        row = int((s < 0).argmax())
        raise InputError(
            f"sample_weight has {s[row]} at row {row} (counted from 0); expected no negative weight. "
            "A weight of 0 leaves a row out."
        )
    if not s.any():
        raise InputError("sample_weight is 0 for all rows; expected some that are positive. Leave it out to count all.")
    return None if (s == 1).all() else s


def _codes(y: F64, classes: Array) -> Array:
    """Class numbers, also of two classes."""
    return ((y + 1) / 2 if len(classes) == 2 else y).astype(np.intp)


def class_weighted(s: F64 | None, y: F64, classes: Array, class_weight: Any) -> F64 | None:
    """s times the weight of its class; "balanced": (sum s / K) / (sum of s in the class)."""
    if class_weight is None:
        return s
    codes = _codes(y, classes)
    if isinstance(class_weight, Mapping):
        factors = _by_label(class_weight, classes)
    elif isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights=s, minlength=len(classes))
        with np.errstate(all="ignore"):  # a class without weight is reported by check_weights
            factors = np.where(totals > 0, (totals / len(classes)).sum() / totals, 1.0)
    elif isinstance(class_weight, str):
        raise unknown("class_weight", class_weight, ["balanced"])
    else:
        raise OptionError(
            f"class_weight is of type {type(class_weight).__name__}; expected None, "
            'the word "balanced" or a dict from labels to weights.'
        )
    with np.errstate(over="ignore"):  # reported by check_weights
        weighted = factors[codes] if s is None else s * factors[codes]
    return None if (weighted == 1).all() else weighted


def _by_label(class_weight: Mapping[Any, Any], classes: Array) -> F64:
    """The weight of each class; 1 where the user gave none."""
    number = {label: k for k, label in enumerate(classes.tolist())}
    factors = np.ones(len(classes))
    for label, weight in class_weight.items():
        if label not in number:
            raise OptionError(f"class_weight has the label {short(label)}, not among those of y: {_listed(classes)}.")
        try:
            value = float(weight) if is_real(type(weight)) else np.nan
        except (OverflowError, ValueError):
            value = np.nan
        if not 0 <= value < np.inf:
            raise OptionError(
                f"class_weight[{label!r}] = {short(weight)}; expected a finite number that is not negative."
            )
        factors[number[label]] = value
    return factors


def _listed(classes: Array) -> str:
    shown = ", ".join(repr(label) for label in classes[:10].tolist())
    return shown if len(classes) <= 10 else f"{shown}, ... ({len(classes)} in all)"


def check_weights(s: F64 | None, y: F64, classes: Array) -> None:
    """The sum of the weights is a normal number, and every class has a part in it."""
    if s is None:
        return
    with np.errstate(over="ignore"):
        total = float(s.sum())
    if not np.finfo(np.float64).tiny <= total < np.inf:
        raise InputError(
            f"the weights add up to {total!r}, by which float64 cannot divide; expected an ordinary size. "
            "Multiply all weights by one constant."
        )
    empty = np.bincount(_codes(y, classes), weights=s, minlength=len(classes)) == 0
    if empty.any():
        label = plain(classes[int(empty.argmax())])
        few = "only one class has weight" if (~empty).sum() == 1 else "a class has no weight"
        raise InputError(f"{few}: all rows of class {label!r} weigh 0. Give it weight, or leave its rows out.")


def offsets(offset: Any, n: int, K: int) -> F64 | None:
    """o, (n,) for two classes and (n, K) for more; None where all are 0."""
    if offset is None:
        return None
    if K == 2:
        o = _reals(offset, "offset", (n,), "With two classes it is added to the score of classes[1].")
    else:
        o = _reals(offset, "offset", (n, K), f"With {K} classes every class needs its own column.")
    if np.abs(o).max() > 1e100:
        raise InputError("offset has numbers beyond 1e100, whose squares overflow; expected scores of ordinary size.")
    return o if o.any() else None
