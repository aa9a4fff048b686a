"""Pictures of functions: what is drawn is what the registries say, at every point of every entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widemargin as wm
from drawn import lines

pytest.importorskip("matplotlib")

CONVEX = [loss for loss in wm.losses.values() if loss.convex]
KINKED = [loss for loss in CONVEX if loss.kinks]
PENALTIES = [
    *(p for p in wm.penalties.values() if not p.parameter),
    *(wm.penalties.p_norm(p) for p in (0.1, 0.5, 1, 1.5, 2, 7, np.inf)),
    *(wm.penalties.elastic_net(share) for share in (0, 0.3, 1)),
]
RULES = ["constant:0.1", "inverse_sqrt:2", "power:1,0.75", "harmonic", "exponential:1,0.9", "cosine:1,50"]


def test_zero_one_and_its_s_curve_are_the_registry(ax: Any) -> None:
    assert wm.plots.zero_one(ax, steepness=(1, 3)) is ax
    drawn = lines(ax)
    assert list(drawn) == ["zero-one", "S-curve of z", "S-curve of 3 z"]
    for (z, values), name, times in zip(drawn.values(), ("zero_one", "sigmoid", "sigmoid"), (1, 1, 3), strict=True):
        np.testing.assert_array_equal(values, wm.losses[name].value(times * z))


@pytest.mark.parametrize("loss", KINKED, ids=str)
def test_lines_at_a_kink_touch_the_loss_and_never_pass_it(ax: Any, loss: Any) -> None:
    wm.plots.subgradients(loss, ax=ax, lines=7)
    fan = [line for line in ax.get_lines() if len(line.get_xdata()) > 1 and line.get_label() != loss.name]
    assert len(fan) == 7 * len(loss.kinks)
    for k, z0 in enumerate(loss.kinks):
        low, high = loss.subdifferential(np.array([z0]))
        slopes = []
        for line in fan[7 * k : 7 * (k + 1)]:
            z, height = line.get_xdata(), line.get_ydata()
            assert np.all(height <= loss.value(z) + 1e-12)
            slopes.append((height[-1] - height[0]) / (z[-1] - z[0]))
            assert height[0] + slopes[-1] * (z0 - z[0]) == pytest.approx(loss.value(z0), abs=1e-12)
        np.testing.assert_allclose(slopes, np.linspace(low[0], high[0], 7), atol=1e-12)


@pytest.mark.parametrize("loss", CONVEX, ids=str)
def test_lines_anywhere_never_pass_a_convex_loss(ax: Any, loss: Any) -> None:
    wm.plots.subgradients(loss, [-1.5, 0.3, 2.0], ax=ax)
    for line in ax.get_lines():
        z, height = line.get_xdata(), line.get_ydata()
        assert np.all(height <= loss.value(z) * (1 + 1e-12) + 1e-12)


def test_what_has_no_kink_or_no_line_below_is_told(ax: Any) -> None:
    for loss in wm.losses.values():
        if not loss.convex or not loss.kinks:
            with pytest.raises(wm.errors.Refusal, match="not convex" if not loss.convex else "say where"):
                wm.plots.subgradients(loss, ax=ax)
    assert not ax.get_lines()


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda p: p.text)
@pytest.mark.parametrize("level", [1.0, 1e-6, 300.0])
def test_on_a_level_set_the_penalty_has_one_value(ax: Any, penalty: Any, level: float) -> None:
    far = [penalty.value(t * np.array([1.0, 0.0])) for t in (1e-40, 1.0, 2.0)]
    if far[1] == far[2]:  # it does not grow along rays
        with pytest.raises(wm.errors.Refusal, match="jumps, or never gets there"):
            wm.plots.level_sets(penalty, level=level, ax=ax)
        return
    wm.plots.level_sets(penalty, level=level, ax=ax)
    ((u, v),) = lines(ax).values()
    values = np.array([penalty.value(w) for w in np.column_stack([u, v])])
    np.testing.assert_allclose(values, level, rtol=1e-9)
    angle = np.unwrap(np.arctan2(v, u))
    assert angle[-1] - angle[0] == pytest.approx(2 * np.pi)
    assert np.any((u == 0) & (v > 0))
    assert np.any((v == 0) & (u < 0))  # corners lie on the axes, exactly


def test_level_sets_without_names_are_p_norms(ax: Any) -> None:
    wm.plots.level_sets(ax=ax)
    assert list(lines(ax)) == ["p = 0.5", "p = 1", "p = 1.5", "p = 2", "p = 4", "p = ∞"]
    square = np.array(lines(ax)["p = ∞"])
    np.testing.assert_allclose(np.abs(square).max(axis=0), 1, rtol=1e-12)


def test_the_sigmoid_is_the_link_of_the_loss(ax: Any) -> None:
    wm.plots.sigmoid(times=(0.5, 2), ax=ax)
    for times, (f, p) in zip((0.5, 2), lines(ax).values(), strict=True):
        np.testing.assert_allclose(p, 1 / (1 + np.exp(-times * f)), rtol=1e-12)


@pytest.mark.parametrize("loss", [loss for loss in wm.losses.values() if loss.convex and loss.link], ids=str)
def test_the_sigmoid_of_a_fit_gives_its_probabilities(ax: Any, loss: Any) -> None:
    X, y = wm.datasets.blobs(80, 4, gap=-0.5)
    fit = wm.fit(X, y, loss=loss, alpha=0.05)
    distance = np.sort(fit.model.decision(X)) / np.linalg.norm(fit.model.weights)
    wm.plots.sigmoid(fit, X, y, times=[1], z=distance, ax=ax)
    ((_, p),) = lines(ax).values()
    np.testing.assert_allclose(p, np.sort(fit.model.probabilities(X)[:, 1]), atol=1e-12)
    ticks = [line for line in ax.get_lines() if line.get_marker() == "|"]
    for line, label in zip(ticks, (-1, 1), strict=True):
        expected = fit.model.decision(X[y == label]) / np.linalg.norm(fit.model.weights)
        np.testing.assert_allclose(line.get_xdata(), np.sort(expected))


@pytest.mark.parametrize("of", ["steps", "sum", "squares"])
def test_schedules_are_their_steps_and_sums(ax: Any, of: str) -> None:
    wm.plots.schedules(*RULES, of=of, steps=300, ax=ax)
    for (label, (t, value)), text in zip(lines(ax).items(), RULES, strict=True):
        rule = wm.schedules.parse(text)
        eta = np.array([rule(k) for k in range(1, 301)])
        np.testing.assert_array_equal(t, np.arange(1, 301))
        np.testing.assert_allclose(value, {"steps": eta, "sum": np.cumsum(eta), "squares": np.cumsum(eta**2)}[of])
        known = wm.schedules.robbins_monro(rule)
        infinite = {"sum": known.sum_diverges, "squares": not known.squares_converge}.get(of)
        assert label == repr(rule) + {True: ": ∞", False: ": < ∞", None: ""}[infinite]


def test_nothing_is_known_of_the_sum_of_a_function(ax: Any) -> None:
    wm.plots.schedules(lambda t: 1 / t, of="sum", steps=10, ax=ax, labels=["mine"])
    assert list(lines(ax)) == ["mine: unknown"]
