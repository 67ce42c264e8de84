"""What a Parquet file of a dataset states about itself in its key-value metadata: table, schema version, tool version and columns.

The text is one JSON object under one key, so that every engine that shows key-value metadata can read it, and it is in each file, since an auditor may
have only that. The Arrow schema is not stored as well: it repeats the descriptions, as base64 of a binary format, and was 35 % of all bytes of a dataset.
mqstat itself takes types and descriptions from the declared tables, never from a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from mqstat.base.version import __version__
from mqstat.dataset.schema import schema_version
from mqstat.parsers.tables import tables

KEY = "mqstat"
"""Key of the JSON object."""

COLUMN_KEYS = ("unit", "kind", "ibm_name", "description")
"""What the list of each column has, in this order."""


@cache
def description(table: str) -> dict[str, str]:
    """The key-value metadata of the files of a table."""
    title, columns = tables()[table]
    return described(table, title, {c.name: (c.unit, c.kind, c.mnemonic, c.doc) for c in columns})


def described(table: str, title: str, columns: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The key-value metadata of a file with these columns, each with the values of `COLUMN_KEYS`."""
    text = {
        "table": table,
        "description": title,
        "schema_version": schema_version(),
        "tool_version": __version__,
        "columns_have": COLUMN_KEYS,
        "columns": columns,
    }
    return {KEY: json.dumps(text, ensure_ascii=False, separators=(",", ":"))}
