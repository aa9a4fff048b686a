"""The engine's measurements: names, judge, sweeps, data, comparison of counts, regret, on data that is tiny."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("threadpoolctl", reason="the measurements pin threads: pip install threadpoolctl")

from bench.counts.compare import changes, regressions, table
from bench.counts.instructions import between, collected
from bench.engine import best, curves, html, summary
from bench.engine.data import load, make, stored_bytes
from bench.engine.data.store import PARTS, WHOLE
from bench.engine.peers import MODULES, module
from bench.engine.peers.contender import SWEEP, Contender
from bench.engine.problem import LEVELS, alpha_max
from bench.engine.problems import NAMES, problem
from bench.engine.sweep import Runs, scout
from bench.objective import objective
from bench.regret.draw import COUNT, draw
from bench.regret.table import table as regret_table

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every data set, tiny."""
    made = tmp_path_factory.mktemp("data")
    for name in (*WHOLE, *PARTS):
        make(name, made, tiny=True)
    return made


@pytest.mark.parametrize("name", [*WHOLE, *PARTS])
def test_data_sets_have_rows_labels_and_no_accidents(name: str, folder: Path) -> None:
    X, y = load(name, folder=folder)
    assert X.shape[0] == len(y) > 1
    assert len(np.unique(y)) >= 2
    assert np.isfinite(X.data if sp.issparse(X) else X).all()
    assert stored_bytes(X) > 0
    assert load(name, "float32", folder)[0].dtype == np.float32


@pytest.mark.parametrize("name", NAMES)
def test_every_problem_has_contenders_with_names_of_their_own(name: str) -> None:
    wanted = problem(name)
    found = [one for library in MODULES for one in module(library).contenders(wanted)]
    names = [one.name for one in found]
    assert len(set(names)) == len(names)
    assert "widemargin" in names
    assert set(wanted.family.members[name]) <= set(names), "the fast peers of a family exist"
    assert all(list(one.tolerances) == sorted(one.tolerances, reverse=True) for one in found), "loosest first"


def test_a_name_that_is_no_problem_is_refused() -> None:
    with pytest.raises(SystemExit, match="is no problem"):
        problem("D1_l2log")


def test_a_path_has_strengths_and_folds() -> None:
    grid = problem("D3_l1path_100x5").grid
    assert grid is not None
    assert len(grid.strengths(2.0)) == 100
    assert grid.strengths(2.0)[[0, -1]] == pytest.approx([2.0, 0.02])
    held_out = [set(range(23)) - set(rows.tolist()) for rows in grid.training(23)]
    assert sorted(row for fold in held_out for row in fold) == list(range(23))


def test_beyond_alpha_max_zero_is_optimal(folder: Path) -> None:
    wanted = problem("D3_l1log_0.1")
    X, y = load("D3", folder=folder)
    top, step = alpha_max(wanted, X, y), 1e-4
    gradient = X.T @ np.where(y > 0, -0.5, 0.5) / len(y)
    w = -step * np.where(np.arange(X.shape[1]) == np.abs(gradient).argmax(), np.sign(gradient), 0.0)
    at = {alpha: objective(X, y, w, 0, loss="logistic", penalty="l1", alpha=alpha) for alpha in (1.01 * top, 0.9 * top)}
    assert at[1.01 * top] > math.log(2) > at[0.9 * top]


def test_softmax_of_two_classes_is_logistic() -> None:
    random = np.random.default_rng(0)
    X, w = random.standard_normal((30, 3)), random.standard_normal(3)
    y = random.integers(0, 2, 30)
    two = np.stack([-w / 2, w / 2], axis=1)
    options: dict[str, Any] = {"loss": "logistic", "penalty": "l2", "alpha": 0.0}
    assert objective(X, y, two, 0.0, **options) == pytest.approx(objective(X, y, w, 0.0, **options), rel=1e-14)


class Fake:
    """A worker whose objective is 1 + tol / 2."""

    def fit(self, tol: float, limit: float) -> dict[str, Any]:
        return {
            "w": np.array(1 + tol / 2),
            "b": 0.0,
            "seconds": -math.log10(tol),
            "cpu": 1.0,
            "memory": None,
            "said": {},
        }


def test_the_loosest_tolerance_that_reaches_a_level_counts() -> None:
    runs = Runs("fake", Contender("fake", "", lambda task, tol: None), Fake())  # type: ignore[arg-type, return-value]
    lowest = scout(runs, lambda w, b: float(w), 1.0, limit=1.0, total=1e9)
    assert lowest == 1 + SWEEP[8] / 2
    counted = {level: runs.counts(1.0, level) for level in LEVELS}
    assert counted == dict(zip(LEVELS, SWEEP[1:9], strict=True))


def test_best_known_belongs_to_its_data(tmp_path: Path) -> None:
    X, y = np.eye(3), np.array([1.0, -1.0, 1.0])
    mark = best.fingerprint(X, y)
    best.keep(tmp_path, "P", {"objective": 0.1234567890123456, "by": "x", "bound": 0.1, "data": mark})
    assert best.known(tmp_path, "P", mark)["objective"] == 0.1234567890123456
    assert best.known(tmp_path, "P", best.fingerprint(2 * X, y))["objective"] == math.inf


def run(*arguments: str, data: Path) -> subprocess.CompletedProcess[str]:
    """`python -m bench` without the peers of another interpreter."""
    names = {"WIDEMARGIN_BENCH_DATA": str(data)}
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WIDEMARGIN_PEERS")} | names
    command = [sys.executable, "-m", "bench", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, env=environment)


@pytest.mark.slow
def test_engine_runs_and_makes_its_page(folder: Path, tmp_path: Path) -> None:
    names = ("D1_l2log_C1", "S1s_l1log_0.1", "M2_multi_C1", "D3_l2path_5x2")
    done = run("engine", *names, "--peers", "sklearn lbfgs;celer", "--repeats", "1", "--limit", "5", "--results",
               str(tmp_path), "--levels", "1e-2", "1e-6", data=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in names)
    kept = json.loads((tmp_path / best.FILE).read_text(encoding="utf-8"))
    assert set(kept) == set(names)
    assert all(one["bound"] <= one["objective"] * (1 + 1e-12) for one in kept.values()), "no objective below the bound"


@pytest.mark.slow
def test_regret_and_scaling_run(folder: Path, tmp_path: Path) -> None:
    for part in (("regret", "--count", "2", "--largest", "500"), ("scaling", "--repeats", "1")):
        done = run(*part, "--results", str(tmp_path), data=folder)
        assert done.returncode == 0, done.stderr
        assert json.loads((tmp_path / f"{part[0]}.json").read_text(encoding="utf-8"))["rows"]


def made_up() -> dict[str, Any]:
    """A row as `measure` makes it."""
    point = {"tol": 1e-3, "above": 1e-7, "seconds": 0.5, "cpu": 0.5, "runs": 3, "memory": 10, "spread": [0.5, 0.5]}
    said = {"solver": "cd", "passes": 3.0, "bandwidth": 0.2, "verdict": "tolerance", "gap": 1e-7, "bound": 0.1}
    ours = {"name": "widemargin", "library": "ours", "version": "1", "settings": "s", "cold": 1.0, "ended": "",
            "reach": {"1e-06": 0.5}, "points": [point | said]}  # fmt: skip
    peer = ours | {"name": "A <b>", "library": "scikit_learn", "reach": {"1e-06": 2.0}, "points": [point]}
    absent = peer | {"name": "C", "reach": {"1e-06": None}, "points": [], "ended": "C is not installed", "cold": None}
    return {
        "problem": "D1_l2log_C1", "title": "L2", "n": 10, "d": 2, "alpha": 0.1, "target": 0.2, "levels": [1e-6],
        "clock": "wall", "threads": 2, "repeats": 3, "limit": 60.0, "bandwidth": 1e9,
        "contenders": [ours, peer, absent],
    }  # fmt: skip


def test_summary_tells_ratio_and_verdict() -> None:
    one = summary.standing(made_up())
    assert (one.ratio, one.against_sklearn, one.verdict) == (0.25, 0.25, "missed")
    stopped = {"library": "x", "name": "Y", "reach": {}, "points": [], "ended": "stopped after 8 s"}
    near = made_up() | {"target": 0.3}
    assert summary.standing(near).verdict == "met"
    hidden = near | {"contenders": [*near["contenders"], stopped]}
    assert summary.standing(hidden).verdict == "met, without Y", "who was cut off is not beaten"
    assert summary.geometric([0.1, 10.0, None]) == pytest.approx(1.0)


def test_page_stands_alone() -> None:
    page = html.page([made_up()], {"processor": "P", "cores": 2, "date": "today"})
    assert "A &lt;b&gt;" in page
    assert "C is not installed" in page, "who is absent is named"
    assert "prefers-color-scheme: dark" in page
    assert not [mark for mark in ("http", "<script", "<link") if mark in page], "nothing from outside"
    assert curves.frontier({"points": [{"seconds": s, "above": a} for s, a in ((2, 1e-3), (1, 1e-2), (3, 1e-2))]}) == [
        (1, 1e-2), (2, 1e-3)
    ]  # fmt: skip


def test_counts_that_grow_or_vanish_are_regressions() -> None:
    found = changes({"a": 100, "b": 100, "c": 100, "d": 100}, {"a": 104, "b": 106, "c": 50, "e": 1})
    assert [one.verdict() for one in found] == ["same", "grew", "shrank", "gone", "new"]
    assert regressions(found) == ["b", "d"]
    assert regressions(found, tolerance=0.1) == ["d"]
    assert len(table(found).rows) == 5


def test_the_number_of_callgrind_is_read() -> None:
    assert collected("events: Ir\nfn=(1)\n0 12\ntotals: 1255623862\n") == 1255623862
    assert between(["a", "b"], [900, 1, 800, 2, 70]) == {"a": 1, "b": 2}
    with pytest.raises(SystemExit, match="reported nothing"):
        collected("valgrind: failed")


@pytest.mark.parametrize("number", range(0, COUNT, 5))
def test_random_problems_are_the_same_again_and_have_two_classes(number: int) -> None:
    first, second = draw(number, 2000), draw(number, 2000)
    assert (first.X != second.X).sum() == 0
    assert set(np.unique(first.y)) == {-1, 1}
    assert 1e-8 <= first.alpha <= 1e2


def test_regret_shows_the_worst_first() -> None:
    row = {"number": 1, "about": "", "loss": "hinge", "penalty": "l2", "alpha": 1.0, "seconds": 1.0, "solver": "cd",
           "best": "cd", "best_seconds": 1.0, "gap": 1e-7, "above": 0.0, "verdict": "tolerance",
           "trace": ""}  # fmt: skip
    shown = regret_table([row | {"number": k, "regret": float(k)} for k in range(1, 21)])
    assert [line[0].split(":")[0] for line in shown.rows] == [str(k) for k in range(20, 10, -1)]
    assert "median 10.50 (aim 1.5)" in shown.note
