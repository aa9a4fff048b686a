"""`widemargin export`: a model file -> ONNX, SQL, C, JavaScript or Python, tried on rows."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from widemargin.cli.options import Entry, FromRegistry
from widemargin.cli.program import examples

FORMAT = Entry("format", "exports.formats:formats")
EXAMPLES = examples(
    "export income.wm income.onnx", "export income.wm income.sql --check adult.csv", "export income.wm income.js --json"
)


@click.command(epilog=EXAMPLES)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--format", "form", cls=FromRegistry, type=FORMAT, help="The format, if the ending does not say it.")
@click.option("--check", type=click.Path(path_type=Path), metavar="CSV", help="Rows to try it on; else some are drawn.")
@click.option("--json", "as_text", is_flag=True, help="Print what was found as JSON.")
def export(model: Path, out: Path, form: str | None, check: Path | None, as_text: bool) -> None:
    """Write MODEL as OUT: .onnx, .sql, .c, .js or .py, and try it.

    The file is run where what runs it is installed, and the largest difference from the model's own answers is told.
    """
    import widemargin
    from widemargin.data.csv_file import read_csv

    rows = None if check is None else read_csv(check)
    found = widemargin.export(widemargin.load(model), out, format=form, check=rows)
    if as_text:
        from widemargin.cli.showing import as_json

        as_json({**asdict(found), "path": str(found.path)})
    else:
        click.echo(found.text)
