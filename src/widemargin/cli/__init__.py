"""The command `widemargin`: a façade.  It words what the library says, and computes nothing itself."""

from __future__ import annotations

import click

import widemargin
from widemargin.cli.demonstration import demo
from widemargin.cli.prediction import predict
from widemargin.cli.program import Program
from widemargin.cli.registries import LISTINGS
from widemargin.cli.training import fit

__all__ = ["main"]


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(widemargin.__version__, prog_name="widemargin")
@click.option("--debug", is_flag=True, help="Show where an error came from.")
def main(debug: bool) -> None:
    """Linear classifiers, from the perceptron of a lecture note to a certified optimum."""


for command in (demo, fit, predict, *LISTINGS):
    main.add_command(command)
