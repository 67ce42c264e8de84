"""Writes the generated pages under docs, the marked parts of README.md, and reports/columns.txt.

With --full, as `make docs` runs it, also the pages in build/docs. A page is generated from the registry that the
program itself uses: layouts and tables, views, reports, pictures, rules, plans, and the command line.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# For docs.pages, also if this is run as a script; at the end, so that mqstat is the installed one.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from docs.pages.command_line import command_line, feeds, formats, framings
from docs.pages.markdown import ROOT, current, fill, sample_output
from docs.pages.units import full_pages, plans, reports, rules, tables

COLUMNS = ROOT / "reports" / "columns.txt"
EXCERPT = 25
"""Lines of the report in README.md, with the fences."""


def main() -> int:
    """Write every page that differs, and with --full the pages in build/docs."""
    update_columns()
    texts = pages() | (full_pages() if "--full" in sys.argv else {})
    for path, text in texts.items():
        if current(path) != text:
            write(path, text)
    return 0


def write(path: Path, text: str) -> None:
    """Write a page and report it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path.relative_to(ROOT).as_posix()} written")


def pages() -> dict[Path, str]:
    """Every generated page that is tracked, with its text."""
    docs = ROOT / "docs"
    return {
        COLUMNS: columns_of_selects(),
        docs / "tables.md": tables(),
        docs / "reports.md": reports(),
        docs / "rules.md": rules(),
        docs / "plans.md": plans(),
        docs / "cli.md": command_line(),
        docs / "formats.md": formats(),
        docs / "framings.md": framings(),
        docs / "feeds.md": feeds(),
        ROOT / "README.md": readme(),
    }


def columns_of_selects() -> str:
    """The columns of every view and report with their types as DuckDB finds them, a unit a line."""
    import duckdb

    from mqstat.sql import sqlfile
    from mqstat.sql.schemas import all_schemas, create_table
    from mqstat.sql.views import stand_in

    listed: dict[str, str] = {}
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        connection.execute(f"CREATE SCHEMA decoded; {sqlfile.macros()}")
        for name, schema in all_schemas().items():
            create_table(connection, name, schema)
        for unit in (*sqlfile.views().values(), *sqlfile.reports().values()):
            try:
                rows = connection.execute(f"DESCRIBE {unit.select}").fetchall()
            except duckdb.Error as error:
                raise SystemExit(f"{unit.name}: the {unit.kind} does not compile: {error}.") from error
            listed[unit.id] = "; ".join(f"{name} {kind}" for name, kind, *_ in rows)
            if unit.kind == "view":
                connection.execute(stand_in(unit.id, {name: kind for name, kind, *_ in rows}))
    return "".join(f"{name}: {columns}\n" for name, columns in sorted(listed.items()))


def update_columns() -> None:
    """Write the list of columns first, because the pages about views and reports are made from it."""
    from mqstat.sql import columns, sqlfile

    listed = columns_of_selects()
    if current(COLUMNS) != listed:
        write(COLUMNS, listed)
        for registry in (columns.selected_columns, sqlfile.views, sqlfile.reports):
            registry.cache_clear()


def readme() -> str:
    """README.md with its marked part filled in."""
    return fill(current(ROOT / "README.md"), "mqstat report sample.smf", lambda: excerpt(sample_report()))


def excerpt(lines: list[str]) -> list[str]:
    """The head of the report and as many of its first findings as fit."""
    starts = [number for number, line in enumerate(lines[: EXCERPT - 2]) if re.match(r"(CRITICAL|WARNING|NOTE) ", line)]
    return ["```text", *lines[: starts[-1]], "...", "```"]


def sample_report() -> list[str]:
    """The lines that `mqstat report` prints for the bundled sample."""
    return sample_output(["report", "sample.smf"])


if __name__ == "__main__":
    sys.exit(main())
