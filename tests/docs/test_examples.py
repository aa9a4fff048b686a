"""Every example of the Markdown documents runs, and prints what the document says it prints.

- ```python     is executed; one namespace per document, in a temporary folder;
- ```text       right after it is what it prints (`...` stands for anything);
- ```console    lines `$ widemargin ...` are run, the lines below each are its output.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sybil import Document, Example
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def same(want: str, got: str, where: str) -> None:
    """Compare as doctest does, and show both."""
    if not doctest.OutputChecker().check_output(want.strip() + "\n", got.strip() + "\n", FLAGS):
        pytest.fail(f"{where}: the document says\n{want}\nbut it printed\n{got}", pytrace=False)


class Printing:
    """Runs Python blocks and remembers what the last one printed, and where it ended."""

    def __init__(self) -> None:
        self.run = PythonEvaluator()
        self.printed = ""
        self.end = -1

    def python(self, example: Example) -> None:
        """Execute, and keep the output."""
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.run(example)
        self.printed, self.end = out.getvalue(), example.end

    def text(self, example: Example) -> None:
        """Compare, if nothing but blank lines stands between."""
        if self.end >= 0 and not example.document.text[self.end : example.start].strip():
            same(example.parsed, self.printed, f"{Path(example.path).name}:{example.line}")


def console(example: Example) -> None:
    """Run the commands of this package; others (make, pip) are for reading."""
    for part in ("\n" + example.parsed).split("\n$ ")[1:]:
        command, _, want = part.partition("\n")
        words = shlex.split(command)
        if words[0] != "widemargin":
            continue
        program = Path(sys.executable).with_name("widemargin")
        done = subprocess.run([program, *words[1:]], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        if want.strip():
            same(want, done.stdout, f"{Path(example.path).name}: {command}")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printing = Printing()
    python = PythonCodeBlockParser(doctest_optionflags=FLAGS)
    python.codeblock_parser = CodeBlockParser("python", printing.python)
    parsers = [
        python,
        CodeBlockParser("text", printing.text),
        CodeBlockParser("console", console),
        SkipParser(),
    ]
    for example in Document.parse(str(path), *parsers).examples():
        example.evaluate()
