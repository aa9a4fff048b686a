from typing import Any, Annotated, overload

import numpy
from numpy.typing import NDArray


def level() -> str:
    """the instruction-set level that dense rows use"""

def losses() -> list[dict[str, Any]]: ...

@overload
def loss_value(loss: int, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_value(loss: int, z: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_d1(loss: int, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_d1(loss: int, z: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_d2(loss: int, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_d2(loss: int, z: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_conjugate(loss: int, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_conjugate(loss: int, z: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_probability(loss: int, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_probability(loss: int, z: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_subdifferential(loss: int, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lo: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], hi: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def loss_subdifferential(loss: int, z: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], lo: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], hi: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def loss_prox(loss: int, c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], q: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def penalties() -> list[dict[str, Any]]: ...

def penalty_value(penalty: int, parameter: float, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

def penalty_prox(penalty: int, parameter: float, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], t: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def penalty_distance(penalty: int, parameter: float, g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

def penalty_conjugate(penalty: int, parameter: float, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

def penalty_dual_norm(penalty: int, parameter: float, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

def penalty_at(penalty: int, parameter: float) -> tuple[Any, ...]:
    """(convex, norm, separable, smooth, l1 share, l2 share)"""

class Rows:
    @property
    def n(self) -> int: ...

    @property
    def d(self) -> int: ...

@overload
def dense(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> Rows: ...

@overload
def dense(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]) -> Rows: ...

def strided(x: Annotated[NDArray[Any], dict(shape=(None, None), device='cpu', writable=False)]) -> Rows:
    """a table of any real type, whatever its strides"""

@overload
def sparse(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int) -> Rows: ...

@overload
def sparse(x: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int) -> Rows: ...

@overload
def sparse(x: object | None, indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int) -> Rows: ...

def scores(rows: Rows, W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int = 1) -> None: ...

def transposed_scores(rows: Rows, C: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leaf: int = 1048576, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """X' C, (d, K) one row after the other"""

def class_sums(rows: Rows, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, inverse_weight: float, classes: int, leaf: int, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """sum of p x over each class, (C, d) one row after the other"""

def reach(rows: Rows, C: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leaf: int, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """sum of |c x|, (d, K)"""

@overload
def gather(from_: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pieces: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], to: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None: ...

@overload
def gather(from_: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pieces: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], to: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None: ...

@overload
def gather(from_: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pieces: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], to: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None: ...

def sqnorms(rows: Rows, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def scan(rows: Rows, threads: int = 1) -> tuple[Any, ...]:
    """
    (row, column) of the first entry that is not finite or -1, largest |x| and its column
    """

@overload
def all_ones(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> bool: ...

@overload
def all_ones(x: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> bool: ...

@overload
def falls(indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """the first entry where indptr falls, or -1"""

@overload
def falls(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

@overload
def check_indices(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int, narrow: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None, threads: int = 1) -> tuple[Any, ...]:
    """
    (where the first index out of range is or -1, whether every row's columns rise)
    """

@overload
def check_indices(indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int, narrow: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None, threads: int = 1) -> tuple[Any, ...]: ...

def unique_columns(indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int) -> bool:
    """no row names a column twice"""

@overload
def turn(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int, to: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], to_indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], to_indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None:
    """the columns of CSR rows, one after the other"""

@overload
def turn(x: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int, to: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], to_indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], to_indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None: ...

@overload
def turn(x: object | None, indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int, to: object | None, to_indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], to_indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None: ...

@overload
def copy(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int = 1) -> None:
    """any strides to C order"""

@overload
def copy(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], threads: int = 1) -> None: ...

@overload
def two_labels(given: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> int: ...

@overload
def two_labels(given: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> int: ...

@overload
def two_labels(given: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> int: ...

@overload
def two_labels(given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> int: ...

@overload
def two_labels(given: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> int: ...

@overload
def two_labels(given: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> int:
    """
    where the other of two labels is first met, y written; 0 where there are not two
    """

def dual_points(loss: int, heads: str, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """a = -l'(z); softmax: probabilities"""

def dual_sums(loss: int, heads: str, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, o: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, inverse_weight: float, a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """T, sum p a y, sum |p a y|, sum p a y o per column, (4, K)"""

def mix_duals(heads: str, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], side: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """a <- (1 - theta) a + theta target"""

def signed_duals(heads: str, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, inverse_weight: float, a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """p a y; softmax: p (own - a)"""

def shifted_sums(loss: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, inverse_weight: float, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, heads: int, k: int, b: float, threads: int) -> tuple[Any, ...]:
    """
    sum p l, sum p l' y, sum p l'', sum |p l'|, sum of p where z <= 0, at scores + b
    """

def class_facts(y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, o: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, inverse_weight: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """p, and p o, summed over each class"""

class Tree:
    def __init__(self, arg: int, /) -> None: ...

    def take(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def fold_size(want: str, heads: str, K: int, d: int) -> int: ...

def fold_parts(size: int, n: int, rows: int, leaf: int, threads: int) -> int:
    """how many sums of `size` numbers a fold holds at most"""

def fold(tree: Tree, rows: Rows, want: str, loss: int, heads: str, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, o: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, inverse_weight: float, W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Db: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, curvature: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, leaf: int, threads: int) -> None: ...

class Epochs:
    def __init__(self, *, l1: float, l2: float, intercept: bool, intercept_rate: float, average_from: int, passive: int, watch: bool, watch_l1: float, watch_l2: float, most: int, tol: float, patience: int, schedule: str, eta: float, alpha: float, power: float, shuffled: bool) -> None: ...

def sgd_epochs(options: Epochs, rows: Rows, loss: int, epsilon: float, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, held: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, W: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sum_W: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, sum_b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, t: int, seed: int, listener: object | None) -> tuple[Any, ...]:
    """(passes, iterates averaged, whether all stayed finite)"""

class Steps:
    def __init__(self, capacity: int, updates_only: bool) -> None: ...

    @property
    def stride(self) -> int: ...

    def arrays(self) -> tuple[Any, ...]: ...

def sgd_pass(rows: Rows, loss: int, heads: str, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, o: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, mean_weight: float, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sum_W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, sum_b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, pocket_W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, pocket_b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, eta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float, l2: float, implicit: bool, intercept: bool, intercept_rate: float, batch: int, average_from: int, t: int, run: int, pocket_run: int, steps: Steps | None) -> tuple[Any, ...]: ...

def dual_cd_sweep(rows: Rows, loss: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, o: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, inverse_weight: float, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sqnorms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], alpha: float, bias_sq: float) -> float: ...

def solve_positive(H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> bool:
    """x = H^-1 g; False if H is not positive definite"""

def solve_factored(L: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """x <- (L L')^-1 x, in place"""

def mirror(H: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """upper triangles to lower ones, in place"""

def inner(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> float: ...

def distance(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> float: ...

class Columns:
    def __init__(self, rows: Rows, turned: bool = False) -> None: ...

    @property
    def count(self) -> int: ...

    @property
    def nnz(self) -> int: ...

    def gather(self, rows: Rows, ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], turned: bool = False, threads: int = 1) -> None:
        """appends columns of X from its rows, or from those of X'"""

    def scale(self, root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], r: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], hess: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], on_b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None: ...

    def add(self, c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """out += X c"""

    def descend(self, root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], hess: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], on_b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: tuple[int, float, float, float, float], l1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tau: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], shift: float, tolerance: float, work: float) -> tuple[Any, ...]:
        """(shift, worst violation, values touched, whether done)"""

def cd_gram(H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], l1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], r: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tolerance: float, work: float) -> tuple[Any, ...]:
    """(worst violation, values touched, whether done)"""

def judge(loss: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, curvature: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, threads: int = 1) -> tuple[Any, ...]:
    """(value, errors) at these scores"""

def dual_rounds(rows: Rows, loss: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, o: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, inverse_weight: float, sqnorms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bucket: int, parts: int, rounds: int, range: tuple[int, int], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], alpha: float, bias_sq: float, threads: int) -> tuple[Any, ...]:
    """
    rounds of a sweep; (largest change of a margin, about the gap met, smallest merge)
    """

def cg_curve(p: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], M: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], l2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pq: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], pMp: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

def cg_step(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], r: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], p: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], M: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rr: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], rz: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

def cg_turn(p: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], r: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], M: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], beta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> None: ...

def kink_marks() -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """what sweeps know of themselves before the first"""

def kink_sweeps(rows: Rows, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sqnorms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float, bias_sq: float, keep: float, drag: float, active: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], count: int, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], shuffle: bool, seed: int, aim: float, fewest: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], marks: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """the number of rows still active"""

def parse_libsvm(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], narrow: bool = False, threads: int = 1) -> dict[str, Any]:
    """
    y, indptr, indices, values (None: all 1), and `bad`: (line, column, start, end, what was expected)
    """

def parse_vw(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: int, narrow: bool = False, threads: int = 1) -> dict[str, Any]:
    """
    as parse_libsvm, with weights s and offsets o; a label is NaN where there is none
    """

def add_symmetric(A: Annotated[NDArray[Any], dict(shape=(None, None), device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], rough: bool, threads: int) -> None:
    """C += A A'; rough: from products in single precision"""

def factor_symmetric(H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> bool:
    """
    the lower triangle of H <- L, H = L L'; what is above is scratch; False if H is not positive definite
    """

def adaptive_pass(rows: Rows, loss: int, heads: str, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, o: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, mean_weight: float, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, Z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], N: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], zb: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], nb: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], eta: float, start: float, l1: float, l2: float, proximal: bool, intercept: bool, t: int) -> tuple[Any, ...]:
    """(steps so far, mistakes, rows that changed the weights)"""

def saga_pass(rows: Rows, loss: int, heads: str, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, o: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, mean_weight: float, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], eta: float, l1: float, l2: float, intercept: bool, W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], slopes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], mean_b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """mistakes"""

def column_counts(rows: Rows, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """rows in which each column is not 0"""
