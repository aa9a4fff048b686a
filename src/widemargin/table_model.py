"""How a model that was fitted to a table reads one: `about.schema` of the model, as an object."""

from __future__ import annotations

from typing import NamedTuple

from widemargin.data.schema import Schema
from widemargin.errors import ModelFileError
from widemargin.model import Model


class Table(NamedTuple):
    """The columns and their features, and the name of the column that is predicted."""

    schema: Schema
    target: str


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
