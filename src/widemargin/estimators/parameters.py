"""What values parameters may take; every refusal names the estimator, the value and what was expected."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from widemargin.errors import OptionError, unknown


def number(owner: object, name: str, *, above: float | None = None, low: float = -math.inf, high: float = math.inf,
           infinite: bool = False) -> float:  # fmt: skip
    """The parameter as a float: above (strictly) or at least low, at most high."""
    value = getattr(owner, name)
    real = isinstance(value, Real) and not isinstance(value, bool)
    found = float(value) if real else math.nan
    floor = f"above {above:g}" if above is not None else (f"of at least {low:g}" if low > -math.inf else "")
    inside = (found > above if above is not None else found >= low) and found <= high
    if not inside or (math.isinf(found) and not infinite):
        roof = f", at most {high:g}" if math.isfinite(high) else ""
        raise _refused(owner, name, value, " ".join(filter(None, ["a number", floor])) + roof)
    return found


def whole(owner: object, name: str, *, low: int) -> int:
    """The parameter as an int of at least `low`."""
    value = getattr(owner, name)
    if not isinstance(value, Integral) or isinstance(value, bool) or value < low:
        raise _refused(owner, name, value, f"a whole number of at least {low}")
    return int(value)


def choice(owner: object, name: str, choices: Iterable[Any]) -> Any:
    """The parameter, one of some."""
    value, known = getattr(owner, name), list(choices)
    if not any(value is one or (type(value) is type(one) and value == one) for one in known):
        raise _refused(owner, name, value, "one of " + ", ".join(map(repr, known)))
    return value


def by_number(options: Mapping[str, Any], names: Sequence[str] | None) -> dict[str, Any]:
    """The options, with columns that are called by their names in a table called by their numbers."""
    if names is None:
        return dict(options)
    number = {name: j for j, name in enumerate(names)}

    def numbered(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        strange = next((key for key in value if isinstance(key, str) and key not in number), None)
        if strange is not None:
            raise unknown("column", strange, number)
        return {number.get(key, key): one for key, one in value.items()}

    return {key: numbered(value) if key in ("penalty_factor", "bounds") else value for key, value in options.items()}


def _refused(owner: object, name: str, value: object, expected: str) -> OptionError:
    return OptionError(f"The {name!r} parameter of {type(owner).__name__} must be {expected}. Got {value!r} instead.")
