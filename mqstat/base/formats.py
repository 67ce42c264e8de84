"""Output formats of commands that write no report; `mqstat.render.formats` has those of reports."""

from __future__ import annotations

from collections.abc import Collection

QUERY_FORMATS = ("text", "csv", "json")
"""Formats of `mqstat sql`."""

LEDGER_FORMATS = ("text", "json")
"""Formats of `mqstat ledger`."""

MAP_FORMATS = ("dot", "mermaid")
"""Formats of `mqstat map`."""

PROOF_FORMATS = ("text", "html", "json")
"""Formats of `mqstat prove`."""

PLAN_FORMATS = ("text", "csv", "html", "json", "markdown", "parquet")
"""Formats of `mqstat plan`."""


def choice(names: Collection[str]) -> str:
    """Names as a list in a sentence: `text, csv or json`."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
