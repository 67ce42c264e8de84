"""A finding as a card: the same figures and words in text, Markdown, JSON, mail and on the page, whatever the names;
its key, its record, and the lines that accept it.
"""

from __future__ import annotations

import datetime as dt
import gzip
import html
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble.cards import when_text
from mqstat.assemble.conditions import row_phrase
from mqstat.assemble.finding import Finding, accept_lines
from mqstat.assemble.finding_tree import trees
from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from mqstat.assemble.one_finding import one_finding
from mqstat.base.errors import SiteError, UsageError
from mqstat.base.formatting import listed
from mqstat.cli import run
from mqstat.daily.days import report_state
from mqstat.daily.mail import WIDTH, failure, mail
from mqstat.daily.status import Codes
from mqstat.fixtures import scenarios
from mqstat.intake.pipeline import columns_to_decode
from mqstat.judge.model import rules
from mqstat.render.card_text import CARD_WIDTH, SUBJECTS, card_text
from mqstat.render.first_screen import CARDS
from mqstat.render.layout import all_lines
from mqstat.sql.needs import health_columns
from mqstat.sql.site import parse_site
from tests.report_checks import written
from tests.support import file_of, reading

Captured = pytest.CaptureFixture[str]

COMPARED = (
    "pool_exhausted",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("consumer_stopped", "hostile_everywhere")),
)
DAY = dt.date(2026, 3, 2)


@pytest.fixture(scope="module")
def exhausted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(scenarios.find("pool_exhausted").build(), tmp_path_factory.mktemp("dump"), "dump.smf")


@contextmanager
def judged(path: Path, **options: Any) -> Iterator[Report]:
    """The report of a page, while its database is open."""
    with reading(path, columns_to_decode(health_columns()), **options) as db:
        yield health_report(db, page=True)


@pytest.fixture(scope="module", params=COMPARED)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    if request.param == "pool_exhausted":
        yield request.getfixturevalue("pool_report")
        return
    dump = file_of(scenarios.find(request.param).build(), tmp_path_factory.mktemp(request.param), "dump.smf")
    with judged(dump) as made:
        yield made


def squeezed(text: str) -> str:
    """A text without line ends and indentation."""
    return " ".join(text.split())


# ------------------------------------------------------------------------------------------------------------- formats


def test_every_format_has_the_figures_of_every_finding(report: Report) -> None:
    """The sentence, the time, the work, the commands and the figure of each subject."""
    assert len(report.findings) >= 2
    full = squeezed("\n".join(all_lines(report, 10_000, verbose=True)))
    page = squeezed(html.unescape(written(report, "html")))
    markdown = re.sub(r"\\(.)", r"\1", written(report, "markdown"))
    by_key = {each["key"]: each for each in json.loads(written(report, "json"))["findings"]}
    state = report_state(report, "", (), {})
    text_of_mail = squeezed(mail(DAY, state, (), {}, Codes()))
    brief = squeezed("\n".join(all_lines(report, 10_000)))
    for number, finding in enumerate(report.findings):
        card = squeezed("\n".join(card_text(finding, report)))
        given = by_key[finding.key]
        assert (given["summary"], given["when"], given["trace"], given["accept"], tuple(given["who"])) == (
            finding.summary, finding.when, finding.trace, finding.accept, finding.who,
        )  # fmt: skip
        assert (tuple(given["look"]), tuple(given["do"])) == (finding.look, finding.do)
        for words in (finding.summary, finding.when, *finding.who, *finding.look, *finding.do, finding.facts):
            for text in (card, full, squeezed(markdown)):
                assert squeezed(words) in text, (finding.key, words)
        for subject, own in zip(finding.subjects, given["subjects"], strict=True):
            assert own["figure"] == subject.figure
            assert own["observed"] == pytest.approx(subject.row["observed"], rel=1e-9)
        assert all(squeezed(other.figure) in card for other in finding.others[:SUBJECTS])
        assert squeezed(finding.summary) in page
        if state.in_first <= number < len(state.findings):
            assert squeezed(row_phrase(finding.row)) in text_of_mail
    for tree in trees(report.findings)[:CARDS]:
        if tree.lead.severity != "info":
            assert squeezed(when_text(tree.lead, report.times, share=False)) in brief
            assert tree.lead.summary.partition(". ")[0] in brief
            assert next((text for each in (tree.root, tree.lead) for text in each.look[:1]), "") in brief
            assert all(command in brief for command in tree.root.do[:1])


def test_a_card_is_72_columns_wide_except_for_names_and_lines_that_are_pasted(report: Report) -> None:
    for finding in report.findings:
        accepted = finding.accept.splitlines()
        for line in card_text(finding, report):
            assert len(line) <= CARD_WIDTH or line in accepted
        assert card_text(finding, report)[-len(accepted) :] == accepted
        fenced = written(replace(report, card=finding), "markdown")
        assert finding.accept in fenced
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", fenced + "\n".join(card_text(finding, report)))


def test_a_mail_has_the_first_finding_in_line_3_and_72_columns(report: Report) -> None:
    tree = trees(report.findings)[0]
    first = tree.lead
    many = tuple((f"SY{n:02}", f"MQ{n:02}") for n in range(60))
    state = report_state(report, "", many, {"html": "mqstat-2026-03-02.html"})
    text = mail(DAY, state, ("x" * 60 + " " + "y" * 90,), {DAY: state}, Codes(0, 8))
    lines = text.splitlines()
    assert lines[0].startswith("Subject: ")
    assert lines[1] == ""
    assert lines[2].startswith(f"{first.severity.upper():<8} {first.rule_id} ")
    block = squeezed("\n".join(lines[2 : 2 + len(state.first)]))
    assert squeezed(when_text(first, report.times, share=False)) in block
    assert all(squeezed(command) in block for command in (*tree.root.look[:1], *tree.root.do[:1]))
    assert [line for line in lines[1:] if len(line) > WIDTH and "y" * 90 not in line] == [], "a path stays whole"
    assert "and 55 more." in squeezed(text)
    others = report.findings[len(tree.findings) :]
    listed = [line.split()[2] for line in lines if re.match(r"- (CRITICAL|WARNING|INFO|BROKEN) ", line)]
    assert listed == [finding.rule_id for finding in others[: len(listed)]]
    assert max(map(len, failure(DAY, 16, "z " * 300).splitlines())) <= WIDTH


@pytest.mark.slow
def test_a_finding_about_the_estate_lists_its_queue_managers(tmp_path: Path) -> None:
    dump = file_of(scenarios.find("rich_estate").build(), tmp_path)
    with judged(dump) as report:
        pass
    (estate,) = [finding for finding in report.findings if finding.key.endswith("/*")]
    (line,) = [line for line in card_text(estate, report) if line.startswith("  On ")]
    assert line.split(maxsplit=1)[1] == ", ".join(estate.qmgrs)
    assert estate.where.endswith(f" {len(report.qmgrs)} queue managers")
    with_card = one_finding(report, f"{estate.rule_id}/{estate.qmgrs[0]}")
    assert with_card.card is estate


def test_a_list_of_names_has_the_first_five_and_the_count() -> None:
    names = [f"MQ{n:02}" for n in range(60)]
    assert listed(names, SUBJECTS) == "MQ00, MQ01, MQ02, MQ03, MQ04 and 55 more"
    assert listed(names[:SUBJECTS], SUBJECTS) == "MQ00, MQ01, MQ02, MQ03, MQ04"


# ---------------------------------------------------------------------------------------------------------- one finding


@pytest.mark.slow
def test_the_page_and_the_command_have_the_same_card(
    exhausted: Path, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(exhausted.parent)  # commands name the input as it is given, and on the page without its folder
    dump, page = exhausted.name, tmp_path / "page.html"
    assert run(["report", dump, "--write", str(page), "--format", "json"]) == 8
    first = json.loads(capsys.readouterr().out)["findings"][0]
    assert run(["report", dump, "--finding", first["key"].lower()]) == 8
    text = capsys.readouterr().out
    assert text.strip() in html.unescape(page.read_text(encoding="utf-8"))
    assert run(["report", dump, "--finding", first["key"], "--format", "json"]) == 8
    assert json.loads(capsys.readouterr().out)["finding"] == first
    assert run(["report", dump, "--finding", first["key"], "--format", "markdown"]) == 8
    assert f"`{first['key']}`" in capsys.readouterr().out
    plain = [line for line in text.splitlines() if "Key " in line]
    assert plain == [f"  Key      {first['key']}"]


def test_a_key_that_is_not_in_breach_states_why(pool_report: Report) -> None:
    known = {finding.key for finding in pool_report.findings}
    (owner,) = [(manager.lpar, manager.qmgr) for manager in pool_report.qmgrs]
    seen = set()
    for line in pool_report.rule_lines:
        for part in line.states:
            key = f"{line.rule_id}/{owner[1] if part.qmgr else 'inputs'}"
            if key in known or (part.lpar and not part.qmgr):
                continue
            made = one_finding(pool_report, key)
            assert made.return_code == 0
            assert isinstance(made.card, str)
            assert part.state in made.card
            assert list(all_lines(made, 10_000)) == [made.card]
            assert json.loads(written(made, "json"))["finding"] is None
            seen.add(part.state)
    assert seen >= {"clear", "not collected", "needs a site fact"}
    for key in known:
        found = one_finding(pool_report, key.lower()).card
        assert isinstance(found, Finding)
        assert found.key == key
        assert one_finding(pool_report, f"{found.rule_id}/{owner[0]}.{owner[1]}").card is found
    assert "most queue managers" in str(one_finding(pool_report, "LG004/*").card)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("BP0O2/MQ01", "there is no rule BP0O2; did you mean BP002"), ("BP002/MQ1", "'MQ1' is not a queue manager of the data; did you mean MQ01"),
        ("BP002", "name a queue manager"), ("BP002/<b>", "'<b>' is not"),
    ],
)  # fmt: skip
def test_an_unknown_key_names_the_nearest(key: str, message: str, pool_report: Report) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        one_finding(pool_report, key)


@pytest.mark.parametrize(
    "more", [["--format", "csv"], ["--report", "log/io"], ["--top", "3"], ["--write", "x.html"], []]
)
def test_a_wrong_request_ends_before_the_data_are_read(more: list[str], tmp_path: Path, capsys: Captured) -> None:
    key = "BP002/MQ01" if more else "BP0O2/MQ01"
    assert run(["report", str(tmp_path / "none"), "--finding", key, *more]) == 16
    assert ("--finding" if more else key) in capsys.readouterr().err


# --------------------------------------------------------------------------------------------------------------- record


def test_trace_finds_the_record_of_every_finding_by_its_offset(
    exhausted: Path, pool_report: Report, tmp_path: Path, capsys: Captured
) -> None:
    offsets = {int(finding.trace.rpartition("@")[2]) for finding in pool_report.findings if finding.trace}
    assert offsets
    zipped = tmp_path / "dump.smf.gz"
    zipped.write_bytes(gzip.compress(exhausted.read_bytes()))
    for offset in sorted(offsets)[:3]:
        for path in (exhausted, zipped):
            assert run(["trace", str(path), f"@{offset}"]) == 0
            assert re.match(rf"record \d+ at offset {offset}, ", capsys.readouterr().out)
        assert run(["trace", str(exhausted), f"@{offset + 1}"]) == 16
        assert f"the nearest record is at {offset}." in capsys.readouterr().err
    assert run(["trace", str(exhausted), "@-1"]) == 16
    assert "specify a record number, or @" in capsys.readouterr().err
    assert run(["trace", str(exhausted), "@1", "--from", str(tmp_path)]) == 16
    assert "an offset needs no dataset" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------- exceptions


def accepted(finding: Finding) -> str:
    """The lines that accept a finding, with their reason filled in."""
    return finding.accept.replace('reason = ""', 'reason = "agreed"')


def test_lines_that_accept_a_finding_load_when_the_reason_is_filled_in_and_cover_exactly_it(report: Report) -> None:
    """A finding that covers all subjects of a rule may be accepted for the queue manager as a whole."""
    for finding in report.findings:
        with pytest.raises(SiteError, match="reason must be a text that states why"):
            parse_site(finding.accept, "site.toml")
        site = parse_site(accepted(finding), "site.toml")
        assert all(override.off and override.until == dt.date(2999, 12, 31) for override in site.overrides)
        own = {id(at.row) for at in finding.subjects}
        for other in report.findings:
            for at in other.subjects:
                row = at.row
                covered = any(
                    override.rule_id == row["rule_id"] and override.holds(row["lpar"], row["qmgr"], row["subject"])
                    for override in site.overrides
                )
                assert covered == (id(row) in own), (finding.key, at.location)


@pytest.mark.slow
def test_an_accepted_finding_is_gone_and_the_others_stay(exhausted: Path, pool_report: Report) -> None:
    before = pool_report.findings
    root = before[-1]
    with judged(exhausted, site=parse_site(accepted(root), "site.toml")) as report:
        text = " ".join(all_lines(report, 10_000))
        lines = mail(DAY, report_state(report, "", (), {}), (), {}, Codes())
    assert {finding.key for finding in report.findings} == {finding.key for finding in before} - {root.key}
    assert re.search(rf"accepted +{root.rule_id} .*until 2999-12-31: agreed", text)
    assert re.search(r"Accepted by the site file: 1 exception\.\n- .* until\s+2999-12-31: agreed", lines)


def finding_at(*rows: dict[str, Any]) -> Finding:
    """A finding of these rows."""
    from mqstat.assemble.finding import FindingAt

    blank = {"rule_id": "BP002", "severity": "warning", "state": "breach"}
    at = tuple(FindingAt("", "", {**blank, **row}) for row in rows)
    several = len({row["qmgr"] for row in rows}) > 1
    key = "BP002/*" if several else rows[0].pop("key", "BP002/x")
    return Finding(
        rule_id="BP002", severity="warning", weight="delay", distance=None, title="", summary="", remedy="", facts="", key=key, subjects=at
    )  # fmt: skip


@pytest.mark.parametrize(
    "name", ["x" * 48, '"quoted"', "back\\slash", "new\nline", "\x1b[2J", "<b>", "a.b", "b'c]", "*", "\u202e"]
)
def test_every_name_can_be_accepted(name: str) -> None:
    finding = finding_at({"lpar": "SYS1", "qmgr": name, "subject": name})
    tables = tomllib.loads(accept_lines(finding))["rules"]["BP002"]
    assert tables == {"qmgr": {name: {"subject": {name: {"off": True, "reason": "", "until": dt.date(2999, 12, 31)}}}}}


def test_what_is_accepted_is_as_narrow_as_its_finding() -> None:
    def scopes(finding: Finding) -> list[tuple[str | None, str | None, str | None]]:
        text = accept_lines(finding).replace('""', '"x"')
        return [(each.lpar, each.qmgr, each.subject) for each in parse_site(text, "s.toml").overrides]

    rows = [{"lpar": "SYS1", "qmgr": "MQ01", "subject": f"buffer pool {n}"} for n in range(5)]
    assert scopes(finding_at(rows[0])) == [(None, "MQ01", "buffer pool 0")]
    assert scopes(finding_at({**rows[0], "key": "BP002/SYS1.MQ01"})) == [("SYS1", "MQ01", "buffer pool 0")]
    assert scopes(finding_at(*rows[:2])) == [(None, "MQ01", "buffer pool 0"), (None, "MQ01", "buffer pool 1")]
    assert scopes(finding_at(*rows)) == [(None, "MQ01", None)]
    assert scopes(finding_at({"lpar": "SYS1", "qmgr": None, "subject": None})) == [("SYS1", None, None)]
    assert scopes(finding_at(rows[0], {**rows[1], "qmgr": "MQ02"})) == [(None, None, None)]


# ---------------------------------------------------------------------------------------------------------- line counts


@pytest.mark.slow
def test_the_sample_takes_sixty_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    sample = tmp_path / "sample.smf"
    command = [sys.executable, "-m", "mqstat.fixtures", "sample", str(sample)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    monkeypatch.chdir(tmp_path)  # a path that is longer than a line stays whole
    assert run(["report", sample.name, "--width", "100"]) == 8
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    assert next(line for line in lines if line[:1].isupper()).startswith("CRITICAL BP002 ")
    assert run(["report", sample.name, "--width", "100", "--verbose"]) == 8
    whole = capsys.readouterr().out
    sections = ("Coverage", "Queue managers", "Verdict", "Trend", "buffer_pool/usage", "  Limits ", "  Rules ")
    assert all(f"\n{section}" in whole for section in sections)
    assert run(["check", sample.name, "--width", "1000"]) == 8
    assert len(capsys.readouterr().out.splitlines()) == 14 + 2


def test_each_gap_is_stated_once(report: Report) -> None:
    text = squeezed("\n".join(all_lines(report, 10_000)))
    for state, words in report.gaps:
        assert text.count(f"{state} {squeezed(words)}") == 1
    assert "rules not judged on" not in text
    ids = set(re.findall(r"\b[A-Z]{2}\d{3}\b", text)) & rules().keys()
    assert ids <= {finding.rule_id for finding in report.findings}
