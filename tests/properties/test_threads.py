"""How many threads a process may use, and that fits in several Python threads run side by side."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import widemargin as wm
from widemargin._threads import available_threads, granted
from widemargin.run import local


@pytest.mark.parametrize(
    ("membership", "files", "expected"),
    [
        ("0::/a/b", {"a/b/cpu.max": "150000 100000", "a/cpu.max": "max 100000"}, [1.5]),
        ("0::/a/b", {"a/b/cpu.max": "max 100000", "a/cpu.max": "200000 100000"}, [2.0]),
        ("0::/", {"cpu.max": "50000 100000"}, [0.5]),
        ("4:cpu:/c", {"cpu/c/cpu.cfs_quota_us": "300000", "cpu/c/cpu.cfs_period_us": "100000"}, [3.0]),
        ("4:cpu:/c", {"cpu/c/cpu.cfs_quota_us": "-1", "cpu/c/cpu.cfs_period_us": "100000"}, []),
        ("0::/a", {}, []),
        ("", {}, []),
    ],
)
def test_the_share_that_a_container_grants(
    tmp_path: Path, membership: str, files: dict[str, str], expected: list[float]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\n")
    said = tmp_path / "cgroup"
    said.write_text(membership + "\n" if membership else "")
    assert granted(said, tmp_path) == expected
    assert available_threads() >= 1


def test_fits_in_two_threads_are_those_of_one() -> None:
    random = np.random.default_rng(0)
    X, y = random.standard_normal((20_000, 8)), random.integers(0, 2, 20_000)
    alone = [wm.fit(X, y, alpha=alpha, threads=2).model.W for alpha in (1e-2, 1e-4)]
    found: dict[float, np.ndarray] = {}

    def work(alpha: float) -> None:
        for _ in range(5):
            found[alpha] = wm.fit(X, y, alpha=alpha, threads=2).model.W

    together = [threading.Thread(target=work, args=(alpha,)) for alpha in (1e-2, 1e-4)]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert np.array_equal(found[1e-2], alone[0])
    assert np.array_equal(found[1e-4], alone[1])


@pytest.mark.parametrize("threads", [1, 2])
def test_calls_are_cut_without_changing_a_bit(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """A pass that would take long goes back to Python now and then, where Ctrl-C is heard."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((20_000, 8)), random.integers(0, 3, 20_000)
    for solver in ("newton", "newton_cg"):
        whole = wm.fit(X, y, solver=solver, threads=threads)
        with monkeypatch.context() as short:
            short.setattr(local, "CALL_WORK", 1.0)
            cut = wm.fit(X, y, solver=solver, threads=threads)
        assert np.array_equal(whole.model.W, cut.model.W)
        assert whole.certificate.lower_bound == cut.certificate.lower_bound
