"""Values as CSV, JSON and tables of text have them, and text that the encoding of a stream can represent."""

from __future__ import annotations

import math
import unicodedata
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from mqstat.base.csv_cells import safe
from mqstat.base.formatting import clean, formatted, steady

if TYPE_CHECKING:
    from mqstat.assemble.table_model import Column

_PLAIN = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\u00b5": "u",
        "\u03bc": "u",
    }
)


def fitting(text: str, encoding: str | None) -> str:
    """Text that a stream's encoding can represent: accents are dropped, typographic characters simplified, other
    characters become '?'.
    """
    if encoding is None:
        return text
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        plain = unicodedata.normalize("NFKD", text.translate(_PLAIN))
        return "".join(c for c in plain if not unicodedata.combining(c)).encode("ascii", "replace").decode("ascii")
    return text


def csv_value(value: Any, raw: bool = False) -> Any:
    """A value as CSV has it; text safe for terminals and spreadsheets unless `raw`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, float):
        return steady(value) if math.isfinite(value) else ""
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return safe(value) if isinstance(value, str) and not raw else value


def cell_number(value: float, column: Column) -> str:
    """A number of a table: thousands separated, fractions with one decimal unless the column has a format of its
    own.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    if column.unit == "id" or column.name.endswith("_offset"):  # to be copied into a command
        return str(value)
    return formatted(value, column.format or ("" if isinstance(value, int) else ".1f"))


def markup(value: object) -> str:
    """Text of Markdown in which nothing is markup."""
    shown = clean(str(value))
    for sign in "\\`*_[]<>|#~":
        shown = shown.replace(sign, "\\" + sign)
    return shown
