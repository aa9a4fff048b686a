"""`widemargin explain`: what each feature adds to the decision of a row; with the intercept it adds up to the score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.prediction import located
from widemargin.cli.program import Failure, examples

if TYPE_CHECKING:
    from widemargin._types import F64
    from widemargin.model import Model

SHOWN = 12
Facts = dict[str, Any]


@click.command(epilog=examples("explain income.wm new.csv", "explain income.wm new.csv --row 17 --top 5 --json"))
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--row", type=click.IntRange(1), default=1, show_default=True, help="Which row below the header.")
@click.option("--top", type=click.IntRange(1), default=SHOWN, show_default=True, help="How many features to name.")
@click.option("--json", "as_text", is_flag=True, help="Print all of it as JSON.")
def explain(model: Path, data: Path, row: int, top: int, as_text: bool) -> None:
    """Say why MODEL decides a row of the CSV file DATA as it does.

    Numbers are compared with their mean in training: a feature at its mean adds nothing.
    """
    import widemargin
    from widemargin.cli.showing import as_json, paragraph, table
    from widemargin.data.csv_file import read_csv

    loaded, columns = widemargin.load(model), read_csv(data)
    n = len(next(iter(columns.values())))
    if row > n:
        raise Failure(f"{data} has {n} rows; --row {row} is beyond them")
    one = {name: cells[row - 1 : row] for name, cells in columns.items()}
    how = located(model, loaded, columns)
    x = how.read(one).rows.matrix.toarray()
    cells = [one[column.name][0] for column in how.schema.columns for _ in column.features]
    found = _facts(loaded, x, cells)
    if as_text:
        as_json({"row": row, **found})
        return
    paragraph(f"row {row}: {found['label']}, score {found['score']:+.4g}{_probability(found)}")
    head = ("adds", "feature", "in the row")
    rows = [(f"{part['adds']:+.4g}", part["feature"], part["cell"]) for part in found["parts"][:top]]
    rest = sum(part["adds"] for part in found["parts"][top:])
    if len(found["parts"]) > top:
        rows.append((f"{rest:+.4g}", f"{len(found['parts']) - top} more features", ""))
    table(head, [*rows, (f"{found['intercept']:+.4g}", "intercept", "")], right=["adds"])


def _facts(model: Model, x: F64, cells: list[str]) -> Facts:
    """The score of the second of two classes, or of the class that is predicted, and its parts, the largest first."""
    import numpy as np

    scores = model.scores(x)
    label = model.labels(scores)[0]
    k = 0 if scores.shape[1] == 1 else int(np.flatnonzero(model.classes == label)[0])
    parts = x[0] * model.W[:, k]
    order = [int(j) for j in np.argsort(-np.abs(parts), kind="stable") if parts[j] != 0]
    names = model.feature_names or tuple(f"x{j}" for j in range(len(parts)))
    found = {
        "label": label.item() if isinstance(label, np.generic) else label,
        "towards": str(model.classes[1] if scores.shape[1] == 1 else label),
        "score": float(scores[0, k]), "intercept": float(model.b[k]),
        "parts": [{"feature": names[j], "cell": cells[j], "adds": float(parts[j])} for j in order],
    }  # fmt: skip
    if model.calibration is not None or model.loss.link or model.multiclass == "softmax":
        shares = model.link(scores)[0].tolist()
        found["probabilities"] = dict(zip(map(str, model.classes.tolist()), shares, strict=True))
    return found


def _probability(found: Facts) -> str:
    towards = found["towards"]
    told = f", probability {found['probabilities'][towards]:.4g}" if "probabilities" in found else ""
    return f" towards {towards}{told}"
