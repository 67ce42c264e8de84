"""Each record counts once: facts and findings of overlapping inputs equal those of their distinct records, and every
ledger balances.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from mqstat.base.selection import Selection
from mqstat.dataset.manifest import SourceEntry
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.frame import smf_file
from mqstat.intake import duplicates
from mqstat.intake.against import compare
from mqstat.intake.ingest import IngestResult, ingest
from mqstat.intake.open_data import open_data
from mqstat.judge.engine import run_rules
from mqstat.parsers.tables import table_schemas
from mqstat.sources.source import find_sources
from mqstat.sql.duplicates import LEDGERS
from mqstat.sql.schemas import quoted
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.support import POSITION, built_records, file_of

Facts = Mapping[str, Counter[tuple[str, ...]]]

RESULT = ("rule_id", "subject", "outcome", "observed")


@cache
def all_kinds() -> list[bytes]:
    """The records of an hour and a half around midnight of three queue managers, in the order in which they would be
    written.
    """
    return built_records()


@cache
def records() -> list[bytes]:
    """Those with log and storage manager statistics, task and queue accounting, and an unknown subtype: they are in a
    third of the tables.
    """
    kinds = {(115, 1), (115, 99), (116, 1), (116, 2)}
    return [each for each in all_kinds() if (each[5], int.from_bytes(each[22:24], "big")) in kinds]


def dump(chosen: Sequence[bytes], framing: str = "rdw", spanned: str | None = None) -> bytes:
    return smf_file(chosen, framing=framing, spanned=spanned, dump_header=False, trailer=False)


def add(dataset: Path, *files: Path, wait_seconds: float = 0) -> IngestResult:
    return ingest(
        find_sources([str(file) for file in files]), dataset, Selection(), jobs=1, wait_seconds=wait_seconds, progress=lambda _: nullcontext()
    )  # fmt: skip


def facts(db: Workspace | duckdb.DuckDBPyConnection) -> Facts:
    """The rows of all decoded tables but the ledgers, without their origin."""
    out = {}
    for name, schema in table_schemas().items():
        if name not in LEDGERS - {"record"}:
            columns = ", ".join(quoted(column) for column in schema.names if column not in POSITION)
            once = " WHERE first_record_id IS NULL" if name == "record" else ""
            rows = db.execute(f"SELECT {columns} FROM decoded.{quoted(name)}{once}").fetchall()
            if rows:
                out[name] = Counter(tuple(map(str, row)) for row in rows)
    return out


def everything() -> Mapping[str, Sequence[str]]:
    return {name: schema.names for name, schema in table_schemas().items()}


def facts_of_dumps(*files: Path) -> Facts:
    with open_data([str(file) for file in files], columns=everything, jobs=1) as db:
        assert_ledgers_balance(db)
        return facts(db)


def facts_of_dataset(dataset: Path) -> Facts:
    """The facts, after a check of ledgers, manifest and files."""
    assert verify(dataset).problems == []
    opened = open_dataset(dataset)
    for source in opened.manifest.sources:
        assert_rows_are_the_ledger(dataset, source)
    with open_data(dataset=dataset) as db:
        assert_ledgers_balance(db)
        marked = "SELECT record_id FROM decoded.record WHERE outcome = 'duplicate'"
        for name, schema in table_schemas().items():
            if name not in LEDGERS and "record_id" in schema.names:
                rows = f"SELECT count(*) FROM decoded.{quoted(name)} WHERE record_id IN ({marked})"
                assert db.execute(rows).fetchall() == [(0,)], name
        dangling = f"SELECT count(*) FROM decoded.record WHERE first_record_id IN ({marked})"
        assert db.execute(dangling).fetchall() == [(0,)]
        return facts(db)


def assert_ledgers_balance(db: Workspace) -> None:
    checks = "SELECT check_name, items_failed FROM quality_check WHERE check_name LIKE 'bytes read%'"

    assert db.ask(checks).fetchall() == [("bytes read = bytes decoded + bytes skipped", 0)]
    sums = db.ask(
        "SELECT sum(records_duplicate)::BIGINT, (SELECT count(*) FROM record_duplicate), "
        "(SELECT count(*) FROM decoded.record WHERE outcome = 'duplicate') FROM source",
    ).fetchall()
    assert len(set(sums[0])) == 1


def assert_rows_are_the_ledger(dataset: Path, source: SourceEntry) -> None:
    """The rows of table record, counted and summed by outcome, are the ledger of their source."""
    names = ["source_id", "outcome", "input_bytes"]
    rows = pa.concat_tables(
        [plain(pq.read_table(file, columns=names)) for file in open_dataset(dataset).files["record"]]
    )
    rows = rows.filter(pc.equal(rows["source_id"], source.source_id))
    for outcome in ("decoded", "internal", "raw", "duplicate"):
        mine = rows.filter(pc.equal(rows["outcome"], outcome))
        assert mine.num_rows == source.ledger["records"][outcome], outcome
        assert (pc.sum(mine["input_bytes"]).as_py() or 0) == source.ledger["bytes"][outcome], outcome


def plain(table: pa.Table) -> pa.Table:
    return pa.table(
        {name: table[name].cast(pa.string() if name == "outcome" else pa.int64()) for name in table.column_names}
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """The facts of the distinct records."""
    folder = tmp_path_factory.mktemp("whole")
    add(folder / "set", file_of(dump(records()), folder))
    return facts_of_dataset(folder / "set")


def overlap(chosen: Sequence[bytes]) -> list[bytes]:
    """The first 60 %, and the last 60 %."""
    return [dump(chosen[: len(chosen) * 6 // 10]), dump(chosen[len(chosen) * 4 // 10 :])]


def thirds() -> list[bytes]:
    """The first and the last two thirds: each begins or ends near records whose interval is in the other one."""
    third = len(records()) // 3
    return [dump(records()[: 2 * third]), dump(records()[third:])]


def shuffled() -> list[bytes]:
    mixed = list(records())
    random.Random(1).shuffle(mixed)
    return mixed


INPUTS: Mapping[str, Any] = {
    "60 % and the last 60 %": lambda: overlap(records()),
    "the last 60 % first": lambda: overlap(records())[::-1],
    "cut in a queue manager": thirds,
    "cut in a queue manager, the last part first": lambda: thirds()[::-1],
    "cut in an interval": lambda: [dump(records()[:17]), dump(records()[15:]), dump(records()[:18])],
    "another order": lambda: [dump(records()), dump(shuffled())],
    "other framings": lambda: [dump(records()), dump(records(), "bdw"), dump(records(), spanned="vbs"), dump(records(), "length-prefixed")],
    "compressed": lambda: [dump(records()), gzip.compress(dump(records()[5:]))],
    "twice in a file": lambda: [dump(records()) * 2],
    "twice in a file, and again": lambda: [dump(records()[:20]) + dump(records()[10:]), dump(records()[15:]) * 2],
    "every third record again": lambda: [dump(records()), dump(records()[::3] + [records()[0]] * 3)],
}  # fmt: skip


AGAINST = ("another order", "twice in a file, and again", "cut in an interval")
"""Inputs whose dataset is also compared with the dumps."""


@pytest.mark.parametrize("known", [[], [7], [2, 2, 9], [9, 9], [0], [2**64 - 1]])
@pytest.mark.parametrize("own", [[], [7], [5, 3, 7], [3, 5, 3], [2**64 - 1, 0]])
def test_a_hash_that_occurs_twice_is_searched(
    own: list[int], known: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal records of the dataset alone need no search; the numbers are the first halves of hashes."""
    first, there = (np.array([[each, 1] for each in half], np.uint64).reshape(-1, 2) for half in (own, known))
    paths = {Path("own"): first, Path("known"): there}
    monkeypatch.setattr(duplicates, "_hashes", lambda files, most: paths[files[0]])
    expected = len(set(own)) < len(own) or not set(own).isdisjoint(known)
    assert duplicates._may_be_equal([Path("own")], [Path("known")]) is expected


@pytest.mark.parametrize("name", INPUTS)
def test_facts_are_those_of_the_distinct_records(name: str, whole: Facts, tmp_path: Path) -> None:
    files = [file_of(data, tmp_path, f"{number}.smf") for number, data in enumerate(INPUTS[name]())]
    for number, file in enumerate(files):
        add(tmp_path / "set", file)
        assert len(open_dataset(tmp_path / "set").manifest.sources) == number + 1
    if name in AGAINST:
        compared = compare(
            tmp_path / "set", list(find_sources(list(map(str, files)))), jobs=1, progress=lambda _: nullcontext()
        )
        assert [(each.return_code, each.differences) for each in compared] == [(0, [])] * len(files)
    of_dataset = facts_of_dataset(tmp_path / "set")
    assert {table: of_dataset.get(table) for table in whole} == whole
    of_dumps = facts_of_dumps(*files)
    assert {table: of_dumps.get(table) for table in whole} == whole


def test_all_kinds_of_records(tmp_path: Path) -> None:
    """Facts and findings, also of the views for programs without mqstat. The second dump begins between a record and
    the one that has its interval.
    """
    half = len(all_kinds()) // 2
    first, second = (
        file_of(dump(all_kinds()[: half + 5]), tmp_path, "a"),
        file_of(dump(all_kinds()[half - 5 :]), tmp_path, "b"),
    )
    add(tmp_path / "set", first, second)
    add(tmp_path / "one", file_of(dump(all_kinds()), tmp_path))
    one = facts_of_dataset(tmp_path / "one")
    assert len(one) > 30
    assert facts_of_dataset(tmp_path / "set") == one
    assert facts_of_dumps(first, second) == one
    add(tmp_path / "reversed", second, first)
    findings = [
        findings_of(**options)
        for options in (
            {"dataset": tmp_path / "one"},
            {"dataset": tmp_path / "set"},
            {"dataset": tmp_path / "reversed"},
            {"dumps": [str(first), str(second)]},
        )
    ]
    assert findings[0] == findings[1] == findings[2] == findings[3]


def findings_of(**options: Any) -> list[str]:
    """All that findings state but the numbers of records; of checks of the inputs themselves, which count them, only
    the result.
    """
    with open_data(**options, jobs=1) as db:
        rows = list(map(dict, run_rules(db).rows))
    kept = []
    for row in rows:
        if "input" in str(row["subject"]):
            continue
        row["figures"] = {k: v for k, v in json.loads(row["figures"] or "{}").items() if "record_id" not in k}
        names = [n for n in row if not n.startswith("evidence_")] if row["qmgr"] else RESULT
        kept.append(str([row[name] for name in names]))
    return sorted(kept)


def test_a_dump_that_the_dataset_has_is_a_source_without_facts(whole: Facts, tmp_path: Path) -> None:
    add(tmp_path / "set", file_of(dump(records()), tmp_path, "a.smf"))
    again = add(tmp_path / "set", file_of(dump(records(), "bdw"), tmp_path, "b.smf"))
    (outcome,) = again.outcomes
    count = len(records())
    assert outcome.state == "added"
    assert outcome.text.startswith(f"b.smf: added as source 2: 0 records decoded of {count:,}, all MQ records")
    assert again.return_code() == 0
    assert facts_of_dataset(tmp_path / "set") == whole
    second = open_dataset(tmp_path / "set").manifest.sources[1]
    assert second.ledger["records"]["duplicate"] == count
    names = {entry.table for entry in open_dataset(tmp_path / "set").manifest.files if entry.source_ids == {2}}
    assert names == {"record", "source"}


def test_members_of_an_archive_and_a_longer_copy(whole: Facts, tmp_path: Path) -> None:
    """Members are staged together before they are published; and a dump that is replaced does not count as being in the
    dataset.
    """
    import zipfile

    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        for number, data in enumerate(overlap(records())):
            archive.writestr(f"{number}.smf", data)
    add(tmp_path / "set", tmp_path / "both.zip")
    assert facts_of_dataset(tmp_path / "set") == whole
    grown = tmp_path / "grown.smf"
    add(tmp_path / "other", file_of(dump(records()[:30]), tmp_path, grown.name))
    add(tmp_path / "other", file_of(dump(records()[20:35]), tmp_path, "between.smf"))
    done = add(tmp_path / "other", file_of(dump(records()), tmp_path, grown.name))
    assert "in place of source 1" in done.outcomes[0].text
    assert facts_of_dataset(tmp_path / "other") == whole
