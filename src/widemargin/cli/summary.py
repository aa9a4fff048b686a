"""What `widemargin fit` says of a fit: as lines for people, as plain data for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.cli.labelled import Labelled
from widemargin.cli.showing import percent
from widemargin.data.schema import Number, listed
from widemargin.fitting import Fit
from widemargin.model import Model, Weight, top_features

SHOWN = 5  # classes and weights


@dataclass(frozen=True)
class Trained:
    """A fit, what was asked for, and how long it took."""

    data: str
    target: str
    options: dict[str, Any]
    fit: Fit
    seconds: float


def error(model: Model, X: Any, y: Array) -> float:
    """Share of rows whose label is not the predicted one; NaN without rows."""
    return float(np.mean(model.predict(X) != y)) if len(y) else float("nan")


def baseline(y: Array, y_test: Array) -> tuple[str, float]:
    """The most frequent training label, and the error of always saying it."""
    label = Counter(y.tolist()).most_common(1)[0][0]
    return label, float(np.mean(y_test != label)) if len(y_test) else float("nan")


def metrics(labelled: Labelled, model: Model) -> dict[str, Any]:
    """How often it errs on the rows of the fit, and on those that it never saw."""
    rows = labelled.rows
    return {"error": {"train": error(model, rows.X, rows.y), "held_out": error(model, rows.X_test, rows.y_test)}}


def weights(labelled: Labelled, model: Model) -> list[Weight]:
    """The largest weights, by the names of the features."""
    return top_features(replace(model, feature_names=tuple(labelled.rows.feature_names)), SHOWN)


def plain(labelled: Labelled, trained: Trained) -> dict[str, Any]:
    """Everything, for `--json`."""
    rows, fit, certificate = labelled.rows, trained.fit, trained.fit.certificate
    label, share = baseline(rows.y, rows.y_test)
    return {
        **fit.model.about,
        "data": trained.data,
        "target": trained.target,
        "classes": dict(Counter(np.concatenate([rows.y, rows.y_test]).tolist())),
        "rows": {"train": len(rows.y), "held_out": len(rows.y_test), "without_target": labelled.unlabelled},
        "columns": labelled.learned.schema.plain(),
        "constant_columns": labelled.learned.constant,
        "notes": [note._asdict() for note in labelled.notes],
        "features": len(rows.feature_names),
        "relative_gap": certificate.relative_gap,
        "certificate": certificate.kind,
        "verdict": certificate.verdict.name,
        "verdict_text": certificate.verdict.text,
        "remedy": certificate.verdict.remedy,
        "success": certificate.verdict.success,
        "passes": _passes(fit),
        "seconds": trained.seconds,
        **metrics(labelled, fit.model),
        "majority": {"label": label, "held_out_error": share},
        "weights": [{**weight._asdict(), "label": str(weight.label)} for weight in weights(labelled, fit.model)],
    }


def facts(labelled: Labelled, trained: Trained) -> list[tuple[str, str]]:
    """One line a fact."""
    rows, fit, verdict = labelled.rows, trained.fit, trained.fit.certificate.verdict
    label, share = baseline(rows.y, rows.y_test)
    remedy = f"; {verdict.remedy}" if verdict.remedy else ""
    held = f", {percent(error(fit.model, rows.X_test, rows.y_test))} held out" if len(rows.y_test) else ""
    always = f" (always {label!r}: {percent(share)})" if len(rows.y_test) else ""
    return [
        ("data", f"{trained.data}: {_count(labelled)}; {trained.target} is {_classes(rows.y, rows.y_test)}"),
        ("columns", _columns(labelled)),
        ("rows", _rows(labelled, trained)),
        ("objective", _objective(fit)),
        ("solver", f"{fit.solver}: {_passes(fit):.4g} passes over the rows, {trained.seconds:.2f} s"),
        ("optimum", _optimum(fit)),
        ("verdict", f"{verdict.text}{remedy}"),
        ("error", f"{percent(error(fit.model, rows.X, rows.y))} in training{held}{always}"),
        ("weights", _weights(labelled, fit.model)),
    ]


def _count(labelled: Labelled) -> str:
    rows = labelled.rows
    gone = f", {labelled.unlabelled:,} more without a target left out" if labelled.unlabelled else ""
    return f"{len(rows.y) + len(rows.y_test):,} rows{gone}"


def _classes(*parts: Array) -> str:
    """The most frequent classes and their shares."""
    counts = Counter(np.concatenate(parts).tolist())
    shares = [f"{label} {count / counts.total():.1%}" for label, count in counts.most_common(SHOWN)]
    return ", ".join(shares) + (f" and {len(counts) - SHOWN} more classes" if len(counts) > SHOWN else "")


def _columns(labelled: Labelled) -> str:
    schema, constant, _ = labelled.learned
    numeric = [column for column in schema.columns if isinstance(column, Number)]
    gaps = sum(column.gaps for column in numeric)
    kinds = len(schema.columns) - len(numeric)
    levels = sum(len(column.features) for column in schema.columns if not isinstance(column, Number))
    told = []
    if numeric:
        filled = f", {gaps} of them with gaps filled by the mean and flagged" if gaps else ""
        told.append(f"{len(numeric)} of numbers, standardised{filled}")
    if kinds:
        told.append(f"{kinds} of categories, {levels} levels, one feature each")
    if constant:
        told.append(f"left out because constant: {listed(constant)}")
    return "; ".join(told)


def _rows(labelled: Labelled, trained: Trained) -> str:
    train, held = len(labelled.rows.y), len(labelled.rows.y_test)
    drawn = f", {held:,} held out (seed {trained.options['seed']})" if held else ", none held out"
    return f"{train:,} for training{drawn}"


def _objective(fit: Fit) -> str:
    objective = fit.certificate.problem
    penalty = f" + {objective.alpha:g} {objective.penalty.text}" if objective.alpha else ", no penalty"
    form = "" if objective.multiclass == "binary" else f", {objective.multiclass}"
    return f"mean {objective.loss.name} loss{penalty}; intercept {objective.intercept}{form}"


def _optimum(fit: Fit) -> str:
    """The bracket around the minimum, or why there is none."""
    certificate = fit.certificate
    reached = f"objective {certificate.objective:.9g}"
    if certificate.kind == "duality gap":
        return f"{reached}, proved minimum ≥ {certificate.lower_bound:.9g}: relative gap {certificate.relative_gap:.1e}"
    if certificate.kind == "mistakes":
        return f"{reached}; {fit.solver} has an aim of its own and minimises nothing"
    return f"{reached}; no lower bound is known"


def _weights(labelled: Labelled, model: Model) -> str:
    found = weights(labelled, model)
    if not found:
        return "all 0"
    if len(model.classes) == 2:
        return f"towards {model.classes[1]}: " + ", ".join(f"{w.feature} {w.value:+.3g}" for w in found)
    return ", ".join(f"{w.feature} → {w.label} {w.value:+.3g}" for w in found)


def _passes(fit: Fit) -> float:
    return fit.trace[-1].passes if len(fit.trace) else 0.0
