"""verbose=1: one line on standard output for every step, as scikit-learn's estimators do."""

from __future__ import annotations

import sys
from collections.abc import Callable

from widemargin.events import Event


def listener(estimator: object) -> Callable[[Event], None] | None:
    """What writes the lines; None where nobody asked."""
    return _write if getattr(estimator, "verbose", 0) else None


def _write(event: Event) -> None:
    gap = f", relative gap {event.gap:.1e}" if event.gap == event.gap else ""
    sys.stdout.write(
        f"{event.solver} {event.iteration}: {event.passes:.0f} passes, objective {event.objective:.9g}{gap}\n"
    )
