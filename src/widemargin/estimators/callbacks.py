"""What hears of every step of a fit: a printer (verbose=1), the user's on_event, scikit-learn's callbacks.

Each may stop it: on_event by returning True, a callback of scikit-learn (1.9 and later) by returning True at the end of
a task.  A fitted copy for such a callback costs no pass over the rows: weights are there after every step.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numpy as np

from widemargin._types import Array
from widemargin.errors import OptionError
from widemargin.events import Event, wants_stop
from widemargin.model import Model
from widemargin.spec import spec

Listener = Callable[[Event], object]
F = TypeVar("F", bound=Callable[..., Any])

try:
    import sklearn.callback as protocol

    Callbacks: Any = protocol.CallbackSupportMixin
except ImportError:  # before 1.9 there are none to support
    protocol, Callbacks = None, object


def with_callbacks(fit: F) -> F:
    """The method; callbacks that it set up are torn down when it ends, however it does."""
    return fit if protocol is None else cast(F, protocol.with_callbacks(fit))


class Told:
    """scikit-learn's callbacks during one fit: a task for the fit, one below it for each step."""

    def __init__(
        self, estimator: Any, X: Any, y: Array, metadata: Mapping[str, Any], options: Mapping[str, Any]
    ) -> None:
        self.estimator = estimator
        self.data: dict[str, Any] = {"X": X, "y": y, "metadata": dict(metadata) or None}
        self.options, self.dtype = options, X.dtype
        self.classes = np.unique(y)
        self.fit_task = estimator._init_callback_context(max_subtasks=None)
        self.fit_task.call_on_fit_task_begin(estimator=estimator, **self.data)
        self.step = self._begin()

    def __call__(self, event: Event) -> bool:
        """End the task of this step, and begin the next one; whether a callback wants to stop."""
        known: Any = lambda: self._attributes(event)  # noqa: E731
        ended = self.step.call_on_fit_task_end(estimator=self.estimator, **self.data, reconstruction_attributes=known)
        self.step = self._begin()
        return bool(ended)

    def end(self) -> None:
        """After the last step: its successor never ran."""
        self.step.call_on_fit_task_end(estimator=self.estimator)
        self.fit_task.call_on_fit_task_end(estimator=self.estimator, **self.data, reconstruction_attributes={})

    def _begin(self) -> Any:
        task = self.fit_task.subcontext(task_name="step")
        task.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return task

    def _attributes(self, event: Event) -> dict[str, Any]:
        """What a fitted copy needs to predict."""
        assert event.W is not None
        assert event.b is not None
        W, b = event.W.copy(), event.b.copy()
        told = {name: self.options.get(name, default) for name, default in _DEFAULTS.items()}
        objective = spec(**told, alpha=1.0, intercept=True, tol=1.0, schedule=None).objective(len(self.classes))
        model = Model(self.classes, W, b, objective.loss, objective.multiclass)
        kind = np.float32 if self.dtype == np.float32 else np.float64
        return {
            "coef_": np.ascontiguousarray(W.T, dtype=kind), "intercept_": b.astype(kind), "classes_": self.classes,
            "model_": model,
        }  # fmt: skip


_DEFAULTS = {"loss": "logistic", "penalty": "l2", "multiclass": "auto", "solver": "auto"}


def listener(estimator: Any, told: Told | None) -> Listener | None:
    """One function that tells everybody, and is True where anybody wants to stop; None where nobody listens."""
    own = getattr(estimator, "on_event", None)
    if own is not None and not callable(own):
        raise OptionError(
            f"on_event = {own!r}; expected a function of one Event, which stops the fit by returning True"
        )
    listeners: list[Listener] = [*([_write] if getattr(estimator, "verbose", 0) else []), *filter(None, (own, told))]
    if not listeners:
        return None
    return lambda event: any([wants_stop(heard(event)) for heard in listeners])  # noqa: C419 (all are to hear)


def _write(event: Event) -> None:
    """One line on standard output, as scikit-learn's estimators do."""
    gap = f", relative gap {event.gap:.1e}" if event.gap == event.gap else ""
    sys.stdout.write(
        f"{event.solver} {event.iteration}: {event.passes:.0f} passes, objective {event.objective:.9g}{gap}\n"
    )
