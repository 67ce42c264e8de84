"""The site file: facts, overrides, and that every mistake names the file and the nearest known word."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from mqstat.assemble.plan.model import plans
from mqstat.assemble.site_file import rules_of
from mqstat.base.errors import SiteError
from mqstat.base.toml_lines import Lines
from mqstat.judge import scope
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.schemas import all_schemas
from mqstat.sql.site import FACTS, RATES, Override, Site, load_site, parse_site
from tests.cases import check
from tests.opening import open_database
from tests.support import ROOT

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


def test_facts_of_the_queue_manager_override_others() -> None:
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
    assert set(facts) == {fact.column for fact in FACTS.values()} | {RATES}


def test_the_narrowest_table_that_has_a_fact_gives_it() -> None:
    """Each table in turn: everywhere, the LPAR, the queue manager, the queue manager on the LPAR; also key by key of a
    fact with keys.
    """
    tables = ("[site]", "[lpar.SYS1]", "[qmgr.MQ01]", '[qmgr."SYS1.MQ01"]')
    for count in range(1, len(tables) + 1):
        for given in (tables[:count], tables[:count][::-1]):
            text = "".join(
                f"{table}\nactive_logs = {tables.index(table) + 3}\nmaxdepth.Q = {tables.index(table) + 3}\n"
                for table in given
            )
            facts = parse_site(text, "site.toml").facts("SYS1", "MQ01")
            assert facts["active_logs"] == count + 2, text
            assert facts[FACTS["maxdepth"].column] == [("Q", count + 2)], text


def test_facts_are_a_view() -> None:
    schema = all_schemas()["record"]
    rows = [{"record_id": 1, "lpar": "SYS1", "qmgr": "MQ01"}, {"record_id": 2, "lpar": "SYS2", "qmgr": "MQ02"}]
    record = pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)
    with open_database({"record": record}, site=parse_site(FILE, "site.toml")) as db:
        facts = db.rows(
            "SELECT qmgr, active_log_mb, pool_role_by_pool[3] AS three, pool_role_by_pool[4] AS four, qsg FROM site_input ORDER BY qmgr"
        )
    assert facts == [
        {"qmgr": "MQ01", "active_log_mb": 1024.0, "three": "bulk", "four": "short", "qsg": "QSG1"},
        {"qmgr": "MQ02", "active_log_mb": 4096.0, "three": "bulk", "four": "other", "qsg": "QSG1"},
    ]


def test_every_fact_is_a_column_of_the_view() -> None:
    columns = {fact.column for fact in FACTS.values()} | {"lpar", "qmgr", RATES}
    assert columns == set(sqlfile.views()["site_input"].columns)


def test_every_fact_is_used_or_kept_for_reference() -> None:
    """By a rule, a report or a plan; docs/guide.md names the others."""
    shown = {name for unit in sqlfile.reports().values() for name in unit.header.get("site_input", ())}
    asked = {parameter.fact for plan in plans().values() for parameter in plan.parameters.values()}
    unused = {name for name, fact in FACTS.items() if not (name in shown | asked or any(rules_of(fact)))}
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    (kept,) = re.findall(r"^Facts that no rule, report or plan reads are kept for reference.*$", guide, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", kept)) - {"site_input"} == unused


def test_scope_of_overrides() -> None:
    site = parse_site(FILE, "site.toml")
    everywhere, narrow = site.overrides_of("BP004")
    assert (everywhere.scope, dict(everywhere.thresholds), everywhere.reason) == (
        "site",
        {"stealable_pct_min": 10.0},
        "agreed",
    )
    assert (narrow.lpar, narrow.qmgr, narrow.subject, narrow.off) == ("SYS1", "MQ01", "buffer pool 3", True)
    (log,) = site.overrides_of("LG004")
    assert (log.scope, log.severity) == ("qmgr", "critical")


def test_no_file_changes_nothing() -> None:
    assert not Site().has_facts
    assert set(Site().facts("A", "B").values()) == {None}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[rule.BP004]\noff = true", "rule is not known; did you mean rules"),
        ('[rules.BP04]\noff = true\nreason = "x"', "rules.BP04 is not a rule; did you mean BP"),
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
        ('[rules.BP004]\noff = true\nreason = "x"\nuntil = "2026-12-31"', "until must be a date such as 2026-12-31"),
        ('[rules.BP004]\noff = true\nreason = "x"\nuntil = 2026-12-31T00:00:00', "until must be a date"),
        ('[rules.BP004]\nuntil = 2026-12-31\nreason = "x"', "changes nothing"),
        ('[rules.BP004]\nstealable_pct_min = nan\nreason = "x"', "must be a number"),
        ("[site]\nactive_log_mb = inf", "must be a number"),
        ('[site]\nmin_partner_version = "MQ 9.3"', "site.min_partner_version must be an MQ level such as 9.3.0"),
        ('[site]\nmin_partner_version = "9.3\\n"', "site.min_partner_version must be an MQ level such as 9.3.0"),
        ("[facts]\ncpus = 8", "facts is not known; there are site, lpar, qmgr, rules, rate, maintenance."),
        ("cpus = 8", "cpus is not known; it belongs in [site] or [lpar.NAME] or [qmgr.NAME]."),
        ("[lpar]\ncpus = 8", "lpar.cpus must be a table: write [lpar.cpus] on a line of its own."),
        ("[site", "not TOML"),
        ("site = 1", "site must be a table"),
    ],
)
def test_mistakes_name_the_file_and_the_nearest_word(text: str, message: str) -> None:
    with pytest.raises(SiteError, match=r"^site\.toml, line \d+: .*" + re.escape(message)):
        parse_site(text, "site.toml")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match=r"absent\.toml cannot be read"):
        load_site(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n")
    with pytest.raises(SiteError, match=r"latin\.toml cannot be read"):
        load_site(tmp_path / "latin.toml")
    (tmp_path / "site.toml").write_text(FILE, encoding="utf-8")
    assert load_site(tmp_path / "site.toml").name == "site.toml"


# ---------------------------------------------------------------------------------------------------------------- lines

LONG = '''# a comment
[site]
active_log_mb = 4096   # [not.a.table]
dead_letter_queues = [
  "A", # "]"
  "B = [rules.BP004]",
]
pool_role = { 3 = "bulk",  4 = "other" }
log_device = """
[rules.BP001]
off = 1
"""

[qmgr."MQ[01]"]   # odd
cpus = 8
[rules.BP004.qmgr.MQ01]
subject."buffer pool 3".off = true
subject."buffer pool 3".reason = "x = 1"
[rules . LG004]
"average_us_max" = 3000
reason = '[x]'
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("site",), 2), (("site", "active_log_mb"), 3), (("site", "dead_letter_queues"), 4), (("site", "pool_role", "4"), 8), (("site", "log_device"), 9),
        (("qmgr", "MQ[01]"), 14), (("qmgr", "MQ[01]", "cpus"), 15), (("rules", "BP004", "qmgr", "MQ01"), 16),
        (("rules", "BP004", "qmgr", "MQ01", "subject", "buffer pool 3", "off"), 17),
        (("rules", "BP004", "qmgr", "MQ01", "subject", "buffer pool 3", "reason"), 18), (("rules", "LG004"), 19),
        (("rules", "LG004", "average_us_max"), 20), (("rules", "LG004", "reason"), 21), (("rules", "BP001"), 16), (("rules", "LG004", "absent"), 19),
        (("nothing",), 1), (("qmgr",), 14),
    ],
)  # fmt: skip
def test_lines_of_keys(path: tuple[str, ...], line: int) -> None:
    assert Lines(LONG).of(*path) == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# \u2028\n[site]\nactive_log = 1", "line 3: site.active_log is not"),
        ("# \x85\r\n[site]\r\nactive_log = 1\r\n", "line 3: site.active_log is not"),
        ("[site]\n\nactive_log = 1", "line 3: site.active_log is not"),
        ("[site]\ndead_letter_queues = [\n'A',\n]\nqsg = 1", "line 5: site.qsg must"),
        ("[qmgr.MQ01]\ncpus = 1\n[rules.BP004]\noff = true", "line 3: rules.BP004 gives no reason"),
        ("[rules]\nBP004.off = true\nBP004.reason = 1", "line 3: rules.BP004.reason must"),
        ("[site]\npool_role = { 1 = 'bulk',  2 = 'x' }", "line 2: site.pool_role.2 must"),
        ("[site]\nqsg = 'A'\nqsg = 'B'", "line 3: the site file is not TOML"),
        ("[site]\nqsg = 'A", "line 2: the site file is not TOML"),
        ("[site]\nqsg = [", "line 2: the site file is not TOML"),
    ],
)
def test_messages_name_the_line(text: str, message: str) -> None:
    with pytest.raises(SiteError, match=re.escape(f"site.toml, {message}")):
        parse_site(text, "site.toml")


# ----------------------------------------------------------------------------------------------- patterns and end dates


def test_patterns() -> None:
    o = Override("BP004", qmgr="MQ0?", subject="buffer pool 1*")
    assert o.holds("X", "MQ01", "buffer pool 12")
    assert not o.holds("X", "MQ012", "buffer pool 12")
    assert not o.holds("X", "MQ01", "buffer pool 2")
    assert not o.holds("X", "MQ01", None)
    assert Override("BP004", subject="a[1]*").holds(None, None, "a[1]b")
    assert Override("BP004", subject="A").holds(None, None, "A")
    assert not Override("BP004", subject="A").holds(None, None, "a")
    assert Override("BP004").holds(None, None, None)
    assert Override("BP004", subject="buffer pool *").around(o)
    assert not o.around(Override("BP004", subject="buffer pool *"))


@pytest.mark.parametrize("subject", ["buffer pool 1", "Buffer Pool 1", "buffer pool 12", "a[1]b", "it's", "x", None])
@pytest.mark.parametrize(
    "pattern", ["buffer pool 1*", "buffer pool ?", "a[1]*", "a[1]b", "it's", "it'*", "*", "x", None]
)
def test_the_condition_matches_the_method(pattern: str | None, subject: str | None) -> None:
    o = Override("BP004", subject=pattern)
    with duckdb.connect() as connection:
        (result,) = connection.execute(
            f"SELECT coalesce({o.condition}, false) FROM (SELECT 'A' AS lpar, 'B' AS qmgr, $subject::VARCHAR AS subject)",
            {"subject": subject},
        ).fetchall()
    assert result[0] == o.holds("A", "B", subject)


def test_the_narrowest_override_comes_last() -> None:
    text = "".join(
        f'[rules.BP004{where}]\nstealable_pct_min = {number}\nreason = "x"\n'
        for number, where in enumerate(
            [
                '.subject."buffer pool 3"',
                "",
                '.subject."buffer pool *"',
                ".qmgr.MQ01",
                '.subject."*"',
                '.qmgr.MQ01.subject."*"',
                ".lpar.SYS1",
            ]
        )
    )
    overrides = parse_site(text, "s").overrides_of("BP004")
    assert [o.thresholds["stealable_pct_min"] for o in overrides] == [1, 6, 3, 4, 5, 2, 0]


def test_the_narrowest_severity_is_that_of_the_finding() -> None:
    text = "".join(
        f'[rules.BP004{where}]\nseverity = "{severity}"\nreason = "x"\n'
        for where, severity in (
            ("", "info"),
            (".qmgr.MQ01", "critical"),
            ('.qmgr.MQ02.subject."buffer pool 3"', "critical"),
        )
    )
    overrides = parse_site(text, "s").overrides_of("BP004")
    subjects = (("MQ01", "buffer pool 1"), ("MQ02", "buffer pool 1"), ("MQ02", "buffer pool 3"))
    assert [scope.severity(rules()["BP004"], overrides, "SYS1", qmgr, subject, None) for qmgr, subject in subjects] == [
        "critical",
        "info",
        "critical",
    ]


def test_patterns_reach_the_engine() -> None:
    """Two pools below 15 %: a pattern lowers the limit of one and its severity, the other keeps the default."""
    pools = [
        {"n": 0, "pool_id": pool, "buffers": 1000, "lowest_free_pct": 12.0, "deferred_write_starts": 0}
        for pool in (1, 12, 13, 2)
    ]
    site = """
        [rules.BP004.subject."buffer pool 1?"]
        severity = "info"
        reason = "x"
        [rules.BP004.subject."buffer pool *3"]
        stealable_pct_min = 10
        reason = "y"
        [rules.BP004.qmgr."MQ*".subject."buffer pool 2"]
        off = true
        reason = "z"
    """
    expect = [{"subject": "buffer pool 1", "severity": "warning"}, {"subject": "buffer pool 12", "severity": "info"}]
    also = [
        {"subject": "buffer pool 13", "outcome": "clear", "limit_value": 10.0, "limit_from": "subject"},
        {"subject": "buffer pool 2", "outcome": "off"},
    ]
    case = {"given": {"buffer_pool": pools}, "site": site, "expect": expect, "also": also}
    assert check("BP004", case) is None


def test_an_override_ends() -> None:
    text = '[rules.BP004]\noff = true\nreason = "x"\nuntil = 2026-06-30\n'
    site = parse_site(text, "s")
    assert site.on(dt.date(2026, 6, 30)).overrides_of("BP004")
    later = site.on(dt.date(2026, 7, 1))
    assert later.overrides_of("BP004") == ()
    assert [o.line for o in later.ended] == [1]
    assert later.on(dt.date(2026, 6, 1)).overrides_of("BP004")
    assert site.on(None) == site


@pytest.mark.parametrize(
    "line",
    [
        "x = " + "[" * 5_000 + "]" * 5_000,
        "x = " + "{a = " * 5_000 + "1" + "}" * 5_000,
        ".".join("a" * 5_000) + " = 1",
        "active_log_mb = " + "9" * 5_000,
        "active_log_mb = " + "9" * 400,
        "active_logs = " + "9" * 400,
        "active_log_mb = 1e999",
        "active_log_mb = nan",
    ],
)
def test_a_hostile_value_is_one_sentence_with_its_line(line: str) -> None:
    """Deep nesting, and numbers that no integer or float holds."""
    with pytest.raises(SiteError, match=r"^site.toml, line [12]: ") as error:
        parse_site(f"[site]\n{line}\n", "site.toml")
    assert "\n" not in str(error.value)


def test_a_threshold_that_no_float_holds_is_one_sentence() -> None:
    with pytest.raises(SiteError, match="must be a number"):
        parse_site("[rules.BP004]\nstealable_pct_min = " + "9" * 400 + '\nreason = "x"\n', "site.toml")


@pytest.mark.parametrize(
    ("fact", "enabled", "precise"),
    [
        ("log_stripes", ["LG027"], []),
        ("logload", [], ["LG019"]),
        ("cpus", [], ["CH003"]),
        ("single_logging_accepted", [], ["LG008", "LG009"]),
        ("stopped_channels", [], ["CN014"]),
        ("maxdepth", ["QU002"], []),
        ("retained_queues", [], ["QU004", "QU005", "QU006"]),
        ("chin_31bit_total_mb", [], ["CH013"]),
    ],
)
def test_a_fact_names_the_rules_whose_figures_it_changes(fact: str, enabled: list[str], precise: list[str]) -> None:
    """Not all rules over a view that also has the fact: their figures are computed without it."""
    assert rules_of(FACTS[fact]) == (enabled, precise)
