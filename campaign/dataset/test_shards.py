"""Rules judged in shards: what a rule is judged over, which queue managers are together, and that no finding is lost, added or changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqstat.intake import open_data as opening
from mqstat.intake.open_data import open_data
from mqstat.judge import shards
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from mqstat.sql.database import Database
from mqstat.sql.extent import extent_of
from mqstat.sql.roles import ALL, GROUP, QMGR
from mqstat.sql.site import parse_site
from tests.estates import judged, judged_together
from tests.support import invoke

OVER: Mapping[str, str] = {
    shards.INPUT: "DQ001 DQ002 DQ003 DQ005 DQ016",
    shards.LPAR: "CV011",
    GROUP: "CF008 CF009 CF010 QU002 QU022 QU005 QU004 QU006 QU007 QU011 QU025",
    ALL: "BP020 PS006 LG035 CF014 SM009 ST007 CH017 CV002 CV010 CV014 LG027 CN008 CN009 CN004 CN005 IM002",
}
"""The rules that are not judged over a queue manager alone."""


def test_what_rules_are_judged_over() -> None:
    expected = {rule_id: over for over, listed in OVER.items() for rule_id in listed.split()}
    assert {rule_id: shards.judged_over(rule_id) for rule_id in rules()} == {
        rule_id: expected.get(rule_id, QMGR) for rule_id in rules()
    }


@pytest.mark.parametrize(
    ("sql", "extent"),
    [
        ("SELECT lpar, qmgr, max(log_writes) AS m FROM log GROUP BY lpar, qmgr", QMGR),
        ("SELECT lpar, qmgr, max(log_writes) AS m FROM log GROUP BY ALL", QMGR),
        ("SELECT lpar, max(log_writes) AS m FROM log GROUP BY lpar", ALL),
        ("SELECT max(log_writes) AS m FROM log", ALL),
        ("SELECT lpar, qmgr FROM log LIMIT 5", ALL),
        ("SELECT lpar, qmgr, lag(log_writes) OVER (PARTITION BY lpar, qmgr ORDER BY record_id) AS x FROM log", QMGR),
        ("SELECT lpar, qmgr, lag(log_writes) OVER (ORDER BY record_id) AS x FROM log", ALL),
        ("SELECT a.lpar, a.qmgr FROM log AS a JOIN page_set AS p ON p.lpar = a.lpar AND p.qmgr = a.qmgr", QMGR),
        ("SELECT a.lpar, a.qmgr FROM log AS a JOIN page_set AS p ON p.record_id = a.record_id", QMGR),
        ("SELECT a.lpar, a.qmgr FROM log AS a JOIN page_set AS p ON p.qmgr = a.qmgr", ALL),
        ("SELECT a.lpar, a.qmgr FROM log AS a, page_set AS p", ALL),
        ("SELECT a.lpar, a.qmgr FROM qmgr AS a JOIN qmgr AS b ON b.qsg = a.qsg", GROUP),
        ("SELECT a.lpar, a.qmgr FROM qmgr AS a JOIN qmgr AS b ON b.qsg IS NOT DISTINCT FROM a.qsg", ALL),
        ("SELECT qsg, count(*) AS n FROM qmgr GROUP BY qsg", ALL),
        ("SELECT qsg, count(*) AS n FROM qmgr WHERE qsg IS NOT NULL GROUP BY qsg", GROUP),
        ("SELECT lpar, qmgr FROM log WHERE record_id IN (SELECT record_id FROM page_set)", QMGR),
        ("SELECT lpar, qmgr FROM log WHERE log_writes > (SELECT max(log_writes) FROM log)", ALL),
        ("SELECT lpar, qmgr FROM log AS a WHERE EXISTS (SELECT 1 FROM page_set AS p WHERE p.lpar = a.lpar AND p.qmgr = a.qmgr)", QMGR),
        ("SELECT s.source_id, count(q.qmgr) AS n FROM source AS s LEFT JOIN log AS q ON q.source_id = s.source_id GROUP BY s.source_id", ALL),
        ("SELECT p.lpar, p.qmgr, count(*) AS n FROM log AS a LEFT JOIN page_set AS p ON p.record_id = a.record_id GROUP BY p.lpar, p.qmgr", ALL),
        ("SELECT p.record_id, count(*) AS n FROM log AS a LEFT JOIN page_set AS p ON p.record_id = a.record_id GROUP BY p.record_id", ALL),
        ("SELECT a.lpar, a.qmgr, count(*) AS n FROM log AS a LEFT JOIN page_set AS p ON p.record_id = a.record_id GROUP BY a.lpar, a.qmgr", QMGR),
        ("SELECT lpar, qmgr, count(*) AS n FROM log LEFT JOIN page_set USING (lpar, qmgr) GROUP BY lpar, qmgr", QMGR),
        ("SELECT a.lpar, a.qmgr, count(*) AS n FROM log AS a RIGHT JOIN page_set AS p ON p.record_id = a.record_id GROUP BY a.lpar, a.qmgr", ALL),
        ("SELECT p.lpar, p.qmgr FROM log AS a LEFT JOIN page_set AS p ON p.record_id = a.record_id WHERE p.lpar IS NOT NULL AND p.qmgr IS NOT NULL GROUP BY ALL", QMGR),
        ("SELECT DISTINCT coalesce(p.lpar, a.lpar) AS lpar, coalesce(p.qmgr, a.qmgr) AS qmgr FROM log AS a LEFT JOIN page_set AS p ON p.record_id = a.record_id", QMGR),
        ("SELECT qsg, count(*) AS n FROM (SELECT qsg FROM qmgr UNION ALL SELECT qsg FROM qmgr WHERE qsg IS NOT NULL) GROUP BY qsg", ALL),
        ("SELECT p.lpar || p.qmgr AS owner, count(*) AS n FROM log AS a LEFT JOIN page_set AS p ON p.record_id = a.record_id GROUP BY owner", ALL),
        ("SELECT x.lpar FROM (SELECT p.record_id, a.lpar FROM log AS a LEFT JOIN page_set AS p ON p.record_id = a.record_id) AS x "
         "JOIN (SELECT p.record_id FROM log AS a LEFT JOIN page_set AS p ON p.record_id = a.record_id) AS y ON y.record_id IS NOT DISTINCT FROM x.record_id", ALL),
        ("SELECT DISTINCT mq_version FROM log", ALL),
        ("SELECT lpar, qmgr FROM log UNION SELECT lpar, qmgr FROM page_set", QMGR),
    ],
)  # fmt: skip
def test_extent_of_queries(sql: str, extent: str) -> None:
    relation = extent_of(sql)
    assert relation.of_columns(relation.columns) == extent


NAMES = st.sampled_from(["A", "B", "C", "D", None])
MEMBERS = st.dictionaries(
    st.tuples(NAMES, NAMES), st.tuples(st.integers(0, 99), st.frozensets(st.sampled_from(["G1", "G2"])))
)


@given(MEMBERS, st.integers(1, 4))
def test_shards_are_closed(given_members: dict[Any, Any], count: int) -> None:
    """Each pair is in one shard, with all members of its groups."""
    members = [(place, records, groups) for place, (records, groups) in given_members.items()]
    parts = shards.split(members, count)
    assert len(parts) <= count
    shard_of: dict[str, int] = {}
    for place, _, groups in members:
        (own,) = [number for number, (column, names) in enumerate(parts) if place[column == "qmgr"] in names]
        for group in groups:
            assert shard_of.setdefault(group, own) == own


class AtOnce:
    """Runs each function when it is submitted."""

    def __init__(self, count: int) -> None:
        self.count = count

    @property
    def pool(self) -> AtOnce:
        return self

    def submit(self, function: Callable[..., Any], /, *given: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*given))
        return future


def found(database: Database, judges: AtOnce | None) -> tuple[pa.Table, list[str], dict[str, Any]]:
    """The findings, the counts of those that represent others, and the tables of rows in breach."""
    database.judges = judges
    run_rules(database)
    names = list(database.arrow("SELECT * FROM decoded.finding LIMIT 0").schema.names)
    order = "ORDER BY rule_id, lpar, qmgr, subject, to_json(f)::VARCHAR"
    findings = database.arrow(f"SELECT * FROM decoded.finding AS f {order}")
    listed = database.arrow(f"SELECT * FROM {database.listed_findings} AS f {order}")
    marked = {
        name: sorted(map(str, database.execute(f'SELECT * FROM temp."breach_{name}"').fetchall()))
        for name in sorted(database.marked)
    }
    assert names
    return findings, [str(row) for row in listed.to_pylist()], marked


@pytest.mark.parametrize("name", judged_together())
def test_shards_find_what_one_process_finds(name: str, tmp_path: Path) -> None:
    estate = judged(name)
    dump = tmp_path / "estate.smf"
    dump.write_bytes(estate.dump)
    site = parse_site(estate.site, "site.toml")
    results = []
    for judges in (None, AtOnce(4)):
        with open_data([str(dump)], site=site) as database:
            results.append(found(database, judges))
    (whole, listed, marked), (united, listed_united, marked_united) = results
    differences = [
        (before["rule_id"], before["lpar"], before["qmgr"], before["subject"], key, before[key], after[key])
        for before, after in zip(whole.to_pylist(), united.to_pylist(), strict=True)
        for key in before
        if before[key] != after[key]
    ]
    assert not differences, differences[:5]
    assert listed_united == listed
    assert marked_united == marked


def test_processes_find_what_one_process_finds(dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MQ10_MQ1O.dat", "TEST115.dat", "TESTCHL.dat"):
        assert invoke("ingest", dumps / name, "--into", tmp_path / "set").returncode <= 4
    monkeypatch.setattr(opening, "SMALL", 0)
    command = ("check", "--from", tmp_path / "set", "--format", "json")
    expected = invoke(*command, "--jobs", "1")
    assert json.loads(expected.stdout)["findings"]
    assert invoke(*command, "--jobs", "4") == expected
