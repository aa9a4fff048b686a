"""LogisticRegressionCV: every point of the search, judged from its coefficients alone and against scikit-learn's."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegressionCV as Theirs
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_class_weight

from estimators.cases import DATA, objective
from widemargin.estimators import LogisticRegressionCV

TELLS = ("Cs_", "C_", "l1_ratio_", "scores_", "coefs_paths_", "n_iter_", "coef_", "intercept_")
CONVERGED = 1e-7  # relative excess over an objective that is known: below it, scikit-learn's point is taken for optimal

SEARCHES: list[dict[str, Any]] = [
    {}, {"fit_intercept": False, "scoring": "neg_log_loss"}, {"class_weight": "balanced", "refit": False},
    # no weights at the strongest penalty: accuracy there is a matter of ties
    {"l1_ratios": (0, 0.5, 1), "solver": "saga", "Cs": [0.01, 0.1, 1], "scoring": "neg_log_loss"},
    {"solver": "liblinear"},
    {"use_legacy_attributes": False, "l1_ratios": (0,), "scoring": "neg_log_loss"},
]  # fmt: skip


def stacked(told: Any) -> Any:
    """An attribute that is a dictionary by class, as an array (classes, ...)."""
    return np.array(list(told.values())) if isinstance(told, dict) else np.asarray(told)


def points(model: Any) -> tuple[Any, Any]:
    """coefs (folds, ratios, Cs, K, dof) and scores (folds, ratios, Cs) of both forms of the attributes."""
    coefs, scores = stacked(model.coefs_paths_), stacked(model.scores_)
    if model.use_legacy_attributes is False:
        return coefs, scores
    if coefs.ndim == 4:  # (K, folds, Cs, dof): no ratios were asked for
        coefs, scores = coefs[:, :, :, None], scores[:, :, :, None]
    return coefs.transpose(1, 3, 2, 0, 4), scores[0].transpose(0, 2, 1)


class Search:
    """One search of both kinds, and what is needed to judge any of its points."""

    def __init__(self, name: str, options: dict[str, Any], weighted: bool) -> None:
        X, self.y = DATA[name](return_X_y=True)
        self.X = StandardScaler().fit_transform(X)
        self.liblinear = options.get("solver") == "liblinear"
        if self.liblinear and name == "wine":
            self.X, self.y = self.X[self.y > 0], self.y[self.y > 0]
        self.s = np.random.default_rng(0).uniform(0.2, 2, len(self.y)) if weighted else None
        told = {"cv": 3, "tol": 1e-6, "max_iter": 10_000, "Cs": [0.01, 0.3, 5.0], "random_state": 0} | options
        self.Cs, self.ratios = told["Cs"], told.get("l1_ratios", (0,))
        self.scoring, self.balanced = told.get("scoring"), "class_weight" in told
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.theirs, self.ours = (
                kind(**told).fit(self.X, self.y, self.s) for kind in (Theirs, LogisticRegressionCV)
            )

    def point(self, model: Any, coef: Any) -> SimpleNamespace:
        """A model of one point, from its coefficients alone."""
        W, b = (coef[:, :-1], coef[:, -1]) if model.fit_intercept else (coef, np.zeros(len(coef)))
        return SimpleNamespace(coef_=W, intercept_=b, classes_=model.classes_)

    def objective(self, model: Any, coef: Any, train: Any, C: float, ratio: float) -> float:
        """What this point makes of the rows of its fold."""
        s = np.ones(len(self.y)) if self.s is None else self.s
        if self.balanced:
            classes, codes = np.unique(self.y, return_inverse=True)
            s = s * compute_class_weight("balanced", classes=classes, y=self.y, sample_weight=self.s)[codes]
        loss = "softmax" if len(model.classes_) > 2 else "logistic"
        told = {"loss": loss, "l1_ratio": ratio, "penalise_b": self.liblinear, "s": s[train]}
        return objective(self.point(model, coef), self.X[train], self.y[train], C, **told)

    def score(self, model: Any, coef: Any, test: Any) -> float:
        """How this point predicts the rows that were held out."""
        one, s = self.point(model, coef), None if self.s is None else self.s[test]
        f = self.X[test] @ one.coef_.T + one.intercept_
        if f.shape[1] == 1:
            f = np.column_stack([np.zeros(len(f)), f])
        if self.scoring is None:
            return float(accuracy_score(self.y[test], one.classes_[f.argmax(axis=1)], sample_weight=s))
        p = np.exp(f - np.logaddexp.reduce(f, axis=1)[:, None])
        return -float(log_loss(self.y[test], p, labels=one.classes_, sample_weight=s))


def as_scikit_learn_tells(ours: Any, theirs: Any) -> None:
    """Same choices, same shapes of all attributes."""
    np.testing.assert_allclose(ours.C_, theirs.C_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0.02, atol=1e-3)
    for tells in TELLS:
        found, known = getattr(ours, tells), getattr(theirs, tells)
        assert not isinstance(known, dict) or found.keys() == known.keys()
        assert np.shape(stacked(found)) == np.shape(stacked(known)), tells


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", SEARCHES, ids=str)
@pytest.mark.parametrize("name", ["wine", "breast cancer"])
def test_the_search_for_c_against_scikit_learns(name: str, options: dict[str, Any], weighted: bool) -> None:
    """No point is worse than theirs; where theirs is converged, same scores; same choices.

    Theirs is not converged everywhere: saga looks at weights only, and may stop at w = 0 before the intercept has
    settled.  So each point is judged by the objective of its fold, and each score computed again from coefficients.
    """
    both = Search(name, options, weighted)
    (coefs, scores), (known_coefs, known_scores) = points(both.ours), points(both.theirs)
    assert coefs.shape == known_coefs.shape
    assert both.ours.relative_gaps_.shape == scores.shape
    assert both.ours.relative_gaps_.max() <= 1e-8
    converged = 0
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(both.X, both.y)):
        for r, ratio in enumerate(both.ratios):
            for c, C in enumerate(both.Cs):
                at, known_at = coefs[fold, r, c], known_coefs[fold, r, c]
                found, known = (both.objective(both.ours, coef, train, C, ratio) for coef in (at, known_at))
                assert found <= known * (1 + 1e-9)
                assert scores[fold, r, c] == pytest.approx(both.score(both.ours, at, test), rel=1e-9)
                if known <= found * (1 + CONVERGED):
                    converged += 1
                    assert scores[fold, r, c] == pytest.approx(known_scores[fold, r, c], abs=1e-4)
    assert converged >= 0.75 * scores.size
    as_scikit_learn_tells(both.ours, both.theirs)


def test_one_standard_error_takes_a_stronger_penalty_and_groups_reach_the_splitter() -> None:
    X, y = DATA["breast cancer"](return_X_y=True)
    X, groups = StandardScaler().fit_transform(X), np.arange(len(y)) % 7
    told: dict[str, Any] = {
        "Cs": np.logspace(-3, 2, 16),
        "cv": GroupKFold(4),
        "use_legacy_attributes": False,
        "scoring": "neg_log_loss",
    }
    best, careful = (LogisticRegressionCV(**told, rule=rule).fit(X, y, groups=groups) for rule in ("best", "one_se"))
    np.testing.assert_array_equal(best.scores_, careful.scores_)
    mean, error = best.scores_[:, 0].mean(axis=0), best.scores_[:, 0].std(axis=0, ddof=1) / 2
    within = best.Cs_[mean >= mean.max() - error[mean.argmax()]]
    assert careful.C_ == within.min() < best.C_ == best.Cs_[mean.argmax()]
    with pytest.raises(ValueError, match="groups"):
        LogisticRegressionCV(**told).fit(X, y)
    with pytest.raises(ValueError, match="'rule' parameter"):
        LogisticRegressionCV(rule="1se").fit(X, y)
