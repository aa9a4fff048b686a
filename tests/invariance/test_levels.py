"""Each instruction-set level computes the same to rounding, and is compiled so that no other can take its code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from widemargin import _core

LEVELS = ("base", "v3", "v4")
FITS = """
import numpy as np, widemargin as wm
from widemargin import _core
random = np.random.default_rng(5)
X = random.standard_normal((300, 45))
for dtype in (np.float64, np.float32):
    A = np.ascontiguousarray(X.astype(dtype)[:, :43])  # no multiple of any register
    score = A @ random.standard_normal(43) + random.standard_normal(300)
    for y in ((score > 0).astype(int), np.digitize(score, [-4, 0, 4])):
        for solver in ("newton", "newton_cg", "sgd"):
            fit = wm.fit(A, y, solver=solver, stop="max_passes:30", tol=1e-9, shuffle=False)
            print(_core.level(), solver, repr(fit.certificate.objective), repr(float(np.abs(fit.model.W).sum())))
"""


def run(level: str) -> list[list[str]]:
    environment = os.environ | {"WIDEMARGIN_ISA": level, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", FITS], env=environment, capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def test_a_level_can_be_pinned_and_agrees_with_the_others() -> None:
    best = run(_core.level())
    assert {line[0] for line in best} == {_core.level()}
    for level in LEVELS[: LEVELS.index(_core.level())]:
        other = run(level)
        assert {line[0] for line in other} == {level}
        assert [line[1] for line in other] == [line[1] for line in best]
        numbers, reference = (np.array([line[2:] for line in lines], dtype=float) for lines in (other, best))
        np.testing.assert_allclose(numbers, reference, rtol=1e-7)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the objects of a Linux build")
def test_no_symbol_of_a_level_can_replace_another_one(root: Path) -> None:
    """Of two weak symbols of one name the linker keeps either: a level's own must carry the level in their names."""
    objects = sorted((root / "build").glob("**/*_v?.dir/**/*.cpp.o"))
    for path in objects:
        level = next(part for part in path.parts if part.endswith(".dir")).removesuffix(".dir").rpartition("_")[2]
        names = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines()
        weak = [line for line in names if line.split()[-2] in ("W", "V", "u", "w") and f"_losses_{level}" not in line]
        assert not weak, f"{path.name}: the linker may take these for the code of every processor: {weak}"
    assert objects or _core.level() == "base"
