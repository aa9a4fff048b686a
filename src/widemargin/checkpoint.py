"""A fit on disk, as it stands after an outer step: State, best point and bound so far, trace.

One .npz file of arrays without pickles; everything that is no array is JSON in one of them.  It is written beside the
target and renamed, and every array carries a checksum.  Reading it, a killed fit goes on and makes the same steps.
"""

from __future__ import annotations

import io
import json
import os
import time
import zipfile
import zlib
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from widemargin._types import Array
from widemargin.errors import CheckpointError, Verdict
from widemargin.events import COLUMNS, Event, Trace
from widemargin.objective import Theta
from widemargin.solve.loop import Outcome, Progress
from widemargin.solve.protocol import Problem, Solver, State

VERSION = 1
SHARE = 0.05  # of a fit's time that writing may take
TEXT = "checkpoint.json"
DAMAGE = (
    OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, EOFError, RuntimeError, MemoryError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
REMEDY = "Remove it to begin anew, or give another file"


class Saved(NamedTuple):
    """What a file holds: the stage that was running, and how the best one before it ended."""

    stage: int
    state: State
    best: dict[str, Any]  # the fields of Progress
    events: list[Event]
    ended: tuple[int, Outcome] | None


def fingerprint(problem: Problem, seed: int, solvers: list[Solver]) -> str:
    """What must be the same for a fit to go on: objective, labels, weights, sums of X over each class, solvers."""
    objective, source = problem.objective, problem.source
    sums = np.ascontiguousarray(problem.anchors.sums)
    rows = [a for a in (source.y, source.s, source.o, sums) if a is not None]
    if objective.terms is not None:
        rows += [objective.terms.factor, objective.terms.sd, objective.terms.low, objective.terms.high]
    digest = 0
    for array in rows:
        digest = zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, digest)
    told = [
        objective.loss.name, objective.penalty.text, objective.alpha, objective.intercept, objective.multiclass,
        source.n, source.d, source.nnz, seed, problem.shuffle, str(problem.schedule), *map(repr, solvers), digest,
    ]  # fmt: skip
    return json.dumps(told)


class Keeper:
    """Writes now and then: not before twenty times as long as writing takes has passed."""

    def __init__(self, path: str | Path, mark: str) -> None:
        self.path, self.mark = Path(path), mark
        self.stage, self.ended = 0, None  # type: int, tuple[int, Outcome] | None
        self._next = 0.0

    def keep(self, state: State, progress: Progress, trace: Trace, *, now: bool = False) -> None:
        """Write the state down, if it is time."""
        begun = time.monotonic()
        if not now and begun < self._next:
            return
        write(self.path, self.mark, self.stage, state, progress, trace, self.ended)
        done = time.monotonic()
        self._next = done + (done - begun) / SHARE

    def read(self) -> Saved | None:
        """What is there; None where nothing is."""
        return read(self.path, self.mark) if self.path.exists() else None

    def remove(self) -> None:
        """The fit is done."""
        self.path.unlink(missing_ok=True)


class _Arrays:
    """Plain data with arrays in it <-> JSON and a dict of arrays."""

    def __init__(self, arrays: dict[str, Array] | None = None) -> None:
        self.arrays: dict[str, Array] = {} if arrays is None else arrays

    def told(self, value: Any) -> Any:
        """JSON; arrays become names."""
        if isinstance(value, np.ndarray):
            name = f"array{len(self.arrays)}"
            self.arrays[name] = value
            return {"array": name}
        if isinstance(value, Theta):
            return {"theta": [self.told(value.W), self.told(value.b)]}
        if isinstance(value, Verdict):
            return {"verdict": value.name}
        if isinstance(value, dict):
            return {"dict": {key: self.told(part) for key, part in value.items()}}
        return value.item() if isinstance(value, np.generic) else value

    def read(self, told: Any) -> Any:
        """The value again."""
        if not isinstance(told, dict):
            return told
        ((kind, inner),) = told.items()
        if kind == "array":
            return self.arrays[inner]
        if kind == "theta":
            return Theta(*(self.read(part) for part in inner))
        return Verdict[inner] if kind == "verdict" else {key: self.read(part) for key, part in inner.items()}


def _state(pack: _Arrays, state: State) -> dict[str, Any]:
    return {f.name: pack.told(getattr(state, f.name)) for f in fields(state) if f.name != "cache"}


def _outcome(pack: _Arrays, outcome: Outcome) -> dict[str, Any]:
    told = {f.name: pack.told(getattr(outcome, f.name)) for f in fields(outcome) if f.name != "state"}
    return told | {"state": _state(pack, outcome.state)}


def write(
    path: Path, mark: str, stage: int, state: State, progress: Progress, trace: Trace, ended: tuple[int, Outcome] | None
) -> None:  # fmt: skip
    """Whole or not at all."""
    pack = _Arrays()
    told = {
        "version": VERSION, "mark": mark, "stage": stage, "state": _state(pack, state),
        "best": {name: pack.told(getattr(progress, name)) for name in Progress.FIELDS},
        "events": [[getattr(event, name) for name in COLUMNS] for event in trace],
        "ended": None if ended is None else [ended[0], _outcome(pack, ended[1])],
    }  # fmt: skip
    text = np.frombuffer(json.dumps(told).encode(), np.uint8)
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as out:
            np.savez(out, allow_pickle=False, **{TEXT: text}, **pack.arrays)
            out.flush()
            os.fsync(out.fileno())
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise CheckpointError(
            f"{path} cannot be written: {error.strerror or error}. Make room, or give another file; the last "
            "checkpoint is as it was."
        ) from error


def read(path: Path, mark: str) -> Saved:
    """What `write` left, or a CheckpointError that says what is wrong with it."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        told = json.loads(arrays.pop(TEXT).tobytes())
        version, known = told["version"], told["mark"]
        pack = _Arrays(arrays)
        if version == VERSION and known == mark:
            return _saved(pack, told)
    except DAMAGE as error:
        raise CheckpointError(f"{path} is damaged or no checkpoint: {error}. {REMEDY}.") from None
    if version != VERSION:
        raise CheckpointError(f"{path} is of version {version}; this program reads version {VERSION}. {REMEDY}.")
    raise CheckpointError(f"{path} is of another fit: data, objective, seed or solver differ. {REMEDY}.")


def _saved(pack: _Arrays, told: dict[str, Any]) -> Saved:
    def state(plain: dict[str, Any]) -> State:
        return State(**{name: pack.read(value) for name, value in plain.items()})

    ended = told["ended"]
    if ended is not None:
        plain = dict(ended[1])
        last = state(plain.pop("state"))
        ended = int(ended[0]), Outcome(**{name: pack.read(value) for name, value in plain.items()}, state=last)
    best = {name: pack.read(value) for name, value in told["best"].items()}
    events = [Event(**dict(zip(COLUMNS, event, strict=True))) for event in told["events"]]
    return Saved(int(told["stage"]), state(told["state"]), best, events, ended)
