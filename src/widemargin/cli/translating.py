"""`widemargin translate`: a call of another program -> wm.fit."""

from __future__ import annotations

import click

from widemargin.cli.program import examples, note


@click.command(
    epilog=examples(
        'translate "LogisticRegression(C=10)" --rows 1000', 'translate "train -s 2 -c 0.1 -B 1"',
        'translate "vw --loss_function logistic --l2 1e-6"',
        "translate \"glmnet(x, y, family='binomial', alpha=0.5, lambda=0.01)\"",
    )
)  # fmt: skip
@click.argument("call")
@click.option("--rows", type=click.IntRange(1), help="How many rows there are: then strengths are numbers.")
@click.option("--json", "as_text", is_flag=True, help="Print the options as JSON.")
def translate(call: str, rows: int | None, as_text: bool) -> None:
    """Say how CALL, of scikit-learn, LIBLINEAR, VW or glmnet, is said here: the same problem, the same minimiser.

    CALL is read, never run.
    """
    import widemargin

    found = widemargin.translate_call(call, n=rows)
    if as_text:
        from widemargin.cli.showing import as_json

        as_json({"source": found.source, "options": found.options, "alpha": found.alpha, "notes": found.notes,
                 "text": found.text})  # fmt: skip
        return
    click.echo(found.text)
    for text in found.notes:
        note(text)
