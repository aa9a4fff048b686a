"""`widemargin losses`, `penalties`, `solvers`, `schedules`, `stops`: the registries as tables, or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, NamedTuple

import click

from widemargin.cli.formula import readable
from widemargin.cli.showing import as_json, number, table, yes

Facts = dict[str, Any]


class Listing(NamedTuple):
    """A registry, what is told of each entry in JSON, and as cells of a table."""

    name: str
    help: str
    entries: Callable[[], Mapping[str, Any]]
    facts: Callable[[Any], Facts]
    cells: Callable[[Facts], Mapping[str, str]]

    def show(self, as_text: bool) -> None:
        """Print it."""
        found = [self.facts(entry) for entry in self.entries().values()]
        if as_text:
            as_json(found)
            return
        rows = [self.cells(one) for one in found]
        table(list(rows[0]), [list(row.values()) for row in rows], right={"sup ℓ″", "× to bound"})


def _metadata(entry: Any) -> Facts:
    """All fields of a loss or penalty; its place in the core's list is nobody's business."""
    found = {field.name: getattr(entry, field.name) for field in fields(entry) if field.name != "index"}
    return found | {"formula": readable(entry.tex)}


def _loss(one: Facts) -> Mapping[str, str]:
    return {
        "loss": one["name"],
        "ℓ(z)": one["formula"],
        "convex": yes(one["convex"]),
        "sup ℓ″": number(one["curvature"]),
        "× to bound": number(one["bound_scale"]),
        "in a word": one["summary"],
        "P(y | f)": one["link"] or "–",
        "from": one["reference"],
    }


def _penalty(one: Facts) -> Mapping[str, str]:
    parameter = f":{one['parameter']}" if one["parameter"] else ""
    return {
        "penalty": one["name"] + parameter,
        "R(w)": one["formula"],
        "standard": number(one["standard"]) if parameter else "",
        "convex": yes(one["convex"]),
        "in a word": one["summary"],
        "from": one["reference"],
    }


def _options(kind: Any) -> list[Facts]:
    """Name, default, and whether a value must be given."""
    return [
        {"name": field.name, "default": None if field.default is MISSING else field.default,
         "required": field.default is MISSING and field.default_factory is MISSING}
        for field in fields(kind) if field.init
    ]  # fmt: skip


def _signature(options: list[Facts]) -> str:
    """eta0, p=0.75."""
    told = (one["name"] if one["required"] else f"{one['name']}={one['default']!r}" for one in options)
    return ", ".join(told) or "–"


def _first_line(kind: Any) -> str:
    return str(kind.__doc__ or "").strip().partition("\n")[0]


def _solver_facts(kind: Any) -> Facts:
    return {
        "name": kind.name,
        "summary": _first_line(kind),
        "certifies": kind.certifies,
        "options": _options(kind),
        "reference": kind.cite,
    }


def _solver(one: Facts) -> Mapping[str, str]:
    return {
        "solver": one["name"],
        "what it does": one["summary"],
        "reaches tol": yes(one["certifies"]),
        "options": _signature(one["options"]),
        "from": one["reference"],
    }


def _rule_facts(kind: Any) -> Facts:
    return {"name": kind.__name__, "formula": _first_line(kind), "options": _options(kind)}


def _rule(one: Facts) -> Mapping[str, str]:
    return {"rule": one["name"], "options": _signature(one["options"]), "what it says": one["formula"]}


def _public(name: str) -> Callable[[], Mapping[str, Any]]:
    """wm.losses and its like, imported when asked for."""

    def entries() -> Mapping[str, Any]:
        import widemargin

        found: Mapping[str, Any] = getattr(widemargin, name)
        return found

    return entries


def _rules(name: str) -> Callable[[], Mapping[str, Any]]:
    """wm.schedules.schedules and its like."""

    def entries() -> Mapping[str, Any]:
        import widemargin

        found: Mapping[str, Any] = getattr(getattr(widemargin, name), name)
        return found

    return entries


def _command(listing: Listing) -> click.Command:
    @click.command(listing.name, help=listing.help)
    @click.option("--json", "as_text", is_flag=True, help="Everything that is known, as JSON.")
    def command(as_text: bool) -> None:
        listing.show(as_text)

    return command


losses = _command(
    Listing("losses", "List the losses ℓ(z) of the margin z = y (w·x + b).", _public("losses"), _metadata, _loss)
)
penalties = _command(Listing("penalties", "List the penalties R(w).", _public("penalties"), _metadata, _penalty))
solvers = _command(
    Listing("solvers", "List the solvers and their options.", _public("solvers"), _solver_facts, _solver)
)
schedules = _command(Listing("schedules", "List the step sizes that decay.", _rules("schedules"), _rule_facts, _rule))
stops = _command(Listing("stops", "List the rules that end a fit early.", _rules("stops"), _rule_facts, _rule))
