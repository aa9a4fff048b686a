"""The worked examples of CONTRIBUTING.md, applied to a copy, pass the tests that every other entry passes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nanobind
import pytest

import widemargin as wm
from house import worked_example
from widemargin import _core

ROOT = worked_example.ROOT
# An editable install would answer `import widemargin` with the checkout, whatever PYTHONPATH says.
ONLY_THE_COPY = "import sys\nsys.meta_path = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]\n"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources and the tests, without what was built."""
    for name in ("CMakeLists.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    for name in ("cmake", "core", "src", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    (tmp_path / "src" / "sitecustomize.py").write_text(ONLY_THE_COPY)
    return tmp_path


def run(copy: Path, *words: str | Path) -> str:
    """What a command prints, run against the copy."""
    env = {**os.environ, "PYTHONPATH": str(copy / "src")}
    done = subprocess.run(words, cwd=copy, env=env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def python(copy: Path, code: str) -> str:
    return run(copy, sys.executable, "-c", f"import widemargin as wm; {code}").strip()


def command(copy: Path, word: str) -> str:
    """The output of `widemargin WORD`."""
    return python(copy, f"import sys; sys.argv[1:] = [{word!r}]; from widemargin.cli import main; main()")


def properties(copy: Path, name: str) -> None:
    """The tests over the registries, for the new entry alone; pytest fails when none is selected."""
    chosen = ["-k", name, "-m", "not slow and not data", "-p", "no:cacheprovider", "-q"]
    run(copy, sys.executable, "-m", "pytest", *chosen, "tests/properties")


def build(copy: Path) -> None:
    """Compile the copy's core, beside its Python files: as it is, but not optimised."""
    quick = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DWIDEMARGIN_BASE_ONLY=ON"]
    options = [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.cmake_dir()}"]
    run(copy, "cmake", "-S", ".", "-B", "build", *quick, *options)
    run(copy, "cmake", "--build", "build", "--parallel", str(os.cpu_count()))
    [made] = (copy / "build").glob("_core*")
    shutil.copy(made, copy / "src" / "widemargin")


@pytest.mark.slow
def test_add_a_loss(copy: Path) -> None:
    worked_example.apply("Add a loss", copy)
    build(copy)
    assert python(copy, "print(*wm.losses)").split() == [
        *list(wm.losses)[:8],
        "rounded",
        *list(wm.losses)[8:],
    ]
    assert "rounded" in command(copy, "losses")
    properties(copy, "rounded")


def test_add_a_solver(copy: Path) -> None:
    worked_example.apply("Add a solver", copy)
    assert _core.__file__ is not None
    shutil.copy(_core.__file__, copy / "src" / "widemargin")
    assert set(python(copy, "print(*wm.solvers)").split()) == {*wm.solvers, "bb"}
    assert "bb" in command(copy, "solvers")
    fit = "wm.fit(*wm.datasets.blobs(gap=-0.2), solver='bb')"
    assert python(copy, f"print({fit}.certificate.verdict.success)") == "True"
    properties(copy, "bb")
    run(copy, sys.executable, "-m", "ruff", "check", "src/widemargin/solve/bb.py", "src/widemargin/solve/__init__.py")
    run(copy, sys.executable, "-m", "ruff", "format", "--check", "src/widemargin/solve/bb.py")


def test_the_example_refuses_what_it_cannot_do(copy: Path) -> None:
    worked_example.apply("Add a solver", copy)
    assert _core.__file__ is not None
    shutil.copy(_core.__file__, copy / "src" / "widemargin")
    with pytest.raises(AssertionError, match="use solver='gd'"):
        python(copy, "wm.fit(*wm.datasets.blobs(), loss='hinge', solver='bb')")
