"""The link of a loss, P(y | f), as the core's list writes it -> a tree -> any language.

expression = term (+ or - term)*,  term = power ((* or /)? power)*,  power = atom (^ power)?,
atom = number, f, name atom, (expression) or - atom.  "2 f" is a product and "clip f" a function of f.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from widemargin.errors import Refusal

Words = Mapping[str, Callable[..., str]]  # how a language writes operators and functions

FUNCTIONS = ("sigmoid", "clip", "sqrt", "exp", "log")  # clip is to [-1, 1]
TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([a-z]+)|([-+*/^()]))")


@dataclass(frozen=True)
class Expression:
    """A number, "f", an operator of two parts, or a function of one."""

    head: str
    parts: tuple[Expression, ...] = ()

    def written(self, words: Words, number: Callable[[float], str], f: str) -> str:
        """In a language: how it writes numbers, and the operators and functions that are not as in most."""
        inner = [part.written(words, number, f) for part in self.parts]
        if not inner:
            return f if self.head == "f" else number(float(self.head))
        if self.head in words:
            return words[self.head](*inner)
        return f"({inner[0]} {self.head} {inner[1]})" if len(inner) == 2 else f"{self.head}({inner[0]})"


def parse(text: str) -> Expression:
    """The tree of a link."""
    tokens, end = [], 0
    while end < len(text.rstrip()):
        found = TOKEN.match(text, end)
        if found is None:
            raise _unreadable(text)
        tokens.append(found[0].strip())
        end = found.end()
    reader = _Reader(text, tokens)
    tree = reader.sum()
    if reader.tokens:
        raise _unreadable(text)
    return tree


def _unreadable(text: str) -> Refusal:
    return Refusal(f"the link {text!r} cannot be exported: it is not of the form that other languages are written from")


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, text: str, tokens: list[str]) -> None:
        self.text, self.tokens = text, tokens

    @property
    def next(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def sum(self) -> Expression:
        found = self.product()
        while self.next in ("+", "-"):
            found = Expression(self.tokens.pop(0), (found, self.product()))
        return found

    def product(self) -> Expression:
        found = self.power()
        while self.next not in ("", "+", "-", ")", "^"):
            sign = self.tokens.pop(0) if self.next in ("*", "/") else "*"
            found = Expression(sign, (found, self.power()))
        return found

    def power(self) -> Expression:
        found = self.atom()
        if self.next != "^":
            return found
        self.tokens.pop(0)
        return Expression("^", (found, self.power()))

    def atom(self) -> Expression:
        token = self.tokens.pop(0) if self.tokens else ""
        if token == "f" or token[:1].isdigit():
            return Expression(token)
        if token in FUNCTIONS:
            return Expression(token, (self.atom(),))
        if token == "-":
            return Expression("-", (Expression("0"), self.atom()))
        if token == "(":
            found = self.sum()
            if self.next == ")":
                self.tokens.pop(0)
                return found
        raise _unreadable(self.text)
