"""The findings that the index of days shows: bars, open findings, acceptances, lists."""

from __future__ import annotations

import datetime as dt
import io
import re
from pathlib import Path

import pytest

from campaign.periods.test_history import MONTH
from mqstat.assemble.history import memory
from mqstat.base.card_key import anchor_of
from mqstat.daily import index
from mqstat.daily import state as states
from mqstat.daily.index_findings import Findings, index_findings
from mqstat.sql.site import Site, parse_site
from tests.finding_days import Planted, day, plant

TODAY = day(25)


def shown(folder: Path, site: Site | None = None, findings: list[Planted] | None = None) -> Findings:
    plant(folder, MONTH if findings is None else findings, 24)
    pages = {day(n): states.Day("x", 4, {"warning": 1}, (), (), {"html": f"{day(n)}.html"}) for n in range(20, 25)}
    return index_findings(memory(folder), states.State(pages), (site or Site()).on(TODAY), TODAY)


def page(findings: Findings) -> str:
    stream = io.StringIO()
    rows = index.index_rows(
        states.State({day(24): states.Day("x", 4, {"warning": 1}, (), (), {"html": "a.html"})}), TODAY, (), findings
    )
    index.render_index(rows, TODAY, [], stream, findings)
    return stream.getvalue()


def test_open_findings_and_their_age(tmp_path: Path) -> None:
    rows = {row.key: row for row in shown(tmp_path / "d").open}
    assert set(rows) == {"QU005/MQ02", "BP002/MQ01", "CH001/MQ02", "PS003/MQ02"}
    old = rows["QU005/MQ02"]
    assert (old.word, old.first, old.days, old.last) == ("23rd day", day(1), 23, day(24))
    assert old.href == f"{day(24)}.html#{anchor_of('QU005/MQ02')}"
    assert rows["BP002/MQ01"].word == "again after 7 days"
    assert rows["CH001/MQ02"].word == "limit changed"
    assert rows["BP002/MQ01"].figure == "subject 0, 2,400 (limit 50)"


def test_a_finding_without_newer_data_stays_open(tmp_path: Path) -> None:
    findings = [
        Planted("BP002", "cBB     ", "MQ01"),
        Planted("LG004", "cccccccc", "MQ02"),
        Planted("LG004", "B" + 7 * "i", "MQ03"),
    ]
    rows = {row.key: (row.word, row.last) for row in shown(tmp_path / "d", findings=findings).open}
    assert rows == {"BP002/MQ01": ("2nd day", day(3)), "LG004/MQ03": ("1st day", day(1))}


def test_bars_by_area(tmp_path: Path) -> None:
    findings = shown(tmp_path / "d")
    by_title = {area.title: area for area in findings.areas}
    assert (findings.first, findings.last) == (TODAY - dt.timedelta(days=90), day(24))
    assert list(by_title) == ["Data quality", "Buffer pool", "Page set", "Log", "Channel initiator", "Channel", "Queue"]
    assert by_title["Log"].text == f"in breach on 5 of 23 days with data, last on {day(20)} (warning)"
    states_of_log = {day(1) + dt.timedelta(days=bar.x - 66): bar.state for bar in by_title["Log"].bars}
    assert [states_of_log.get(day(number)) for number in (15, 16, 20, 21, 22)] == [
        "clear",
        "warning",
        "warning",
        None,
        "clear",
    ]


def test_what_is_new_on_a_day(tmp_path: Path) -> None:
    findings = shown(tmp_path / "d")
    assert findings.news[day(24)] == "again: BP002/MQ01; limit changed: CH001/MQ02, PS003/MQ02"
    assert findings.news[day(16)] == "new: LG004/MQ01"
    assert day(18) not in findings.news
    assert (findings.ended[day(18)], findings.ended[day(20)]) == (1, 0)


def test_a_rule_on_most_queue_managers_is_one_line(tmp_path: Path) -> None:
    findings = [Planted("CV009", "cBBB", f"MQ{number:02}") for number in range(40)]
    findings += [Planted("CV009", "cccc", f"MQ{number:02}") for number in range(40, 60)]
    made = shown(tmp_path / "d", findings=findings)
    [row] = made.open
    assert (row.key, row.word) == ("CV009/*", "3rd day")
    assert row.title.endswith("on 40 queue managers")
    assert made.news[day(2)] == "new: CV009/*"
    assert len(made.by_qmgr) == 40
    assert [len(rule.findings) for rule in made.by_rule] == [40]


def test_acceptances(tmp_path: Path) -> None:
    text = """
    [rules.CH001.qmgr.MQ02]
    off = true
    reason = "test <system>"
    owner = "MQ team"
    until = 2026-11-23

    [rules.BP004]
    stealable_pct_min = 10.0
    reason = "agreed"
    """
    accepted = shown(tmp_path / "d", parse_site(text, "site.toml")).acceptances
    assert [(row.rule_id, row.where, row.what, row.owner, row.is_over) for row in accepted] == [
        ("BP004", "everywhere", "stealable_pct_min 10", "", False), ("CH001", "MQ02", "off", "MQ team", True),
    ]  # fmt: skip
    html = page(shown(tmp_path / "d", parse_site(text, "site.toml")))
    assert "expired on 2026-11-23" in html
    assert "Owner: MQ team. " in html
    assert "test &lt;system&gt;" in html


def test_lists_by_queue_manager_and_rule(tmp_path: Path) -> None:
    findings = shown(tmp_path / "d")
    by_qmgr = {one.name: [label for label, *_ in one.findings] for one in findings.by_qmgr}
    assert by_qmgr == {"MQ01": ["BP002", "LG004"], "MQ02": ["CH001", "CN002", "PS003", "QU005"], "inputs": ["DQ001"]}
    [slow] = [one for one in findings.by_rule if one.name == "LG004"]
    assert slow.findings == (("MQ01", "5 days", f"{day(20)}.html#{anchor_of('LG004/MQ01')}", "warning"),)


@pytest.mark.parametrize("name", ["<b>", "MQ'1\"", "a&b", "\u202eMQ"])
def test_hostile_names_are_text(tmp_path: Path, name: str) -> None:
    html = page(
        shown(tmp_path / "d", findings=[Planted("BP002", "cB", name, "<i>"), Planted("LG004", "Bc", name, "<i>")])
    )
    assert "<b>" not in re.sub(r"<b>(?=[^<]*</b>)", "", html)
    assert "<i>" not in html
    assert "\u202e" not in html
    assert "BP002/" in html


def test_without_history_no_section_is_about_findings() -> None:
    html = page(index_findings(memory(Path("/nonexistent")), states.State(), Site(), TODAY))
    assert "Open findings" not in html
    assert "Findings of 90 days" not in html
