"""Options whose values come from the library's registries, which are imported only when a value or help is asked."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem


def _found(path: str) -> Any:
    """What "module:name" stands for, inside the package."""
    module, _, name = path.partition(":")
    return getattr(import_module(f"widemargin.{module}"), name)


class Entry(click.ParamType):  # type: ignore[type-arg]  # generic only in new versions of click
    """A name of the registry at one path, read by the function at another (which takes parameters, too)."""

    def __init__(self, name: str, registry: str, read: str = "", also: Iterable[str] = ()) -> None:
        self.name = name
        self._registry, self._read, self._also = registry, read, tuple(also)

    def names(self) -> list[str]:
        """All names, in the registry's order."""
        return [*self._also, *_found(self._registry)]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The entry; an unknown name is the library's own error, with the nearest name."""
        return value if value in self._also or not self._read else _found(self._read)(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class FromRegistry(click.Option):
    """An option that lists the names in its help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The help, and the names."""
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, Entry):
            return record
        return record[0], f"{record[1]}  One of: {', '.join(self.type.names())}."


LOSS = Entry("loss", "loss:losses", "loss:as_loss")
PENALTY = Entry("penalty", "penalty:penalties", "penalty:as_penalty")
SOLVER = Entry("solver", "solve:solvers", "solve:solver_from", also=["auto"])
SCHEDULE = Entry("schedule", "schedules:schedules", "schedules:parse")
STOP = Entry("stop", "stops:stops", "stops:parse")
MULTICLASS = Entry("multiclass", "spec:MULTICLASS")
