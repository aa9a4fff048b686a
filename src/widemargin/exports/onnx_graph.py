"""Nodes, tensors and models of ONNX as protocol buffers.  Field numbers are those of onnx.proto, IR version 9."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.exports.protobuf import message

IR, OPSET = 9, 19  # of opset 19 on, texts can be compared
DOUBLE, INT64, STRING, BOOL = 11, 7, 8, 9
KINDS = {"f": DOUBLE, "i": INT64, "b": BOOL}
INT = 2  # the type of an attribute


class Graph:
    """A graph that grows: every method adds a node and returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.tensors: list[bytes] = []
        self.inputs: list[bytes] = []
        self.outputs: list[bytes] = []
        self._names = 0

    def input(self, name: str, kind: int, columns: int) -> str:
        """An input of any number of rows."""
        self.inputs.append(_value(name, kind, columns))
        return name

    def output(self, given: str, name: str, kind: int, columns: int = 0) -> None:
        """An output by a name of one's own."""
        self.nodes.append(message([(1, given), (2, name), (4, "Identity")]))
        self.outputs.append(_value(name, kind, columns))

    def constant(self, values: Any) -> str:
        """Numbers as doubles, whole numbers or truth values, or texts."""
        array: Array = np.asarray(values)
        name = self._name()
        if array.dtype.kind in "UO":
            data: tuple[int, Any] = (6, [str(text).encode() for text in array.ravel().tolist()])
            kind = STRING
        else:
            kind = KINDS[array.dtype.kind]
            data = (9, array.astype({DOUBLE: "<f8", INT64: "<i8", BOOL: "?"}[kind]).tobytes())
        self.tensors.append(message([(1, list(array.shape)), (2, kind), (8, name), data]))
        return name

    def node(self, operator: str, *inputs: str, **attributes: int) -> str:
        """One operator; attributes are whole numbers."""
        name = self._name()
        told = [message([(1, key), (3, value), (20, INT)]) for key, value in attributes.items()]
        self.nodes.append(message([(1, inputs), (2, name), (4, operator), (5, told)]))
        return name

    def model(self, about: str) -> bytes:
        """The whole model."""
        graph = message([(1, self.nodes), (2, "widemargin"), (5, self.tensors), (11, self.inputs), (12, self.outputs)])
        return message([(1, IR), (2, "widemargin"), (6, about), (7, graph), (8, message([(1, ""), (2, OPSET)]))])

    def _name(self) -> str:
        self._names += 1
        return f"widemargin/{self._names}"  # no column is called so


def _value(name: str, kind: int, columns: int) -> bytes:
    """Name and type of an input or output: (rows, columns), or (rows) where columns is 0."""
    dims: Sequence[bytes] = [message([(2, "rows")])] + ([message([(1, columns)])] if columns else [])
    tensor = message([(1, kind), (2, message([(1, dims)]))])
    return message([(1, name), (2, message([(1, tensor)]))])
