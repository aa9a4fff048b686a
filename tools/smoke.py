"""What a user does on the first day: import, fit, predict, save, the command.  Nothing else is installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np

import widemargin as wm


def library() -> None:
    """Fit, certify, save, load, predict."""
    assert Path(wm.__file__).is_relative_to(sys.prefix), f"imported from {wm.__file__}"
    X, y = wm.datasets.blobs(300, 3, gap=-0.2)
    fit = wm.fit(X, y, loss="logistic", alpha=1e-2)
    assert fit.certificate.relative_gap <= 1e-6
    labels = fit.model.predict(X)
    fit.model.save("model.wm")
    np.testing.assert_array_equal(wm.load("model.wm").predict(X), labels)
    print(f"fit: {fit.certificate.verdict.text}; accuracy {np.mean(labels == y):.3f}")


def run(*words: str) -> str:
    """The output of `widemargin WORDS`."""
    program = Path(sys.executable).with_name("widemargin")
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def command() -> None:
    """The command line, on a file of its own."""
    assert importlib.metadata.version("widemargin") in run("--version")
    assert "hinge" in run("losses")
    X, y = wm.datasets.blobs(60, 2, gap=0.5)
    rows = "\n".join(f"{a:.6f},{b:.6f},{'yes' if label > 0 else 'no'}" for (a, b), label in zip(X, y, strict=True))
    Path("table.csv").write_text(f"a,b,answer\n{rows}\n")
    print(run("fit", "table.csv", "--target", "answer").strip())


if __name__ == "__main__":
    optional = [name for name in ("matplotlib", "narwhals", "pandas", "sklearn") if importlib.util.find_spec(name)]
    assert not optional, f"not an empty environment: {optional}"
    library()
    command()
    print("the wheel works")
