"""`widemargin predict`: a model file and a CSV file -> labels, and probabilities where the loss implies them."""

from __future__ import annotations

import csv
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
    """Predict a label for each row of the CSV file DATA with a MODEL that `widemargin fit` wrote.

    Columns are found by name; more of them do no harm.  If the target is among them, the error is told.
    """
    from widemargin.data.csv_file import read_csv

    loaded, (schema, target) = load(model)
    table = read_csv(data)
    X, notes = schema.read(table)
    labels = loaded.predict(X)
    shares = loaded.probabilities(X) if probabilities else None
    for column, text in notes:
        note(f"column {column!r}: {text}")
    if target in table:
        wrong = sum(a != b for a, b in zip(table[target], labels.tolist(), strict=True))
        note(f"{target!r} is in the file: {wrong:,} of {len(labels):,} labels differ, {wrong / len(labels):.2%}")
    _write(out, loaded, labels, shares)


def load(path: Path) -> tuple[Model, Table]:
    """The model, and how it reads a table."""
    import widemargin
    from widemargin.errors import ModelFileError
    from widemargin.table_model import table_of

    model = widemargin.load(path)
    try:
        table = table_of(model)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None
    if table is None:
        raise ModelFileError(
            f"{path} does not say how a table becomes features: it was not written by `widemargin fit`. "
            "In Python, wm.load(path).predict(X) takes the numbers themselves."
        )
    return model, table


def _write(out: IO[str], model: Model, labels: Array, shares: Array | None) -> None:
    writer = csv.writer(out, lineterminator="\n")
    if shares is None:
        writer.writerow(["prediction"])
        writer.writerows([label] for label in labels.tolist())
        return
    writer.writerow(["prediction", *(f"probability_{label}" for label in model.classes.tolist())])
    writer.writerows([label, *row] for label, row in zip(labels.tolist(), shares.tolist(), strict=True))
