"""Every loss as a function on arrays: far margins, float32, NaN, shapes, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import widemargin as wm
from properties.loss_cases import CONVEX, LOSSES, WIDE, over
from widemargin._types import Array
from widemargin.errors import OptionError, Refusal
from widemargin.loss import CallableLoss, Loss, as_loss

Function = Callable[[Any], Any]


def functions(loss: Loss) -> list[Function]:
    """Every function of one argument that this loss has."""
    found: list[Function] = [loss.value, loss.d1, loss.d2]
    found += [lambda z: loss.subdifferential(z)[0], lambda z: loss.subdifferential(z)[1]]
    found += [loss.conjugate] if loss.convex else []
    found += [loss.probability] if loss.link else []
    return found


@over(LOSSES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_infinite_only_where_the_number_is_too_large(loss: Loss, dtype: type) -> None:
    z: Array = np.linspace(1000, -1000, 20001).astype(dtype)
    for function in (loss.value, loss.d1, loss.d2):
        y = np.abs(function(z))
        assert not np.any(np.isnan(y))
        end = np.flatnonzero(np.isinf(y))
        if end.size:  # the last finite number is near the largest there is
            assert y[end[0] - 1] > 0.5 * np.finfo(dtype).max
            assert np.all(np.isinf(y[end[0] :]))


@over(LOSSES)
def test_float32_is_float64_rounded(loss: Loss) -> None:
    z = np.concatenate([WIDE, np.linspace(-2, 2, 4001), 10.0 ** np.arange(-30, 0)]).astype(np.float32)
    limits = np.finfo(np.float32)
    for function in functions(loss):
        got, want = function(z), function(z.astype(float))
        assert got.dtype == np.float32
        seen = np.abs(want) < limits.max
        np.testing.assert_array_equal(got[~seen], np.sign(want[~seen]) * np.inf)
        got, want, at = got[seen], want[seen], np.abs(z[seen])
        slack = 16 * limits.eps * np.abs(want) + limits.tiny
        if function == getattr(loss, "conjugate", None):
            slack = slack + 16 * limits.eps * at  # it passes through 0, so its terms cancel there
        assert np.all(np.abs(got - want) <= slack)


@over(LOSSES)
def test_nan_in_nan_out(loss: Loss) -> None:
    for dtype in (np.float64, np.float32):
        for function in functions(loss):
            assert np.isnan(function(np.array([0.5, np.nan], dtype=dtype))).tolist() == [False, True]
    if loss.convex:
        assert np.isnan(loss.prox([np.nan, 0.0, 3.0], [1.0, np.nan, np.nan])).all()


@over(LOSSES)
def test_shapes(loss: Loss) -> None:
    block = np.linspace(0.05, 0.95, 24).reshape(4, 6)
    frozen = block.copy()
    frozen.setflags(write=False)
    for function in functions(loss):
        want = np.array([function(float(z)) for z in block.ravel()]).reshape(block.shape)
        for same in (block, block.tolist(), np.asfortranarray(block), frozen, block.astype(">f8")):
            np.testing.assert_array_equal(function(same), want)
        np.testing.assert_array_equal(function(block[::2, ::-3]), want[::2, ::-3])
        for shape in ((0,), (0, 3), (1, 1), (2, 3, 4)):
            assert function(np.full(shape, 0.5)).shape == shape
        assert isinstance(function(0.5), float)
        assert isinstance(function(np.array(0.5)), float)
        assert isinstance(function(np.float32(0.5)), np.float32)
        assert function(np.array([0, 1])).dtype == function(np.array([False, True])).dtype == np.float64


@over(CONVEX)
def test_shapes_of_the_prox(loss: Loss) -> None:
    c, q = np.linspace(-2, 2, 12).reshape(3, 4), np.array([0.1, 1.0, 2.0, 30.0])
    want = [[loss.prox(float(a), float(b)) for a, b in zip(row, q, strict=True)] for row in c]
    np.testing.assert_array_equal(loss.prox(c, q), want)
    assert isinstance(loss.prox(0.5, 1), float)
    assert loss.prox(np.zeros((0, 2)), 1.0).shape == (0, 2)


@over(LOSSES)
def test_what_a_loss_lacks_is_refused(loss: Loss) -> None:
    lacking = [] if loss.convex else ["conjugate", "prox"]
    lacking += [] if loss.link else ["probability"]
    for name in lacking:
        with pytest.raises(Refusal, match=re.escape(repr(loss.name))):
            getattr(loss, name)(*(0.5, 1.0)[: 1 + (name == "prox")])


@over(CONVEX)
def test_a_prox_needs_a_step_that_is_not_negative(loss: Loss) -> None:
    with pytest.raises(OptionError, match=r"q .*-0\.5"):
        loss.prox([0.0, 1.0], [1.0, -0.5])


@over(LOSSES)
def test_a_name_mistyped_is_guessed(loss: Loss) -> None:
    for typed in (loss.name + "s", loss.name[:-1], loss.name[1:]):
        with pytest.raises(OptionError, match=f"Did you mean {loss.name!r}"):
            wm.losses[typed]


def test_the_registry_is_a_mapping() -> None:
    assert list(wm.losses) == [loss.name for loss in LOSSES]
    assert len(wm.losses) == len(set(wm.losses)) == len(LOSSES)
    assert wm.losses.get("no such loss") is None
    assert "no such loss" not in wm.losses
    assert LOSSES[0].name in repr(wm.losses)
    with pytest.raises(OptionError, match=r"unknown loss 3\. Choose one of"):
        wm.losses[3]  # type: ignore[index]


@over(LOSSES)
def test_metadata_are_complete(loss: Loss) -> None:
    for text in (loss.name, loss.tex, loss.reference, loss.summary):
        assert text.strip() == text != ""
    assert loss.tex.count("{") == loss.tex.count("}")
    assert re.search(r"\b(18|19|20)\d\d$", loss.reference)
    assert as_loss(loss.name) is as_loss(loss) is loss is wm.losses[loss.name]
    assert repr(loss) == f"losses[{loss.name!r}]"


def test_a_loss_of_the_callers_own() -> None:
    mine = CallableLoss(value=np.cosh, d1=np.sinh)
    assert as_loss(mine) is mine
    low, high = mine.subdifferential(np.ones(2))
    np.testing.assert_array_equal([low, high], np.sinh(np.ones((2, 2))))
    with pytest.raises(OptionError, match="must be a name"):
        as_loss(3)  # type: ignore[arg-type]
