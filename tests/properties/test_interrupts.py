"""A fit that is cut short anywhere comes back with its best point and what is proved about it; others never notice."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import widemargin as wm
from problems import combinations, fit, overlapping
from widemargin.solve import watch
from widemargin.solve.watch import OutOfTime, Watch, pieces

DATA = overlapping(2, 60)
CUTS = (1, 2, 3, 7, 20)


class Cut:
    """Raises at the k-th question of a solver."""

    def __init__(self, at: int, what: type[BaseException]) -> None:
        self.left, self.what = at, what

    def poll(self) -> Callable[[Watch], None]:
        def asked(one: Watch) -> None:
            self.left -= one._on
            if one._on and self.left == 0:
                raise self.what

        return asked


@pytest.mark.parametrize("what", [KeyboardInterrupt, OutOfTime], ids=["asked", "late"])
@pytest.mark.parametrize("solver", wm.solvers)
def test_cut_short_anywhere(solver: str, what: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    for wanted in combinations(solver)[:2]:
        whole = fit(*DATA, **wanted, stop=wm.stops.max_passes(40))
        for at in CUTS:
            with monkeypatch.context() as cutting:
                cutting.setattr(Watch, "poll", Cut(at, what).poll())
                found = fit(*DATA, **wanted, stop=wm.stops.max_passes(40))
            proof = found.certificate
            asked = wm.Verdict.interrupted if what is KeyboardInterrupt else wm.Verdict.budget
            ended = found.model.W.tobytes() == whole.model.W.tobytes()
            assert proof.verdict is asked or proof.verdict.success or ended, (at, proof)
            assert proof.lower_bound <= proof.objective * (1 + 1e-9), (at, proof)
            checked = proof.verify(*DATA)
            assert checked.ok, (at, checked.problems)
        again = fit(*DATA, **wanted, stop=wm.stops.max_passes(40))
        assert again.model.W.tobytes() == whole.model.W.tobytes()


def test_a_budget_is_asked_within_a_step() -> None:
    """Seconds that are over before the first pass: the model that a fit begins with, and its gap."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((5000, 20)), random.integers(0, 2, 5000)
    for loss in ("logistic", "hinge"):
        found = fit(X, y, loss=loss, budget=wm.budget(seconds=1e-9))
        assert found.certificate.verdict is wm.Verdict.budget
        assert not found.model.W.any()
        assert found.certificate.verify(X, y).ok


def test_the_end_of_a_fit_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks to stop while the certificate is made still gets the model."""
    import widemargin.staged as staged

    once = [KeyboardInterrupt]
    made = staged.certify

    def certify(*given: Any) -> Any:
        if once:
            raise once.pop()
        return made(*given)

    monkeypatch.setattr(staged, "certify", certify)
    found = fit(*DATA, budget=wm.budget(passes=1))
    assert found.certificate.verdict is wm.Verdict.interrupted
    assert found.certificate.verify(*DATA).ok


def test_long_passes_are_cut_by_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [(part.start, part.stop) for part in pieces(10, watch.CALL / 4)] == [(0, 3), (3, 6), (6, 9), (9, 10)]
    assert [part.stop for part in pieces(10, watch.CALL, 4)] == [4, 8, 10]
    asked: list[int] = []
    monkeypatch.setattr(Watch, "poll", lambda self: asked.append(1))
    whole = {}
    for short in (False, True):
        with monkeypatch.context() as cut:
            if short:
                cut.setattr(watch, "CALL", 20)
            for solver in ("sgd", "sgd:batch=3", "perceptron:variant='averaged'", "dual_cd", "pa"):
                asked.clear()
                found = fit(*DATA, solver=solver, shuffle="perceptron" not in solver, stop=wm.stops.max_passes(4))
                if short:
                    assert len(asked) > 3 * whole[solver][1], solver
                    np.testing.assert_allclose(found.model.W, whole[solver][0], rtol=1e-9, atol=1e-12, err_msg=solver)
                whole[solver] = found.model.W, len(asked)


PROGRAM = """
import json, os, signal, sys, threading, time, warnings
import numpy as np
import widemargin as wm
warnings.simplefilter("ignore")
random = np.random.default_rng(0)
X = random.standard_normal((60_000, 60)) @ np.diag(np.logspace(0, -4, 60))
y = (X[:, 0] + random.standard_normal(len(X)) > 0).astype(int)
kinds = [dict(loss="hinge", solver="dual_cd"), dict(solver="gd"), dict(solver="sgd"), dict(penalty="l1", solver="cd"),
         dict(loss="hinge", solver="kink_cd"), dict(solver="newton_cg"), dict(solver="perceptron")]
late = []
wm.fit(X[:1000], y[:1000], loss="hinge")
for number, wanted in enumerate(kinds):
    if wanted.get("solver") != "perceptron":
        wanted |= {"alpha": 1e-9}
    asked, over = [], threading.Event()
    def ask(start=time.process_time(), delay=random.uniform(0.05, 0.4)):
        while time.process_time() < start + delay and not over.wait(0.01):
            pass
        if not over.is_set():
            asked.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=ask)
    thread.start()
    found = wm.fit(X, y, threads=1, tol=1e-14, stop=wm.stops.max_passes(1e9), **wanted)
    now = time.process_time()
    over.set()
    thread.join()
    assert found.certificate.verdict is wm.Verdict.interrupted or not asked, (wanted, found)
    assert found.certificate.verify(X, y).ok
    late.append(now - asked[0] if asked else 0.0)
print(json.dumps(late))
"""


def test_ctrl_c_is_heard_within_a_second() -> None:
    """In seconds of the processor, so that a busy machine does not matter; with the certificate."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    late = [float(part) for part in done.stdout.strip("[]\n").split(",")]
    assert max(late) < 1.0, late
    assert sum(seconds > 0 for seconds in late) >= 4, "most fits have to be cut short for this to say anything"


def test_many_fits_side_by_side() -> None:
    """Dense and sparse, by several solvers, in threads of the caller: the bits of a fit alone."""
    random = np.random.default_rng(1)
    X = random.standard_normal((4000, 30)) * (random.random((4000, 30)) < 0.3)
    y = (X[:, 0] + 0.5 * random.standard_normal(4000) > 0).astype(int)
    jobs = [(solver, loss) for solver in ("auto", "sgd", "newton_cg") for loss in ("logistic", "squared_hinge")]
    jobs += [("auto", "hinge"), ("dual_cd", "hinge")]

    def work(job: tuple[str, str]) -> bytes:
        return wm.fit(
            X, y, solver=job[0], loss=job[1], alpha=1e-2, threads=2, stop=wm.stops.max_passes(30)
        ).model.W.tobytes()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wm.NotConverged)
        alone = [work(job) for job in jobs]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(work, jobs * 4))
    assert together == alone * 4


def test_a_signal_in_the_middle_of_many_fits() -> None:
    """The main thread is interrupted, the fits of other threads go on and end as they would alone."""
    X, y = overlapping(2, 3000, 20)
    alone = fit(X, y, alpha=1e-4).model.W
    found: list[Any] = []

    def work() -> None:
        found.extend(wm.fit(X, y, alpha=1e-4).model.W for _ in range(20))

    others = [threading.Thread(target=work) for _ in range(2)]
    for thread in others:
        thread.start()
    timer = threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,))
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wm.NotConverged)
            cut = wm.fit(X, y, loss="hinge", solver="sgd", alpha=1e-9, stop=wm.stops.max_passes(1e9))
        assert cut.certificate.verdict is wm.Verdict.interrupted
    finally:
        timer.join()
        signal.signal(signal.SIGINT, previous)
    for thread in others:
        thread.join(timeout=120)
    assert len(found) == 40
    assert all(np.array_equal(W, alone) for W in found)
