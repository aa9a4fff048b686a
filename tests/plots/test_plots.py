"""Pictures show what the registries and the traces hold, and nothing that a plot made up."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import widemargin as wm
from drawn import lines

matplotlib = pytest.importorskip("matplotlib")
Figure = pytest.importorskip("matplotlib.figure").Figure


@pytest.fixture(scope="module")
def fits() -> list[wm.Fit]:
    X, y = wm.datasets.blobs(300, 4, gap=-0.5)
    return [wm.fit(X, y, alpha=1e-2, solver=solver, tol=1e-9) for solver in ("newton", "gd")]


@pytest.mark.parametrize("scaled", [False, True])
def test_losses_are_the_registry(ax: Any, scaled: bool) -> None:
    assert wm.plots.losses(ax, scaled=scaled) is ax
    drawn = {label.partition(" ")[0]: points for label, points in lines(ax).items()}
    assert list(drawn) == list(wm.losses)
    for name, (z, values) in drawn.items():
        loss = wm.losses[name]
        factor = loss.bound_scale if scaled and np.isfinite(loss.bound_scale) else 1.0
        np.testing.assert_allclose(values, factor * loss.value(z), rtol=1e-15)


def test_scaled_losses_bound_zero_one_where_they_say_so(ax: Any) -> None:
    drawn = lines(wm.plots.losses(ax, scaled=True))
    for label, (z, values) in drawn.items():
        bounds = bool(np.all(values >= wm.losses["zero_one"].value(z) - 1e-12))
        assert bounds == (not label.endswith("*"))


def test_zero_one_is_a_step(ax: Any) -> None:
    ((z, values),) = lines(wm.plots.losses(ax, ["zero_one"], np.array([-1.0, -0.5, 0.5, 1.0]))).values()
    jump = int(np.argmax(np.diff(values) != 0))
    assert z[jump + 1] - z[jump] < 1e-300
    assert (values[jump], values[jump + 1]) == (1.0, 0.0)
    assert len(set(np.diff(values))) == 2


def test_names_choose_and_unknown_ones_are_told(ax: Any) -> None:
    assert list(lines(wm.plots.losses(ax, ["hinge", "logistic"]))) == ["hinge", "logistic"]
    with pytest.raises(wm.errors.OptionError, match="Did you mean 'hinge'"):
        wm.plots.losses(ax, ["hing"])


def test_convergence_is_the_trace(ax: Any, fits: list[wm.Fit]) -> None:
    assert wm.plots.convergence(*fits, ax=ax, labels=["Newton", "descent"]) is ax
    bound = max(event.bound for fit in fits for event in fit.trace)
    thick, thin = ax.get_lines()[::2], ax.get_lines()[1::2]
    assert [artist.get_label() for artist in thick] == ["Newton", "descent"]
    for fit, above, own in zip(fits, thick, thin, strict=True):
        best = fit.trace.columns("best")
        np.testing.assert_array_equal(above.get_xdata(), fit.trace.columns("passes"))
        np.testing.assert_allclose(above.get_ydata(), np.maximum((best - bound) / best, 1e-16))
        np.testing.assert_allclose(own.get_ydata(), np.maximum(fit.trace.columns("gap"), 1e-16))
        assert np.all(own.get_ydata() >= above.get_ydata() * (1 - 1e-9))
        assert above.get_color() == own.get_color()
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_a_legend_covers_no_line(fits: list[wm.Fit]) -> None:
    figure = Figure(figsize=(13, 5.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    wm.plots.losses(left, scaled=True)
    wm.plots.convergence(*fits, ax=right)
    figure.draw_without_rendering()
    for panel in (left, right):
        box = panel.get_legend().get_window_extent()
        for artist in panel.get_lines():
            points = panel.transData.transform(artist.get_xydata())
            assert not np.any([box.contains(*point) for point in points])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda fits: wm.plots.convergence(), wm.errors.InputError, "came without fits"),
        (lambda fits: wm.plots.convergence(*fits, labels=["one"]), wm.errors.InputError, "1 labels for 2 fits"),
    ],
)
def test_errors(fits: list[wm.Fit], call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(fits)


def test_fits_of_different_objectives_are_refused(fits: list[wm.Fit]) -> None:
    X, y = wm.datasets.blobs(300, 4, gap=-0.5)
    with pytest.raises(wm.errors.Refusal, match="different objectives"):
        wm.plots.convergence(fits[0], wm.fit(X, y, alpha=0.5))


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(wm.errors.MissingExtra, match=r'pip install "widemargin\[plot\]"'):
        wm.plots.losses()


def test_new_axes_where_none_are_given() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = wm.plots.losses(names=["hinge"])
    assert ax.figure.number in pyplot.get_fignums()
    pyplot.close(ax.figure)
