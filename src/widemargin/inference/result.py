"""What is said of single coefficients: estimate, standard error, z, p-value, interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from widemargin._types import F64


class Coefficient(NamedTuple):
    """One line of the table."""

    name: str
    estimate: float
    standard_error: float
    z: float
    p_value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Inference:
    """Estimates of unpenalised coefficients and their covariance; the intercept, if there is one, comes last.

    For more than two classes the coefficients are those of each class less those of the reference class.
    """

    names: tuple[str, ...]
    estimates: F64
    covariance: F64
    kind: str  # "wald", "robust", "cluster", "firth"
    level: float
    rows: float  # sum of weights
    log_likelihood: float  # NaN where the loss is no likelihood

    @cached_property
    def standard_errors(self) -> F64:
        """Square roots of the covariance's diagonal."""
        return np.sqrt(np.diagonal(self.covariance))

    @cached_property
    def z(self) -> F64:
        """Estimate over standard error."""
        return np.asarray(self.estimates / self.standard_errors)

    @cached_property
    def p_values(self) -> F64:
        """Two-sided, of the normal limit."""
        from scipy.special import ndtr

        return np.asarray(2.0 * ndtr(-np.abs(self.z)))

    @cached_property
    def intervals(self) -> F64:
        """(p, 2): estimate -/+ quantile times standard error."""
        from scipy.special import ndtri

        reach = float(ndtri(0.5 + self.level / 2)) * self.standard_errors
        return np.column_stack([self.estimates - reach, self.estimates + reach])

    def __iter__(self) -> Iterator[Coefficient]:
        for k, name in enumerate(self.names):
            numbers = (self.estimates[k], self.standard_errors[k], self.z[k], self.p_values[k], *self.intervals[k])
            yield Coefficient(name, *map(float, numbers))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        percent = f"{100 * self.level:g} %"
        head = ("", "estimate", "std. error", "z", "p-value", f"{percent} from", "to")
        lines = [(c.name, *map(_short, c[1:4]), _p(c.p_value), *map(_short, c[5:])) for c in self]
        table = [head, *lines]
        widths = [max(len(row[k]) for row in table) for k in range(len(head))]
        rows = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in table]
        return "\n".join([f"{self.kind}, {self.rows:g} rows", *rows])


def _short(value: float) -> str:
    return f"{value:.4g}"


def _p(value: float) -> str:
    return "< 1e-16" if value < 1e-16 else f"{value:.3g}"
