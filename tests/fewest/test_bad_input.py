"""What cannot be asked is answered in one sentence that says what to ask instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widemargin as wm
from widemargin.errors import InputError, OptionError, Refusal

X = np.array([[0.0], [1.0], [2.0], [3.0]])
y = [0, 1, 0, 1]

CASES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"y": [0, 1, 2, 2]}, Refusal, r"3 classes.*y == 0"),
    ({"y": [0.0, 0.5, 1.0, 1.0]}, InputError, r"Pass y > 0.5"),
    ({"y": [1, 1, 1, 1]}, InputError, "only one class"),
    ({"X": [[np.nan], [1], [2], [3]]}, InputError, "fill it"),
    ({"intercept": "penalised"}, OptionError, "True or False"),
    ({"budget": 60}, OptionError, r"wm.budget\(seconds=60\)"),
    ({"budget": wm.budget(passes=3)}, OptionError, "expected seconds"),
    ({"seed": -1}, OptionError, "whole number"),
    ({"on_event": 3}, OptionError, "a function"),
    ({"surrogates": "hinge"}, OptionError, "several losses"),
    ({"surrogates": ["hing"]}, OptionError, "Did you mean 'hinge'"),
    ({"surrogates": ["zero_one"]}, OptionError, "not convex"),
    ({"surrogates": 3}, OptionError, "names of losses"),
    ({"alphas": []}, OptionError, r"surrogates=\(\)"),
    ({"alphas": [0.0]}, OptionError, "above 0"),
    ({"alphas": 1.0}, OptionError, "several strengths"),
    ({"sample_weight": [1, 1, -1, 1]}, InputError, "negative weight"),
]


@pytest.mark.parametrize(("given", "kind", "text"), CASES, ids=[str(next(iter(case[0].items()))) for case in CASES])
def test_bad_input_is_explained(given: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        wm.fewest_errors(**({"X": X, "y": y} | given))


def test_verify_asks_for_the_same_data() -> None:
    found = wm.fewest_errors(X, y)
    with pytest.raises(InputError, match="1 columns"):
        found.verify(np.ones((4, 2)), y)
    with pytest.raises(InputError, match="sample_weight or class_weight"):
        found.verify(X, y, weights=[1, 1, 1, 1])
