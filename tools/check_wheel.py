"""Install the wheel into an empty environment outside the checkout and run it there.

    python tools/check_wheel.py dist

dist holds one wheel and one sdist, of the same tree: what the wheel was compiled from lies in the sdist, byte for byte.
The environment gets the wheel and its own dependencies, nothing else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

SMOKE = Path(__file__).with_name("smoke.py")
IN_WHEEL = ("widemargin/py.typed", "widemargin/datasets/adult.csv.gz", "widemargin/datasets/ATTRIBUTION.md")
ROOT = Path(__file__).resolve().parents[1]
BUILT_FROM = ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "cmake", "core", "src")
LEFT_BEHIND = (".so", ".pyd", ".pyc")


def only(folder: Path, pattern: str) -> Path:
    """The one file that matches."""
    found = list(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"expected one {pattern} in {folder}, found {len(found)}")
    return found[0]


def sources() -> dict[str, bytes]:
    """Every file that a build reads."""
    files = [p for name in BUILT_FROM for p in ([ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*"))]
    kept = [p for p in files if p.is_file() and p.suffix not in LEFT_BEHIND]
    return {p.relative_to(ROOT).as_posix(): p.read_bytes() for p in kept}


def packed(sdist: Path) -> dict[str, bytes]:
    """The files of an sdist, without its outer folder."""
    with tarfile.open(sdist) as archive:
        files = [(member.name.partition("/")[2], archive.extractfile(member)) for member in archive if member.isfile()]
        return {name: file.read() for name, file in files if file is not None}


def check_contents(wheel: Path, sdist: Path) -> None:
    """What must be inside is inside, what need not be is not."""
    names = zipfile.ZipFile(wheel).namelist()
    missing = [name for name in IN_WHEEL if name not in names]
    if not any(name.startswith("widemargin/_core") and name.endswith((".so", ".pyd")) for name in names):
        missing.append("widemargin/_core")
    if not any(name.endswith("licenses/LICENSE") for name in names):
        missing.append("LICENSE")
    foreign = [n for n in names if not n.startswith("widemargin") or n.endswith((".hpp", ".cpp", ".a", ".pyc"))]
    inside = packed(sdist)
    missing += [f"{name} (sdist)" for name, content in sources().items() if inside.get(name) != content]
    if missing or foreign:
        sys.exit(f"the wheel lacks {missing} and should not hold {foreign}")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(names)} files")


def main(dist: Path) -> None:
    """Check the files, then install and run."""
    wheel, sdist = only(dist, "*.whl"), only(dist, "*.tar.gz")
    check_contents(wheel, sdist)
    # Nothing of the checkout or of the caller's environment may leak in.
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    with tempfile.TemporaryDirectory(prefix="widemargin-wheel-") as folder:
        place = Path(folder)
        venv.create(place / "venv", with_pip=True)
        python = place / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        install = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", wheel.resolve()]
        subprocess.run(install, check=True, cwd=place, env=clean)
        shutil.copy(SMOKE, place)
        subprocess.run([python, "-I", SMOKE.name], check=True, cwd=place, env=clean, timeout=300)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
