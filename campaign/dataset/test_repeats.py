"""Repeated records count once: every view has one row per key of its grain, and the work is proportional to the number
of records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.engine import run_rules
from mqstat.parsers.tables import HASH
from mqstat.sql import sqlfile
from mqstat.sql.duplicates import LEDGERS
from mqstat.sql.schemas import OWN_TABLES, quoted
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.each import each
from tests.estates import DUMP_JOB, renamed
from tests.filled import filled_database, filled_tables
from tests.opening import open_database
from tests.support import file_of, reading

ABOUT_INPUTS = frozenset({"record_duplicate", "quality_duplicate", "quality_check"})
"""Views that are there to show repeated records."""

KEYS: Mapping[str, str] = {
    "interval": "interval_start_utc", "statistics interval": "interval_start_utc", "channel initiator interval": "interval_start_utc",
    "interval,": "interval_start_utc", "pool": "pool_id", "page set": "page_set_id", "queue": "queue", "record": "record_id",
    "record 116.0": "record_id", "record 116.1": "record_id", "record 116.2": "record_id", "record 116.1 or 116.2": "record_id",
    "115.231 record": "record_id", "record of the channel initiator": "record_id", "record of a class": "record_id", "logical record": "record_id",
    "CF structure": "cf_structure", "log copy": "log_copy", "I/O type": "io_type", "input": "source_id", "dispatcher": "task_index",
    "DNS task": "task_index", "TLS task": "task_index", "figure": "figure_name", "section length": "section_bytes", "record class": "record_class",
}  # fmt: skip
"""The column that a word in the grain of a view is."""


def key_of(view: sqlfile.SqlFile) -> tuple[str, ...]:
    """The columns of which a view claims one row each; none where its grain does not name them in the words above."""
    words = view.header["grain"].removeprefix("one row per ")
    words = re.split(r";| where | that | with | in which | over | \(|: | in the data", words)[0]
    if " also " in words or " any " in words:
        return ()
    columns = [KEYS.get(word.strip(), word.strip().replace(" ", "_")) for word in re.split(r", and |, | and ", words)]
    return tuple(columns) if set(columns) <= set(view.columns) else ()


def repeated(times: int, *, alike: bool) -> dict[str, pa.Table]:
    """Every record of the made-up tables several times; `alike` = byte for byte, else as different records of the same
    facts.
    """
    out = {}
    for name, table in filled_tables().items():
        if name in OWN_TABLES or (name in LEDGERS and name != "record") or "record_id" not in table.schema.names:
            out[name] = table
            continue
        copies = []
        for number in range(times):
            at = table.schema.get_field_index("record_id")
            copy = table.set_column(at, table.schema.field(at), pc.add(table["record_id"], 100 * number))
            if name == "record" and not alike:
                at = table.schema.get_field_index("record_hash")
                hashes = pa.array([f"{number} {row}".ljust(16).encode() for row in range(table.num_rows)], HASH)
                copy = copy.set_column(at, table.schema.field(at), hashes)
            copies.append(copy)
        out[name] = pa.concat_tables(copies)
    return out


@cache
def view_rows(times: int, alike: bool) -> dict[str, list[tuple[str, ...]]]:
    """The rows of every view over repeated records, as text and in order."""
    if times == 1:
        return all_rows(filled_database())
    with open_database(repeated(times, alike=alike), views=False) as db:
        return all_rows(db)


def all_rows(db: Workspace) -> dict[str, list[tuple[str, ...]]]:
    """The rows of every view of a database, as text and in order."""
    queries = [f"SELECT * FROM {quoted(view)}" for view in sqlfile.views()]
    assert db.keep(queries * 2) == {}
    return {
        view: sorted(tuple(map(str, row)) for row in db.execute(query).fetchall())
        for view, query in zip(sqlfile.views(), queries, strict=True)
    }


@each(sqlfile.views())
def test_a_view_counts_each_record_once(view: str) -> None:
    if view not in ABOUT_INPUTS:
        assert view_rows(2, True)[view] == view_rows(1, True)[view]


@each(sqlfile.views())
def test_a_view_does_not_multiply_facts_that_two_records_have(view: str) -> None:
    """Records that differ may report the same interval; then a view has a row for each of them, and not one for each
    pair.
    """
    once = len(view_rows(1, True)[view])
    for times in (2, 3):
        assert len(view_rows(times, False)[view]) <= times * once


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A dump of two scenarios, each on a queue manager of its own, and one with the same records twice."""
    folder = tmp_path_factory.mktemp("pair")
    accounting, tasks = (joined(SCENARIOS[name].build()) for name in ("odd_accounting", "tls_tasks_few"))
    records = [*accounting, *renamed(tasks, {"SYS1": "SYS2", "MQ01": "MQ02"})]
    data = smf_file(record for record in records if record[5] not in DUMP_JOB)
    return file_of(data, folder, "a.smf"), file_of(data * 2, folder, "b.smf")


def test_a_dump_of_doubled_records_has_one_row_for_each_key(pair: tuple[Path, Path]) -> None:
    whole = [f"SELECT * FROM {quoted(view)}" for view in sqlfile.views()]
    counted = {view: f"SELECT count(*) FROM {quoted(view)}" for view in sqlfile.views()}
    keys = {view.id: ", ".join(map(quoted, key)) for view in sqlfile.views().values() if (key := key_of(view))}
    twice = {
        view: f"SELECT count(*) FROM (SELECT {columns} FROM {quoted(view)} GROUP BY ALL HAVING count(*) > 1)"
        for view, columns in keys.items()
    }
    assert len(twice) >= 60
    with reading(pair[0]) as db:
        assert db.keep(whole * 2) == {}
        single = numbers(db, counted)
    with reading(pair[1]) as db:
        assert db.keep(whole * 2) == {}
        doubled = numbers(db, counted)
        assert {view: number for view, number in numbers(db, twice).items() if number} == {}
    about_inputs = {*ABOUT_INPUTS, "source", "quality_source", "other_record", "section"}
    assert {view for view, rows in doubled.items() if rows != single[view]} <= about_inputs


def numbers(db: Workspace, queries: Mapping[str, str]) -> dict[str, int]:
    """The number that each of these queries gives, by its name."""
    listed = " UNION ALL ".join(f"SELECT '{name}', ({query})" for name, query in queries.items())
    return dict(db.execute(listed).fetchall())


def test_records_that_are_there_600_times_are_judged_as_once(tmp_path: Path) -> None:
    from mqstat.fixtures.day import DAY, intervals
    from mqstat.fixtures.queue_manager import QueueManager

    data = smf_file(intervals(QueueManager(), DAY, 2))
    results = []
    for times in (1, 600):
        (tmp_path / str(times)).mkdir()
        with reading(file_of(data * times, tmp_path / str(times))) as db:
            rows = run_rules(db).rows
            assert not [row["advice"] for row in rows if row["outcome"] == "broken"]
            results.append(
                {(row["rule_id"], row["qmgr"], row["subject"], row["outcome"], row["observed"]) for row in rows}
            )
    assert {row[0] for row in results[0] ^ results[1]} == {"DQ005"}


def test_a_view_that_fails_is_named_by_everything_that_reads_it() -> None:
    named = re.compile(r"view (page_set|buffer_pool_page_set|expansion) could not be computed")
    with open_database({name: table for name, table in filled_tables().items() if name != "qis1"}, views=False) as db:
        db.execute("DROP TABLE decoded.qis1")
        queries = ["SELECT page_set_id FROM page_set"] * 2 + ["SELECT pool_id FROM buffer_pool_page_set"]
        assert "page_set" in db.keep(queries)
        for query in queries:
            with pytest.raises(duckdb.Error, match=named):
                db.ask(query).fetchall()
        broken = [row for row in run_rules(db).rows if row["outcome"] == "broken"]
        assert broken
        assert all(named.search(row["advice"]) for row in broken)
        db.release()
        assert db.failed == {}


def test_a_view_that_does_not_fit_its_memory_is_named(tmp_path: Path) -> None:
    """Without a folder for temporary files it fails by its name; with one it is written there and has all its rows."""
    qis1 = filled_tables()["qis1"].take([0] * 300_000)
    # Rows of one page set are compared with one another in memory: there are many page sets, as in a large estate.
    at = qis1.schema.get_field_index("qmgr")
    names = pa.array([f"M{number % 300:03d}" for number in range(qis1.num_rows)]).cast(qis1.schema.field(at).type)
    qis1 = qis1.set_column(at, qis1.schema.field(at), names)
    query = "SELECT * FROM page_set"
    with open_database({"qis1": qis1}, views=False, memory_limit="80MB") as db:
        assert re.match(r"view page_set could not be computed \(.*[Mm]emory", db.keep([query] * 2)["page_set"])
        with pytest.raises(duckdb.Error, match="view page_set could not be computed"):
            db.ask(query)
    with open_database({"qis1": qis1}, views=False, memory_limit="80MB", temp_directory=tmp_path) as db:
        assert db.keep([query] * 2) == {}
        assert db.ask("SELECT count(page_set_id) FROM page_set").fetchall() == [(300_000,)]
