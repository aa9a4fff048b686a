"""`widemargin fit`: a CSV file -> a model, what is proved about it, and its errors on rows that it never saw."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.options import LOSS, MULTICLASS, PENALTY, SCHEDULE, SOLVER, STOP, FromRegistry
from widemargin.cli.program import INTERRUPTED, Failure, examples, note
from widemargin.errors import Verdict

if TYPE_CHECKING:
    from widemargin.cli.labelled import Labelled
    from widemargin.cli.summary import Trained


@click.command(
    epilog=examples(
        "fit adult.csv --target income --model income.wm",
        "fit adult.csv --target income --loss hinge --alpha 1e-4 --json",
    )
)
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--target", required=True, metavar="COLUMN", help="The column to predict.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="A column to leave out; may be repeated.")
@click.option("--loss", cls=FromRegistry, type=LOSS, help="Loss of the margin; logistic unless the solver has its own.")
@click.option("--penalty", cls=FromRegistry, type=PENALTY, help="Penalty of the weights, such as elastic_net:0.5.")
@click.option("--alpha", type=float, default=1e-3, show_default=True, help="Strength of the penalty.")
@click.option("--solver", cls=FromRegistry, type=SOLVER, default="auto", help="Algorithm, such as sgd:batch=32.")
@click.option("--tol", type=float, default=1e-6, show_default=True, help="Relative gap to reach.")
@click.option("--intercept/--no-intercept", default=True, help="Whether to add a free constant; default: yes.")
@click.option("--class-weight", type=click.Choice(["balanced"]), help="Let every class weigh the same.")
@click.option("--multiclass", cls=FromRegistry, type=MULTICLASS, default="auto", help="Form for more than two classes.")
@click.option("--schedule", cls=FromRegistry, type=SCHEDULE, help="Step sizes, such as power:1,0.75.")
@click.option(
    "--stop", cls=FromRegistry, type=STOP, multiple=True, help="End early, such as max_passes:20; repeatable."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the split and the solver.")
@click.option("--threads", type=click.IntRange(1), help="Threads; default: all. The result is the same.")
@click.option("--budget-seconds", type=float, metavar="SECONDS", help="Return the best model so far after this time.")
@click.option(
    "--test-fraction", type=click.FloatRange(0, 1, max_open=True), default=0.25, show_default=True,
    help="Share of every class that is held out.",
)  # fmt: skip
@click.option("--model", "path", type=click.Path(dir_okay=False, path_type=Path), help="Where to write the model.")
@click.option("--json", "as_text", is_flag=True, help="Print the summary as JSON.")
def fit(
    data: Path, target: str, drop: tuple[str, ...], test_fraction: float, path: Path | None, as_text: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Train on the CSV file DATA (with a header; .gz too) and say what is proved about the result.

    Columns of numbers are standardised, all others become one feature a level.  What is learned about
    columns comes from the training rows, and is kept in the model file.
    """
    _check_folder(path)
    labelled, trained = _train(data, target, drop, test_fraction, options)
    if path is not None:
        _save(trained, labelled, path)
    from widemargin.cli import showing, summary

    for column, text in labelled.notes:
        note(f"column {column!r}: {text}")
    if as_text:
        showing.as_json(summary.plain(labelled, trained))
    else:
        showing.facts(summary.facts(labelled, trained))
    if trained.fit.certificate.verdict is Verdict.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _check_folder(path: Path | None) -> None:
    """Before the work, not after it."""
    if path is not None and not path.parent.is_dir():
        raise Failure(f"{path}: there is no folder {str(path.parent)!r} to write the model to")


def _train(
    data: Path, target: str, drop: tuple[str, ...], share: float, options: dict[str, Any]
) -> tuple[Labelled, Trained]:
    import widemargin
    from widemargin.cli.labelled import read_labelled
    from widemargin.cli.summary import Trained
    from widemargin.spec import spec

    seconds = options.pop("budget_seconds")
    budget = None if seconds is None else widemargin.budget(seconds=seconds)
    names = ("loss", "penalty", "alpha", "intercept", "multiclass", "solver", "tol", "schedule")
    spec(**{name: options[name] for name in names})  # a wrong option is told before a long file is read
    labelled = read_labelled(data, target, drop, share, options["seed"])
    rows = labelled.rows
    started = time.perf_counter()
    fit = widemargin.fit(rows.X, rows.y, budget=budget, **options)
    return labelled, Trained(str(data), target, options, fit, time.perf_counter() - started)


def _save(trained: Trained, labelled: Labelled, path: Path) -> None:
    """The model file also says how a table is read, which one it was, and how good the model is."""
    from widemargin.cli.summary import metrics
    from widemargin.data.fingerprint import fingerprint

    schema, rows = labelled.learned.schema, labelled.rows
    counts = {"rows": len(rows.y), "held_out": len(rows.y_test), "without_target": labelled.unlabelled}
    model = replace(trained.fit.model, feature_names=tuple(schema.features))
    model.save(
        path, schema={"target": trained.target, "columns": schema.plain()}, metrics=metrics(labelled, model),
        data={**fingerprint(trained.data), **counts}, command=sys.argv[1:],
    )  # fmt: skip
