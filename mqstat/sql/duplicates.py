"""Each record counts once: which records are duplicates, and how the decoded tables leave them out.

A duplicate is a record that is equal, byte for byte after its descriptor words, to another one of the data
(docs/adr/0014). A dataset has its duplicates marked (column `first_record_id` of table record) and no other row of
them; those of dumps are searched when the data are opened.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa

from mqstat.parsers.tables import LINEAGE
from mqstat.sql.schemas import quoted

if TYPE_CHECKING:
    from mqstat.sql.workspace import Workspace

LEDGERS = frozenset({"source", "other_record", "record", "damage", "section"})
"""Tables about the input itself: they list every record, including duplicates."""

DUPLICATES = """
  WITH
  -- Numbers instead of hashes of 16 bytes: this is the one pass that has to remember every record.
  twice AS (
    SELECT hash(record_hash) AS short_hash
    FROM decoded.record
    WHERE record_hash IS NOT NULL AND damage IS NULL AND first_record_id IS NULL
    GROUP BY short_hash
    HAVING count(*) > 1
  ),
  suspect AS (
    SELECT r.record_id, r.record_hash, r.interval_start_utc
    FROM decoded.record AS r SEMI JOIN twice AS t ON t.short_hash = hash(r.record_hash)
    WHERE r.damage IS NULL AND r.first_record_id IS NULL
  ),
  -- A dump may end before the record that has the interval of a record.
  kept AS (
    SELECT record_hash, arg_min(record_id, (interval_start_utc IS NULL, record_id)) AS first_record_id
    FROM suspect
    GROUP BY record_hash
  )
  SELECT s.record_id, k.first_record_id
  FROM suspect AS s JOIN kept AS k ON k.record_hash = s.record_hash
  WHERE s.record_id <> k.first_record_id
"""
"""The definition: of undamaged records with the same hash the first one with a known interval is kept (the first one if
none has an interval), the others are its duplicates."""

MARKED = "SELECT record_id, first_record_id FROM decoded.record WHERE first_record_id IS NOT NULL"
"""The duplicates that a dataset has marked."""

MOVED = """
  CREATE TEMP TABLE duplicate_count AS
  SELECT r.source_id, r.outcome, count(*) AS records, sum(coalesce(r.input_bytes, r.record_bytes))::BIGINT AS bytes
  FROM decoded.record AS r JOIN decoded.repeated_record AS d ON d.record_id = r.record_id
  GROUP BY r.source_id, r.outcome
"""
"""The duplicates of each input by what they would be otherwise."""

MOVED_FROM = ("decoded", "internal", "raw")
"""The classes of the ledger that duplicates are moved from."""

DISTINCT = "SELECT t.* FROM ({}) AS t ANTI JOIN decoded.repeated_record AS d ON d.record_id = t.record_id"

RECORD = """
  SELECT t.* REPLACE (
    CASE WHEN d.record_id IS NULL THEN t.outcome ELSE 'duplicate' END AS outcome,
    coalesce(d.first_record_id, t.first_record_id) AS first_record_id
  )
  FROM ({}) AS t LEFT JOIN decoded.repeated_record AS d ON d.record_id = t.record_id
"""

REPEATED_SOURCES = """
  CREATE TABLE decoded.repeated_source AS
  SELECT r.source_id FROM decoded.record AS r LEFT JOIN decoded.repeated_record AS d ON d.record_id = r.record_id
  GROUP BY r.source_id HAVING count(*) = count(d.record_id)
"""

COUNTS = """
  SELECT t.* FROM ({}) AS t
  WHERE t.source_id NOT IN (FROM decoded.repeated_source)
"""
"""Without the counts of inputs that have no record of their own."""


LENT = (
    "gmt_offset_minutes", "interval_start_utc", "interval_end_utc", "interval_start_local", "interval_us", "record_start_local", "record_start_utc",
    "record_us",
)  # fmt: skip
"""Columns of a record that come from its neighbours in the dump, if the record itself does not contain its interval."""

LENDERS = f"""
  SELECT DISTINCT ON (d.first_record_id) d.first_record_id AS of_record_id, {", ".join(f"d.{column}" for column in LENT)}
  FROM decoded.record AS d
  JOIN decoded.record AS r ON r.record_id = d.first_record_id
  WHERE d.first_record_id IS NOT NULL AND d.interval_start_utc IS NOT NULL AND r.interval_start_utc IS NULL
  ORDER BY d.first_record_id, d.record_id
"""
"""The intervals of duplicates whose first record is without one: the dump that came first ended before, or began after,
the record that has the interval."""


def leave_out(
    database: Workspace,
    queries: Mapping[str, str],
    present: Mapping[str, pa.Schema],
    loaded: Collection[str],
    *,
    marked: bool,
) -> None:
    """Fill `repeated_record` and remove the rows of these records from the decoded tables, which are then those of a
    dataset with its duplicates marked.

    queries: the query of each decoded table; present: its columns; loaded: the tables that were copied into memory;
    `marked`: the duplicates of all inputs are marked already.
    """
    if "record" not in queries or not {"record_hash", "first_record_id"} <= set(present["record"].names):
        return
    queries = dict(queries)
    repeated = _added(database, MARKED)
    if repeated:
        _lend_intervals(database, queries, present, loaded)
    if marked or not repeated + _added(database, DUPLICATES):
        return
    database.execute(MOVED)
    database.execute(REPEATED_SOURCES)
    replaced = {"record": RECORD, "section": COUNTS, "lost_value": COUNTS}
    for name in queries:
        if name == "source":
            _move_in_ledger(database, present[name].names)
        elif name in replaced or (name not in LEDGERS and "record_id" in present[name].names):
            _replace(database, name, queries, loaded, replaced.get(name, DISTINCT))
    database.execute("DROP TABLE duplicate_count")


def _move_in_ledger(database: Workspace, columns: Collection[str]) -> None:
    """Move the duplicates of each input to their own class of its ledger."""
    values = {}
    for side in ("records", "bytes"):
        sums = f"SELECT sum({side})::BIGINT FROM duplicate_count AS c WHERE c.source_id = t.source_id AND c.outcome"
        for outcome in MOVED_FROM:
            values[f"{side}_{outcome}"] = f"t.{side}_{outcome} - coalesce(({sums} = '{outcome}'), 0)"
        values[f"{side}_duplicate"] = f"coalesce(t.{side}_duplicate, 0) + coalesce(({sums} IN {MOVED_FROM}), 0)"
    replaced = ", ".join(f"{value} AS {name}" for name, value in values.items() if name in columns)
    if not replaced:
        return
    database.execute(f"CREATE TEMP TABLE moved_source AS SELECT t.* REPLACE ({replaced}) FROM decoded.source AS t")
    _drop(database, "source")
    database.execute("CREATE TABLE decoded.source AS FROM moved_source")
    database.execute("DROP TABLE moved_source")


def _lend_intervals(
    database: Workspace, queries: dict[str, str], present: Mapping[str, pa.Schema], loaded: Collection[str]
) -> None:
    """Give records of a dataset without an interval that of their duplicate, so that it does not matter which dump was
    ingested first.
    """
    if not set(LENT) <= set(present["record"].names):
        return
    database.execute(f"CREATE TABLE decoded.lent_interval AS {LENDERS}")
    if not database.execute("SELECT 1 FROM decoded.lent_interval LIMIT 1").fetchall():
        database.execute("DROP TABLE decoded.lent_interval")
        return
    for name in queries.keys() & present.keys():
        lent = with_lent_intervals(name, present[name].names)
        if lent:
            _replace(database, name, queries, loaded, lent)


def with_lent_intervals(name: str, columns: Collection[str]) -> str:
    """The query for the rows of a decoded table with the intervals of `decoded.lent_interval`, {} in it for its own
    query; empty if the table needs none.
    """
    if name not in _tables_of_neighbours():
        return ""
    of_records = {column.name for column in LINEAGE}  # table qwhs has fields of its own with the names of others
    lent = ", ".join(
        f"CASE WHEN l.of_record_id IS NULL THEN t.{column} ELSE l.{column} END AS {column}"
        for column in LENT
        if column in columns and (name == "record" or column in of_records)
    )
    if not lent:
        return ""
    return f"SELECT t.* REPLACE ({lent}) FROM ({{}}) AS t LEFT JOIN decoded.lent_interval AS l ON l.of_record_id = t.record_id"


@cache
def _tables_of_neighbours() -> frozenset[str]:
    """The tables with rows of records that do not contain their interval."""
    from mqstat.parsers import LAYOUTS
    from mqstat.parsers.record import STUBS

    classes = {*((115, subtype) for subtype in STUBS), (116, 2)}
    names = {"record"}
    for layout in LAYOUTS.values():
        if not layout.routes or classes & {(smf_type, subtype) for smf_type, subtype, _ in layout.routes}:
            names |= {layout.name, *(child.name for child in layout.children)}
    return frozenset(names)


def _replace(database: Workspace, name: str, queries: dict[str, str], loaded: Collection[str], rewritten: str) -> None:
    """Replace a decoded table by a query over it."""
    if name in loaded:
        query = rewritten.format(f"FROM decoded.{quoted(name)}")
        database.execute(f"CREATE OR REPLACE TABLE decoded.{quoted(name)} AS {query}")
        return
    queries[name] = rewritten.format(queries[name])
    database.execute(f"CREATE OR REPLACE VIEW decoded.{quoted(name)} AS {queries[name]}")
    if name in database.to_load:
        database.to_load[name] = queries[name]


def _drop(database: Workspace, name: str) -> None:
    """Drop a decoded table that may be a view."""
    kind = "TABLE" if database.execute(IS_TABLE, {"name": name}).fetchall() else "VIEW"
    database.execute(f"DROP {kind} decoded.{quoted(name)}")
    database.to_load.pop(name, None)


def _added(database: Workspace, query: str) -> int:
    """Add the rows of a query to `repeated_record`; how many."""
    [(number,)] = database.execute(f"INSERT INTO decoded.repeated_record BY NAME {query}").fetchall()
    return int(number)


IS_TABLE = "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'decoded' AND table_name = $name"
