"""The error tree, and the verdicts whose texts are messages with remedies.

Every message says what came, what was expected and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import Enum

SHOWN = 30  # names in one message: a wide table has thousands of columns


class WidemarginError(Exception):
    """Root of every error that this package raises on purpose."""


class InputError(WidemarginError, ValueError):
    """The data are wrong: shape, value, length, content."""


class InputTypeError(WidemarginError, TypeError):
    """The data are of a type that cannot be read as numbers or labels."""


class OptionError(WidemarginError, ValueError):
    """An option has an unknown name or an impossible value."""


class Refusal(WidemarginError, ValueError):
    """Options that are each legal but cannot go together; the text names what works instead."""


class Inseparable(WidemarginError, ValueError):
    """No hyperplane separates the classes, as was asked for; `proof` shows it and can be verified."""

    def __init__(self, message: str, proof: object) -> None:
        super().__init__(message)
        self.proof = proof


class ModelFileError(WidemarginError, ValueError):
    """A model file that is damaged, foreign or of an unknown version."""


class CacheError(WidemarginError, ValueError):
    """Rows on disk that are missing, damaged or of an unknown version, or that cannot be written."""


class CheckpointError(WidemarginError, ValueError):
    """A checkpoint that is damaged, of another fit, or that cannot be written."""


class MissingExtra(WidemarginError, ImportError):
    """A package that only some functions need is not installed; the text names what to install."""


class NotConverged(UserWarning):
    """The fit ended before its tolerance; the verdict says why and what to do."""


def unknown(kind: str, name: object, choices: Iterable[str]) -> OptionError:
    """The error for a name that is in no registry, with the nearest name that is."""
    names = sorted(choices)
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return OptionError(f"unknown {kind} {name!r}.{hint} Choose one of: {', '.join(names[:SHOWN])}{more}.")


class Verdict(Enum):
    """How a fit ended: (success, what happened, what to do)."""

    tolerance = (True, "the relative gap is within the tolerance", "")
    rounding = (True, "the gap is below what float64 rounding lets one measure", "")
    trivial = (
        True,
        "w = 0 is already optimal for this objective",
        'for a separating hyperplane use solver="perceptron", or a loss with a margin such as "hinge"',
    )
    no_mistakes = (True, "a whole pass made no mistake: the data are separated", "")
    finished = (True, "the algorithm made the passes that it consists of", "")
    stopped = (True, "a stopping rule that you gave ended the fit", "")
    stationary = (
        True,
        "the gradient vanishes; the objective is not convex, so this need not be the best point",
        "start from several seeds, or use a convex loss and penalty for a certificate",
    )
    passes = (
        False,
        "the limit of passes was reached before the tolerance",
        'raise max_passes, loosen tol, or let solver="auto" choose',
    )
    budget = (False, "the budget ran out before the tolerance", "give a larger budget, or loosen tol")
    interrupted = (False, "interrupted; this is the best model so far", "fit again with warm=fit.model to go on")
    stalled = (
        False,
        "no further progress is possible in float64 with this solver",
        'let solver="auto" choose, divide badly scaled columns by a constant, or loosen tol',
    )
    scales = (
        False,
        "some column is so large beside the penalty's strength that float64 cannot tell whether it should be used",
        "pass scale=True, divide the largest columns by a constant, or raise alpha",
    )
    separable = (
        False,
        "the classes are linearly separable and nothing bounds w: the infimum is not attained",
        'add a penalty (alpha > 0), or use loss="hinge", which attains its minimum',
    )
    diverged = (
        False,
        "the objective became infinite or NaN",
        'use a smaller step, a decaying schedule, or solver="auto"',
    )
    no_bound = (
        False,
        "no lower bound is known for this objective at this point",
        'let solver="auto" choose a solver with a dual point',
    )

    @property
    def success(self) -> bool:
        """True when what was asked for holds."""
        return bool(self.value[0])

    @property
    def text(self) -> str:
        """What happened, in one clause."""
        return str(self.value[1])

    @property
    def remedy(self) -> str:
        """What to do about it; empty where nothing needs doing."""
        return str(self.value[2])
