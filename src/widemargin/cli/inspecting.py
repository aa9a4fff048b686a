"""`widemargin inspect`: what is in a model file, or in a CSV file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.program import examples

if TYPE_CHECKING:
    from widemargin.model import Model

SHOWN = 10
Facts = dict[str, Any]


@click.command(epilog=examples("inspect income.wm", "inspect adult.csv", "inspect income.wm --json"))
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_text", is_flag=True, help="Print everything as JSON.")
def inspect(path: Path, as_text: bool) -> None:
    """Say what is in PATH: a model, or a CSV file of data."""
    from widemargin.cli import showing
    from widemargin.model_file import is_model, read

    found, lines = _model(read(path)) if path.is_file() and is_model(path) else _table(path)
    if as_text:
        showing.as_json({"path": str(path), **found})
    else:
        showing.facts([("file", f"{path}, {path.stat().st_size:,} bytes"), *lines])


def _model(model: Model) -> tuple[Facts, list[tuple[str, str]]]:
    from widemargin.model import top_features

    about = dict(model.about)
    top = top_features(model, SHOWN)
    found: Facts = {
        "kind": "model", "loss": model.loss.name, "multiclass": model.multiclass, "classes": model.classes.tolist(),
        "features": len(model.W), "used": int((model.W != 0).any(axis=1).sum()),
        "feature_names": None if model.feature_names is None else list(model.feature_names),
        "intercept": model.b.tolist(), "weights": [{**w._asdict(), "label": str(w.label)} for w in top],
        "link": None if model.calibration is None else model.calibration.kind,
        "rule": None if model.rule is None else model.rule.kind, "about": about,
    }  # fmt: skip
    penalty = f", {_flat(about['alpha'])} {_flat(about['penalty'])}" if {"alpha", "penalty"} <= about.keys() else ""
    lines = [
        (
            "model",
            f"{model.loss.name} loss{penalty}; {model.multiclass}; by {_flat(about.get('solver', 'who knows'))}",
        ),
        ("classes", ", ".join(map(str, model.classes.tolist()[:SHOWN])) + _more(len(model.classes))),
        ("features", f"{found['used']:,} of {found['features']:,} used"),
        ("weights", ", ".join(f"{w.feature} {w.value:+.3g}" + _towards(model, w.label) for w in top) or "all 0"),
        ("intercept", ", ".join(f"{x:.6g}" for x in model.b[:SHOWN]) + _more(len(model.b))),
    ]
    if found["link"] or found["rule"]:
        lines.append(("learned", f"link {found['link'] or 'of the loss'}, rule {found['rule'] or 'the largest score'}"))
    told = ("objective", "lower_bound", "relative_gap", "verdict")
    if set(told) & about.keys():
        lines.append(("optimum", _flat({name.replace("_", " "): about[name] for name in told if name in about})))
    return found, lines + [(name, _flat(about[name])) for name in ("metrics", "data", "provenance") if name in about]


def _more(count: int) -> str:
    return f" and {count - SHOWN} more" if count > SHOWN else ""


def _towards(model: Model, label: Any) -> str:
    return "" if len(model.classes) == 2 else f" → {label}"


def _flat(value: Any, name: str = "") -> str:
    """A mapping in one line."""
    if isinstance(value, Mapping):
        return ", ".join(_flat(part, f"{name} {key}".strip()) for key, part in value.items())
    return f"{name} {value:.6g}".strip() if isinstance(value, float) else f"{name} {value}".strip()


def _table(path: Path) -> tuple[Facts, list[tuple[str, str]]]:
    import numpy as np

    from widemargin.data.csv_file import read_csv
    from widemargin.data.schema import Number, learn

    table = read_csv(path)
    n = len(next(iter(table.values())))
    schema, constant, notes = learn(table, np.ones(n, dtype=bool))
    lines = [("table", f"{n:,} rows, {len(table)} columns")]
    for column in schema.columns:
        gaps = sum(not cell.strip() for cell in table[column.name])
        empty = f", {gaps:,} empty" if gaps else ""
        if isinstance(column, Number):
            lines.append((column.name, f"numbers, mean {column.mean:.4g}, deviation {column.deviation:.4g}{empty}"))
        else:
            levels = [level for level in column.levels if level]
            more = f", … ({len(levels):,} levels)" if len(levels) > SHOWN else ""
            lines.append((column.name, f"categories: {', '.join(levels[:SHOWN])}{more}{empty}"))
    lines += [(name, "the same in every row") for name in constant]
    lines += [(f"note: {note.column}", note.text) for note in notes]
    found = {
        "kind": "table", "rows": n, "columns": schema.plain(), "constant_columns": constant,
        "notes": [note._asdict() for note in notes],
    }  # fmt: skip
    return found, lines
