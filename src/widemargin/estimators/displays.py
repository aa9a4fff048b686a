"""scikit-learn's habit of displays, on the pictures of widemargin.plots: Display.from_estimator(estimator, X, y).

A display keeps the axes (`ax_`), their figure (`figure_`) and, in `result_`, the numbers that were drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from widemargin import plots
from widemargin.decisions import tune_threshold
from widemargin.estimators.base import LinearBase
from widemargin.fitting import Fit
from widemargin.inference import infer
from widemargin.paths.along import path
from widemargin.paths.crossed import cross_fit
from widemargin.paths.selection import cross_validate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False)
class Display:
    """A result and how it is drawn."""

    result_: Any
    ax_: Any = None
    draws: ClassVar[Callable[..., Any]]

    @property
    def figure_(self) -> Any:
        """The figure of the axes; None before `plot`."""
        return None if self.ax_ is None else self.ax_.figure

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw, on new axes unless some came; `options` are those of the function in widemargin.plots."""
        self.ax_ = type(self).draws(self.result_, ax=ax, **options)
        return self


def _numbers(estimator: Any, X: Any, names: Any) -> tuple[LinearBase, dict[str, Any]]:
    """The fitted linear estimator, and the names of its columns as an option."""
    check_is_fitted(estimator)
    if not isinstance(estimator, LinearBase):
        raise TypeError(
            f"{type(estimator).__name__} came; expected an estimator of widemargin.estimators (of a pipeline its last "
            "step, with X as the steps before it leave it)"
        )
    known = getattr(estimator, "feature_names_in_", None) if names is None else names
    return estimator, {} if known is None else {"names": list(known)}


def _asked(estimator: LinearBase, n: float) -> dict[str, Any]:
    """What the estimator asks of wm.fit, without what an ending and a strength are."""
    told = dict(estimator._options(n))
    for name in ("alpha", "budget", "stop", "seed", "schedule", "shuffle"):
        told.pop(name, None)
    return told


class CoefficientPathDisplay(Display):
    """Weights of the estimator's loss and penalty along strengths."""

    draws = staticmethod(plots.coefficient_path)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, n_alphas: int = 50, ratio: float | None = None, ax: Axes | None = None,
        names: Any = None, **options: Any,
    ) -> Self:  # fmt: skip
        """Follow the path on these rows, and draw it."""
        own, named = _numbers(estimator, X, names)
        found = path(X, y, n_alphas=n_alphas, ratio=ratio, **_asked(own, len(y)))
        return cls(found).plot(ax=ax, **named, **options)


class CrossValidationDisplay(Display):
    """Held-out scores of the estimator's loss and penalty along strengths."""

    draws = staticmethod(plots.cross_validation)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, cv: Any = 5, scoring: Any = "loss", n_alphas: int = 30,
        ratio: float | None = None, ax: Axes | None = None,
    ) -> Self:  # fmt: skip
        """Cross-validate on these rows, and draw it; cv and scoring are folds and metric of wm.cross_validate."""
        own, _ = _numbers(estimator, X, None)
        told = {"n_alphas": n_alphas, "ratio": ratio, "folds": cv, "metric": scoring}
        return cls(cross_validate(X, y, **told, **_asked(own, len(y)))).plot(ax=ax)


class IntervalsDisplay(Display):
    """Coefficients of an estimator without penalty, and their intervals."""

    draws = staticmethod(plots.intervals)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, kind: str = "wald", level: float = 0.95, ax: Axes | None = None,
        names: Any = None,
    ) -> Self:  # fmt: skip
        """Standard errors on the rows of the fit, drawn; refused where a penalty makes them invalid."""
        own, named = _numbers(estimator, X, names)
        fit = Fit(own.model_, own.certificate_, own.trace_, str(own.model_.about.get("solver", "")))
        return cls(infer(fit, X, y, kind=kind, level=level)).plot(ax=ax, **named)


class ThresholdDisplay(Display):
    """A metric, or the cost, at every threshold, by scores of rows held out."""

    draws = staticmethod(plots.thresholds)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, metric: Any = None, cost: Any = None, cv: Any = 5,
        ax: Axes | None = None,
    ) -> Self:  # fmt: skip
        """Fit anew to the rows of each fold's complement, tune, and draw."""
        own, _ = _numbers(estimator, X, None)
        crossed = cross_fit(X, y, folds=cv, **dict(own._options(len(y))))
        return cls(tune_threshold(crossed, metric, cost=cost)).plot(ax=ax)


class CalibrationDisplay(Display):
    """Shares that came true against the probabilities that the estimator gave."""

    draws = staticmethod(plots.calibration)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, bins: int = 10, ax: Axes | None = None) -> Self:
        """Rows should be new to the estimator."""
        own, _ = _numbers(estimator, X, None)
        return cls(own.model_).plot(ax=ax, X=X, y=y, bins=bins)


class MarginsDisplay(Display):
    """The distribution of the margins."""

    draws = staticmethod(plots.margins)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Self:
        """Of these rows."""
        own, _ = _numbers(estimator, X, None)
        return cls(own.model_).plot(ax=ax, X=X, y=y)


class ConvergenceDisplay(Display):
    """How far the optimum could still be, step by step."""

    draws = staticmethod(plots.convergence)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """From the trace of the fit."""
        own, _ = _numbers(estimator, None, None)
        solver = str(own.model_.about.get("solver", ""))
        return cls(Fit(own.model_, own.certificate_, own.trace_, solver)).plot(ax=ax)
