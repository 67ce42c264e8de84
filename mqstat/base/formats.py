"""Output formats: the names that --format takes in each command, and the file extensions of --write."""

from __future__ import annotations

from collections.abc import Collection

REPORT_FORMATS = ("text", "json", "csv", "parquet", "markdown", "html", "openmetrics")
"""Formats of a report: all that there are."""

FINDING_FORMATS = tuple(name for name in REPORT_FORMATS if name != "html")
"""Formats of `mqstat check`: findings alone are no page."""

COMPARISON_FORMATS = tuple(name for name in REPORT_FORMATS if name != "openmetrics")
"""Formats of `mqstat compare`: a monitoring system takes the state of one period."""

QUERY_FORMATS = ("text", "csv", "json")
"""Formats of `mqstat sql`."""

LEDGER_FORMATS = ("text", "json")
"""Formats of `mqstat ledger`."""

MAP_FORMATS = ("dot", "mermaid")
"""Formats of `mqstat map`."""

STATEMENT_FORMATS = ("csv", "parquet")
"""Formats of `mqstat chargeback`."""

ENDINGS = {
    ".txt": "text", ".json": "json", ".csv": "csv", ".parquet": "parquet", ".md": "markdown", ".html": "html", ".htm": "html",
    ".prom": "openmetrics",
}  # fmt: skip
"""The format of each file extension."""


def choice(names: Collection[str]) -> str:
    """Names as a list in a sentence: `text, csv or json`."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
