"""`train` of LIBLINEAR, and `vw`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from widemargin.calls.draft import Draft
from widemargin.errors import OptionError, Refusal, unknown

LIBLINEAR = {  # -s: loss, penalty, multiclass
    "0": ("logistic", "l2", "ovr"), "1": ("squared_hinge", "l2", "auto"), "2": ("squared_hinge", "l2", "auto"),
    "3": ("hinge", "l2", "auto"), "4": ("hinge", "l2", "crammer_singer"), "5": ("squared_hinge", "l1", "auto"),
    "6": ("logistic", "l1", "ovr"), "7": ("logistic", "l2", "ovr"),
}  # fmt: skip
LIBLINEAR_TAKES = {"-s", "-c", "-B", "-e", "-v", "-p", "-n"}
LIBLINEAR_FLAGS = {"-R", "-C", "-q"}
VW_LOSSES = {"logistic": "logistic", "hinge": "hinge", "squared": "squared"}
VW_TAKES = {
    "-d", "--data", "--loss_function", "--l1", "--l2", "-l", "--learning_rate", "--passes", "-b", "--bit_precision",
    "--power_t", "--initial_t", "--decay_learning_rate", "-f", "--final_regressor", "--cache_file", "--link", "--oaa",
    "--random_seed", "-p", "--predictions", "--readable_model", "--invert_hash", "--holdout_period",
}  # fmt: skip
VW_FLAGS = {
    "--noconstant", "-c", "-k", "--cache", "--kill_cache", "--sgd", "--adaptive", "--normalized", "--invariant",
    "--quiet", "--bfgs", "--holdout_off", "--no_bias_regularization", "--binary", "--ftrl", "--save_resume",
}  # fmt: skip


def _options(source: str, text: str, takes: set[str], flags: set[str]) -> dict[str, str]:
    """Options and what stands behind them; words without a dash are files."""
    try:
        words = iter(shlex.split(text)[1:])
    except ValueError as error:
        raise OptionError(f"{text!r} cannot be read: {error}") from None
    found: dict[str, str] = {}
    for word in words:
        name, equal, value = word.partition("=")
        if name in flags:
            found[name] = ""
        elif name in takes:
            found[name] = value if equal else next(words, "")
        elif source == "train" and name[:2] == "-w" and name[2:].lstrip("-").isdigit():
            found[name] = next(words, "")
        elif name.startswith("-"):
            raise unknown(f"option of {source}", name, takes | flags)
    return found


def _number(source: str, given: Mapping[str, str], name: str, default: float) -> float:
    try:
        return float(given.get(name, default))
    except ValueError:
        raise OptionError(f"{source}: {name} {given[name]!r}; expected a number") from None


def liblinear(text: str) -> Draft:
    """C sum s l + R, where R counts the intercept B: Fan et al. 2008."""
    given = _options("train", text, LIBLINEAR_TAKES, LIBLINEAR_FLAGS)
    kind = given.get("-s", "1")
    if kind not in LIBLINEAR:
        raise Refusal(f"train -s {kind} is no classification; there are -s {', '.join(LIBLINEAR)}")
    loss, penalty, multiclass = LIBLINEAR[kind]
    found = Draft("train", {"loss": loss, "penalty": penalty}, _number("train", given, "-c", 1.0), "c_sum")
    if multiclass != "auto":
        found.options["multiclass"] = multiclass
    bias = _number("train", given, "-B", -1.0)
    found.options["intercept"] = False if bias < 0 else True if "-R" in given else "penalised"
    if bias > 0 and bias != 1:
        found.note(f"-B {bias:g}: LIBLINEAR penalises b / {bias:g}, here it is b")
    weights = {int(name[2:]): _number("train", given, name, 1.0) for name in given if name.startswith("-w")}
    if weights:
        found.options["class_weight"] = weights
    if "-C" in given or "-v" in given:
        found.note("-C and -v choose or judge C by folds: wm.cross_validate(X, y, ...) with these options")
    return found


def vw(text: str) -> Draft:
    """The optimum of sum over rows of l + l1 |w| + l2/2 |w|^2, which VW's passes move towards."""
    given = _options("vw", text, VW_TAKES, VW_FLAGS)
    loss = given.get("--loss_function", "squared")
    if loss not in VW_LOSSES:
        raise Refusal(f"vw --loss_function {loss} is not translated; there are {', '.join(VW_LOSSES)}")
    l1, l2 = _number("vw", given, "--l1", 0.0), _number("vw", given, "--l2", 0.0)
    found = Draft("vw", {"loss": VW_LOSSES[loss]}, (l1 + l2) or None, "per_row")
    share = l1 / (l1 + l2) if l1 + l2 else 0.0
    found.options["penalty"] = "none" if not l1 + l2 else {0.0: "l2", 1.0: "l1"}.get(share, f"elastic_net:{share!r}")
    if "--noconstant" in given:
        found.options["intercept"] = False
    elif found.strength is not None and "--no_bias_regularization" not in given:
        found.options["intercept"] = "penalised"
    if "--oaa" in given:
        found.options["multiclass"] = "ovr"
    found.note("VW makes its passes and stops; wm.fit ends at the optimum, whatever the learning rate and the passes")
    found.note("labels are -1 and 1 in VW's files; wm.fit takes any two")
    return found
