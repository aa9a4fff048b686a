"""A readable model of Vowpal Wabbit (`--readable_model`, `--invert_hash`) -> Model.

Lines below the header: [name:]place:weight, and what the algorithm remembers.  With --oaa K the weights of one feature
lie side by side, at m place + k, where m is K rounded up to a power of 2.  A weight
counts as l2_state (|w| - l1_state)+, with its sign: VW does what --l1 and --l2 ask for when it predicts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from widemargin.errors import InputError, Refusal
from widemargin.imports.assembled import DECIDES, assembled
from widemargin.imports.vw_hash import CONSTANT, place
from widemargin.model import Model

WEIGHT = re.compile(r"(?:(?P<name>[^\s:]+):)?(?P<place>\d+):(?P<weight>[-+.\deE]+|-?(?:nan|inf))(?:\s.*)?$")
MOST_BITS, MOST_CLASSES = 40, 1 << 16
TAKES = (
    "--link",
    "--oaa",
    "--hash",
    "--loss_function",
    "--noconstant",
)  # options under which the model is linear in its features


@dataclass(frozen=True)
class Readable:
    """The file: weights by place, names of places if it has them."""

    bits: int
    options: dict[str, str]
    weights: dict[int, float]
    names: dict[str, int]

    @property
    def classes(self) -> int:
        """K of --oaa, or 1."""
        return int(self.options.get("--oaa", 1))

    @property
    def step(self) -> int:
        """Places between two features."""
        return 1 << (self.classes - 1).bit_length()


def from_vw(
    path: str | Path, *, features: Iterable[str] | None = None, labels: Sequence[Any] | None = None,
    loss: str | None = None,
) -> Model:  # fmt: skip
    """The model in a text that `vw --readable_model` or `--invert_hash` wrote.

    features: names, "namespace^name" outside the default namespace, in the order of your columns; needed unless the
    file has names (`--invert_hash`), since other files know only hashes.  labels: -1 and 1 unless given; 1 ... K with
    --oaa.  loss: "logistic" if the file says so; otherwise only decisions are known, and no probabilities.
    """
    found = _read(Path(path))
    K = found.classes
    names = list(features) if features is not None else list(found.names)
    if not names:
        raise InputError(
            f"{path} has places of features, not their names. Pass features=, or write it by --invert_hash."
        )
    mask, every = (1 << found.bits) - 1, found.options.get("--hash") == "all"
    known = found.names if features is None else {}
    starts = [known[name] if name in known else found.step * place(name, found.bits, every) & mask for name in names]
    constant = found.step * CONSTANT & mask
    places = [] if "--noconstant" in found.options else [constant + k & mask for k in range(K)]
    W, taken = np.zeros((len(names), K)), set(places)
    for j, start in enumerate(starts):
        for k in range(K):
            W[j, k] = found.weights.get(start + k & mask, 0.0)
            taken.add(start + k & mask)
    b = np.array([found.weights.get(where, 0.0) for where in places] or [0.0] * K)
    lost = sum(1 for where, weight in found.weights.items() if weight and where not in taken)
    if lost:
        raise InputError(f"{path} has {lost} weights of features that are not among the {len(names)} named ones")
    chosen = loss or ("logistic" if found.options.get("--link") == "logistic" else DECIDES)
    told = labels if labels is not None else ([-1, 1] if K == 1 else list(range(1, K + 1)))
    if K == 2:  # two scores are one
        W, b = W[:, 1:] - W[:, :1], b[1:] - b[:1]
    return assembled(W, b, told, chosen, "ovr", names=names, about={"solver": "Vowpal Wabbit"})


def _read(path: Path) -> Readable:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    header = dict(line.partition(":")[::2] for line in lines[:12])
    bits = header.get("bits", "")
    if not lines or not lines[0].startswith("Version ") or not bits.isdigit() or not 0 < int(bits) <= MOST_BITS:
        raise InputError(f"{path}: not a readable model of Vowpal Wabbit (its first lines name version and bits)")
    options = _options(header.get("options", ""), path)
    body = next((k for k, line in enumerate(lines) if re.fullmatch(r":[01]", line.strip())), None)
    if body is None:
        raise InputError(f"{path}: no line `:0` or `:1` in front of the weights; is the file cut off?")
    weights: dict[int, float] = {}
    names: dict[str, int] = {}
    state = {"l1_state": 0.0, "l2_state": 1.0}
    for number, line in enumerate(lines[body + 1 :], body + 2):
        found = WEIGHT.match(line)
        if (word := line.partition(" ")[0]) in state:
            state[word] = _number(line.partition(" ")[2], path, number)
        if found is not None:
            weights[int(found["place"])] = _number(found["weight"], path, number)
            if found["name"] and found["name"] != "Constant" and not found["name"].endswith("]"):
                names[found["name"]] = int(found["place"])
        elif ":" in line.split(" ")[0] and not line.startswith("sd::"):
            raise InputError(f"{path}, line {number}: {line[:60]!r}; expected place:weight or name:place:weight")
    l1, l2 = state.values()
    kept = {where: l2 * math.copysign(max(abs(w) - l1, 0.0), w) for where, w in weights.items()}
    return Readable(int(bits), options, kept, names)


def _number(text: str, path: Path, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{path}, line {line}: {text[:60]!r} is no number") from None


def _options(text: str, path: Path) -> dict[str, str]:
    """Those of the file; a refusal for one under which the model is not linear in its features."""
    words = text.split()
    found: dict[str, str] = {}
    for word, value in zip(words, [*words[1:], ""], strict=False):
        if word.startswith("-"):
            name, _, inside = word.partition("=")
            if name not in TAKES:
                raise Refusal(
                    f"{path}: trained with {name}, under which the model is not one weight a feature; "
                    f"of such options only {', '.join(TAKES)} are understood"
                )
            found[name] = inside or value
    if not found.get("--oaa", "2").isdigit() or not 1 < int(found.get("--oaa", "2")) <= MOST_CLASSES:
        raise InputError(f"{path}: --oaa {found['--oaa']!r}; expected a number of classes")
    return found
