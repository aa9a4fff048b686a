"""The model file: magic, length of the header, JSON header, raw little-endian arrays.  Data only, never code."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.errors import ModelFileError, Refusal
from widemargin.loss import CallableLoss, losses
from widemargin.model import Model

MAGIC = b"WIDEMARGIN\x00\x01"
VERSION = 1
LARGEST_HEADER = 64 << 20
KINDS = "fiub"  # floats, ints, unsigned, bool; labels that are text travel in the header


def write(model: Model, path: Path) -> None:
    """Write beside the target, then rename: a crash leaves the old file as it was."""
    if isinstance(model.loss, CallableLoss):
        raise Refusal("a model with a loss given as Python functions cannot be saved: a model file holds data only")
    labels = model.classes
    header: dict[str, Any] = {
        "version": VERSION,
        "loss": model.loss.name,
        "multiclass": model.multiclass,
        "feature_names": model.feature_names,
        "about": dict(model.about),
        "labels": None if labels.dtype.kind in KINDS else [_text(v) for v in labels.tolist()],
        "label_kind": labels.dtype.kind,
    }
    arrays = {"W": model.W, "b": model.b}
    if header["labels"] is None:
        arrays["classes"] = labels
    body, entries = b"", {}
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        entries[name] = {"dtype": raw.dtype.str, "shape": raw.shape, "start": len(body)}
        body += raw.tobytes()
    header["arrays"] = entries
    text = json.dumps(header, allow_nan=True).encode()
    _replace(path, MAGIC + len(text).to_bytes(8, "little") + text + body)


def _text(label: Any) -> str:
    return label.decode("utf-8", "surrogateescape") if isinstance(label, bytes) else str(label)


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent or ".", prefix=path.name, suffix=".part")
    try:
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)  # as any new file; mkstemp's own is private
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read(path: str | Path) -> Model:
    """The model in a file, or a ModelFileError that says what is wrong with it."""
    content = Path(path).read_bytes()
    if not content.startswith(MAGIC):
        raise ModelFileError(f"{path}: not a widemargin model (it does not begin with the magic bytes)")
    start = len(MAGIC) + 8
    length = int.from_bytes(content[len(MAGIC) : start], "little")
    if length > min(LARGEST_HEADER, len(content) - start):
        raise ModelFileError(f"{path}: damaged: the header claims {length} bytes")
    try:
        header = json.loads(content[start : start + length])
        if header["version"] != VERSION:
            raise ModelFileError(f"{path}: version {header['version']} is unknown here; update widemargin")
        arrays = {k: _array(v, content, start + length) for k, v in header["arrays"].items()}
        return _model(header, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, UnicodeError, RecursionError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{path}: damaged: {error}") from None


def _array(entry: dict[str, Any], content: bytes, base: int) -> Array:
    dtype = np.dtype(str(entry["dtype"]))
    shape = tuple(int(k) for k in entry["shape"])
    if dtype.kind not in KINDS or any(k < 0 for k in shape) or len(shape) > 2:
        raise ModelFileError("an array has a type or shape that no model has")
    size = dtype.itemsize
    for k in shape:
        size *= k  # Python integers: no overflow
    start = base + int(entry["start"])
    if int(entry["start"]) < 0 or start + size > len(content):
        raise ModelFileError("an array reaches beyond the end of the file")
    found = np.frombuffer(content, dtype=dtype, count=size // dtype.itemsize, offset=start).reshape(shape)
    return found.astype(dtype.newbyteorder("="))


def _model(header: dict[str, Any], arrays: dict[str, Array]) -> Model:
    W, b = arrays["W"].astype(float), arrays["b"].astype(float)
    labels = arrays.get("classes")
    if labels is None:
        texts = [str(t) for t in header["labels"]]
        binary = header["label_kind"] == "S"
        encoded: list[Any] = [t.encode("utf-8", "surrogateescape") for t in texts] if binary else list(texts)
        labels = np.array(encoded, dtype=object if header["label_kind"] == "O" else None)
    heads = 1 if len(labels) == 2 else len(labels)
    if W.ndim != 2 or b.shape != (W.shape[1],) or W.shape[1] != heads or len(labels) < 2:
        raise ModelFileError("weights, intercepts and labels do not fit together")
    if header["multiclass"] not in ("binary", "ovr", "softmax", "crammer_singer"):
        raise ModelFileError("unknown kind of multiclass model")
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        raise ModelFileError("a weight is not finite")
    names = header["feature_names"]
    names = None if names is None else tuple(str(n) for n in names)
    if names is not None and len(names) != len(W):
        raise ModelFileError("as many feature names as weights are expected")
    return Model(labels, W, b, losses[header["loss"]], header["multiclass"], names, dict(header["about"]))
