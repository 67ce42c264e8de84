"""The first screen: as long as a screen, whatever the estate, and it names what is worst, where, and the next step."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from mqstat.assemble.finding import Finding, FindingAt
from mqstat.assemble.finding_tree import trees
from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from mqstat.base.errors import InputError
from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge import states
from mqstat.render.first_screen import CARDS, QMGRS, RULES, headline
from mqstat.render.layout import all_lines
from tests.estates import DUMP_JOB, MQ, SHARING_GROUP, renamed
from tests.support import file_of, reading

WIDTHS = {80: 70, 100: 60, 140: 60}
"""Columns of a terminal, and the most lines of its screen."""

STORIES = 770_000
"""Bytes of the stories of the estate: what is larger takes too long to judge."""

SIZE = 175
"""Queue managers of the estate."""

FILLER = "accounting_only"
"""The story whose copies fill the estate: a queue manager with a few records."""


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    """175 queue managers of all small stories, each with its names and its queue-sharing group."""
    stories = [name for name, story in SCENARIOS.items() if not (story.refused or story.site)]
    records: list[bytes] = []
    number, shown_rules = 0, set[str]()
    for name in [*stories, *[FILLER] * SIZE]:
        dump, expected = SCENARIOS[name].build(), {rule for rule, _ in SCENARIOS[name].expect}
        if number >= SIZE or len(dump) > STORIES or (expected <= shown_rules and name != FILLER):
            continue
        try:
            own = [record for record in joined(dump) if record[5] not in DUMP_JOB]
        except InputError:
            continue  # the story of a transfer
        managers = sorted({record[18:22].decode("cp500") for record in own if record[5] in MQ})
        if any(len(name.strip()) < 4 for name in managers):
            continue
        new = {old: f"N{number + position:03d}" for position, old in enumerate(managers)}
        records += renamed(own, {**new, SHARING_GROUP: f"G{number:03d}"})
        number, shown_rules = number + len(managers), shown_rules | expected
    dump_file = file_of(smf_file(records), tmp_path_factory.mktemp("estate"))
    with reading(dump_file) as db:
        yield health_report(db)


def check(report: Report) -> None:
    """What holds for each screen."""
    problems = trees(report.findings)
    for width, most in WIDTHS.items():
        lines = list(all_lines(report, width))
        text = " ".join(" ".join(lines).split())
        assert len(lines) <= most, (width, len(lines))
        assert max(map(len, lines)) <= width
        assert lines[0].startswith("mqstat: ")
        assert text.count("More mqstat report") == min(CARDS, sum(tree.lead.severity != "info" for tree in problems))
        cards = [line.split()[:2] for line in lines if re.match(r"(CRITICAL|WARNING|BROKEN) ", line)]
        assert cards == [[tree.lead.severity.upper(), tree.lead.rule_id] for tree in problems[: len(cards)]]
        assert all(not line or line[0] != " " or line.startswith("  ") for line in lines)
        shortened = [line.rstrip() for line in lines if line.endswith(" ...")]
        assert not [
            line for line in shortened if line.count("(") != line.count(")") or re.search(r" [\d.,]+ \.\.\.$", line)
        ]
        last = text.rpartition("return code ")[2]
        assert last.startswith(f"{report.return_code}: ")
        worst = [tree.lead.rule_id for tree in problems if tree.lead.severity == "critical"]
        assert all(rule in text for rule in list(dict.fromkeys(worst))[:RULES])


def test_the_screen_of_one_queue_manager(pool_report: Report) -> None:
    check(pool_report)
    text = "\n".join(all_lines(pool_report, 100))
    assert "queue manager  " not in text
    assert headline(pool_report).startswith("CRITICAL on MQ01: buffer pool ")


@pytest.mark.slow
def test_the_screen_of_many_queue_managers(estate: Report) -> None:
    check(estate)
    assert len(estate.qmgrs) == SIZE
    rules = {finding.rule_id for finding in estate.findings}
    assert len(rules) >= 40
    assert len(estate.gaps) >= 3
    lines = list(all_lines(estate, 100))
    table = lines.index(next(line for line in lines if line.startswith("  queue manager ")))
    assert re.match(rf"  {SIZE - QMGRS} more +\d+ ", lines[table + QMGRS + 1])
    assert any(re.search(r"\d+ more rules: -v$", line) for line in lines)
    assert "--report overview/coverage" in " ".join(all_lines(estate, 140))
    critical = [manager for manager in estate.qmgrs if manager.state == "critical"]
    assert headline(estate).startswith(f"CRITICAL on {len(critical)} of {SIZE} queue managers and in the input: ")


@pytest.mark.parametrize("name", ["sample", "hostile_everywhere", "healthy_day", "classes_ended", "damaged_transfer"])
@pytest.mark.slow
def test_the_screen_of_a_story(name: str, tmp_path: Path) -> None:
    with reading(file_of(SCENARIOS[name].build(), tmp_path)) as db:
        check(health_report(db))


def with_severities(report: Report, code: int, *severities: str) -> Report:
    made: list[Finding] = [
        msgspec.structs.replace(report.findings[0], severity=severity, depth=0) for severity in severities
    ]
    return dataclasses.replace(report, findings=tuple(made), return_code=code)


@pytest.mark.parametrize(
    ("code", "severities", "text"),
    [
        (0, (), "clear on MQ01 in all that was judged: no critical finding, no warning"),
        (4, ("info",), "clear on MQ01 in all that was judged: no critical finding, no warning, 1 info"),
        (4, ("warning", "warning", "info"), "WARNING on MQ01: "),
        (8, ("critical", "warning"), "CRITICAL on MQ01: "),
        (12, ("warning",), "the input is damaged and this report incomplete; WARNING on MQ01: "),
        (12, (), "the input is damaged and this report incomplete; clear on MQ01 in all that was judged: "),
        (16, ("broken", "warning"), "1 rule failed (BP002), so the verdict is incomplete; WARNING on MQ01: "),
        (16, ("broken",), "1 rule failed (BP002), so the verdict is incomplete; clear on MQ01 in all that was judged: "),
    ],
)  # fmt: skip
def test_the_headline_of_each_severity(pool_report: Report, code: int, severities: tuple[str, ...], text: str) -> None:
    """One that has no warning states how much was judged; a damaged input comes first."""
    report = with_severities(pool_report, code, *severities)
    assert headline(report).startswith(text)
    (manager,) = report.qmgrs
    few = msgspec.structs.replace(manager, state=states.PARTLY, judged=11)
    if not {"critical", "warning"} & set(severities):
        about = f"{states.PARTLY} on MQ01, 11 of {manager.rules} rules: no critical finding"
        assert about in headline(dataclasses.replace(report, qmgrs=(few,)))
        assert f"{about.partition(':')[0]}, and on 1 other: " in headline(dataclasses.replace(report, qmgrs=(few, few)))


def test_two_queue_managers_of_one_name_are_two(pool_report: Report) -> None:
    manager = pool_report.qmgrs[0]
    first = next(finding for finding in pool_report.findings if finding.severity == "critical")
    rows = [{**first.row, "lpar": lpar} for lpar in ("SYS1", "SYS2")]
    findings = tuple(
        msgspec.structs.replace(first, depth=0, subjects=(FindingAt(first.location, first.subjects[0].figure, row),))
        for row in rows
    )
    managers = tuple(msgspec.structs.replace(manager, lpar=lpar) for lpar in ("SYS1", "SYS2"))
    report = dataclasses.replace(pool_report, qmgrs=managers, findings=findings, hidden=frozenset())
    text = headline(report)
    assert text.startswith("CRITICAL on 2 of 2 queue managers: ")
    assert text.endswith(f" on {manager.qmgr} on SYS1, {manager.qmgr} on SYS2")
