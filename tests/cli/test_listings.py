"""The listings are the registries: nothing is left out, and JSON carries every fact."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from click.testing import CliRunner

import widemargin as wm
from widemargin.cli import main
from widemargin.cli.formula import readable
from widemargin.cli.showing import fitting

REGISTRIES: dict[str, Any] = {
    "losses": wm.losses,
    "penalties": wm.penalties,
    "solvers": wm.solvers,
    "schedules": wm.schedules.schedules,
    "stops": wm.stops.stops,
}


def run(*words: str, columns: int = 1000) -> str:
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(main, words)
    assert result.exit_code == 0, result.output
    return result.stdout


def refuse(constant: str) -> None:
    pytest.fail(f"{constant} is no JSON")


@pytest.mark.parametrize("name", REGISTRIES)
def test_a_listing_names_every_entry(name: str) -> None:
    found = json.loads(run(name, "--json"), parse_constant=refuse)
    assert [one["name"] for one in found] == list(REGISTRIES[name])
    rows = run(name).splitlines()[2:]
    assert [row.split()[0].partition(":")[0] for row in rows] == list(REGISTRIES[name])


@pytest.mark.parametrize("name", REGISTRIES)
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_a_listing_fits_the_window(name: str, columns: int) -> None:
    rows = run(name, columns=columns).splitlines()
    assert max(map(len, rows)) <= columns
    assert all(any(row.startswith(entry) for row in rows) for entry in REGISTRIES[name])


def test_losses_carry_their_metadata() -> None:
    for one in json.loads(run("losses", "--json")):
        loss = wm.losses[one["name"]]
        curvature = float(one["curvature"]) if one["curvature"] is not None else math.nan
        assert curvature == loss.curvature
        assert one["convex"] == loss.convex
        assert one["tex"] == loss.tex
        assert (one["bound_scale"] is None) == math.isnan(loss.bound_scale)


def test_solvers_carry_their_options() -> None:
    for one in json.loads(run("solvers", "--json")):
        required = [option["name"] for option in one["options"] if option["required"]]
        assert not required
        wm.solvers[one["name"]](**{option["name"]: option["default"] for option in one["options"]})


@pytest.mark.parametrize("entry", [*wm.losses.values(), *wm.penalties.values()], ids=lambda entry: entry.name)
def test_formulas_are_text(entry: Any) -> None:
    text = readable(entry.tex)
    assert text
    assert "\\" not in text
    assert "{" not in text


@pytest.mark.parametrize(("widths", "page", "shown"), [([5, 5, 5], 21, 3), ([5, 5, 5], 20, 2), ([50, 50, 5], 20, 2)])
def test_columns_that_fit(widths: list[int], page: int, shown: int) -> None:
    assert fitting(widths, page) == shown
