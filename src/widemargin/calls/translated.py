"""wm.translate_call: the text of another program's call -> the options of wm.fit with the same minimiser."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from widemargin.calls import command_lines, glmnet, scikit_learn
from widemargin.calls.draft import Draft, Name, call_of
from widemargin.errors import OptionError, unknown
from widemargin.translation import conventions, translate

TRAIN = re.compile(r"(?:\S*/)?(?:liblinear-)?train(?:\.exe)?$")
PROGRAMS = ("train (LIBLINEAR)", "vw", "glmnet", "cv.glmnet", *scikit_learn.DEFAULTS)


@dataclass(frozen=True)
class TranslatedCall:
    """The same problem for this library."""

    source: str
    options: dict[str, Any]  # of wm.fit; without alpha where that depends on rows that were not told
    alpha: str  # of n = len(y), where it was not told; else ""
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """The call of wm.fit."""
        told = [f"{name}={value if isinstance(value, Name) else repr(value)}" for name, value in self.options.items()]
        return f"wm.fit({', '.join(['X', 'y', *told, *([f'alpha={self.alpha}'] if self.alpha else [])])})"


def translate_call(text: str, *, n: int | None = None, sum_weights: float | None = None) -> TranslatedCall:
    """What a call of scikit-learn, LIBLINEAR, VW or glmnet asks for, as options of wm.fit.

    The text is read, never run: "LogisticRegression(C=10)", "train -s 0 -c 10", "vw --loss_function hinge --l2 1e-6",
    "glmnet(x, y, family='binomial', lambda=0.01)".  n is the number of rows: without it, some strengths are formulas.
    """
    draft = _draft(text)
    options, alpha = dict(draft.options), ""
    if draft.strength == 0:
        options["penalty"] = "none"
    elif draft.strength is not None:
        options["alpha"], alpha = _strength(draft, n, sum_weights)
        if alpha:
            del options["alpha"]
    return TranslatedCall(draft.source, options, alpha, tuple(draft.notes))


def _strength(draft: Draft, n: int | None, total: float | None) -> tuple[float, str]:
    """alpha, or a formula for it where it depends on what was not told."""
    t = draft.strength
    if t is None or t < 0:
        raise OptionError(f"{draft.source}: a strength of {t}; expected 0 or more")
    loss = draft.options.get("loss", "perceptron")
    formula = conventions[draft.convention].alpha(loss)
    weighted = draft.options.get("class_weight", "balanced") != "balanced" or "sample_weight" in draft.options
    power = formula.weight + formula.rows  # where weights have the sum n
    if total is None and ((weighted and formula.weight) or (power and n is None)):
        if weighted:
            draft.note("rows have weights: where alpha has len(y), take their sum, class weights multiplied in")
        value = repr(float(formula.number) * t**formula.strength)
        return t, f"{value} / len(y)" if formula.weight else value
    return float(translate(t, draft.convention, n=n or 1, sum_weights=total, loss=loss)), ""


def _draft(text: str) -> Draft:
    """By the first word."""
    first = text.split()[0] if text.split() else ""
    if TRAIN.match(first):
        return command_lines.liblinear(text)
    if re.fullmatch(r"(?:\S*/)?vw(?:\.exe)?", first):
        return command_lines.vw(text)
    if re.search(r"\b(?:cv\.)?glmnet\s*\(", text):
        return glmnet.draft(*call_of(glmnet.as_python(text)))
    name, given = call_of(text)
    if name not in scikit_learn.DEFAULTS:
        raise unknown("program or estimator", name, PROGRAMS)
    return scikit_learn.draft(name, given)
