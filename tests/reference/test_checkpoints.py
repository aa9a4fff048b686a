"""A fit that was killed goes on from its checkpoint and ends at the same bits; a wrong or damaged file is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import widemargin as wm
from problems import fit, overlapping

SLOW = {"alpha": 1e-3, "solver": "gd:accelerate=False", "tol": 1e-9, "stop": wm.stops.max_passes(600)}


class Killed(BaseException):
    """What nothing inside catches."""


def killer(after: int) -> Callable[[Any], None]:
    count = iter(range(1_000_000))

    def hears(event: Any) -> None:
        if next(count) == after:
            raise Killed

    return hears


@pytest.mark.parametrize("options", [
    SLOW, {"penalty": "l1", "solver": "projected_newton", "tol": 1e-12},
    {"loss": "hinge", "solver": "dual_cd", "tol": 1e-7}, {"solver": "newton_cg", "tol": 1e-13},
    {"loss": "hinge", "tol": 1e-10}, {"solver": "sgd", "stop": wm.stops.max_passes(9)},
    {"loss": "exponential", "penalty": "elastic_net", "solver": "auto", "tol": 1e-11},
], ids=str)  # fmt: skip
def test_a_fit_that_was_cut_off_ends_at_the_same_bits(tmp_path: Path, options: dict[str, Any]) -> None:
    data, file = overlapping(2, 300, 8), tmp_path / "fit.checkpoint"
    whole = fit(*data, **options)
    for after in range(0, len(whole.trace) - 1, max(1, len(whole.trace) // 4)):
        with pytest.raises(Killed):
            fit(*data, checkpoint=file, on_event=killer(after), **options)
        assert file.exists() or after == 0
        resumed = fit(*data, checkpoint=file, **options)
        assert not file.exists(), "a fit that has ended needs none"
        np.testing.assert_array_equal(resumed.model.W, whole.model.W)
        np.testing.assert_array_equal(resumed.model.b, whole.model.b)
        assert resumed.certificate.lower_bound == whole.certificate.lower_bound
        assert len(resumed.trace) == len(whole.trace)
        np.testing.assert_array_equal(resumed.trace.columns("objective"), whole.trace.columns("objective"))


PROGRAM = """
import sys, time
import numpy as np
import widemargin as wm
rng = np.random.default_rng(0)
X = rng.standard_normal((4000, 20))
y = X @ rng.standard_normal(20) + rng.logistic(size=4000) > 0
fit = wm.fit(X, y, alpha=1e-4, solver="gd:accelerate=False", stop=wm.stops.max_passes(600), checkpoint=sys.argv[1],
             on_event=lambda event: time.sleep(0.003))  # long enough to be killed on any machine
print(fit.model.W.tobytes().hex())
"""


def test_killed_at_random_moments(tmp_path: Path) -> None:
    def start(file: Path) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-c", PROGRAM, str(file)], stdout=subprocess.PIPE, text=True)

    undisturbed = start(tmp_path / "one").communicate()[0]
    rng, file, kills = np.random.default_rng(1), tmp_path / "two", 0
    for _ in range(10):
        process = start(file)
        begun = time.monotonic()
        while not file.exists() and process.poll() is None and time.monotonic() < begun + 60:
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.1))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate()
        if process.returncode == 0:
            break
    assert kills > 0
    assert start(file).communicate()[0] == undisturbed


def test_the_file_of_another_fit_and_a_damaged_one_are_told(tmp_path: Path) -> None:
    data, file = overlapping(2, 300, 8), tmp_path / "fit.checkpoint"
    with pytest.raises(Killed):
        fit(*data, checkpoint=file, on_event=killer(30), **SLOW)
    sound = file.read_bytes()
    other = overlapping(2, 300, 8, seed=5)
    for X, y, options in [(*data, SLOW | {"alpha": 1e-2}), (*other, SLOW), (data.X, 1 - data.y, SLOW)]:
        with pytest.raises(wm.errors.CheckpointError, match="another fit"):
            fit(X, y, checkpoint=file, **options)
    for damaged in (sound[:-40], sound[: len(sound) // 2], b"", b"PK", bytes(1000)):
        file.write_bytes(damaged)
        with pytest.raises(wm.errors.CheckpointError, match="damaged"):
            fit(*data, checkpoint=file, **SLOW)
    for at in range(0, len(sound), max(1, len(sound) // 60)):  # one bit anywhere: told, or of no consequence
        file.write_bytes(sound[:at] + bytes([sound[at] ^ 4]) + sound[at + 1 :])
        try:
            found = fit(*data, checkpoint=file, **SLOW)
        except wm.WidemarginError:
            continue
        np.testing.assert_array_equal(found.model.W, fit(*data, **SLOW).model.W)
    with pytest.raises(wm.errors.CheckpointError, match="cannot be written"):
        fit(*data, checkpoint=tmp_path / "no folder" / "file", **SLOW)
