"""One definition of state: text, page, JSON, metrics and the verdict report show the states that the rules determine
for each queue manager.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from mqstat.base.card_key import anchor_of
from mqstat.base.selection import Selection
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge import states
from mqstat.judge.model import rules
from mqstat.parsers import kit
from mqstat.render.html.states import css
from mqstat.sql import sqlfile
from mqstat.sql.schemas import all_schemas
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.installation import whole_dump
from tests.outputs import Outputs
from tests.report_checks import valid_json, valid_metrics, written
from tests.support import ROOT, file_of, reading


@dataclass(frozen=True)
class Written:
    """A report in the formats that people and programs read, with counts from the tables."""

    report: Report
    data: dict[str, Any]
    text: str
    page: str
    markdown: str
    metrics: str
    records: dict[tuple[str, str], int]
    verdict: list[dict[str, Any]]
    findings: list[dict[str, Any]]


@cache
def report_of(name: str, *qmgrs: str) -> Written:
    """The report of a scenario, or of some of its queue managers."""
    dump = file_of(SCENARIOS[name].build(), Path(mkdtemp()), f"{name}.smf")
    with reading(dump, selection=Selection(qmgrs=qmgrs)) as db:
        report = health_report(db)
        verdict = db.ask_rows(sqlfile.reports()["overview/verdict"].text)
        return Written(
            report, valid_json(written(report, "json")), written(report, "text", verbose=True), written(report, "html"), written(report, "markdown"),
            written(report, "openmetrics"), counted_records(db), verdict,
            db.rows("SELECT * FROM finding"),
        )  # fmt: skip


def counted_records(db: Workspace) -> dict[tuple[str, str], int]:
    """The number of records by queue manager and class."""
    counts = db.rows("SELECT qmgr, record_class, count(*) AS records FROM decoded.record GROUP BY ALL")
    return {(row["qmgr"], row["record_class"]): row["records"] for row in counts}


def by_qmgr(data: dict[str, Any], rule_id: str) -> dict[str, dict[str, Any]]:
    """The state of a rule on each queue manager."""
    (line,) = [rule for rule in data["rules"] if rule["rule_id"] == rule_id]
    return {manager["qmgr"]: manager for manager in line["queue_managers"]}


def tiles(data: dict[str, Any], area: str) -> dict[str, str]:
    return {tile["qmgr"]: tile["state"] for tile in data["tiles"] if tile["area"] == area}


# ----------------------------------------------------------------------------------------------- idle and not collected


@pytest.mark.slow
def test_an_area_has_its_own_state_on_each_queue_manager() -> None:
    data = report_of("three_states").data
    assert tiles(data, "smds") == {"MQ01": "idle", "MQ02": "not collected", "MQ03": "warning"}
    states = by_qmgr(data, "SM001")
    assert {name: manager["state"] for name, manager in states.items()} == {
        "MQ01": "idle", "MQ02": "not collected", "MQ03": "breach",
    }  # fmt: skip
    assert (states["MQ02"]["missing_classes"], states["MQ02"]["collect_command"]) == (
        ["115.2"], None,  # the trace runs: it writes 115.1
    )  # fmt: skip
    assert states["MQ01"]["missing_classes"] == []
    assert (states["MQ03"]["subjects_in_breach"], states["MQ03"]["intervals_checked"], states["MQ03"]["intervals_breached"]) == (1, 4, 1)  # fmt: skip


@pytest.mark.slow
def test_one_queue_manager_without_a_class_does_not_make_the_others_not_collected() -> None:
    report = report_of("three_states", "MQ01", "MQ02")
    (line,) = [rule for rule in report.data["rules"] if rule["rule_id"] == "SM001"]
    (area,) = [area for area in report.data["verdict"] if area["rule_area"] == "smds"]
    assert line["state"] == area["state"] == "idle"
    assert line["text"] == area["text"] == "idle on MQ01; not collected on MQ02 (115.2)"
    for text in (report.text, report.page, report.markdown):
        assert "idle on MQ01; not collected on MQ02 (115.2)" in text.replace("\\", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "story", ["three_states", "accounting_only", "missing_classes", "old_release", "three_levels"]
)  # not `name`: it stays with the tests of this file, which read the same reports (`together` in tests/plugin.py)
def test_what_is_not_collected_is_not_in_the_tables(story: str, outputs: Outputs, tmp_path: Path) -> None:
    """Neither a state nor a reason claims that a class is missing of which there are records, nor too new a level of a
    newer one.
    """
    findings: Sequence[Mapping[str, Any]]
    if story == "three_levels":
        findings = outputs.findings(story)
        with reading(file_of(SCENARIOS[story].build(), tmp_path), {"record": all_schemas()["record"].names}) as db:
            records = counted_records(db)
    else:
        findings, records = report_of(story).findings, report_of(story).records
    claims = [row for row in findings if row["state"] in states.ABSENT]
    assert claims
    for row in claims:
        for record_class in row["missing_classes"] or ():
            counted = sum(
                n for (qmgr, kind), n in records.items() if kind == record_class and row["qmgr"] in (qmgr, None)
            )
            assert counted == 0, (row["rule_id"], row["qmgr"], record_class)
        if row["state"] == states.NOT_IN_RELEASE and not row["short_structure"]:
            needed, present = (tuple(map(int, row[key].split("."))) for key in ("needs_mq_level", "found_mq_level"))
            assert present < needed, row["rule_id"]


@pytest.mark.slow
def test_idle_is_never_without_the_records() -> None:
    report = report_of("three_states")
    for row in report.findings:
        if row["state"] == states.IDLE and row["rule_area"] == "smds":
            assert report.records[row["qmgr"], "115.2"] > 0


# -------------------------------------------------------------------------------------------------------- partly judged


@pytest.mark.slow
def test_a_queue_manager_with_accounting_alone_is_partly_judged() -> None:
    report = report_of("accounting_only")
    (manager,) = report.data["queue_managers"]
    assert report.report.return_code == 0
    assert (manager["state"], report.data["state"]) == ("partly judged", "partly judged")
    assert manager["judged"] < manager["rules"] / 4
    assert sum(manager["counts"].values()) == manager["rules"] == sum("qmgr" in rule.grain for rule in rules().values())
    count = f"{manager['judged']} of {manager['rules']} rules"
    assert re.search(rf"MQ01 +partly judged +{count} judged", report.text)
    assert f"partly judged on MQ01, {count}" in report.page
    assert "MQ is OK" not in report.page
    (row,) = re.findall(r'<tr><th scope="row"><svg class="icon".*?</tr>', report.page, re.DOTALL)
    assert 'href="#i-partly-judged"' in row
    assert ", partly judged</span>" in row
    assert f"{count} judged" in row
    assert "partly judged" in report.markdown


@pytest.mark.slow
def test_a_queue_manager_with_its_statistics_is_judged() -> None:
    data = report_of("three_states").data
    assert {manager["qmgr"]: manager["state"] for manager in data["queue_managers"]} == {
        "MQ01": "info", "MQ02": "warning", "MQ03": "warning",
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------------ another release


def advice(found: Written, rule_id: str) -> str:
    """The reason that a rule was not judged."""
    (text,) = {row["advice"] for row in found.findings if row["rule_id"] == rule_id}
    return str(text)


@pytest.mark.slow
def test_a_release_that_is_too_old_is_named() -> None:
    report = report_of("old_release")
    (area,) = [area for area in report.data["verdict"] if area["rule_area"] == "channel_initiator"]
    assert (area["state"], area["text"]) == (
        "not in this release",
        "written by MQ 8.0.0 and later, all of it by 9.4.0; this is 7.0.1",
    )
    level = by_qmgr(report.data, "SM001")["CSQ7"]
    assert (level["state"], level["needs_mq_level"], level["found_mq_level"]) == (
        "not in this release",
        "7.1.0",
        "7.0.1",
    )
    assert "the data starts with" not in report.text + report.page
    assert "or its class is not collected" not in json.dumps(report.data)
    # The sections of 7.0.1 end before the figures of log I/O, which an APAR added: nothing is known, and no release is
    # guessed.
    for rule_id in ("LG004", "LG005", "LG006", "LG007", "LG008", "LG009", "LG013"):
        short = by_qmgr(report.data, rule_id)["CSQ7"]
        assert (short["state"], short["needs_mq_level"]) == ("not in this release", None), rule_id
        assert (short["short_structure"], short["short_section_bytes"]) == ("qjst", 120)
        assert "section QJST of MQ 7.0.1 has 120 bytes" in advice(report, rule_id)
    # Statistics were collected, but their records have no interval; and a rule about 31-bit pools shows from which
    # level on it applies.
    assert advice(report, "CV002").endswith("is written by MQ 7.1.0 and later; this is 7.0.1.")
    assert advice(report, "BP012") == "Not in this release: the rule applies to MQ 9.1.0 and later; this is 7.0.1."
    # A class that the release does not write is not a class that nobody collected.
    assert "115.215" not in {name for row in report.findings for name in row["missing_classes"] or ()}


# ---------------------------------------------------------------------------------------------------------- one verdict


@pytest.mark.slow
@pytest.mark.parametrize("name", ["three_states", "accounting_only", "missing_classes", "old_release"])
def test_every_format_has_the_same_states(name: str) -> None:
    report = report_of(name)
    shown = {(tile["area"], tile["lpar"], tile["qmgr"]): tile["state"] for tile in report.data["tiles"]}
    assert {(row["rule_area"], row["lpar"], row["qmgr"]): row["area_status"] for row in report.verdict} == shown
    metrics = {
        tuple(dict(labels).get(key) or None for key in ("area", "lpar", "qmgr")): dict(labels)["state"]
        for (metric, labels), value in valid_metrics(report.metrics).items()
        if metric == "mqstat_area_state" and value == 1
    }
    assert metrics == shown
    for verdict in report.data["verdict"]:
        mine = [state for (area, _, _), state in shown.items() if area == verdict["rule_area"]]
        assert verdict["state"] == states.worst(mine)
        assert re.search(rf"^  {re.escape(verdict['area'])} +{verdict['state']} ", report.text, re.MULTILINE)
        assert f"| {verdict['area']} | {verdict['state']} |" in report.markdown
    for line in report.data["rules"]:
        assert f'<tr id="rule-{line["rule_id"]}" class="is-{css(line["state"])}"' in report.page
    words = {state for _, _, state in [(*key[1:], value) for key, value in shown.items()]}
    assert words <= set(states.STATUSES)


# --------------------------------------------------------------------------------------------- one finding, many places


@pytest.mark.slow
def test_the_same_finding_is_reported_once() -> None:
    report = report_of("missing_classes")
    found = [each for each in report.data["findings"] if each["rule_id"] == "CV003"]
    assert [row["qmgr"] for each in found for row in each["subjects"]] == ["MQ01", "MQ02"]
    assert all(row["observed"] == 18 and row["figure"].startswith("18") for each in found for row in each["subjects"])
    keys = [each["key"] for each in report.data["findings"]]
    assert len(keys) == len(set(keys))
    for each in found:
        assert report.text.count(f"CV003 {each['subjects'][0]['place']}: ") == 1
        assert report.markdown.count(f"{each['rule_id']} {each['subjects'][0]['place']}") == 1
        assert report.page.count(f'id="{anchor_of(each["key"])}"') == 1


# ----------------------------------------------------------------------------------------------- nothing is parsed back

SHAPES = (
    r"""\[["']advice["']\]|\.get\(["']advice["']""",
    r"\b(advice|summary|remedy|reason|sentence)\.(startswith|endswith|removeprefix|removesuffix|partition|rpartition|find|index|split|replace)\(",
    r"\.(text|advice|summary|remark|facts)\.(startswith|endswith|removeprefix|removesuffix|partition|rpartition|find|index|split|replace)\(",
    r"\btexts?\[0\]\[:",
)
"""How code took data out of sentences: `startswith` of a sentence, a part that is searched and cut off, the first
characters of one."""

WRITES = {"mqstat/judge/engine.py": 1}
"""Places that fill or print the column `advice`: the engine. A format may print it, too."""


def code() -> Iterator[tuple[str, str]]:
    for folder in ("mqstat", "rules", "reports"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.is_file() and "build" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_no_sentence_is_read_back() -> None:
    bad = []
    for name, text in code():
        matches = [match for shape in SHAPES for match in re.finditer(shape, text)]
        if len(matches) > WRITES.get(name, name.startswith(("mqstat/render/formats/", "mqstat/render/feeds.py"))):
            bad += [f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}" for match in matches]
    for path in sorted(ROOT.glob("re*/**/*.sql")) + sorted(ROOT.glob("rules/**/*.sql")):
        text = path.read_text(encoding="utf-8")
        if re.search(
            r"(starts_with|contains|regexp\w*|substr\w*|split\w*)\s*\(\s*(\w\.)?advice|advice\s+(I?LIKE|GLOB)", text
        ):
            bad.append(f"{path.name} takes data out of column advice; use a column of view finding")
    assert bad == []


@pytest.mark.parametrize(
    "line",
    [
        'absent = [row for row in blind if not row["advice"].startswith(NEEDS_SITE)]',
        'facts = advice.removeprefix("Needs site input: ").split(", ")',
        'place = advice.find(rule.advice.remedy.partition("{")[0])',
        'shown = tile.text.replace(f", {qmgr} ", ", ", 1)',
        'day = next(texts[0][:10] for label, texts in head if label == "Period")',
    ],
)
def test_the_known_ways_to_read_back_are_noticed(line: str) -> None:
    assert any(re.search(shape, line) for shape in SHAPES)


def test_each_state_is_read_once_for_the_areas_of_many_queue_managers(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [*rules()]
    parts = [
        states.RuleState(name, rules()[name].area, "SYS1", f"MQ{number}", states.CLEAR, None, ())
        for number in range(300)
        for name in names
    ]
    given: list[int] = []

    def status(here: list[states.RuleState]) -> None:
        given.append(len(here))

    monkeypatch.setattr(states, "status", status)
    states.area_rows(parts)
    assert sum(given) == len(parts) == 300 * len(names)
    assert len(given) == 300 * len({rules()[name].area for name in names})


def test_the_worst_of_several_subjects_decides() -> None:
    """Severity, then weight, then the distance from the limit; time in breach and names decide only between equal
    ones.
    """
    common: dict[str, Any] = {"lpar": "SYS1", "qmgr": "MQ01", "rule_id": "PS007", "breached_pct": 100.0}
    rows = [
        common | {"subject": name, "severity": severity, "weight": weight, "distance": distance, "breached_pct": share}
        for name, severity, weight, distance, share in (
            ("seventh", "info", "loss", 9.0, 100.0), ("sixth", "warning", "waste", 90.0, 100.0), ("fifth", "warning", "delay", None, 100.0),
            ("fourth", "warning", "delay", 2.0, 10.0), ("third", "warning", "delay", 2.0, 50.0), ("second", "warning", "outage", 1.5, 1.0),
            ("first", "critical", "collection", 1.0, None),
        )
    ]  # fmt: skip
    assert [row["subject"] for row in sorted(rows, key=states.worst_first)] == [
        row["subject"] for row in reversed(rows)
    ]


@pytest.mark.slow
def test_nothing_is_clear_without_a_valid_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store clock wraps in September 2042; what is in breach is reported all the same."""
    pack = kit.StckTime.untyped
    monkeypatch.setattr(type(kit.StckTime), "untyped", lambda _, value: pack(value) % 2**64)
    with reading(file_of(whole_dump(dt.date(2042, 9, 20), bad=True), tmp_path)) as db:
        assert health_report(db).return_code == 8
        judged = {(row["rule_id"], row["state"]) for row in db.rows("SELECT rule_id, state FROM finding")}
    clear = {rule_id for rule_id, state in judged if state in (states.CLEAR, states.PART)}
    assert {rules()[rule_id].area for rule_id in clear} <= {*states.ABOUT_DATA}
    assert {("BP001", states.BREACH), ("DQ007", states.BREACH)} <= judged
