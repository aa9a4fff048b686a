"""What scikit-learn's three stochastic estimators share: labels, weights, seeds and rows held out -> passes -> coef_.

Seeds are drawn and rows held out in scikit-learn's order, so that the same random_state visits the same rows.
"""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from widemargin._threads import available_threads
from widemargin._types import F64, I64, Array
from widemargin.data.rows import SERIAL_WORK, Rows
from widemargin.data.sparse import sparse_rows
from widemargin.errors import InputError, NotConverged, Refusal
from widemargin.estimators.base import LinearBase
from widemargin.estimators.parameters import choice, number, whole
from widemargin.estimators.workers import threads
from widemargin.loss import Loss, losses
from widemargin.model import Model
from widemargin.solve.epochs import RESIDUAL, Course, EpochPlan, Weights, learn

LIKE = {"squared_error": "squared"}  # half of it: the same classifier and probabilities
LARGEST_SEED = np.iinfo(np.int32).max


class PassesNotConverged(NotConverged, ConvergenceWarning):  # type: ignore[misc]
    """The limit of passes came first; heard by who listens for scikit-learn's warning."""


class Task(NamedTuple):
    """The rows of one call, and what all classes share."""

    rows: Rows
    codes: I64
    s: F64 | None
    class_weight: F64
    held: I64 | None


class StochasticBase(LinearBase):
    """One problem of two classes, or one for each of many, each walked row by row."""

    max_iter: int
    tol: float | None
    random_state: Any
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    verbose: int
    warm_start: bool
    class_weight: Any
    average: bool | int = False

    def _plan(self, passes: int) -> EpochPlan:
        """What is minimised, and how."""
        raise NotImplementedError

    @property
    def model_(self) -> Model:  # type: ignore[override]
        """The model by itself: it saves without pickle, scores single rows."""
        check_is_fitted(self, "coef_")
        W, b = np.asarray(self._dense_coef(), dtype=float).T, np.asarray(self.intercept_, dtype=float)
        names = self.__dict__.get("feature_names_in_")
        names = None if names is None else tuple(map(str, names))
        form = "ovr" if len(self.classes_) > 2 else "binary"
        return Model(self.classes_, np.ascontiguousarray(W), b, self._model_loss(), form, names)

    def _model_loss(self) -> Loss:
        """The loss of the model, which says what its probabilities are."""
        name = LIKE.get(self._plan(1).loss, self._plan(1).loss)
        if name in RESIDUAL:
            raise AttributeError(f"loss {name!r} is none of the registry's: there is no model_ of it. Use coef_")
        loss = losses[name]
        assert isinstance(loss, Loss)
        return loss

    def _dense_coef(self) -> Array:
        return np.asarray(self.coef_.toarray() if hasattr(self.coef_, "toarray") else self.coef_)

    def set_callbacks(self, *callbacks: Any) -> Self:
        """None, as in scikit-learn's own: passes are not steps of a solver."""
        if callbacks:
            raise Refusal(
                f"{type(self).__name__} takes no callbacks, as in scikit-learn: partial_fit makes one pass at a time, "
                "loss_curve_ tells how each went, and LinearClassifier(solver='sgd') has them"
            )
        return self

    def _check_parameters(self) -> None:
        whole(self, "max_iter", low=1)
        if self.tol is not None:
            number(self, "tol", low=0.0)
        whole(self, "n_iter_no_change", low=1)
        number(self, "validation_fraction", above=0.0, high=np.nextafter(1.0, 0.0))
        for name in ("fit_intercept", "shuffle", "early_stopping", "warm_start"):
            choice(self, name, (True, False))
        if not isinstance(self.average, bool | np.bool_):
            whole(self, "average", low=0)

    def _learn(
        self, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None, coef_init: Any = None,
        intercept_init: Any = None, passes: int | None = None,
    ) -> Self:  # fmt: skip
        """A fit, or one pass of partial_fit where classes_ and coef_ go on."""
        self._check_parameters()
        partial_fit, first = passes is not None, "classes_" not in self.__dict__ or passes is None
        if partial_fit and first:
            self._check_partial()
        X, y = self._checked(X, y, first)
        if partial_fit:
            _check_partial_fit_first_call(self, classes)
        else:
            self._begin(y, X, coef_init, intercept_init)
        task = self._task(X, y, sample_weight)
        if "coef_" not in self.__dict__:
            self._allocate(X)
        self._run(task, self._plan(self.max_iter if passes is None else passes), X.dtype)
        return self

    def _checked(self, X: Any, y: Any, first: bool) -> tuple[Any, Array]:
        """X in float64 or float32, C order or CSR, and labels; plain arrays that are well without asking further."""
        d = self.__dict__
        plain = type(X) is np.ndarray and X.ndim == 2 and X.dtype.char in "df" and X.size > 0
        labelled = plain and type(y) is np.ndarray and y.shape == X.shape[:1] and y.dtype.kind in "biuU"
        if labelled and (first or _columns_are(d, X.shape[1])) and np.isfinite(X).all():
            d.pop("feature_names_in_", None)
            self.n_features_in_ = X.shape[1]
            return np.ascontiguousarray(X), y
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=first)
        check_classification_targets(y)
        return X, y

    def _check_partial(self) -> None:
        if self.early_stopping:
            raise Refusal(
                "early_stopping should be False with partial_fit: stop on your own held-out rows between calls."
            )
        if isinstance(self.class_weight, str):
            raise Refusal(
                "class_weight 'balanced' is not supported for partial_fit: one call does not show how frequent classes "
                "are. Use sklearn.utils.compute_class_weight('balanced', classes=classes, y=y) on a sample, and pass "
                "the result as a dict."
            )

    def _begin(self, y: Array, X: Any, coef_init: Any, intercept_init: Any) -> None:
        """classes_, and the weights to begin with."""
        warm = self.__dict__ if self.warm_start else {}
        coef_init = warm.get("coef_") if coef_init is None else coef_init
        intercept_init = warm.get("intercept_") if intercept_init is None else intercept_init
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise InputError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        self.t_ = 1.0
        self._allocate(X, coef_init, intercept_init)

    def _allocate(self, X: Any, coef_init: Any = None, intercept_init: Any = None) -> None:
        """Weights of zero, or those given."""
        K = len(self.classes_) if len(self.classes_) > 2 else 1
        kind, shapes = X.dtype, {"coef_": (K, X.shape[1]), "intercept_": (K,)}
        for (name, shape), given in zip(shapes.items(), (coef_init, intercept_init), strict=True):
            if hasattr(given, "toarray"):
                given = given.toarray()
            value = np.zeros(shape, kind) if given is None else np.array(given, kind, order="C")
            if value.size != np.prod(shape) or (K > 1 and value.shape != shape):
                raise InputError(
                    f"Provided {name}init does not match dataset: it has shape {value.shape}, expected {shape}"
                )
            setattr(self, name, value.reshape(shape))
        self.__dict__.setdefault("t_", 1.0)
        for name in ("_last", "_mean"):
            self.__dict__.pop(name, None)

    def _task(self, X: Any, y: Array, sample_weight: Any) -> Task:
        codes = np.searchsorted(self.classes_, y)
        codes[codes == len(self.classes_)] = 0
        strange = self.classes_[codes] != y
        if strange.any():
            label = y[strange].tolist()[0]
            raise InputError(f"y has the label {label!r}, which `classes` of the first call does not name")
        s = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        if s is not None and not s.any() and not self.early_stopping:
            raise InputError("Sample weights must contain at least one non-zero number; all are 0")
        told = self.class_weight
        chosen = np.ones(len(self.classes_)) if told is None else compute_class_weight(told, classes=self.classes_, y=y)
        rows = sparse_rows(X, 1) if hasattr(X, "indptr") else Rows(X.shape[0], X.shape[1], X)
        return Task(rows, codes, s, np.asarray(chosen, dtype=float), None)

    def _held(self, codes: I64, s: F64 | None) -> I64 | None:
        """Rows set aside for early stopping, as scikit-learn draws them."""
        if not self.early_stopping:
            return None
        split = StratifiedShuffleSplit(test_size=self.validation_fraction, random_state=self.random_state)
        held = np.asarray(next(split.split(np.zeros((len(codes), 1)), codes))[1], dtype=np.int64)
        if s is not None and not s[held].any():
            raise InputError(
                "The sample weights for validation set are all zero, consider using a different random state."
            )
        return held

    def _run(self, task: Task, plan: EpochPlan, kind: Any) -> None:
        """All problems, in threads where that pays: what they find does not depend on it."""
        K = len(self.coef_)
        held, seeds = self._draws(K, task)
        one, heads = partial(self._one, task._replace(held=held), plan), [self._start(k, plan) for k in range(K)]
        hands = min(K, threads(self.n_jobs) or available_threads()) if task.rows.nnz > SERIAL_WORK else 1
        if hands == 1:
            courses = list(map(one, range(K), heads, seeds))
        else:
            halt = Event()
            with ThreadPoolExecutor(hands) as pool:
                try:
                    courses = list(pool.map(partial(one, halted=halt.is_set), range(K), heads, seeds))
                except BaseException:
                    halt.set()
                    raise
        self._take_weights(heads, courses, plan, task.rows.n, kind)

    def _draws(self, K: int, task: Task) -> tuple[I64 | None, list[int]]:
        """Rows held out and a seed for each problem, drawn in scikit-learn's order."""
        if K == 1:
            random = check_random_state(self.random_state)
            random.randint(1, LARGEST_SEED)  # it draws one more, for what it does not use
            held = self._held(task.codes, task.s)
            return held, [random.randint(LARGEST_SEED)]
        held = self._held(task.codes, task.s)
        heads = map(np.random.RandomState, check_random_state(self.random_state).randint(LARGEST_SEED, size=K))
        return held, [head.randint(1, LARGEST_SEED) and head.randint(LARGEST_SEED) for head in heads]

    def _one(self, task: Task, plan: EpochPlan, k: int, head: Weights, seed: int, **how: Any) -> Course:
        """The passes of one problem: class k against the rest, or the second class against the first."""
        many = len(self.coef_) > 1
        positive = task.codes == (k if many else 1)
        for_, against = task.class_weight[k if many else 1], 1.0 if many else task.class_weight[0]
        s = task.s
        if for_ != 1 or against != 1:
            s = np.where(positive, for_, against) * (1.0 if s is None else s)
        y = np.where(positive, 1.0, -1.0)
        tell = partial(_tell, self.classes_[k] if many else None) if self.verbose else None
        course = learn(plan, task.rows, y, s, task.held, head, int(self.t_) - 1, int(seed), tell, **how)
        if not course.finite:
            raise InputError(
                f"Floating-point under-/overflow occurred at epoch #{course.passes}. Scaling input data with "
                "StandardScaler or MinMaxScaler might help, or a smaller eta0."
            )
        return course

    def _start(self, k: int, plan: EpochPlan) -> Weights:
        """Where problem k goes on: what is averaged goes on beside the average."""
        known = (self.coef_, self.intercept_)
        coef, intercept = self.__dict__.get("_last", known) if plan.average else known
        w, b = np.array(coef[k], dtype=np.float64), np.array([intercept[k]], dtype=np.float64)
        if not plan.average:
            return Weights(w, b)
        if "_mean" not in self.__dict__:
            return Weights(w, b, np.zeros_like(w), np.zeros(1))
        mean, mean_b = self._mean
        return Weights(w, b, mean[k].copy(), mean_b[k : k + 1].copy(), max(0, int(self.t_) - plan.average))

    def _take_weights(self, heads: list[Weights], courses: list[Course], plan: EpochPlan, n: int, kind: Any) -> None:
        self.n_iter_ = max(course.passes for course in courses)
        self.t_ += self.n_iter_ * n
        curves = [course.curve for course in courses]
        self.loss_curve_ = curves if len(curves) > 1 else curves[0]
        found = np.array([head.w for head in heads]), np.array([head.b[0] for head in heads])
        if plan.average:
            self._last = found
            self._mean = np.array([head.mean_w for head in heads]), np.ravel([head.mean_b for head in heads])
            if plan.average <= self.t_ - 1:
                found = self._mean
        self.coef_, self.intercept_ = (np.array(part, dtype=kind) for part in found)

    def _warn_at_the_limit(self) -> None:
        if self.tol is not None and self.n_iter_ == self.max_iter:
            warnings.warn(
                f"{type(self).__name__}: max_iter={self.max_iter} passes were made before {self.n_iter_no_change} in a "
                f"row failed to improve by tol={self.tol:g}. Raise max_iter, scale the columns, or loosen tol.",
                PassesNotConverged, stacklevel=3,
            )  # fmt: skip


def _columns_are(known: dict[str, Any], d: int) -> bool:
    return "feature_names_in_" not in known and known.get("n_features_in_") == d


def _tell(label: Any, count: int, value: float) -> None:
    """One line of verbose=1."""
    of = "" if label is None else f"{label} against the rest, "
    sys.stdout.write(f"{of}pass {count}: {value:.9g}\n")
