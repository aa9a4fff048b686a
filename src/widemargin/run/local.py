"""Local: the reducer of one machine.  Leaves of rows to threads, partial sums in a fixed tree.

Leaves depend on n, non-zeros and columns only: the bits of a sum are the same at any thread count and block size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from widemargin import _core
from widemargin._types import F64
from widemargin.data.block import Block
from widemargin.data.rows import SERIAL_WORK
from widemargin.data.source import ArraySource
from widemargin.loss import CallableLoss
from widemargin.objective import Objective, Theta
from widemargin.solve.protocol import Kept, Sums, Task
from widemargin.solve.watch import Watch, pieces

CALL_WORK = 2e9  # multiply-adds of a dense pass that one call of the core may take
SPARSE_COST = 10  # of a stored value beside one of a dense row
LEAVES = 64  # at most; fewer when a partial sum is wide


def leaf_rows(n: int, work: int, width: int, least: int = 1024) -> int:
    """Rows per leaf: a power of two, so that partial sums cost at most a quarter of the work."""
    leaves = max(2, min(LEAVES, work // (4 * width + 1)))
    rows = 1024
    while rows < least:
        rows *= 2
    while rows * leaves < n:
        rows *= 2
    return rows


def call_rows(source: ArraySource, work: int, leaf: int, threads: int) -> int:
    """Rows that one call of the core may take: whole leaves, a fraction of a second, so that Ctrl-C is heard."""
    each = work / max(1, source.n // leaf) * (SPARSE_COST if source.X.sparse else 1)
    return leaf * threads * max(1, int(CALL_WORK / (each * threads + 1)))


@dataclass(frozen=True)
class Local:
    """Threads of this machine."""

    threads: int = 1
    watch: Watch = field(default_factory=Watch, compare=False)

    def fold(self, source: ArraySource, objective: Objective, task: Task, kept: Kept | None = None) -> Sums:
        """Add up one task over all rows."""
        self.watch.poll()
        if isinstance(objective.loss, CallableLoss):
            from widemargin.run.callable import fold_callable

            return fold_callable(source, objective, task, kept)
        W, b = task.theta
        size, work, leaf, threads = self._cut(source, objective, task.kind)
        tree = _core.Tree(size)
        D, Db = (None, None) if task.direction is None else (_c(task.direction.W), task.direction.b)
        scores, curvature = (None, None) if kept is None else (kept.get("scores"), kept.get("curvature"))
        inverse = 1.0 / source.total_weight
        W = _c(W)
        for block in source.blocks(call_rows(source, work, leaf, threads)):
            self.watch.poll()
            rows = slice(block.start, block.start + block.X.n)
            _core.fold(
                tree, block.X.core, task.kind, objective.loss.index, objective.multiclass, block.y, block.s, block.o,
                inverse, W, b, D, Db,
                None if scores is None else scores[rows], None if curvature is None else curvature[rows], leaf, threads,
            )  # fmt: skip
        return unpack(tree.take(), task.kind, objective, source.d)

    def _cut(self, source: ArraySource, objective: Objective, kind: str) -> tuple[int, int, int, int]:
        """Numbers of one sum, work of the pass, rows of a leaf, threads."""
        size = _core.fold_size(kind, objective.multiclass, objective.K, source.d)
        work = source.nnz * objective.K * (source.d // 2 + 1 if "gram" in kind else 1)
        leaf = leaf_rows(source.n, work, size, 2 * source.d if "gram" in kind and not source.X.sparse else 1024)
        return size, work, leaf, self.threads if work > SERIAL_WORK else 1

    def room(self, source: ArraySource, objective: Objective, kind: str) -> float:
        """Bytes of the partial sums of a fold."""
        size, work, leaf, threads = self._cut(source, objective, kind)
        rows = min(source.n, call_rows(source, work, leaf, threads))
        return 8.0 * size * _core.fold_parts(size, source.n, rows, leaf, threads)

    def products(self, source: ArraySource, R: F64) -> F64:
        """X' R, (d, K)."""
        return self._added(_core.transposed_scores, source, R)

    def reach(self, source: ArraySource, R: F64) -> F64:
        """|X|' |R|, (d, K): what the rounding of X' R is measured by."""
        return self._added(_core.reach, source, R)

    def _added(self, kernel: Callable[..., F64], source: ArraySource, R: F64) -> F64:
        """What a kernel finds in each block of rows, added up."""
        R, K = _c(R), R.shape[1]
        leaf, threads = leaf_rows(source.n, source.nnz * K, source.d * K), self._threads(source)
        found = (
            kernel(block.X.core, R[block.start : block.start + block.X.n], leaf, threads)
            for block in self._blocks(source, K)
        )
        return reduce(np.add, found).reshape(source.d, K)

    def class_sums(self, source: ArraySource) -> F64:
        """(d, C) sum of p x over each class."""
        C, inverse, threads = source.classes, 1.0 / source.total_weight, self._threads(source)
        leaf = leaf_rows(source.n, source.nnz, C * source.d)
        found = (
            _core.class_sums(block.X.core, block.y, block.s, inverse, C, leaf, threads)
            for block in self._blocks(source, 1)
        )
        return reduce(np.add, found).reshape(C, source.d).T

    def _blocks(self, source: ArraySource, K: int) -> Iterator[Block]:
        """All rows, as many as one call of the core may take."""
        for block in source.parts():
            for rows in pieces(block.X.n, block.X.nnz * K / max(1, block.X.n)):
                self.watch.poll()
                yield block.part(rows)

    def _threads(self, source: ArraySource) -> int:
        return self.threads if source.nnz > SERIAL_WORK else 1

    def scores(self, source: ArraySource, theta: Theta) -> F64:
        """X W + b + o, (n, K)."""
        out, W = np.empty((source.n, theta.W.shape[1])), _c(theta.W)
        for block in self._blocks(source, W.shape[1]):
            _core.scores(block.X.core, W, out[block.start : block.start + block.X.n], self._threads(source))
        out += theta.b
        if source.o is not None:
            out += source.o.reshape(source.n, -1)
        return out


def _c(A: F64) -> F64:
    return np.ascontiguousarray(A)


def unpack(flat: F64, kind: str, objective: Objective, d: int) -> Sums:
    """Named views of the flat sums, in the order that core/sums.hpp lays them out."""
    H, K = objective.heads, objective.K
    if kind in ("product", "diagonal"):
        return Sums(flat[:0], flat[:0], Theta(flat[: d * K].reshape(d, K), flat[d * K :]))
    value, errors, rest = flat[:H], flat[H : 2 * H], flat[2 * H :]
    if kind == "value":
        return Sums(value, errors)
    gradient = Theta(rest[: d * K].reshape(d, K), rest[d * K : (d + 1) * K])
    if objective.intercept == "none":
        gradient.b[:] = 0.0
    if kind == "gradient":
        return Sums(value, errors, gradient)
    blocks, side = (1, (d + 1) * K) if objective.joint else (K, d + 1)
    gram = rest[(d + 1) * K :].reshape(blocks, side, side)
    _core.mirror(gram)
    return Sums(value, errors, gradient, gram)
