"""`widemargin demo`: a dozen fits on the data that ship with the package, a table of each, one picture."""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from widemargin.cli.program import note
from widemargin.errors import NotConverged

if TYPE_CHECKING:
    from widemargin.datasets import Split
    from widemargin.fitting import Fit

ALPHA, CONTEST_ALPHA = 2e-4, 1e-3
QUICK = 8  # every so many rows

Run = dict[str, Any]  # options of wm.fit

RUNS: tuple[Run, ...] = (
    {"solver": "perceptron:variant='averaged'", "stop": "max_passes:20"},
    {"solver": "pa", "stop": "max_passes:20"},
    {"loss": "squared", "solver": "closed_form"},
    {"loss": "logistic"},
    {"loss": "logistic", "solver": "sgd", "stop": "max_passes:20"},
    {"loss": "exponential"},
    {"loss": "modified_huber"},
    {"loss": "squared_hinge", "penalty": "l1"},
    {"loss": "logistic", "penalty": "l1"},
    {"loss": "hinge"},
)
CONTEST: dict[str, Run] = {
    "gradient descent": {"solver": "gd:accelerate=False", "stop": "max_passes:1000"},
    "accelerated": {"solver": "gd"},
    "SGD": {"solver": "sgd", "stop": "max_passes:100"},
    "Newton-CG": {"solver": "newton_cg"},
    "Newton": {"solver": "newton"},
}
QUESTIONS = {
    "adult": "does a person of the 1994 US census earn more than 50,000 dollars a year?",
    "sms_spam": "is a text message spam?",
}
GAP = (
    "gap = (objective − proved lower bound) / objective.  1e-07 says that no weights whatsoever have an objective "
    "more than 0.00001% smaller; – that the solver follows a rule of its own and minimises nothing."
)


Say = Callable[[str], None]


class Row(NamedTuple):
    """One fit, who made it, and how long it took."""

    fit: Fit
    solver: str
    seconds: float
    error: float
    test_error: float


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("demo"), show_default=True,
              help="Folder for the picture.")  # fmt: skip
@click.option("--quick", is_flag=True, help=f"Train on every {QUICK}th row only.")
def demo(out: Path, quick: bool) -> None:
    """Train on real data that ship with the package; print a table, draw a picture."""
    import widemargin
    from widemargin.cli.showing import paragraph

    with _waiting() as say, warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # the table shows the gap
        splits = {name: _thinned(getattr(widemargin.datasets, name)(), quick) for name in QUESTIONS}
        found = {name: [_run(name, split, run, say) for run in _runs(split)] for name, split in splits.items()}
        contest = [_fit(splits["adult"], {"loss": "logistic", **run}, CONTEST_ALPHA, say) for run in CONTEST.values()]
    for name, rows in found.items():
        _table(name, splits[name], rows)
    paragraph(GAP)
    for name, rows in found.items():
        paragraph(_best(name, splits[name], rows))
    paragraph(_words(splits["sms_spam"], found["sms_spam"]))
    _picture(contest, splits["adult"], out)


@contextmanager
def _waiting() -> Iterator[Say]:
    """A line on the terminal that says what is being done."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update


def _runs(split: Split) -> Iterator[Run]:
    """More columns than a Gram matrix should have: the hinge goes to the dual."""
    wide = split.X.shape[1] > 1000
    for run in RUNS:
        yield {**run, "solver": "dual_cd"} if wide and run == {"loss": "hinge"} else run


def _thinned(split: Split, quick: bool) -> Split:
    return split._replace(X=split.X[::QUICK], y=split.y[::QUICK]) if quick else split


def _fit(split: Split, run: Run, alpha: float, say: Say) -> Fit:
    import widemargin

    say(", ".join(str(value) for value in run.values()))
    return widemargin.fit(split.X, split.y, alpha=alpha, **run)


def _run(name: str, split: Split, run: Run, say: Say) -> Row:
    from widemargin.cli.summary import error

    started = time.perf_counter()
    fit = _fit(split, run, ALPHA, lambda text: say(f"{name}: {text}"))
    seconds = time.perf_counter() - started
    solver = " ".join([fit.solver, *re.findall(r"'(\w+)'", run.get("solver", ""))])  # with its variant
    return Row(fit, solver, seconds, error(fit.model, split.X, split.y), error(fit.model, split.X_test, split.y_test))


def _table(name: str, split: Split, rows: Sequence[Row]) -> None:
    from widemargin.cli.showing import number, paragraph, percent, table

    (n, d), test = split.X.shape, len(split.y_test)
    paragraph(f"{name}: {QUESTIONS[name]}  {n:,} rows to train on, {test:,} to test, {d:,} features; α = {ALPHA:g}")
    head = ("loss", "penalty", "solver", "gap", "objective", "train", "test", "seconds")
    cells = []
    for fit, solver, seconds, error, test_error in rows:
        about, certificate = fit.model.about, fit.certificate
        cells.append((
            about["loss"], about["penalty"], solver, number(certificate.relative_gap, 1),
            f"{certificate.objective:.6f}", percent(error), percent(test_error), f"{seconds:.2f}",
        ))  # fmt: skip
    table(head, cells, right=head[3:])


def _best(name: str, split: Split, rows: Sequence[Row]) -> str:
    from widemargin.cli.showing import percent
    from widemargin.cli.summary import baseline

    best = min(rows, key=lambda row: row.test_error)
    label, share = baseline(split.y, split.y_test)
    return (
        f"{name}: the best test error is {percent(best.test_error)} ({best.fit.model.about['loss']}); "
        f"always saying {label!r} is wrong for {percent(share)}."
    )


def _words(split: Split, rows: Sequence[Row]) -> str:
    """The model with the fewest words tells most."""
    from dataclasses import replace

    from widemargin.model import top_features

    sparse = min(rows, key=lambda row: int((row.fit.model.W != 0).sum())).fit.model
    found = top_features(replace(sparse, feature_names=tuple(split.feature_names)), 60)
    spam = [weight.feature for weight in found if weight.value > 0][:9]
    ham = [weight.feature for weight in found if weight.value < 0][:5]
    kept = f"{int((sparse.W != 0).sum()):,} of {len(sparse.W):,} words"
    return (
        f"{sparse.about['loss']} loss with the {sparse.about['penalty']} penalty keeps {kept}. Most telling for spam: "
        f"{' '.join(spam)}; for ham: {' '.join(ham)}.  (#5 is a number of 5 digits.)"
    )


def _picture(fits: Sequence[Fit], split: Split, out: Path) -> None:
    from widemargin.cli.picture import draw
    from widemargin.errors import MissingExtra

    path = out / "demo.png"
    try:
        out.mkdir(parents=True, exist_ok=True)
        draw(fits, list(CONTEST), f"adult, {split.X.shape[0]:,} rows", path)
    except MissingExtra as error:
        note(f"no picture: {error}")
        return
    click.echo(f"\nThe picture is {path}: the losses, and how {len(fits)} solvers close in on one optimum.")
