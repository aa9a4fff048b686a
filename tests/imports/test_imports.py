"""Models of other programs decide as those programs do.

The files were written by LIBLINEAR 2.50 and Vowpal Wabbit 9.11.9, which also gave the answers in answers.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import discriminant_analysis, linear_model, preprocessing, svm
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import widemargin as wm
from widemargin.errors import InputError, InputTypeError, Refusal, WidemarginError
from widemargin.imports.vw_hash import murmur, place

FILES = Path(__file__).with_name("files")
ANSWERS = json.loads((FILES / "answers.json").read_text())
ROWS = np.array(ANSWERS["rows"])
FEATURES = ("size", "hue", "7", "second^größe", "second^a_b")


@pytest.mark.parametrize("name", ANSWERS["liblinear"])
def test_liblinear(name: str) -> None:
    model, told = wm.from_liblinear(FILES / f"liblinear_{name}.model"), ANSWERS["liblinear"][name]
    assert model.predict(ROWS).tolist() == told["labels"]
    scores, order = np.array(told["decision"]), np.argsort(told["order"])
    if len(order) > 2:
        np.testing.assert_allclose(model.decision(ROWS), scores[:, order], atol=1e-14)
    elif name != "cs2":  # of which LIBLINEAR tells one of two scores
        np.testing.assert_allclose(model.decision(ROWS), scores[:, 0] * (1 if order[0] else -1), atol=1e-14)
    if told["prob"]:
        np.testing.assert_allclose(model.probabilities(ROWS), np.array(told["prob"])[:, order], atol=1e-14)


@pytest.mark.parametrize("name", ANSWERS["vw"])
def test_vw(name: str) -> None:
    """Readable models have six digits."""
    model, told = wm.from_vw(FILES / f"vw_{name}.txt", features=FEATURES), np.array(ANSWERS["vw"][name])
    assert model.feature_names == FEATURES
    if name == "oaa":
        assert model.predict(ROWS).tolist() == told.tolist()
    elif name == "logistic":  # trained with --link logistic
        np.testing.assert_allclose(model.probabilities(ROWS)[:, 1], told, atol=3e-6)
    else:
        largest = np.abs(told).max() if name in ("hinge", "squared") else np.inf  # what VW clips predictions to
        np.testing.assert_allclose(np.clip(model.decision(ROWS), -largest, largest), told, atol=3e-6)
        with pytest.raises(Refusal, match="implies no probabilities"):
            model.probabilities(ROWS)


def test_vw_names() -> None:
    named, hashed = wm.from_vw(FILES / "vw_names.txt"), wm.from_vw(FILES / "vw_logistic.txt", features=FEATURES)
    assert named.feature_names is not None
    order = [named.feature_names.index(name) for name in FEATURES]
    np.testing.assert_array_equal(named.weights[order], hashed.weights)
    chosen = wm.from_vw(FILES / "vw_names.txt", features=FEATURES, labels=["no", "yes"], loss="logistic")
    np.testing.assert_array_equal(chosen.weights, hashed.weights)
    assert set(chosen.predict(ROWS)) == {"no", "yes"}


def test_the_hash() -> None:
    """Values of Appleby's reference, and of VW's own files."""
    assert [murmur(b"", 0), murmur(b"", 1), murmur(b"test", 0x9747B28C)] == [0, 0x514E28B7, 0x704B81DC]
    assert murmur(b"The quick brown fox jumps over the lazy dog", 0x9747B28C) == 0x2FA826CD
    assert [place("size", 18), place("second^größe", 18), place("7", 18)] == [71674, 131160, 7]
    assert place("7", 18, every=True) != 7


@pytest.mark.parametrize(
    ("read", "name", "text"),
    [
        (wm.from_liblinear, "liblinear_svr.model", "solver_type 'L2R_L2LOSS_SVR' is no classifier"),
        (wm.from_liblinear, "vw_l1.txt", "no line `w`"),
        (wm.from_vw, "vw_quad.txt", "trained with --quadratic"),
        (wm.from_vw, "vw_l1.txt", "Pass features="),
        (wm.from_vw, "liblinear_lr2.model", "not a readable model of Vowpal Wabbit"),
    ],
)
def test_what_is_refused(read: Any, name: str, text: str) -> None:
    with pytest.raises(WidemarginError, match=text):
        read(FILES / name)


def test_a_weight_without_a_name_is_not_lost() -> None:
    with pytest.raises(InputError, match="4 weights of features that are not among the 1 named"):
        wm.from_vw(FILES / "vw_logistic.txt", features=["size"])


@pytest.mark.parametrize("name", ["liblinear_lr3.model", "vw_names.txt", "vw_oaa.txt"])
def test_damaged_files_are_errors_of_ours(name: str, tmp_path: Path) -> None:
    content, draw, path = (FILES / name).read_bytes(), np.random.default_rng(0), tmp_path / "damaged"
    for _ in range(100):
        i, j = sorted(draw.integers(0, len(content), 2).tolist())
        kind = draw.integers(3)
        path.write_bytes([content[:j], content[:i] + draw.bytes(5) + content[i:], content[:i] + content[j:]][kind])
        try:
            read = wm.from_liblinear if "liblinear" in name else wm.from_vw
            model = read(path)
        except WidemarginError:
            continue
        assert np.isfinite(model.W).all()


X_IRIS, Y_IRIS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
ESTIMATORS: list[Any] = [
    linear_model.LogisticRegression(),
    linear_model.LogisticRegressionCV(Cs=2, cv=3, l1_ratios=(0,), use_legacy_attributes=False),
    linear_model.SGDClassifier(loss="hinge", random_state=0),
    linear_model.SGDClassifier(loss="log_loss", random_state=0),
    linear_model.SGDClassifier(loss="modified_huber", random_state=0),
    linear_model.SGDClassifier(loss="huber", random_state=0),
    linear_model.Perceptron(random_state=0),
    linear_model.RidgeClassifier(),
    linear_model.RidgeClassifierCV(),
    svm.LinearSVC(random_state=0),
    svm.LinearSVC(random_state=0, multi_class="crammer_singer"),
    discriminant_analysis.LinearDiscriminantAnalysis(),
    make_pipeline(
        preprocessing.StandardScaler(), preprocessing.MinMaxScaler((-1, 3)), linear_model.LogisticRegression()
    ),
    make_pipeline(preprocessing.RobustScaler(), preprocessing.MaxAbsScaler(), "passthrough", svm.LinearSVC()),
    make_pipeline(preprocessing.StandardScaler(with_mean=False), linear_model.SGDClassifier(random_state=0)),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: " ".join(repr(e).split()))
def test_scikit_learn(estimator: Any, classes: int) -> None:
    X, y = X_IRIS[2 - classes < Y_IRIS], NAMES[Y_IRIS[2 - classes < Y_IRIS]]
    fitted = estimator.fit(X, y)
    model = wm.from_sklearn(fitted)
    np.testing.assert_allclose(model.decision(X), fitted.decision_function(X), rtol=1e-9, atol=1e-10)
    assert model.predict(X).tolist() == fitted.predict(X).tolist()
    try:
        shares = fitted.predict_proba(X)
    except AttributeError:
        return
    np.testing.assert_allclose(model.probabilities(X), shares, atol=1e-11)


def test_scikit_learn_keeps_names_and_survives_a_file(tmp_path: Path) -> None:
    frame, y = load_iris(return_X_y=True, as_frame=True)
    fitted = make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression()).fit(frame, y)
    model = wm.from_sklearn(fitted)
    assert model.feature_names == tuple(frame.columns)
    model.save(tmp_path / "m.wm")
    assert wm.load(tmp_path / "m.wm").predict(frame).tolist() == fitted.predict(frame).tolist()


def test_this_library_s_own_estimators() -> None:
    from widemargin.estimators import LogisticRegression

    fitted = LogisticRegression().fit(X_IRIS, Y_IRIS)
    np.testing.assert_allclose(wm.from_sklearn(fitted).probabilities(X_IRIS), fitted.predict_proba(X_IRIS), atol=1e-14)


@pytest.mark.parametrize(
    ("estimator", "error", "text"),
    [
        (linear_model.Ridge().fit(X_IRIS, Y_IRIS), InputTypeError, "Ridge is not known here"),
        (linear_model.LogisticRegression(), InputTypeError, "is not fitted"),
        (svm.SVC().fit(X_IRIS, Y_IRIS), Refusal, r"SVC\(kernel='rbf'\) is not linear"),
        (svm.SVC(kernel="linear").fit(X_IRIS, Y_IRIS), Refusal, "votes of pairs"),
        (make_pipeline(preprocessing.PolynomialFeatures(), linear_model.Perceptron()).fit(X_IRIS, Y_IRIS), Refusal,
         "the step PolynomialFeatures is not a scaling"),
        (None, InputTypeError, "expected a fitted linear classifier"),
    ],
)  # fmt: skip
def test_scikit_learn_that_is_refused(estimator: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        wm.from_sklearn(estimator)


def test_a_linear_svc_of_two_classes() -> None:
    X, y = X_IRIS[Y_IRIS > 0], NAMES[Y_IRIS[Y_IRIS > 0]]
    fitted = svm.SVC(kernel="linear").fit(X, y)
    model = wm.from_sklearn(fitted)
    np.testing.assert_allclose(model.decision(X), fitted.decision_function(X), atol=1e-9)
    assert model.predict(X).tolist() == fitted.predict(X).tolist()
