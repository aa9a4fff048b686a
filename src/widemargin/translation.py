r"""J(w, b) = c(t) sum_i s_i kappa l(z_i) + r(t) R(w) = F P(w, b): one strength t in every convention of the objective.

P = sum_i p_i l(z_i) + alpha R(w) with p_i = s_i / S, S = sum_i s_i, is what this library minimises.  Both coefficients
are monomials in the strength t, the weight S and the number of rows n, so
  alpha = r / (c kappa S),   F = c kappa S,
and every translation is a monomial again: it is computed in rational arithmetic and rounded once.  kappa = 1/2 where a
convention halves the squared error, else 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational, Real
from typing import NamedTuple

from widemargin.errors import OptionError, Refusal, unknown
from widemargin.loss import CallableLoss, Loss, Registry, as_loss

HALF = Fraction(1, 2)


class Monomial(NamedTuple):
    """number t^strength S^weight n^rows."""

    number: Fraction = Fraction(1)
    strength: int = 0
    weight: int = 0
    rows: int = 0

    def over(self, other: Monomial) -> Monomial:
        """self / other."""
        powers = (a - b for a, b in zip(self[1:], other[1:], strict=True))
        return Monomial(self.number / other.number, *powers)

    def power(self, k: int) -> Monomial:
        """self^k."""
        return Monomial(self.number**k, k * self.strength, k * self.weight, k * self.rows)

    def at(self, t: Monomial) -> Monomial:
        """t -> self(t(.))."""
        inner, outer = t.power(self.strength), self._replace(strength=0)
        powers = (a + b for a, b in zip(inner[1:], outer[1:], strict=True))
        return Monomial(inner.number * outer.number, *powers)


@dataclass(frozen=True)
class Convention:
    """One way to write the objective: on_loss sum s l + on_penalty R."""

    name: str
    symbol: str  # of the strength, in TeX
    on_loss: Monomial
    on_penalty: Monomial
    reference: str
    used_by: tuple[str, ...] = ()  # also names of this convention
    halved: str = ""  # the loss of which half is taken
    only: str = ""  # the loss that it is for; its penalty is then l2
    note: str = ""

    def scale(self, loss: str | None) -> Monomial:
        """F / S: the coefficient of sum s l for this library's l."""
        kappa = HALF if self.halved and loss == self.halved else Fraction(1)
        return self.on_loss._replace(number=self.on_loss.number * kappa)

    def alpha(self, loss: str | None) -> Monomial:
        """The alpha of this library as a monomial in t, S and n."""
        found = self.on_penalty.over(self.scale(loss))
        return found._replace(weight=found.weight - 1)

    @property
    def tex(self) -> str:
        """The objective, as the reference writes it."""
        loss = r"(1 - z_i)^2" if self.only == "squared" else r"\ell(z_i)"
        penalty = r"\|w\|^2" if self.only else "R(w)"
        on_penalty = self.on_penalty._replace(number=self.on_penalty.number / (2 if self.only else 1))
        terms = self._tex(self.on_loss) + rf" \sum_i s_i {loss} + " + self._tex(on_penalty) + f" {penalty}"
        halved = r", \quad \ell = \tfrac12 (1 - z)^2 \text{ for the squared loss}" if self.halved else ""
        return " ".join(terms.split()) + halved

    def _tex(self, monomial: Monomial) -> str:
        over: list[str] = []
        under: list[str] = []
        for sign, power in ((self.symbol, monomial.strength), (r"\sum_i s_i", monomial.weight), ("n", monomial.rows)):
            (over if power > 0 else under).extend([sign] * abs(power))
        number = "" if monomial.number == 1 else str(monomial.number)
        top = " ".join([number, *over]).strip()
        return rf"\frac{{{top or 1}}}{{{' '.join(under)}}}" if under else top

    def __repr__(self) -> str:
        return f"conventions[{self.name!r}]"


class Conventions(Registry):
    """The registry; the programs that use a convention are names of it too."""

    def __getitem__(self, name: str) -> Convention:
        found: Convention
        for found in self._entries.values():
            if isinstance(name, str) and name.casefold() in map(str.casefold, (found.name, *found.used_by)):
                return found
        raise unknown("convention", name, [n for c in self._entries.values() for n in (c.name, *c.used_by)])


ONE, T = Monomial(), Monomial(strength=1)
_LIST = (
    Convention("mean", r"\alpha", Monomial(weight=-1), T, "this library; Shalev-Shwartz et al. 2011",
               ("widemargin", "Pegasos")),
    Convention("c_sum", "C", T, ONE, "Cortes, Vapnik 1995; Fan et al. 2008",
               ("LogisticRegression", "LinearSVC", "SVC", "LIBLINEAR", "LIBSVM"),
               note="LinearSVC and LIBLINEAR penalise the intercept: intercept='penalised'"),
    Convention("c_mean", "C", Monomial(strength=1, rows=-1), ONE, "Joachims 2006", ("SVMperf",)),
    Convention("sum", r"\lambda", ONE, T, "Daumé, A Course in Machine Learning, eq. 6.8"),
    Convention("per_row", r"\lambda", ONE, Monomial(strength=1, weight=1), "Carson 2025, section 03",
               note="sum_i s_i [lambda R(w) + l(z_i)]: the penalty is counted once for every row"),
    Convention("sgd", r"\alpha", Monomial(rows=-1), T, "Bottou 2010; scikit-learn", ("SGDClassifier",),
               halved="squared", note="the sum of weighted losses is divided by n, not by the sum of weights"),
    Convention("half_mean", r"\lambda", Monomial(weight=-1), T, "Friedman, Hastie, Tibshirani 2010",
               ("glmnet", "ElasticNet", "Lasso"), halved="squared"),
    Convention("half_sum", r"\lambda", ONE, T, "Daumé, A Course in Machine Learning, eq. 6.28", halved="squared"),
    Convention("ridge", "a", ONE, Monomial(Fraction(2), 1), "Hoerl, Kennard 1970", ("Ridge", "RidgeClassifier"),
               only="squared"),
)  # fmt: skip
conventions = Conventions("convention", {convention.name: convention for convention in _LIST})


class Translated(float):
    """A strength in its new convention, and what else is true of the translation."""

    exact: Fraction  # before rounding to float64; translates back exactly
    factor: float  # objective in the new convention / that in the old one; NaN: it needs rows that were not told
    source: Convention
    target: Convention

    @property
    def text(self) -> str:
        """The translation in one line."""
        times = "" if math.isnan(self.factor) else f"; its objective is {self.factor:.6g} times as large"
        return (
            f"{self.target.symbol.lstrip(chr(92))} = {float(self):.6g} in {self.target.name!r} is the same problem in "
            f"{self.source.name!r}{times}"
        )


def translate(
    strength: float | Rational, source: str | Convention, *, to: str | Convention = "mean", n: int | None = None,
    sum_weights: float | None = None, loss: str | Loss | CallableLoss | None = None,
) -> Translated:  # fmt: skip
    """The strength in convention `to` that has the minimiser which `strength` has in convention `source`.

    n and sum_weights (n, unless given) are asked for only where the answer depends on them; loss only where a
    convention halves it.  The result is a number, with `.exact` and the `.factor` between the objectives.
    """
    first, second = _convention(source), _convention(to)
    name = _loss(first, second, loss)
    t = _exact("strength", strength)
    alpha, wanted = first.alpha(name), second.alpha(name)
    found = alpha.over(wanted._replace(strength=0)).power(wanted.strength)  # wanted.strength is 1 or -1
    factor = second.scale(name).at(found).over(first.scale(name))
    S, rows = _counts(n, sum_weights)
    _need(found, S, rows)
    exact = _value(found, t, S, rows)
    result = Translated(_rounded(exact))
    known = not ((factor.weight and S is None) or (factor.rows and rows is None))
    result.exact, result.factor = exact, _rounded(_value(factor, t, S, rows)) if known else math.nan
    result.source, result.target = first, second
    return result


def _convention(given: str | Convention) -> Convention:
    found: Convention = given if isinstance(given, Convention) else conventions[given]
    return found


def _loss(first: Convention, second: Convention, loss: str | Loss | CallableLoss | None) -> str | None:
    """The name of the loss, as far as it matters."""
    name = None if loss is None else as_loss(loss).name
    for convention in (first, second):
        if convention.only and name not in (None, convention.only):
            raise Refusal(
                f"the convention {convention.name!r} is for the loss {convention.only!r}, not {name!r}: "
                "use 'sum' or 'mean'."
            )
        name = convention.only or name
    if name is None and first.halved != second.halved:
        which = first if first.halved else second
        raise OptionError(
            f"loss was not given, and {which.name!r} takes half of the loss {which.halved!r}: "
            "say which one, as in loss='logistic'."
        )
    return name


def _exact(name: str, value: object) -> Fraction:
    """The number itself: every float is a rational number."""
    if isinstance(value, Translated):
        return value.exact
    if isinstance(value, Rational | Real) and not isinstance(value, bool) and (found := _fraction(value)) is not None:
        return found
    raise OptionError(f"{name} = {value!r}; expected a finite number above 0")


def _fraction(value: Rational | Real) -> Fraction | None:
    """None where it is not positive and finite as a float."""
    try:
        size = float(value)
    except OverflowError:
        return None
    if not 0 < size < math.inf:
        return None
    return Fraction(value) if isinstance(value, Rational) else Fraction(size)


def _counts(n: object, sum_weights: object) -> tuple[Fraction | None, Fraction | None]:
    """S and n, as far as they are known."""
    rows = None if n is None else _exact("n", n)
    if rows is not None and rows.denominator != 1:
        raise OptionError(f"n = {n!r}; expected a whole number of rows")
    return (rows if sum_weights is None else _exact("sum_weights", sum_weights)), rows


def _need(formula: Monomial, S: Fraction | None, n: Fraction | None) -> None:
    if formula.weight and S is None:
        raise OptionError("the translation depends on the rows: pass n=len(y), or sum_weights= where rows have weights")
    if formula.rows and n is None:
        raise OptionError("the translation depends on the number of rows, whatever their weights: pass n=len(y)")


def _value(formula: Monomial, t: Fraction, S: Fraction | None, n: Fraction | None) -> Fraction:
    """At numbers; 1 for those that are not in the formula."""
    weight, rows = (S or Fraction(1)) ** formula.weight, (n or Fraction(1)) ** formula.rows
    return Fraction(formula.number * t**formula.strength * weight * rows)


def _rounded(exact: Fraction) -> float:
    try:
        found = float(exact)
    except OverflowError:
        found = float("inf")
    if not 0 < found < float("inf"):
        raise OptionError(
            f"the strength becomes {'0' if found == 0 else 'infinite'} in float64: begin with a milder one"
        )
    return found
