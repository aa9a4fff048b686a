"""scikit-learn's linear classifiers, at their certified optimum: change one import.

    from widemargin.estimators import LogisticRegression

scikit-learn is the extra of this façade: pip install 'widemargin[sklearn]'.
"""

from __future__ import annotations

from widemargin.errors import MissingExtra

try:
    import sklearn  # noqa: F401
except ImportError:
    raise MissingExtra(
        "widemargin.estimators needs scikit-learn: python -m pip install 'widemargin[sklearn]'"
    ) from None

from widemargin.estimators.classifier import LinearClassifier
from widemargin.estimators.logistic import LogisticRegression
from widemargin.estimators.logistic_cv import LogisticRegressionCV
from widemargin.estimators.passive_aggressive import PassiveAggressiveClassifier
from widemargin.estimators.perceptron import Perceptron
from widemargin.estimators.ridge import RidgeClassifier
from widemargin.estimators.ridge_cv import RidgeClassifierCV
from widemargin.estimators.sgd import SGDClassifier
from widemargin.estimators.svc import LinearSVC

__all__ = [
    "LinearClassifier",
    "LinearSVC",
    "LogisticRegression",
    "LogisticRegressionCV",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
]
