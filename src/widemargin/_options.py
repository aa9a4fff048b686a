"""Options of rules (schedules, stops): what numbers they may take, and rules written as text.

Text forms, all the same rule: "power:1,0.75", "power(1, 0.75)", "power(eta0=1, p=0.75)".
Only literals and names of the registry are read; nothing is evaluated.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from numbers import Real
from typing import Annotated, TypeVar, get_args, get_type_hints

from widemargin.errors import OptionError, unknown

T = TypeVar("T")


@dataclass(frozen=True)
class Interval:
    """The numbers an option may take: low < x < high, also low where `closed`, None where `optional`."""

    text: str
    low: float = 0.0
    high: float = math.inf
    closed: bool = False
    whole: bool = False
    optional: bool = False

    def read(self, owner: str, name: str, value: object) -> float | None:
        """The value as a plain float (int where whole), or an error that names the option."""
        if value is None and self.optional:
            return None
        number = _float(value)
        above = number >= self.low if self.closed else number > self.low
        if not (above and number < self.high and (not self.whole or number.is_integer())):
            raise OptionError(f"{owner}: {name} = {value!r}; it must be {self.text}.")
        return int(number) if self.whole else number


Positive = Annotated[float, Interval("a positive, finite number")]
NonNegative = Annotated[float, Interval("a finite number that is not negative", closed=True)]
Fraction = Annotated[float, Interval("a number strictly between 0 and 1", high=1.0)]
Count = Annotated[int, Interval("a whole number, at least 1", low=1.0, closed=True, whole=True)]


def _float(value: object) -> float:
    """NaN, which lies in no interval, for whatever is not a real number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


@cache
def intervals(kind: type) -> Mapping[str, Interval]:
    """The interval of each annotated field of a dataclass, also of `Positive | None`."""
    hints = get_type_hints(kind, include_extras=True)
    found = {}
    for field in fields(kind):
        hint = hints[field.name]
        for part in (hint, *get_args(hint)):
            for extra in getattr(part, "__metadata__", ()):
                if isinstance(extra, Interval):
                    found[field.name] = replace(extra, optional=part is not hint)
    return found


def check(option: object) -> None:
    """Validate the annotated fields of a frozen dataclass and store them as plain numbers."""
    kind: type = type(option)
    for name, interval in intervals(kind).items():
        object.__setattr__(option, name, interval.read(kind.__name__, name, getattr(option, name)))


def build(kind: str, text: str, registry: Mapping[str, type[T]]) -> T:
    """The rule that a text names; `kind` is the word for it in messages."""
    head, colon, rest = text.partition(":")
    try:
        tree = ast.parse(f"{head}({rest})" if colon and "(" not in head else text.strip(), mode="eval")
        return _make(kind, tree.body, registry)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(
            f"{kind} {text!r} cannot be read. Write a name, with its numbers after a colon, "
            f"as in {_example(registry)!r}; the names are: {', '.join(sorted(registry))}."
        ) from None


def _make(kind: str, node: ast.expr, registry: Mapping[str, type[T]]) -> T:
    """Name or Name(literal or rule, key=literal or rule)."""
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    if not isinstance(call.func, ast.Name):
        raise ValueError
    name = call.func.id
    if name not in registry:
        raise unknown(kind, name, registry)
    factory = registry[name]

    def value(part: ast.expr) -> object:
        is_rule = isinstance(part, ast.Call | ast.Name)
        return _make(kind, part, registry) if is_rule else ast.literal_eval(part)

    args = [value(part) for part in call.args]
    named = {str(part.arg): value(part.value) for part in call.keywords}
    signature = inspect.signature(factory)
    try:
        signature.bind(*args, **named)
    except TypeError as error:
        takes = ", ".join(signature.parameters) or "nothing"
        raise OptionError(f"{kind} {name!r}: {error}. It takes: {takes}.") from None
    return factory(*args, **named)


def _example(registry: Mapping[str, type]) -> str:
    """The first entry that takes a single number that need not be whole."""
    for name in sorted(registry):
        if [interval.whole for interval in intervals(registry[name]).values()] == [False]:
            return f"{name}:0.1"
    return min(registry)
