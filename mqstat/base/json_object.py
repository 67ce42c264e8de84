"""Objects of JSON documents: classes whose members are declared with their types, from which the JSON Schema
follows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from operator import attrgetter
from typing import Annotated, Any, TypeAlias

import msgspec

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Object(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An object with exactly its members."""


def one_of(values: Iterable[Any]) -> msgspec.Meta:
    """The values of a member."""
    return msgspec.Meta(extra_json_schema={"enum": list(values)})


def row_of(name: str) -> msgspec.Meta:
    """A member that is a row of a view: its part of the schema has this name."""
    return msgspec.Meta(extra_json_schema={"$ref": f"#/$defs/{name}", "type": "object"})


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON, on one line without `indent`; in ASCII, because a stream may have any encoding.

    Times are text in ISO 8601, non-finite numbers null; an object of another class has its `members`.
    """
    known = msgspec.to_builtins(value, enc_hook=attrgetter("members"))
    try:
        return json.dumps(known, indent=indent, allow_nan=False)
    except ValueError:
        return json.dumps(msgspec.json.decode(msgspec.json.encode(known)), indent=indent)
