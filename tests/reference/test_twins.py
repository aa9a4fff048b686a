"""The core's lazy, sparse, blocked row algorithms against eager NumPy loops: the same steps to 1e-12."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import twins
import widemargin as wm
from problems import holes, inside, passes, separable
from widemargin.data.intake import intake

PASSES = 3
CLOSE = {"rtol": 1e-12, "atol": 1e-12}
SEEDS = pytest.mark.parametrize("seed", [None, 5], ids=["in order", "shuffled"])
STORED = pytest.mark.parametrize("layout", [np.array, sp.csr_array], ids=["dense", "csr"])


def agrees(state: Any, run: twins.Run) -> None:
    np.testing.assert_allclose(state.arrays["W"], run.W, **CLOSE)
    np.testing.assert_allclose(state.arrays["b"], run.b, **CLOSE)


def loss_options(loss: str, penalty: str, alpha: float, **more: Any) -> dict[str, Any]:
    return {"loss": loss, "penalty": penalty, "alpha": alpha, **more}


STEP = wm.schedules.power(0.05, 0.6)
SLOPED = [n for n, of in wm.losses.items() if of.smooth or of.convex]


@STORED
@SEEDS
@pytest.mark.parametrize("loss", SLOPED)
def test_sgd(loss: str, seed: int | None, layout: Any, subtests: pytest.Subtests) -> None:
    X, y = holes()
    visits = twins.orders(len(y), PASSES, seed)
    for penalty in ("none", "l2", "l1", "elastic_net"):
        for batch in (1, 7):
            for intercept in (True, False):
                with subtests.test(f"{penalty}, batch {batch}, intercept {intercept}"):
                    chosen = loss_options(loss, penalty, 0.03, intercept=intercept, schedule=STEP)
                    made, state, mistakes = passes(layout(X), y, seed, solver=f"sgd:batch={batch}", **chosen)
                    run = twins.sgd(
                        X, inside(y), twins.one_vs_rest(wm.losses[loss]), STEP, visits, batch=batch,
                        l1=made.objective.l1, l2=made.objective.l2, intercept=intercept,
                    )  # fmt: skip
                    agrees(state, run)
                    assert mistakes == run.mistakes


@STORED
@pytest.mark.parametrize("multiclass", ["ovr", "softmax", "crammer_singer"])
@pytest.mark.parametrize("penalty", ["none", "l2", "l1", "elastic_net"])
def test_sgd_of_several_classes(penalty: str, multiclass: str, layout: Any) -> None:
    X, y = holes(3)
    for loss, batch in (("logistic", 1), ("hinge", 1), ("logistic", 4)):
        if multiclass == "softmax" and loss != "logistic":
            continue
        chosen = loss_options(loss, penalty, 0.03, multiclass=multiclass, schedule=STEP)
        made, state, mistakes = passes(layout(X), y, 2, solver=f"sgd:batch={batch}", **chosen)
        slopes = {
            "softmax": twins.softmax,
            "ovr": twins.one_vs_rest(wm.losses[loss]),
            "crammer_singer": twins.crammer_singer(wm.losses[loss]),
        }[multiclass]
        run = twins.sgd(
            X, inside(y), slopes, STEP, twins.orders(len(y), PASSES, 2), K=3, batch=batch, l1=made.objective.l1,
            l2=made.objective.l2,
        )  # fmt: skip
        agrees(state, run)
        assert mistakes == run.mistakes


@STORED
@pytest.mark.parametrize("penalty", ["none", "l2", "l1", "elastic_net"])
@pytest.mark.parametrize("start", [True, 1, 25, 100])
def test_averages(start: bool | int, penalty: str, layout: Any) -> None:
    """The mean of the iterates from the given step on, that step's own included."""
    X, y = holes()
    for batch in (1, 7):
        chosen = loss_options("logistic", penalty, 0.03, schedule=STEP)
        made, state, _ = passes(layout(X), y, 1, solver=f"sgd:batch={batch},average={start}", **chosen)
        run = twins.sgd(
            X, inside(y), twins.one_vs_rest(wm.losses["logistic"]), STEP, twins.orders(len(y), PASSES, 1),
            l1=made.objective.l1, l2=made.objective.l2, batch=batch,
        )  # fmt: skip
        agrees(state, run)
        W, b = run.average(int(start)) if int(start) <= run.t else (run.W, run.b)
        np.testing.assert_allclose(state.theta.W, W, **CLOSE)
        np.testing.assert_allclose(state.theta.b, b, **CLOSE)


@STORED
@pytest.mark.parametrize("penalty", ["l2", "elastic_net"])
@pytest.mark.parametrize("eta", [0.999999, 1.0, 1.000001, 1.5, 2.5, 1e-9])
def test_steps_as_long_as_the_shrinkage(eta: float, penalty: str, layout: Any) -> None:
    """1 - eta l2 is about 0, exactly 0 or negative: Pegasos begins with 0."""
    X, y = holes()
    of = wm.penalties[penalty]
    alpha = 1.0 / of.shares[1]
    step = wm.schedules.constant(eta)
    for average, loss in itertools.product((False, True), ("hinge", "logistic")):
        chosen = loss_options(loss, penalty, alpha, schedule=step)
        made, state, _ = passes(layout(X), y, None, solver=f"sgd:average={average}", **chosen)
        run = twins.sgd(
            X, inside(y), twins.one_vs_rest(wm.losses[loss]), step, twins.orders(len(y), PASSES, None),
            l1=made.objective.l1, l2=made.objective.l2,
        )  # fmt: skip
        scale = max(1.0, float(np.abs(run.W).max()))
        np.testing.assert_allclose(state.arrays["W"] / scale, run.W / scale, **CLOSE)
        if average:
            np.testing.assert_allclose(state.theta.W / scale, run.average()[0] / scale, **CLOSE)


@pytest.mark.parametrize("columns", [1, 8, 16, 57, 512, 513])  # around registers, and where rows become long
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_rows_of_any_length(columns: int, dtype: type) -> None:
    """Where every row moves w, a score is begun before the last step is made; in long rows it is not."""
    random = np.random.default_rng(columns)
    X = random.standard_normal((40, columns)).astype(dtype) / np.sqrt(columns)
    y = (X.sum(axis=1) + random.standard_normal(40) > 0).astype(int)
    for loss in ("logistic", "squared", "hinge"):
        chosen = loss_options(loss, "l2", 0.03, schedule=STEP)
        made, state, mistakes = passes(X, y, 2, solver="sgd", **chosen)
        run = twins.sgd(
            X.astype(float), inside(y), twins.one_vs_rest(wm.losses[loss]), STEP, twins.orders(40, PASSES, 2),
            l2=made.objective.l2,
        )  # fmt: skip
        agrees(state, run)
        assert mistakes == run.mistakes


@STORED
def test_weights_and_offsets(layout: Any) -> None:
    X, y = holes()
    random = np.random.default_rng(8)
    s, o = random.integers(0, 4, len(y)).astype(float), random.standard_normal(len(y))
    for penalty in ("none", "l2", "l1"):
        chosen = loss_options("logistic", penalty, 0.03, schedule=STEP, sample_weight=s, offset=o)
        made, state, mistakes = passes(layout(X), y, 4, solver="sgd:intercept_rate=0.1", **chosen)
        run = twins.sgd(
            X, inside(y), twins.one_vs_rest(wm.losses["logistic"]), STEP, twins.orders(len(y), PASSES, 4),
            l1=made.objective.l1, l2=made.objective.l2, s=s, o=o, rate_of_b=0.1,
        )  # fmt: skip
        agrees(state, run)
        assert mistakes == run.mistakes


@pytest.mark.parametrize("loss", [n for n, of in wm.losses.items() if of.convex])
def test_implicit_steps_are_exact_minimisers(loss: str) -> None:
    """argmin eta s l(y (w.x + b)) + |w - w_old|^2 / 2 + (b - b_old)^2 / (2 rate), row after row."""
    X, y = holes(n=20)
    y, of = inside(y), wm.losses[loss]
    for rate in (1.0, 0.25):
        chosen = loss_options(loss, "none", 0.0, schedule=STEP)
        _, state, _ = passes(X, y, None, 1, solver=f"sgd:implicit=True,intercept_rate={rate}", **chosen)
        w, b = np.zeros(X.shape[1]), 0.0
        for t, (x, label) in enumerate(zip(X, y, strict=True), start=1):
            z, norm = label * (w @ x + b), x @ x + rate
            move = (of.prox(z, STEP(t) * norm) - z) / norm
            w, b = w + move * label * x, b + rate * move * label
        np.testing.assert_allclose(state.arrays["W"][:, 0], w, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(state.arrays["b"], b, rtol=1e-9, atol=1e-10)


@STORED
@SEEDS
@pytest.mark.parametrize("average", [False, True], ids=["plain", "averaged"])
def test_perceptron(average: bool, seed: int | None, layout: Any) -> None:
    X, y = holes()
    visits = twins.orders(len(y), PASSES, seed)
    variant = "averaged" if average else "plain"
    for intercept in (True, False):
        for schedule in (None, wm.schedules.power(2.0, 0.5)):
            chosen = {"solver": f"perceptron:variant='{variant}'", "intercept": intercept, "schedule": schedule}
            _, state, mistakes = passes(layout(X), y, seed, **chosen)
            run = twins.perceptron(X, inside(y), visits, intercept=intercept, eta=schedule or (lambda t: 1.0))
            agrees(state, run)
            assert mistakes == run.mistakes
            if average:
                np.testing.assert_allclose(state.theta.W, run.average()[0], **CLOSE)
                np.testing.assert_allclose(state.theta.b, run.average()[1], **CLOSE)


def test_perceptron_ends_as_its_twin_does() -> None:
    """The same passes, mistakes and weights until a pass makes no mistake; then no row is on the wrong side."""
    X, y = separable()
    fitted = wm.fit(X, y, solver="perceptron", shuffle=False)
    run = twins.perceptron(X, inside(y), twins.orders(len(y), len(fitted.trace), None))
    assert list(fitted.trace.columns("mistakes")) == run.mistakes
    assert run.mistakes[-1] == 0
    assert fitted.certificate.verdict is wm.Verdict.no_mistakes
    np.testing.assert_allclose(fitted.model.W, run.W, **CLOSE)
    assert np.array_equal(fitted.model.predict(X), y)


def test_pocket_keeps_the_longest_run() -> None:
    """Gallant 1990: of the weights with the longest runs and those at the ends of passes, the fewest errors."""
    X, y = holes()
    sign, visits = inside(y), twins.orders(len(y), 6, 3)
    _, state, _ = passes(X, y, 3, 6, solver="perceptron:variant='pocket'")
    run = twins.perceptron(X, sign, visits)
    flat, w, b = np.concatenate(visits), np.zeros(X.shape[1]), 0.0
    longest = length = 0
    pocket, ratchet = (w, b), []
    for t, i in enumerate(flat):
        if sign[i] * (X[i] @ w + b) <= 0:
            if length > longest:
                longest, pocket = length, (w, b)
            length = 0
        else:
            length += 1
        w, b = run.iterates[t][0][:, 0], float(run.iterates[t][1][0])
        if (t + 1) % len(y) == 0:
            ratchet += [pocket, (w, b)]
    errors = [int(np.sum(sign * (X @ w + b) <= 0)) for w, b in ratchet]
    assert round(float(state.errors[0]) * len(y)) == min(errors)


@STORED
@SEEDS
def test_rival_perceptron(seed: int | None, layout: Any) -> None:
    X, y = holes(3)
    visits = twins.orders(len(y), PASSES, seed)
    _, state, mistakes = passes(layout(X), y, seed, solver="perceptron", multiclass="crammer_singer")
    run = twins.rival_perceptron(X, inside(y), 3, visits)
    agrees(state, run)
    assert mistakes == run.mistakes
    _, state, _ = passes(layout(X), y, seed, solver="perceptron", multiclass="ovr")
    for k in range(3):
        one = twins.perceptron(X, np.where(y == k, 1.0, -1.0), visits)
        np.testing.assert_allclose(state.arrays["W"][:, k], one.W[:, 0], **CLOSE)
        np.testing.assert_allclose(state.arrays["b"][k], one.b[0], **CLOSE)


@STORED
@SEEDS
@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
def test_passive_aggressive(variant: str, seed: int | None, layout: Any) -> None:
    for classes, kinds in ((2, ("ovr",)), (3, ("ovr", "crammer_singer"))):
        X, y = holes(classes)
        visits = twins.orders(len(y), PASSES, seed)
        for multiclass in kinds:
            for intercept in (True, False):
                chosen = {"intercept": intercept, "multiclass": multiclass}
                _, state, mistakes = passes(layout(X), y, seed, solver=f"pa:variant='{variant}',C=0.3", **chosen)
                run = twins.passive_aggressive(
                    X, inside(y), variant, 0.3, visits, K=1 if classes == 2 else 3, intercept=intercept,
                    multiclass=multiclass,
                )  # fmt: skip
                agrees(state, run)
                assert mistakes == run.mistakes


@STORED
def test_dual_coordinate_descent(layout: Any) -> None:
    X, y = holes()
    X[7] = 1.0
    sign, s = inside(y), np.random.default_rng(1).uniform(0.5, 2, len(y))
    p, alpha = s / s.sum(), 0.05
    chosen = loss_options("hinge", "l2", alpha, intercept=False, sample_weight=s)
    _, state, _ = passes(layout(X), y, 6, 2, solver="dual_cd:sweeps=1", **chosen)
    a = np.zeros(len(y))
    for order in twins.orders(len(y), 2, 6):
        w, a = twins.dual_hinge_sweep(X, sign, p, alpha, a, order)
    np.testing.assert_allclose(state.kept["dual"][:, 0], a, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(state.theta.W[:, 0], w, rtol=1e-10, atol=1e-10)


def test_labels_reach_the_twin_as_they_are() -> None:
    """What this file takes for the inside of the library is what intake makes."""
    for classes in (2, 3):
        X, y = holes(classes)
        assert np.array_equal(intake(X, y).source.y, inside(y))
