"""The site file: facts, overrides, and that every mistake names the file and the nearest known word."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from mqstat import sqlfile
from mqstat.database import all_schemas, open_database
from mqstat.errors import SiteError
from mqstat.site import FACTS, Site, load_site, parse_site

FILE = """
[site]
active_log_mb = 4096
qsg = "QSG1"
dead_letter_queues = ["DEAD.LETTER"]
pool_role = { 3 = "bulk", 4 = "other" }

[lpar.SYS1]
cpus = 8

[qmgr.MQ01]
active_log_mb = 1024
metro_mirror = true
pool_role = { 4 = "short" }

[qmgr."SYS2.MQ01"]
active_logs = 6

[rules.BP004]
stealable_pct_min = 10.0
reason = "agreed"

[rules.BP004.lpar.SYS1.qmgr.MQ01.subject."buffer pool 3"]
off = true
reason = "batch"

[rules.LG004.qmgr.MQ01]
average_us_max = 3000
severity = "critical"
reason = "payments"
"""


def test_facts_of_the_queue_manager_win() -> None:
    site = parse_site(FILE, "site.toml")
    facts = site.facts("SYS1", "MQ01")
    assert facts["active_log_mb"] == 1024.0
    assert facts["cpus"] == 8
    assert facts["metro_mirror"] is True
    assert facts["dead_letter_queues"] == ["DEAD.LETTER"]
    assert dict(facts["pool_role_by_pool"]) == {3: "bulk", 4: "short"}
    assert facts["active_logs"] is None
    assert site.facts("SYS2", "MQ01")["active_logs"] == 6
    assert site.facts("SYS2", "MQ02")["active_log_mb"] == 4096.0
    assert set(facts) == {fact.column for fact in FACTS.values()}


def test_facts_are_a_view() -> None:
    schema = all_schemas()["record"]
    rows = [{"record_id": 1, "lpar": "SYS1", "qmgr": "MQ01"}, {"record_id": 2, "lpar": "SYS2", "qmgr": "MQ02"}]
    record = pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)
    with open_database({"record": record}, site=parse_site(FILE, "site.toml")) as db:
        found = db.rows(
            "SELECT qmgr, active_log_mb, pool_role_by_pool[3] AS three, pool_role_by_pool[4] AS four, qsg FROM site_input ORDER BY qmgr"
        )
    assert found == [
        {"qmgr": "MQ01", "active_log_mb": 1024.0, "three": "bulk", "four": "short", "qsg": "QSG1"},
        {"qmgr": "MQ02", "active_log_mb": 4096.0, "three": "bulk", "four": "other", "qsg": "QSG1"},
    ]


def test_every_fact_is_a_column_of_the_view() -> None:
    assert {fact.column for fact in FACTS.values()} | {"lpar", "qmgr"} == set(sqlfile.views()["site_input"].columns)


def test_overrides_know_where_they_hold() -> None:
    site = parse_site(FILE, "site.toml")
    wide, narrow = site.overrides_of("BP004")
    assert (wide.scope, dict(wide.thresholds), wide.reason) == ("site", {"stealable_pct_min": 10.0}, "agreed")
    assert (narrow.lpar, narrow.qmgr, narrow.subject, narrow.off) == ("SYS1", "MQ01", "buffer pool 3", True)
    (log,) = site.overrides_of("LG004")
    assert (log.scope, log.severity) == ("qmgr", "critical")


def test_no_file_changes_nothing() -> None:
    assert not Site().has_facts
    assert set(Site().facts("A", "B").values()) == {None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[rule.BP004]\noff = true", "[rule] is unknown; did you mean rules"),
        ('[rules.BP04]\noff = true\nreason = "x"', "rules.BP04 is not a rule; did you mean BP004"),
        ('[rules.bp004]\noff = true\nreason = "x"', "did you mean BP004"),
        ('[rules.BP004]\nstealable_min_pct = 1\nreason = "x"', "did you mean stealable_pct_min"),
        ('[rules.BP004]\nstealable_pct_min = "1"\nreason = "x"', "must be a number"),
        ("[rules.BP004]\nstealable_pct_min = 1", "gives no reason"),
        ('[rules.BP004]\nreason = "x"', "changes nothing"),
        ('[rules.BP004]\nseverity = "bad"\nreason = "x"', "severity must be one of critical, warning, info"),
        ('[rules.BP004]\noff = 1\nreason = "x"', "off must be true or false"),
        ('[rules.BP004.qmgr.A.qmgr.B]\noff = true\nreason = "x"', "nested in qmgr twice"),
        (
            '[rules.BP004.qmgr.A.subject.B]\noff = true\nreason = "x"\n[rules.BP004.subject.B.qmgr.A]\noff = false\nreason = "x"',
            "overridden twice",
        ),
        ("[site]\nactive_logs_mb = 1", "did you mean active_log_mb"),
        ("[site]\nactive_logs = 1.5", "site.active_logs must be a whole number"),
        ("[site]\nactive_logs = true", "site.active_logs must be a whole number"),
        ('[qmgr.MQ01]\nmetro_mirror = "yes"', "qmgr.MQ01.metro_mirror must be true or false"),
        ('[site]\npool_role = { 3 = "huge" }', "must be one of short, bulk, other"),
        ('[site]\npool_role = { three = "bulk" }', "must be keyed by a number"),
        ("[site]\npool_role = 3", "site.pool_role must be a table"),
        ("[site", "not TOML"),
        ("site = 1", "site must be a table"),
    ],
)
def test_mistakes_name_the_file_and_the_nearest_word(text: str, said: str) -> None:
    with pytest.raises(SiteError, match=r"^site\.toml: .*" + re.escape(said)):
        parse_site(text, "site.toml")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match=r"absent\.toml cannot be read"):
        load_site(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n")
    with pytest.raises(SiteError, match=r"latin\.toml cannot be read"):
        load_site(tmp_path / "latin.toml")
    (tmp_path / "site.toml").write_text(FILE, encoding="utf-8")
    assert load_site(tmp_path / "site.toml").name == "site.toml"
