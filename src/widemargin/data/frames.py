"""Tables of numbers: nested lists, NumPy arrays or data frames -> an array that the core reads where it lies.

Nothing is rounded and little is copied: float32, float64, integers and booleans are borrowed in any order of memory.
What else there is (float16, objects, columns of several types) becomes float32 or float64; integers that become
float64, here or when they are read, must survive that unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from widemargin._types import Array
from widemargin.errors import InputError, InputTypeError

Names = tuple[str, ...] | None
Where = Callable[[int], str]  # flat position -> its place in words

MAX_COLUMNS = 2**31 - 1
ENCODE = "one-hot encode them (pandas.get_dummies does it, and so does the command `widemargin fit`)"
TABLE = "expected a table of numbers: a NumPy array, nested lists, a SciPy sparse matrix or a data frame"
LIBRARIES = {"pandas", "polars", "pyarrow", "narwhals", "modin", "cudf", "duckdb", "dask", "ibis", "pyspark"}
PROTOCOLS = ("__dataframe__", "__narwhals_dataframe__", "__arrow_c_stream__")


def _row(k: int) -> str:
    return f"row {k} (counted from 0)"


def cell(row: int, column: int, names: Names = None) -> str:
    """Where a number stands, in words."""
    if names is None:
        return f"row {row}, column {column} (counted from 0)"
    return f"row {row} (counted from 0), column {names[column]!r}"


def check_shape(what: str, shape: tuple[int, ...]) -> tuple[int, int]:
    """(n, d) of a table, or what to do about its shape."""
    if len(shape) == 2:
        if shape[1] == 0:
            raise InputError(f"{what} has shape {shape}: no columns; expected at least one. Add a feature.")
        if shape[1] > MAX_COLUMNS:
            raise InputError(
                f"{what} has {shape[1]} columns: more columns than 2**31 - 1, the most there can be. "
                "Select some of them, or hash them into fewer."
            )
        return shape[0], shape[1]
    remedy = "Pass one row per example."
    if len(shape) == 1:
        remedy = f"As an array, pass {what}[:, None] for one column, {what}[None, :] for one row."
    elif len(shape) > 2:
        remedy = f"Flatten each example: {what}.reshape(len({what}), -1)."
    raise InputError(f"{what} is {len(shape)}-dimensional, shape {shape}; expected a table, shape (n, d). {remedy}")


def numbers(a: Array, what: str, where: Where) -> Array:
    """The same numbers as native float32 or float64, in C order if copied."""
    kind, size = a.dtype.kind, a.dtype.itemsize
    if kind == "f":
        if size in (4, 8):
            return a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("="), order="C")
        with np.errstate(over="ignore"):  # a long double beyond 1e308 becomes inf, which is reported as such
            return a.astype(np.float32 if size == 2 else np.float64, order="C")
    if kind in "bui":
        if size <= 2:
            return a.astype(np.float32, order="C")
        out = a.astype(np.float64, order="C")
        if size == 8 and out.size and max(out.max(), -out.min()) >= 2.0**53:
            for k in np.flatnonzero(np.abs(out) >= 2.0**53).tolist():
                _check_integer(int(a.flat[k]), what, where, k)
        return out
    if a.size == 0:
        return np.empty(a.shape)
    if kind == "O":
        return _objects(a, what, where)
    raise InputTypeError(_foreign(a, what, where))


def _check_integer(value: int, what: str, where: Where, k: int) -> None:
    """float64 has 53 binary digits, from the first to the last that is not 0."""
    if -(2**53) <= value <= 2**53:
        return
    odd = abs(value) >> ((value & -value).bit_length() - 1)
    if odd.bit_length() > 53 or value.bit_length() > 1024:
        raise InputError(
            f"{what} has the integer {short(value)} at {where(k)}; float64 is exact only up to 2**53. "
            "If it is an identifier, drop it; if rounding is right, convert with astype(float)."
        )


def is_real(kind: type) -> bool:
    """Whether it is a type of real numbers; NumPy counts durations among its integers."""
    return issubclass(kind, Real | Decimal | np.bool_) and not kind.__name__.startswith("timedelta")


def _objects(a: Array, what: str, where: Where) -> Array:
    """Python objects that are all real numbers."""
    flat = a.ravel().tolist()
    kinds = set(map(type, flat))
    wrong = {kind for kind in kinds if not is_real(kind)}
    if wrong:
        k = next(k for k, value in enumerate(flat) if type(value) in wrong)
        raise InputTypeError(f"{what} has {_named(flat[k])} at {where(k)}; expected a number. {_remedy(flat[k])}")
    if any(issubclass(kind, Integral) for kind in kinds):
        for k, value in enumerate(flat):
            if isinstance(value, Integral):
                _check_integer(int(value), what, where, k)
    try:
        return np.array([float(value) for value in flat]).reshape(a.shape)
    except (OverflowError, ValueError) as error:
        raise InputError(f"{what} has a number that float64 cannot hold: {error}. Rescale or replace it.") from None


def missing(value: object) -> bool:
    """None, NaN, and what pandas and NumPy have for "not known"."""
    return value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant") or bool(value != value)


def short(value: object) -> str:
    """A value as Python writes it, of a length that fits a message."""
    if isinstance(value, int) and value.bit_length() > 1024:
        return f"of {value.bit_length()} binary digits"
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _named(value: object) -> str:
    if isinstance(value, str | bytes):
        return f"the text {short(value)}"
    return "None" if value is None else f"{short(value)}, a value of type {type(value).__name__},"


def _remedy(value: object) -> str:
    if isinstance(value, str | bytes):
        return f"Numbers written as text: convert with astype(float). Categories: {ENCODE}."
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return "A value is missing: fill it (a column of X with its median, for example) or drop the row."
    return "Give one real number per cell."


def _foreign(a: Array, what: str, where: Where) -> str:
    """What to do about a dtype that holds no real numbers."""
    came = f"{what} has dtype {a.dtype}"
    if a.dtype.kind in "SUT":
        return f"{what} has {_named(a.flat[0])} at {where(0)}; expected a number. {_remedy(a.flat[0])}"
    if a.dtype.kind == "c":
        return f"{came}, complex numbers; expected real ones. Pass the real and imaginary parts as two columns."
    if a.dtype.kind in "mM":
        return f"{came}, dates or durations; expected numbers. Convert: days since a fixed date, weekday, ..."
    if a.dtype.names is not None:
        return f"{came}, records; expected numbers. See numpy.lib.recfunctions.structured_to_unstructured."
    return f"{came}; expected real numbers. Convert with astype(float)."


def unmasked(a: Array, what: str) -> Array:
    """A masked array of which nothing is masked, as an array; other arrays as they are."""
    if not isinstance(a, np.ma.MaskedArray):
        return a
    hidden = np.argwhere(np.ma.getmaskarray(a))
    if len(hidden):
        raise InputError(
            f"{what} has a masked value at index {tuple(hidden[0].tolist())}; expected no gaps. "
            f"Fill it, for example {what}.filled(0), or drop the row."
        )
    return np.asarray(a.data)


def as_array(values: Any, what: str, expected: str) -> Array:
    """Whatever NumPy reads as an array of at least one dimension; no number turns into text on the way."""
    if isinstance(values, np.ndarray):
        return np.asarray(unmasked(values, what))
    try:
        a = np.asarray(values)
    except Exception as error:  # an object may fail to become an array in any way it likes
        raise InputTypeError(
            f"{what} ({_kind(values)}) cannot be read: {_uneven(values) or error}; {expected}."
        ) from None
    if a.ndim == 0:
        raise InputTypeError(f"{what} is {_kind(values)}; {expected}.")
    if a.dtype.kind in "SU" and isinstance(values, list | tuple):
        return np.array(values, dtype=object)
    return a


def _kind(values: object) -> str:
    return "None" if values is None else f"of type {type(values).__name__}"


def _uneven(values: Any) -> str:
    """Where nested lists stop having one length."""
    rows = values if isinstance(values, list | tuple) else ()
    sizes = [len(row) if isinstance(row, list | tuple) else None for row in rows]
    odd = next((i for i, size in enumerate(sizes) if size != sizes[0]), None)
    return "" if odd is None else f"row {odd} has {sizes[odd]} values where row 0 has {sizes[0]}"


def borrowed(a: Array, what: str, where: Where) -> Array:
    """The table itself where the core can read it, whatever its strides; else the same numbers in a copy."""
    if len(a) == 0:
        return np.empty((1, a.shape[1]))[:0]  # NumPy's own empty arrays have strides of 0
    if a.dtype.kind not in "buif" or (a.dtype.kind == "f" and a.dtype.itemsize not in (4, 8)):
        return numbers(a, what, where)
    if a.dtype.isnative and a.flags.aligned and not any(step % a.itemsize for step in a.strides):
        return a
    return a.astype(a.dtype.newbyteorder("="), order="C")


def table(X: Any) -> tuple[Array, Names]:
    """The numbers of X, and the names of its columns if it has any."""
    if not isinstance(X, np.ndarray):
        if type(X).__module__.partition(".")[0] in LIBRARIES or any(hasattr(X, p) for p in PROTOCOLS):
            return _frame(X)
        if isinstance(X, dict | set | str | bytes):
            raise InputTypeError(f"X is of type {type(X).__name__}; {TABLE}. A file is read by `widemargin fit`.")
    a = as_array(X, "X", TABLE)
    _, d = check_shape("X", a.shape)
    return borrowed(a, "X", lambda k: cell(k // d, k % d)), None


def _frame(X: Any) -> tuple[Array, Names]:
    """A data frame of pandas, polars, Arrow or any library that narwhals knows."""
    frame = _narwhal(X)
    _, d = check_shape("X", frame.shape)
    given = list(frame.columns)
    names = None if given == list(range(d)) else tuple(map(str, given))
    schema = frame.schema
    _refuse_columns(schema.items())
    kinds = set(schema.values())
    if len(kinds) == 1 and kinds.pop().__class__.__name__ in ("Float32", "Float64"):
        return borrowed(frame.to_numpy(), "X", lambda k: cell(k // d, k % d, names)), names
    read = []
    for j, column in enumerate(frame.iter_columns()):
        what = f"column {j if names is None else repr(names[j])} of X"
        read.append(numbers(as_array(column, what, "expected a column of numbers"), what, _row))
    return np.stack(read, axis=1), names


def _narwhal(X: Any) -> Any:
    """X as narwhals sees it; it is imported here, for frames only."""
    if type(X).__name__.endswith(("Series", "Array")) or getattr(X, "ndim", 2) == 1:
        raise InputError(
            f"X is a {type(X).__name__}: 1-dimensional; {TABLE}. Make it a frame, for example X.to_frame()."
        )
    try:
        import narwhals as nw
    except ImportError:
        raise InputTypeError(
            f'X is a {type(X).__name__}; reading it needs narwhals: pip install "widemargin[frames]". '
            "Or pass its numbers: X.to_numpy()."
        ) from None
    try:
        return nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError:
        raise InputError("X has two columns of the same name; expected different names. Rename one of them.") from None
    except TypeError:
        if hasattr(X, "__arrow_c_stream__"):
            return nw.from_arrow(X, backend="pyarrow")
        raise InputTypeError(
            f"X is a {type(X).__module__}.{type(X).__name__}, whose rows are not in memory; {TABLE}. "
            "Collect it first: X.collect(), X.compute() or X.to_pandas()."
        ) from None


def _refuse_columns(schema: Iterable[tuple[object, Any]]) -> None:
    """Names all columns that hold no numbers, with what to do about the first kind."""
    remedies = dict.fromkeys(("String", "Categorical", "Enum"), ENCODE)
    days = "make numbers of them: year, weekday, days since a fixed date"
    remedies |= dict.fromkeys(("Date", "Datetime", "Duration", "Time"), days)
    remedies |= dict.fromkeys(("List", "Array", "Struct", "Binary"), "give each number a column of its own")
    wrong = [(name, str(kind)) for name, kind in schema if kind.__class__.__name__ in remedies]
    if wrong:
        shown = ", ".join(f"{name!r} ({kind})" for name, kind in wrong[:5])
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        remedy = remedies[wrong[0][1].partition("(")[0]]
        raise InputTypeError(f"X has columns that hold no numbers: {shown}{more}. Drop them, or {remedy}.")
