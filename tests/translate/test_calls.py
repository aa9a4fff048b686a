"""A translated call has the minimiser of the original: found by the program itself, where it is here."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.preprocessing import scale
from sklearn.svm import SVC, LinearSVC

import widemargin as wm
from widemargin.cli import main
from widemargin.errors import OptionError, Refusal, WidemarginError

X, Y = load_breast_cancer(return_X_y=True)
X = scale(X)[:150, :6]
y = Y[:150]
SURE: dict[str, Any] = {"tol": 1e-10, "random_state": 0}
TIGHT: dict[str, Any] = {**SURE, "max_iter": 10**6}


@pytest.mark.parametrize(
    ("text", "theirs"),
    [
        ("LogisticRegression(C=3.0)", LogisticRegression(C=3.0, tol=1e-10)),
        ("linear_model.LogisticRegression(C=np.inf, fit_intercept=False)",
         LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10)),
        ("LogisticRegression(class_weight='balanced', C=0.2)",
         LogisticRegression(class_weight="balanced", C=0.2, tol=1e-10)),
        ("LogisticRegression(solver='liblinear')", LogisticRegression(solver="liblinear", **SURE)),
        ("LogisticRegression(l1_ratio=0.4, solver='saga')",
         LogisticRegression(l1_ratio=0.4, solver="saga", tol=1e-10, max_iter=10**5)),
        ("LinearSVC(C=0.5)", LinearSVC(C=0.5, **TIGHT)),
        ("LinearSVC(penalty='l1', C=0.5, dual=False)", LinearSVC(penalty="l1", C=0.5, **TIGHT)),
        ("SVC(kernel='linear', C=0.1)", SVC(kernel="linear", C=0.1, tol=1e-10)),
        ("RidgeClassifier(alpha=2)", RidgeClassifier(alpha=2)),
        ("train -s 0 -c 1 -B 1 -q data.txt", LogisticRegression(solver="liblinear", **SURE)),
        ("liblinear-train -s 5 -c 0.5 -B 1", LinearSVC(penalty="l1", C=0.5, **TIGHT)),
        ("train -s 2 -c 0.5", LinearSVC(C=0.5, fit_intercept=False, **TIGHT)),
        ("train -s 6 -c 2 -B 1", LogisticRegression(solver="liblinear", l1_ratio=1, C=2.0, **SURE)),
    ],
)  # fmt: skip
def test_the_minimiser_is_theirs(text: str, theirs: Any) -> None:
    theirs.fit(X, y)
    call = wm.translate_call(text)
    fits = [eval(call.text, {"wm": wm, "X": X, "y": y}), wm.fit(X, y, **wm.translate_call(text, n=len(y)).options)]
    for fit in fits:
        np.testing.assert_allclose(fit.model.weights, np.ravel(theirs.coef_), atol=2e-3 * np.abs(theirs.coef_).max())
        assert fit.model.intercept == pytest.approx(float(np.ravel(theirs.intercept_)[0]), abs=3e-3)


def test_class_weights_change_the_sum_of_weights() -> None:
    call = wm.translate_call("train -s 0 -c 2 -w1 3", n=len(y))
    assert call.options["class_weight"] == {1: 3.0}
    assert call.alpha == "0.5 / len(y)"
    assert "take their sum" in call.notes[-1]
    weights = {1: 3.0, 0: 1.0}
    theirs = LogisticRegression(solver="liblinear", C=2.0, fit_intercept=False, class_weight=weights, tol=1e-10)
    total = float(np.where(y == 1, 3.0, 1.0).sum())
    ours = wm.translate_call("train -s 0 -c 2 -w1 3", sum_weights=total).options | {"class_weight": weights}
    found = wm.fit(X, y, **{name: value for name, value in ours.items() if name != "multiclass"}).model
    np.testing.assert_allclose(found.weights, theirs.fit(X, y).coef_[0], atol=1e-2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SGDClassifier(loss='log_loss', alpha=1e-5)", "loss='logistic', penalty='l2', alpha=1e-05"),
        ("SGDClassifier(penalty='elasticnet')", "loss='hinge', penalty='elastic_net:0.15', alpha=0.0001"),
        ("SGDClassifier(loss='squared_error', penalty=None)", "loss='squared', penalty='none'"),
        ("vw --loss_function hinge --l2 1e-6 -d a.vw",
         "loss='hinge', penalty='l2', intercept='penalised', alpha=1e-06"),
        ("vw --l1=1e-6 --l2 3e-6 --noconstant",
         "loss='squared', penalty='elastic_net:0.25', intercept=False, alpha=4e-06"),
        ("vw --loss_function=logistic --passes 3 -c", "loss='logistic', penalty='none'"),
        ("glmnet(x, y, family='binomial', alpha=0, lambda=0.01)",
         "loss='logistic', penalty='l2', scale=True, alpha=0.01"),
        ('m <- glmnet(x, y, family = "multinomial", alpha = 0.5, lambda = 0.1, standardize = FALSE)',
         "loss='logistic', penalty='elastic_net:0.5', multiclass='softmax', alpha=0.1"),
        ("glmnet(x, y, 'k', family='binomial', lambda=0.1, penalty.factor=pf)",
         None),
        ("cv.glmnet(x, y, family='binomial', intercept=F)",
         "loss='logistic', penalty='l1', scale=True, intercept=False"),
        ("Perceptron()", "solver='perceptron'"),
        ("PassiveAggressiveClassifier(C=0.5)", "solver=\"pa:variant='pa1',C=0.5\""),
        ("LinearSVC(multi_class='crammer_singer')",
         "loss='hinge', penalty='l2', intercept='penalised', multiclass='crammer_singer', alpha=1.0 / len(y)"),
    ],
)  # fmt: skip
def test_what_is_said(text: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(OptionError, match="unknown argument of glmnet '2'"):
            wm.translate_call(text)
        return
    call = wm.translate_call(text)
    assert call.text == f"wm.fit(X, y, {expected})"
    if "multiclass" not in call.options and text != "Perceptron()":  # whose passes end before it separates
        eval(call.text, {"wm": wm, "X": X, "y": y})  # every option is one that wm.fit takes


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", OptionError, "cannot be read"),
        ("LogisticRegression(", OptionError, "cannot be read"),
        ("[1, 2]", OptionError, "cannot be read"),
        ("LogisticRegression(C=f(3))", OptionError, "is no value and no name"),
        ("LogisticRegression(C=best)", OptionError, "write the number itself"),
        ("LogisticRegression(C=-1)", OptionError, "expected 0 or more"),
        ("LogisticRegression(penlty='l1')", OptionError, "Did you mean 'penalty'"),
        ("LogisticRegresion()", OptionError, "Did you mean 'LogisticRegression'"),
        ("SVC()", Refusal, "is not linear"),
        ("SGDClassifier(loss='huber')", Refusal, "has no counterpart"),
        ("Perceptron(penalty='l2')", Refusal, "translate that"),
        ("glmnet(x, y)", Refusal, "is a regression"),
        ("train -s 11", Refusal, "is no classification"),
        ("train -c x", OptionError, "expected a number"),
        ("train --c 3", OptionError, "unknown option of train"),
        ("vw --loss_function quantile", Refusal, "is not translated"),
        ("vw --lss_function hinge", OptionError, "Did you mean '--loss_function'"),
        ("vw 'open", OptionError, "cannot be read"),
        ("(" * 10_000, OptionError, "cannot be read"),
    ],
)
def test_what_cannot_be_translated(text: str, error: type[WidemarginError], said: str) -> None:
    with pytest.raises(error, match=said):
        wm.translate_call(text)


def test_command() -> None:
    result = CliRunner().invoke(main, ["translate", "LinearSVC(C=10, intercept_scaling=5)", "--rows", "50"])
    assert result.stdout.startswith(
        "wm.fit(X, y, loss='squared_hinge', penalty='l2', intercept='penalised', alpha=0.002)"
    )
    assert result.stderr.startswith("note: intercept_scaling=5")
    result = CliRunner().invoke(main, ["translate", "--json", "train -s 0 -c 4"])
    assert json.loads(result.stdout)["options"]["loss"] == "logistic"
    assert json.loads(result.stdout)["alpha"] == "0.25 / len(y)"
    result = CliRunner().invoke(main, ["translate", "SVC()"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: SVC(kernel='rbf') is not linear")
