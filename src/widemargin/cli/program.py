"""What all commands share: errors are one line and exit code 2, warnings one line, Ctrl-C is 130."""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from widemargin.errors import NotConverged, WidemarginError

INTERRUPTED = 130


def examples(*lines: str) -> str:
    """What stands below the options in a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  widemargin {line}" for line in lines)


class Failure(click.ClickException):
    """An error as one plain line."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))

    def show(self, file: Any = None) -> None:
        """Say it on stderr."""
        click.echo(f"error: {self.message}", file, err=file is None)


class Bug(Failure):
    """An error that is ours."""

    exit_code = 1


class Program(click.Group):
    """The group of all commands, listed in the order in which they are met; each is imported when it is wanted."""

    def __init__(self, *args: Any, modules: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._modules = dict(modules or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As they were listed."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, from its module."""
        if cmd_name not in self._modules:
            return None
        module, _, name = self._modules[cmd_name].partition(":")
        found: click.Command = getattr(import_module(module), name or cmd_name)
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; word what goes wrong."""
        if hasattr(sys.stdout, "reconfigure"):  # a code page without ≥ or ‖ is no reason to fail
            sys.stdout.reconfigure(errors="replace")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", NotConverged)
                warnings.showwarning = _say
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo(err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except Exception as error:
            failure = None if ctx.params["debug"] else _failure(error)
            if failure is None:
                raise
            raise failure from None


def _failure(error: Exception) -> Failure | None:
    """The line for an error; None for those that click words itself."""
    if isinstance(error, click.ClickException | click.exceptions.Exit | click.Abort):
        return None
    if isinstance(error, WidemarginError):
        return Failure(str(error))
    if isinstance(error, OSError):
        if error.errno == errno.EPIPE:
            return None
        place = f"{error.filename}: " if error.filename else ""
        return Failure(f"{place}{error.strerror or error}")
    if isinstance(error, MemoryError):
        return Failure("not enough memory for this table")
    kind = f"{type(error).__name__}: {error}"
    return Bug(f"{kind}. This should not happen; please report what `widemargin --debug ...` says.")


def _say(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"warning: {message}", err=True)


def note(text: str) -> None:
    """Something worth knowing, on stderr."""
    click.echo(f"note: {text}", err=True)
