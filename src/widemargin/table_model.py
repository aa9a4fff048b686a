"""How a model that was fitted to a table reads one: `about.schema` of the model, as an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from widemargin.data.schema import Column, Number, Read, Schema, listed
from widemargin.errors import InputError, ModelFileError
from widemargin.model import Model


class Table(NamedTuple):
    """The columns and their features, and the name of the column that is predicted."""

    schema: Schema
    target: str
    gaps: bool = True  # whether training knew what to make of a gap

    def read(self, cells: Mapping[str, Column]) -> Read:
        """The rows; where no gap may be, one is an error."""
        found = self.schema.read(cells)
        if found.notes and not self.gaps:
            column, text = found.notes[0]
            raise InputError(f"column {column!r}: {text.partition(':')[0]}; expected a number in every row.")
        return found


def table_of(model: Model) -> Table | None:
    """What the model says of tables; None: it was fitted to numbers.  A ModelFileError where it says nonsense."""
    told = model.about.get("schema")
    if told is None:
        return None
    try:
        found = Table(Schema.from_plain(told["columns"]), str(told["target"]))
    except KeyError as error:
        raise ModelFileError(f"damaged: the schema lacks {error}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(f"damaged: the schema of the table cannot be read ({error})") from None
    if len(found.schema.features) != len(model.W):
        raise ModelFileError(f"damaged: {len(found.schema.features)} features, {len(model.W)} weights")
    return found


def reading(model: Model, columns: Sequence[str]) -> Table:
    """How the model reads a table with these columns.

    One that was fitted to numbers finds them by the names of its features; if it has no names, every column is one.
    """
    found = table_of(model)
    if found is not None:
        return found
    names = model.feature_names or tuple(columns)
    if len(names) != len(model.W):
        raise InputError(
            f"the model has {len(model.W)} features without names, and the table has {len(columns)} columns: expected "
            f"just these, in the order of the fit; it has {listed(list(columns))}."
        )
    return Table(Schema(tuple(Number(name, 0.0, 1.0, False) for name in names)), "", gaps=False)
