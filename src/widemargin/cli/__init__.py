"""The command `widemargin`: a façade.  It words what the library says, and computes nothing itself."""

from __future__ import annotations

import click

import widemargin
from widemargin.cli.program import Program

__all__ = ["main"]

# command -> its module, which has it by its name, or by the one behind a colon
MODULES = {
    "demo": "demonstration",
    "fit": "training",
    "predict": "prediction",
    "explain": "explaining",
    "inspect": "inspecting",
    "export": "exporting",
    "import": "importing:import_",
    "translate": "translating",
    **dict.fromkeys(("losses", "penalties", "solvers", "schedules", "stops"), "registries"),
}


@click.group(
    cls=Program, modules={name: f"widemargin.cli.{module}" for name, module in MODULES.items()},
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
@click.version_option(widemargin.__version__, prog_name="widemargin")
@click.option("--debug", is_flag=True, help="Show where an error came from.")
def main(debug: bool) -> None:
    """Linear classifiers, from the perceptron of a lecture note to a certified optimum."""
