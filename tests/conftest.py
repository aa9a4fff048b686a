"""What every test shares: the data folder, and no window ever opens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("WIDEMARGIN_DATA", ROOT.parent / "shared" / "data"))

os.environ.setdefault("MPLBACKEND", "Agg")
if "PYTEST_XDIST_WORKER" in os.environ:  # one of several processes, which together have a core each
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The same examples every time, and a busy machine is no reason to fail.  To look for new ones:
# pytest --hypothesis-profile=explore
settings.register_profile("house", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("house"), derandomize=False, max_examples=1000)
settings.load_profile("house")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked `data` are skipped, for one reason, where the data folder is absent."""
    if DATA.is_dir():
        return
    absent = pytest.mark.skip(reason="the shared data folder is absent; set WIDEMARGIN_DATA to where it is")
    for item in items:
        if item.get_closest_marker("data"):
            item.add_marker(absent)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Where the shared data sets are; mark the test with `data`."""
    return DATA
