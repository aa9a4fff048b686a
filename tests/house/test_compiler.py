"""Without a C++20 compiler the build stops with one sentence that names the package to install."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CMAKE = shutil.which("cmake")
OLD = """#!/bin/sh
# a compiler that knows C++17 at most
for a; do shift; case $a in -std=*) a=-std=c++17;; esac; set -- "$@" "$a"; done
exec c++ "$@"
"""

pytestmark = pytest.mark.skipif(CMAKE is None, reason="cmake is not on the path")


def configure(source: Path, build: Path, compiler: str) -> tuple[int, str]:
    """Exit code and what was said, its line breaks removed."""
    env = {**os.environ, "CXX": compiler}
    command = [str(CMAKE), "-S", str(source), "-B", str(build)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, " ".join(done.stderr.split())


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    """A project that does nothing but look for the compiler: it needs no nanobind."""
    module = (ROOT / "cmake" / "compiler.cmake").as_posix()
    text = f'cmake_minimum_required(VERSION 3.22)\nproject(probe LANGUAGES NONE)\ninclude("{module}")\n'
    (tmp_path / "CMakeLists.txt").write_text(text)
    return tmp_path


def test_no_compiler(tmp_path: Path) -> None:
    code, said = configure(ROOT, tmp_path / "build", "/nonexistent/c++")
    assert code != 0
    assert said.count("CMake Error") == 1
    assert "no C++ compiler was found: install " in said


@pytest.mark.skipif(os.name != "posix", reason="the old compiler is a shell script")
def test_old_compiler(probe: Path) -> None:
    script = probe / "old-c++"
    script.write_text(OLD)
    script.chmod(0o755)
    code, said = configure(probe, probe / "build", str(script))
    assert code != 0
    assert said.count("CMake Error") == 1
    assert "written in C++20, which" in said
    assert "does not compile: install " in said


def test_good_compiler(probe: Path) -> None:
    assert configure(probe, probe / "build", os.environ.get("CXX", "c++")) == (0, "")
