"""The texts of a frozen folder: `views.sql`, `columns.csv` and README.md, over its Parquet files."""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import pyarrow as pa

from mqstat.base.version import __version__
from mqstat.intake.view_rows import NEEDS_MORE, view_names
from mqstat.judge.lineage import formula_of
from mqstat.sql import sqlfile
from mqstat.sql.columns import selected_columns
from mqstat.sql.duplicates import DUPLICATES, MARKED
from mqstat.sql.numbers import numbered_query
from mqstat.sql.schemas import all_schemas, duckdb_type, literal, quoted

DERIVED = frozenset({"repeated_record", "numbered_record"})
"""Tables that `views.sql` makes of table record."""

COLUMNS_OF_FILE = ("table", "column", "type", "unit", "ibm_field", "description")

HEAD = f"""\
-- The views and reports of mqstat {__version__} over the Parquet files of this folder, for DuckDB 1.4 and newer.
-- Start DuckDB in this folder: duckdb -init views.sql
--   SELECT * FROM buffer_pool LIMIT 10;                     a view
--   SELECT * FROM report."buffer_pool/io"() LIMIT 10;      a report
--   SELECT * FROM decoded.qpst LIMIT 10;                    a table as it was decoded
CREATE SCHEMA IF NOT EXISTS decoded;
CREATE SCHEMA IF NOT EXISTS report;
"""

RULE = f"""\
-- The rule for duplicates. A record that several inputs have, or one has twice, counts once. Each copy has its row in table record, where
-- first_record_id is the record that it is equal to; no other table has a row of it.
CREATE OR REPLACE VIEW decoded.repeated_record AS {MARKED};
-- Duplicates that are not marked; no row is as it should be.
CREATE OR REPLACE VIEW decoded.unmarked_duplicate AS {DUPLICATES.strip()};
"""

README = """\
# Records of IBM MQ for z/OS, frozen by mqstat {version}

`ORIGIN.json` names the inputs with their SHA-256. Nothing but this folder is needed to read it.

| file | content |
|---|---|
| `tables/TABLE/` | the rows of a decoded table: `all.parquet`, of a large one a file for each month |
{views}| `views.sql` | the views and reports of mqstat as DuckDB SQL over these files, and the rule for duplicates |
| `columns.csv` | type, unit, IBM's field and description of each column |
| `ORIGIN.json` | inputs, selection, generation of the dataset, version of mqstat |
| `SHA256SUMS` | checksums of all other files |

Check the folder, with or without mqstat:

```sh
sha256sum -c SHA256SUMS
mqstat verify .
```

Read it with DuckDB 1.4 or newer, started in this folder; all other programs read the Parquet files:

```sh
duckdb -init views.sql -c 'SELECT * FROM buffer_pool LIMIT 10'
```

- Times have no zone; the end of the column name states the clock, `_utc` or `_local`. A value that a record does not have is null.
- A record counts once: table `record` has a row for each copy, where `first_record_id` is the record that it is equal to; no other table has rows of copies.
- A table or view without rows has no file.
"""
VIEWS_LINE = "| `views/VIEW/` | the rows of a view |\n"


@cache
def tables() -> Mapping[str, pa.Schema]:
    """The tables of a folder with their columns, decoded ones and those that the program itself fills."""
    return {name: schema for name, schema in all_schemas().items() if name not in NEEDS_MORE}


@cache
def report_names() -> tuple[str, ...]:
    """The reports that read nothing but views of a folder."""
    known = {*view_names(), *(f"decoded.{name}" for name in tables())}
    return tuple(name for name, report in sqlfile.reports().items() if known.issuperset(report.needs))


def views_sql(files: Mapping[str, Sequence[str]]) -> str:
    """The text of `views.sql`; files: the paths of the files of each table that has rows."""
    return "\n".join(_statements(files))


def _statements(files: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield HEAD
    yield sqlfile.macros().replace("CREATE MACRO", "CREATE OR REPLACE MACRO")
    yield "-- Tables."
    for name, schema in tables().items():
        if name in files:
            listed = ", ".join(map(literal, files[name]))
            query = f"FROM read_parquet([{listed}], hive_partitioning = false)"
        elif name in DERIVED:
            continue
        else:
            columns = (f"NULL::{duckdb_type(field.type)} AS {quoted(field.name)}" for field in schema)
            query = f"SELECT {', '.join(columns)} WHERE false"
        yield f"CREATE OR REPLACE VIEW decoded.{quoted(name)} AS {query};"
    yield ""
    yield RULE
    if "numbered_record" not in files:
        yield "-- Records whose sequence numbers show lost records."
        unless = "(SELECT count(not_judged) FROM decoded.sequence_scope) = 0"
        yield f"CREATE OR REPLACE VIEW decoded.numbered_record AS {numbered_query('decoded.record').strip()}\n  AND {unless};"
    yield "\n-- Views. Those that several others read are computed here, once."
    readers = Counter(
        need for unit in (*_units(), *map(sqlfile.reports().get, report_names())) if unit for need in unit.needs
    )
    for view in _units():
        kind = "TABLE" if readers[view.id] > 1 and view.header.get("keep") is not False else "VIEW"
        title = f"{view.title}: {view.header['grain']}"
        yield f"\n-- {title}.\nCREATE OR REPLACE {kind} {quoted(view.id)} AS\n{view.select};"
    yield "\n-- Reports, their rows in no order. Those with GROUPING need DuckDB 1.5; nothing is computed until one is called."
    for name in report_names():
        report = sqlfile.reports()[name]
        body, _ = sqlfile.body_and_order(report.select)
        yield f"\n-- {report.title}\nCREATE OR REPLACE MACRO report.{quoted(name)}() AS TABLE\n{body};"
    yield ""


def _units() -> list[sqlfile.SqlFile]:
    """The views of a folder, each after the views that it reads."""
    return sqlfile.views_for(view_names())


def columns_csv() -> str:
    """The text of `columns.csv`."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS_OF_FILE)
    for name, schema in tables().items():
        for field in schema:
            stated = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
            described = [stated.get(key, "") for key in ("unit", "ibm_name", "description")]
            writer.writerow([f"decoded.{name}", field.name, duckdb_type(field.type), *described])
    for view in view_names():
        columns, types = sqlfile.views()[view].columns, selected_columns()[view]
        for name, column in columns.items():
            formula = formula_of(view, name)
            text = f"{column.doc} Formula: {formula}." if formula else column.doc
            writer.writerow([view, name, types[name], column.unit, "", text])
    return stream.getvalue()


def readme(*, has_views: bool) -> str:
    """The text of README.md."""
    return README.format(version=__version__, views=VIEWS_LINE if has_views else "")
