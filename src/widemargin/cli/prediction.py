"""`widemargin predict`: a model file and a CSV file -> labels, and probabilities where the loss implies them."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from widemargin.cli.program import examples, note

if TYPE_CHECKING:
    from widemargin._types import Array
    from widemargin.model import Model
    from widemargin.table_model import Table


@click.command(epilog=examples("predict income.wm new.csv", "predict income.wm new.csv --probabilities -o scored.csv"))
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.File("w", "utf-8", "replace", lazy=True, atomic=True), default="-",
              help="Where to write; default: standard output.")  # fmt: skip
@click.option("--probabilities", is_flag=True, help="Add a column for the probability of each class.")
def predict(model: Path, data: Path, out: IO[str], probabilities: bool) -> None:
    """Predict a label for each row of the CSV file DATA with a MODEL.

    Columns are found by name; more of them do no harm.  If the target is among them, the error is told.  A model that
    was not fitted to a table reads columns of numbers: by the names of its features, or all of them if it has none.
    """
    import widemargin
    from widemargin.data.csv_file import read_csv

    loaded = widemargin.load(model)
    table = read_csv(data)
    how = located(model, loaded, table)
    X, notes = how.read(table)
    labels = loaded.predict(X)
    shares = loaded.probabilities(X) if probabilities else None
    for column, text in notes:
        note(f"column {column!r}: {text}")
    if how.target in table:
        wrong = sum(a != b for a, b in zip(table[how.target], labels.tolist(), strict=True))
        note(f"{how.target!r} is in the file: {wrong:,} of {len(labels):,} labels differ, {wrong / len(labels):.2%}")
    _write(out, loaded, labels, shares)


def located(path: Path, model: Model, columns: Iterable[str]) -> Table:
    """How the model reads a table; an error of damage names the file."""
    from widemargin.errors import ModelFileError
    from widemargin.table_model import reading

    try:
        return reading(model, list(columns))
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None


def _write(out: IO[str], model: Model, labels: Array, shares: Array | None) -> None:
    writer = csv.writer(out, lineterminator="\n")
    if shares is None:
        writer.writerow(["prediction"])
        writer.writerows([label] for label in labels.tolist())
        return
    writer.writerow(["prediction", *(f"probability_{label}" for label in model.classes.tolist())])
    writer.writerows([label, *row] for label, row in zip(labels.tolist(), shares.tolist(), strict=True))
