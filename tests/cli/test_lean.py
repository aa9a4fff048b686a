"""`widemargin predict` on one row: little more than NumPy itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from widemargin.cli import main

HEAVY = {"scipy", "rich", "pandas", "pyarrow", "narwhals", "matplotlib", "numpy.random", "numpy.ma", "widemargin.solve"}
PROBE = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
from widemargin.cli import main
main(sys.argv[1:], prog_name="widemargin")
"""


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("lean")
    table, one, model = folder / "table.csv", folder / "one.csv", folder / "m.wm"
    table.write_text("size,hue,kind\n" + "".join(f"{k},{'rg'[k % 2]},{'ab'[k > 20]}\n" for k in range(40)))
    one.write_text("size,hue\n3,r\n")
    assert CliRunner().invoke(main, ["fit", str(table), "--target", "kind", "--model", str(model)]).exit_code == 0
    return ["predict", str(model), str(one), "--probabilities"]


def test_predict_imports_nothing_heavy(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", PROBE, *words], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("prediction,probability_a,probability_b\na,")
    assert not HEAVY & set(json.loads(done.stderr.splitlines()[-1]))


def seconds(*command: str) -> float:
    """Processor time of a whole process, the best of some."""
    spent = []
    for _ in range(5):
        before = os.times()
        subprocess.run([sys.executable, *command], capture_output=True, timeout=60, check=True)
        after = os.times()
        spent.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(spent)


@pytest.mark.slow
def test_predict_takes_little_more_than_numpy(words: list[str]) -> None:
    """From start to end at most 2.5 times `import numpy`; measured: 1.8."""
    assert seconds("-m", "widemargin", *words) <= 2.5 * seconds("-c", "import numpy")
