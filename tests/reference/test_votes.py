"""The voted perceptron's ballot against a twin that keeps every weight vector.  Freund, Schapire 1999."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import twins
import widemargin as wm
from problems import fit, holes, inside, overlapping
from widemargin.errors import Refusal


@pytest.mark.parametrize("seed", [None, 5], ids=["in order", "shuffled"])
def test_votes(seed: int | None) -> None:
    X, y = holes()
    sign = inside(y)
    solver, stop = "perceptron:variant='voted'", wm.stops.max_passes(3)
    fitted = fit(X, y, solver=solver, shuffle=seed is not None, seed=seed or 0, stop=stop)
    found = twins.votes(X, sign, twins.orders(len(y), 3, seed))
    assert fitted.votes is not None
    assert list(fitted.votes.survived) == [c for _, _, c in found[1:]]
    new = np.random.default_rng(0).standard_normal((40, X.shape[1]))
    ballot = np.sum([c * np.where(new @ w + b >= 0, 1, -1) for w, b, c in found], axis=0)
    assert np.array_equal(fitted.votes.predict(X, y, new), (ballot >= 0).astype(int))
    assert np.array_equal(fitted.votes.predict(sp.csr_array(X), y, sp.csr_array(new)), (ballot >= 0).astype(int))


def test_votes_are_refused_where_they_would_be_wrong() -> None:
    """Votes are rebuilt from rows and steps; where they cannot be, there are none."""
    X, y = overlapping(3)
    with pytest.raises(Refusal):
        fit(X, y, solver="perceptron:variant='voted'")


def test_votes_without_intercept() -> None:
    X, y = holes()
    new = np.random.default_rng(0).standard_normal((40, X.shape[1]))
    chosen = {"solver": "perceptron:variant='voted'", "stop": wm.stops.max_passes(2), "shuffle": False}
    fitted = fit(X, y, intercept=False, **chosen)
    run = twins.perceptron(X, inside(y), twins.orders(len(y), 2, None), intercept=False)
    at = np.array([*run.updates, run.t + 1])
    ballot = sum(
        c * np.where(new @ run.iterates[t - 1][0][:, 0] >= 0, 1, -1) for t, c in zip(at, np.diff(at), strict=False)
    )
    assert fitted.votes is not None
    assert np.array_equal(fitted.votes.predict(X, y, new), (ballot >= 0).astype(int))
