"""A model file of LIBLINEAR -> Model.  Fan, Chang, Hsieh, Wang, Lin 2008.

f = w.x + w_bias bias; of two classes f > 0 is the first of `label`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from widemargin._types import F64
from widemargin.errors import InputError, Refusal
from widemargin.imports.assembled import assembled
from widemargin.model import Model

SOLVERS = {
    "L2R_LR": "logistic", "L2R_LR_DUAL": "logistic", "L1R_LR": "logistic", "L2R_L2LOSS_SVC": "squared_hinge",
    "L2R_L2LOSS_SVC_DUAL": "squared_hinge", "L1R_L2LOSS_SVC": "squared_hinge", "L2R_L1LOSS_SVC_DUAL": "hinge",
    "MCSVM_CS": "hinge",
}  # fmt: skip


def from_liblinear(path: str | Path) -> Model:
    """The model that LIBLINEAR's `train` wrote, of two classes or more; its labels are whole numbers."""
    header, values = _read(Path(path))
    solver = header.get("solver_type", "")
    if solver not in SOLVERS:
        known = ", ".join(SOLVERS)
        raise Refusal(f"{path}: solver_type {solver!r} is no classifier that is known here; expected one of {known}")
    try:
        labels = [int(label) for label in header["label"].split()]
        d, bias = int(header["nr_feature"]), float(header["bias"])
    except (KeyError, ValueError) as error:
        raise InputError(f"{path}: the header lacks or garbles {error}; expected a model of LIBLINEAR") from None
    rows = d + (bias >= 0)
    columns = 1 if len(labels) == 2 and solver != "MCSVM_CS" else len(labels)
    if values.shape != (rows, columns):
        raise InputError(f"{path}: weights of shape {values.shape}; the header announces {(rows, columns)}")
    W, b = values[:d], bias * values[d] if bias >= 0 else np.zeros(columns)
    if len(labels) == 2:
        W, b = (W[:, :1] - W[:, 1:], b[:1] - b[1:]) if columns == 2 else (W, b)
        labels = labels[::-1]
    form = "crammer_singer" if solver == "MCSVM_CS" else "ovr"
    return assembled(W, b, labels, SOLVERS[solver], form, about={"solver": f"LIBLINEAR {solver}"})


def _read(path: Path) -> tuple[dict[str, str], F64]:
    """The header line by line, and the table of numbers below the line `w`."""
    header: dict[str, str] = {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        name, _, value = line.strip().partition(" ")
        if name == "w":
            break
        header[name] = value
        if number > 20:
            raise InputError(f"{path}: no line `w` in the first 20; expected a model of LIBLINEAR")
    else:
        raise InputError(f"{path}: no line `w`; expected a model of LIBLINEAR")
    try:
        found = [[float(word) for word in line.split()] for line in lines[number:] if line.strip()]
        return header, np.array(found, dtype=float).reshape(len(found), -1)
    except ValueError as error:
        raise InputError(f"{path}: below line {number}, the weights cannot be read: {error}") from None
