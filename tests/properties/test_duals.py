"""What scores alone say is what NumPy says of the same rows, in the same bits at any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import CONVEX, overlapping, problem
from widemargin import _core, duals
from widemargin.bounds import negative_conjugate
from widemargin.errors import Verdict
from widemargin.events import Trace
from widemargin.finish import certify
from widemargin.run.local import Local
from widemargin.solve.loop import run
from widemargin.solve.start import null_values
from widemargin.stops import any_of

N = 9001  # more than two chunks of rows, and a part of one
KINDS = [("binary", 2), ("ovr", 3), ("softmax", 3)]


def case(loss: str, kind: str, classes: int) -> Any:
    """A problem with weights, some of them 0, and offsets."""
    random = np.random.default_rng(classes)
    X, y = random.standard_normal((N, 3)), random.integers(0, classes, N)
    data = {
        "sample_weight": np.where(random.random(N) < 0.1, 0.0, random.random(N)),
        "offset": random.standard_normal(N if classes == 2 else (N, classes)),
    }
    multiclass = "auto" if kind == "binary" else kind
    made, _ = problem(X, y, data=data, loss=loss, penalty="l2", alpha=0.1, solver="gd", multiclass=multiclass)
    return made, random


@pytest.mark.parametrize(("kind", "classes"), KINDS)
@pytest.mark.parametrize("loss", CONVEX)
def test_points_and_sums(loss: str, kind: str, classes: int) -> None:
    if kind == "softmax" and loss != "logistic":
        return
    of, random = case(loss, kind, classes)
    objective, source = of.objective, of.source
    scores = random.standard_normal((N, objective.K))
    low, high = (0.0, 1.0) if objective.joint else objective.loss.dual_domain
    a = np.clip(duals.dual_points(objective, source, scores, 1), low, high)
    if objective.joint:
        e = np.exp(scores)
        np.testing.assert_allclose(a, e / e.sum(axis=1, keepdims=True), rtol=1e-13)
    else:
        np.testing.assert_allclose(a, -objective.loss.d1(source.signs * scores), rtol=1e-13)
    p = source.p[:, None]
    signed = p * ((source.signs > 0) - a) if objective.joint else p * a * source.signs
    np.testing.assert_allclose(duals.signed_duals(objective, source, a, 2), signed, rtol=1e-13, atol=1e-20)
    sums = duals.dual_sums(objective, source, a, 1)
    tilt = (signed * source.o.reshape(N, -1)).sum(axis=0)
    T = source.p @ np.where(p > 0, negative_conjugate(objective, a), 0.0) - (tilt.sum() if objective.joint else tilt)
    np.testing.assert_allclose(sums.T, T, rtol=1e-11)
    np.testing.assert_allclose(sums.excess, signed.sum(axis=0), rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(sums.mass, np.abs(signed).sum(axis=0), rtol=1e-11)
    for threads in (2, 3):
        again = duals.dual_sums(objective, source, a, threads)
        assert all(np.array_equal(one, other) for one, other in zip(sums, again, strict=True))


@pytest.mark.parametrize(("kind", "classes"), KINDS)
def test_mixing_and_shrinking(kind: str, classes: int) -> None:
    of, random = case("logistic", kind, classes)
    objective, source = of.objective, of.source
    a = duals.dual_points(objective, source, random.standard_normal((N, objective.K)), 1)
    shares = np.full(objective.K, 0.25)
    if objective.joint:
        side = np.array([0.5, 0.3, 0.2])
        target = np.broadcast_to(side, a.shape)
        small = 0.5 * a + 0.5 * (source.signs > 0)
    else:
        side = np.where(np.arange(objective.K) % 2 == 0, 1.0, -1.0)
        target = (source.signs == side).astype(float)
        small = 0.5 * a
    np.testing.assert_allclose(duals.mixed(objective, source, a, shares, side, 2), 0.75 * a + 0.25 * target, rtol=1e-14)
    np.testing.assert_allclose(duals.shrunk(objective, source, a, np.full(objective.K, 0.5)), small, rtol=1e-14)


@pytest.mark.parametrize("loss", wm.losses)
def test_shifted_sums(loss: str) -> None:
    of, random = case("logistic", "ovr", 3)
    source, entry = of.source, wm.losses[loss]
    scores = random.standard_normal((N, 3))
    for k, b in ((0, 0.0), (2, 0.7)):
        inverse = 1.0 / source.total_weight
        found = _core.shifted_sums(entry.index, source.y, source.s, inverse, scores, 3, k, b, 2)
        y = source.signs[:, k]
        z, p = y * (scores[:, k] + b), source.p
        wanted = [p @ entry.value(z), p @ (y * entry.d1(z)), p @ entry.d2(z), p @ np.abs(entry.d1(z)), p @ (z <= 0)]
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array, lambda X: np.sign(X).astype(np.int8)])
def test_sums_of_classes_and_reach(form: Any) -> None:
    X, y = overlapping(3, 60)
    weight = np.random.default_rng(0).random(60)
    of, _ = problem(form(X), y, data={"sample_weight": weight}, loss="logistic", penalty="l2", multiclass="ovr")
    M, source = of.source.X.matrix, of.source
    members = (source.y[:, None] == np.arange(3)) * source.p[:, None]
    np.testing.assert_allclose(of.anchors.sums, M.T @ members, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(of.anchors.mass, members.sum(axis=0), rtol=1e-13)
    np.testing.assert_allclose(of.reducer.reach(source, members - 0.1), abs(M).T @ abs(members - 0.1), rtol=1e-12)


class Counting(Local):
    """A reducer that counts how often the rows are passed over."""

    passes = 0

    def fold(self, *args: Any, **more: Any) -> Any:
        type(self).passes += 1
        return super().fold(*args, **more)

    def products(self, *args: Any) -> Any:
        type(self).passes += 1
        return super().products(*args)

    def class_sums(self, *args: Any) -> Any:
        type(self).passes += 1
        return super().class_sums(*args)

    def scores(self, *args: Any) -> Any:
        type(self).passes += 1
        return super().scores(*args)


@pytest.mark.parametrize("solver", ["newton", "newton_cg"])
@pytest.mark.parametrize(("kind", "classes"), KINDS)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_end_of_a_smooth_fit_needs_no_pass(solver: str, kind: str, classes: int, intercept: bool) -> None:
    X, y = overlapping(classes, 80)
    multiclass = "auto" if kind == "binary" else kind
    of, used = problem(
        X, y, loss="logistic", penalty="l2", alpha=0.01, solver=solver, multiclass=multiclass, intercept=intercept
    )
    object.__setattr__(of, "reducer", Counting(1))
    object.__setattr__(of.anchors, "products", of.reducer)
    null = null_values(of)
    outcome = run(
        of, used, warm=None, seed=0, null=null, stop=any_of(), on_event=None, started=0.0, trace=Trace()
    )  # fmt: skip
    Counting.passes = 0
    found = certify(of, used, outcome, null, np.unique(y))
    assert found.verdict is Verdict.tolerance
    assert Counting.passes == 0


@pytest.mark.parametrize(("solver", "loss", "passes"), [("dual_newton", "logistic", 2), ("kink_cd", "hinge", 1)])
def test_the_end_of_a_dual_fit_needs_no_scores(solver: str, loss: str, passes: int) -> None:
    """Those of the last look serve; only X' times the duals, and times the slopes where there are any, is made anew."""
    X, y = overlapping(2, 80)
    of, used = problem(X, y, loss=loss, penalty="l2", alpha=1.0, solver=solver, intercept=False)
    object.__setattr__(of, "reducer", Counting(1))
    object.__setattr__(of.anchors, "products", of.reducer)
    null = null_values(of)
    outcome = run(
        of, used, warm=None, seed=0, null=null, stop=any_of(), on_event=None, started=0.0, trace=Trace()
    )  # fmt: skip
    Counting.passes = 0
    found = certify(of, used, outcome, null, np.unique(y))
    assert found.verdict is Verdict.tolerance
    assert found.verify(X, y).ok
    assert Counting.passes == passes
