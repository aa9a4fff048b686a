"""What a call of another program asks for: the options of wm.fit, and the strength in that program's convention."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from widemargin.errors import OptionError, unknown

Words = Mapping[str, Any]  # names of arguments to their values


@dataclass
class Draft:
    """One call, half translated."""

    source: str
    options: dict[str, Any] = field(default_factory=dict)
    strength: float | None = None  # None: nothing is penalised, or the solver has its own aim
    convention: str = "mean"
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Something that differs, or has to be seen to."""
        self.notes.append(text)


class Name(str):
    """An argument that is a variable of the caller's, not a value."""


def check_names(source: str, given: Words, known: Collection[str]) -> None:
    """Every argument is one that the program has."""
    for name in given:
        if name not in known:
            raise unknown(f"argument of {source}", name, known)


def call_of(text: str) -> tuple[str, dict[str, Any]]:
    """The name of the function and its arguments; nothing is evaluated.  Positional ones are named 0, 1, ..."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text) from None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name | ast.Attribute):
        raise _unreadable(text)
    name = tree.func.attr if isinstance(tree.func, ast.Attribute) else tree.func.id
    found = {str(k): _value(part, text) for k, part in enumerate(tree.args)}
    found |= {str(part.arg): _value(part.value, text) for part in tree.keywords}
    return name, found


def _value(node: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        pass
    if isinstance(node, ast.Name | ast.Attribute):
        word = ast.unparse(node)
        return float("inf") if word in ("np.inf", "numpy.inf", "math.inf", "inf", "Inf") else Name(word)
    raise OptionError(f"{ast.unparse(node)!r} in {text!r} is no value and no name; write numbers and texts themselves")


def _unreadable(text: str) -> OptionError:
    return OptionError(
        f'{text!r} cannot be read; expected a call such as "LogisticRegression(C=10)" or "glmnet(x, y, '
        'family=\'binomial\', lambda=0.01)", or a command such as "train -s 0 -c 10" or "vw --loss_function logistic"'
    )


def number(source: str, name: str, value: Any) -> float:
    """A number that was written out."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise OptionError(f"{source}: {name} = {value!r}; write the number itself")
    return float(value)
