"""scikit-learn's own documentation examples, run twice: with its estimators, and with ours under the same names."""

from __future__ import annotations

import ast
import doctest
import io
import re
import warnings
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest
from sklearn import linear_model, svm

from widemargin import estimators

DOCUMENTED = {
    name: getattr(home, name)
    for home in (linear_model, svm)
    for name in estimators.__all__
    if name in home.__all__ and name in ("LogisticRegression", "LogisticRegressionCV", "LinearSVC", "RidgeClassifier",
                                         "RidgeClassifierCV")
}  # fmt: skip


def answers(name: str, text: str, replacement: Any) -> list[Any]:
    """Each expression of the examples, or the numbers that it prints; imports of `name` bring `replacement`."""
    names: dict[str, Any] = {}
    found = []
    for example in doctest.DocTestParser().get_examples(text):
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()) as printed:
            warnings.simplefilter("ignore")
            if isinstance(ast.parse(example.source).body[0], ast.Expr):
                found.append(eval(example.source, names))
                if printed.getvalue():
                    found[-1] = np.array(re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", printed.getvalue()), dtype=float)
            else:
                exec(example.source, names)
            if name in names:
                names[name] = replacement
    return found


@pytest.mark.parametrize("name", DOCUMENTED)
def test_documented_examples(name: str) -> None:
    kinds = DOCUMENTED[name], getattr(estimators, name)
    theirs, ours = (answers(name, DOCUMENTED[name].__doc__, kind) for kind in kinds)
    assert len(theirs) == len(ours) > 0
    compared = 0
    for one, two in zip(theirs, ours, strict=True):
        if isinstance(one, np.ndarray | float | int | np.generic):
            assert np.shape(one) == np.shape(two)
            np.testing.assert_allclose(np.asarray(two, dtype=float), np.asarray(one, dtype=float), atol=0.02)
            compared += 1
    assert compared > 0
