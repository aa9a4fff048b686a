"""AdaGrad, FTRL-proximal and SAGA against their definitions in plain NumPy; blocks of a stream against a pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from problems import fit, holes, overlapping, passes, problem
from widemargin.data.block import Block

ADAPTIVE = {"adagrad": (0.3, 1e-12, False), "ftrl": (0.2, 1.0 / 0.2, True)}
OPTIONS = {"adagrad": "adagrad:eta=0.3", "ftrl": "ftrl:eta=0.2,beta=1.0"}


def twin(X: Any, y: Any, loss: str, l1: float, l2: float, rates: tuple[float, float, bool], s: Any, count: int) -> Any:
    """The formulas of core/adaptive.hpp, one row after the other; the last column of X is the intercept's."""
    eta, start, proximal = rates
    d = X.shape[1] - 1
    z, n, l1, l2 = np.zeros(d + 1), np.zeros(d + 1), *(np.append(np.full(d, v), 0.0) for v in (l1, l2))

    def weights(t: int) -> Any:
        return -np.sign(z) * np.maximum(np.abs(z) - t * l1, 0.0) / (start + np.sqrt(n) / eta + t * l2)

    t = 0
    for _ in range(count):
        for i in range(len(X)):
            w = weights(t)
            g = s[i] * float(wm.losses[loss].d1(y[i] * (X[i] @ w))) * y[i] * X[i]
            z += g - (np.sqrt(n + g * g) - np.sqrt(n)) / eta * w * proximal
            n += g * g
            t += 1
    return weights(t)


@pytest.mark.parametrize("layout", ["dense", "float32", "csr"])
@pytest.mark.parametrize("penalty", ["none", "l2", "l1", "elastic_net"])
@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared_hinge"])
@pytest.mark.parametrize("solver", ADAPTIVE)
def test_adaptive_steps_are_their_definition(solver: str, loss: str, penalty: str, layout: str) -> None:
    X, y = holes()
    X = np.round(X, 2).astype(np.float32 if layout == "float32" else float)
    s = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    given = sp.csr_array(X) if layout == "csr" else X
    options = {"loss": loss, "penalty": penalty, "alpha": 0.03, "solver": OPTIONS[solver], "sample_weight": s}
    made, state, _ = passes(given, y, None, **options)
    full = np.column_stack([X.astype(float), np.ones(len(y))])
    objective = made.objective
    signs = np.where(y == y.max(), 1.0, -1.0)
    w = twin(full, signs, loss, objective.l1, objective.l2, ADAPTIVE[solver], s / s.mean(), 3)
    np.testing.assert_allclose(np.append(state.theta.W[:, 0], state.theta.b), w, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("solver", ADAPTIVE)
def test_a_stream_is_a_pass(solver: str, classes: int) -> None:
    """Blocks of any size, one after the other: the same bits as one pass in order."""
    X, y = overlapping(classes, 70)
    made, chosen = problem(X, y, solver=solver, shuffle=False, penalty="elastic_net")
    whole = made.source.whole()
    for sizes in ([70], [1] * 70, [13, 0, 40, 17]):
        state, start = chosen.init(made, None, 0), 0
        for size in sizes:
            rows = slice(start, start + size)
            block = Block(whole.X.slice(rows.start, rows.stop), whole.y[rows], None, None, start)
            state, start = chosen.absorb(made, state, block), start + size  # type: ignore[attr-defined]
        passed = chosen.advance(made, chosen.init(made, None, 0))
        assert state.theta.W.tobytes() == passed.theta.W.tobytes()
        assert state.theta.b.tobytes() == passed.theta.b.tobytes()


def saga(X: Any, y: Any, w: Any, l1: float, l2: float, eta: float, count: int) -> Any:
    """The formula of core/saga.hpp on dense rows, logistic loss; the last column of X is the intercept's."""
    n, d = X.shape
    a, mean = np.zeros(n), np.zeros(d)
    l1, l2 = (np.append(np.full(d - 1, v), 0.0) for v in (l1, l2))
    for _ in range(count):
        for i in range(n):
            g = y[i] * float(wm.losses["logistic"].d1(y[i] * (X[i] @ w)))
            change = (g - a[i]) * X[i]
            w = w - eta * (change + mean)
            w = np.sign(w) * np.maximum(np.abs(w) - eta * l1, 0.0) / (1 + eta * l2)
            mean, a[i] = mean + change / n, g
    return w


@pytest.mark.parametrize("penalty", ["l2", "l1", "elastic_net"])
def test_saga_is_its_definition(penalty: str) -> None:
    X, y = overlapping(2, 50)
    made, state, _ = passes(X, y, None, solver="saga:passes=1", penalty=penalty, alpha=0.02)
    objective, full = made.objective, np.column_stack([X, np.ones(50)])
    eta = 1 / (3 * (0.25 * (full**2).sum(axis=1).max() + objective.l2))
    first = wm.solvers.saga().init(made, None, 0).theta
    start = np.append(first.W[:, 0], first.b)
    w = saga(full, np.where(y == 1, 1.0, -1.0), start, objective.l1, objective.l2, eta, 3)
    np.testing.assert_allclose(np.append(state.theta.W[:, 0], state.theta.b), w, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("classes", [2, 3])
def test_saga_proves_its_optimum(classes: int, layout: str) -> None:
    """To ten digits, on rows that lack most columns as well; weights and offsets included."""
    random = np.random.default_rng(2)
    X, y = overlapping(classes, 120, 8)
    X = np.where(random.random(X.shape) < 0.6, 0.0, X)
    more = {
        "sample_weight": random.uniform(0.2, 2.0, 120),
        "offset": 0.1 * random.standard_normal(120 if classes == 2 else (120, classes)),
    }
    given = sp.csr_array(X) if layout == "csr" else X
    for penalty in ("l2", "l1", "elastic_net"):
        found = fit(given, y, solver="saga", penalty=penalty, alpha=0.02, tol=1e-10, **more)
        assert found.certificate.verdict.success, found
        assert found.certificate.verify(given, y, **more).ok
