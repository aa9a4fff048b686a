"""`widemargin import`: a model of LIBLINEAR or Vowpal Wabbit -> a model file."""

from __future__ import annotations

from pathlib import Path

import click

from widemargin.cli.program import examples

FORMATS = ("liblinear", "vw")


@click.command(
    "import", epilog=examples("import heart.model heart.wm", "import readable.txt spam.wm --features names.txt")
)
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--from", "form", type=click.Choice(FORMATS), help="What wrote SOURCE; told from its first line otherwise."
)
@click.option("--features", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="Names of the features, one a line: for VW without --invert_hash.")  # fmt: skip
def import_(source: Path, out: Path, form: str | None, features: Path | None) -> None:
    """Read SOURCE, a model of LIBLINEAR or a readable one of Vowpal Wabbit, and write it as the model OUT.

    A fitted estimator of scikit-learn is taken over in Python, by wm.from_sklearn: its pickle would be code.
    """
    import widemargin

    if form is None:
        with source.open(encoding="utf-8", errors="replace") as file:
            form = "vw" if file.readline(20).startswith("Version ") else "liblinear"
    if form == "vw":
        names = None if features is None else features.read_text(encoding="utf-8").splitlines()
        model = widemargin.from_vw(source, features=names)
    else:
        model = widemargin.from_liblinear(source)
    model.save(out)
    click.echo(f"{out}: {model!r}, classes {', '.join(map(repr, model.classes.tolist()))}")
