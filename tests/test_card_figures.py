"""The figures of every card of a page are those of the same finding in JSON, one by one; and cards of odd reports."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime
from typing import Any

import pytest
from msgspec import structs

from mqstat.assemble.finding import FindingAt
from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from mqstat.assemble.page_model import CardChart
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.card_key import anchor_of
from mqstat.base.formatting import figure
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.model import rules
from mqstat.render.html.findings import LISTED_SUBJECTS
from mqstat.render.html.svg import round_six
from tests.report_checks import written
from tests.support import file_of, reading
from tests.test_html import Node, Tree, sound


@dataclasses.dataclass(frozen=True)
class Both:
    """A report as JSON and as a page."""

    report: Report
    document: Mapping[str, Any]
    tree: Tree


@pytest.fixture(scope="module", params=["pool_exhausted", pytest.param("rich_estate", marks=pytest.mark.slow)])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    with ExitStack() as stack:
        if request.param == "pool_exhausted":
            report = request.getfixturevalue("pool_report")
        else:
            dump = file_of(SCENARIOS[request.param].build(), tmp_path_factory.mktemp("figures"))
            report = health_report(stack.enter_context(reading(dump)), page=True)
        yield Both(report, json.loads(written(report, "json")), Tree(written(report, "html")))


def words(node: Node) -> str:
    """The text of an element with single blanks."""
    return " ".join(node.text.split())


def cells(table: Node) -> list[list[str]]:
    """The body of a table as text."""
    return [
        [words(cell) for cell in row.walk() if cell.name in ("td", "th")]
        for row in table.walk()
        if row.name == "tr" and row.parent is not None and row.parent.name == "tbody"
    ]


def test_every_finding_has_one_card_in_the_order_of_json(both: Both) -> None:
    drawn = [node.get("id") for node in both.tree.all("article")]
    expected = [anchor_of(finding["key"]) for finding in both.document["findings"]]
    assert Counter(drawn) == Counter(expected)
    noted = {anchor_of(each["key"]) for each in both.document["findings"] if each["severity"] == "info"}
    assert [each for each in drawn if each not in noted] == [each for each in expected if each not in noted]


def test_the_texts_of_a_card_are_those_of_json(both: Both) -> None:
    for finding in both.document["findings"]:
        card = both.tree.by_id(anchor_of(finding["key"]))
        shown = words(card)
        texts = [finding[name] for name in ("title", "summary", "remedy", "when", "trace", "accept", "key")]
        for text in (*texts, *finding["who"], *finding["look"], *finding["do"]):
            assert " ".join(text.split()) in shown, finding["key"]
        offset = finding["subjects"][0]["evidence_offset"]
        assert offset is None or str(offset) in shown, finding["key"]


def test_the_figures_of_the_subjects_are_those_of_json(both: Both) -> None:
    compared = 0
    for finding in both.document["findings"]:
        card = both.tree.by_id(anchor_of(finding["key"]))
        tables = [node for node in card.walk() if node.get("class") == "places"]
        subjects = finding["subjects"]
        assert len(tables) == (len(subjects) > 1), finding["key"]
        for table in tables:
            rows = cells(table)
            assert len(rows) == min(len(subjects), LISTED_SUBJECTS), finding["key"]
            for row, subject in zip(rows, subjects, strict=False):
                compared += _same(row, subject, both.report.times)
        first = subjects[0]
        if not tables and first["observed"] is not None and first["evidence_offset"] is not None:
            (evidence,) = [node for node in card.walk() if node.name == "details" and node.get("class") == "evidence"]
            listed = [row[2] for row in cells(evidence)]
            assert figure(first["observed"], first["limit_unit"]) in listed, finding["key"]
            compared += 1
        if len(subjects) > LISTED_SUBJECTS:
            assert f"{len(subjects) - LISTED_SUBJECTS} more subject" in words(card)
    assert compared


def _same(row: list[str], subject: Mapping[str, Any], times: LocalTimes) -> int:
    """Compare a row with a subject; the number of figures compared."""
    where, observed, limit, *timed = row
    assert where == subject["place"]
    if subject["observed"] is None:
        return 0
    assert observed == figure(subject["observed"], subject["limit_unit"]), row
    if subject["limit_value"] is not None and rules()[subject["rule_id"]].clause(subject["clause"]).has_limit:
        assert limit.endswith(figure(subject["limit_value"], subject["limit_unit"])), row
    if not timed or subject["worst_interval_utc"] is None:
        return 1
    share, *moments = timed
    assert re.match(rf"{subject['intervals_breached']}\b", share), row
    names = ("worst_interval_utc", "first_seen_utc", "last_seen_utc")
    utc = [subject[name] and datetime.fromisoformat(subject[name]) for name in names]
    assert moments == [times.text(subject["lpar"], subject["qmgr"], moment) for moment in utc], row
    return 5


def test_the_chart_of_a_card_contains_the_figure_of_json(both: Both) -> None:
    data = [node for node in both.tree.all("script") if node.get("id") == "chart-data"]
    charts = json.loads(data[0].text)["charts"]
    series = [finding for finding in both.report.findings if charts_of(both.report)[finding.key].chart == "series"]
    assert series
    for finding in series:
        chart = charts[f"chart-{anchor_of(finding.key)}"]
        (line,) = chart["series"]
        assert line["breached"] == sorted(charts_of(both.report)[finding.key].breached), finding.key
        clause = rules()[finding.rule_id].alternatives[0][0]
        if rules()[finding.rule_id].clauses[clause].id == finding.row["clause"] and line["breached"]:
            shown = [line["values"][step] for step in line["breached"]]
            assert round_six(finding.row["observed"]) in shown, finding.key


# --- odd reports


def charts_of(report: Report) -> Mapping[str, CardChart]:
    """The charts of findings by their keys."""
    assert report.page is not None
    return report.page.charts


def with_subjects(report: Report, names: list[str]) -> Report:
    """The report whose first finding with a figure has subjects of these names, in a chart of bars."""
    from mqstat.assemble.cards import bars

    first = next(finding for finding in report.findings if finding.row["observed"] is not None)
    row = first.row
    subjects = tuple(FindingAt(name, first.subjects[0].figure, {**row, "subject": name}) for name in names)
    changed = structs.replace(first, subjects=subjects, depth=0)
    assert report.page is not None
    page = dataclasses.replace(report.page, charts={changed.key: bars(changed)})
    return dataclasses.replace(report, findings=(changed,), page=page)


def test_names_of_48_characters_are_whole_on_the_card(pool_report: Report) -> None:
    name = "A.QUEUE.WITH.A.NAME.OF.FORTY.EIGHT.CHARACTERS.NN"
    assert len(name) == 48
    tree = Tree(written(with_subjects(pool_report, [f"{name}{number}"[-48:] for number in range(3)]), "html"))
    sound(tree)
    (card,) = tree.all("article")
    for number in range(3):
        assert f"{name}{number}"[-48:] in [
            row[0] for table in card.walk() if table.get("class") == "places" for row in cells(table)
        ]
    labels = [node.text for node in card.walk() if node.name == "text"]
    assert [label for label in labels if label.endswith(("NN0", "NN1", "NN2"))], "the end of a name is not cut"


def test_three_thousand_subjects_are_counted_and_few_are_listed(pool_report: Report) -> None:
    text = written(with_subjects(pool_report, [f"QUEUE.{number}" for number in range(3000)]), "html")
    tree = Tree(text)
    sound(tree)
    (card,) = tree.all("article")
    (table,) = [node for node in card.walk() if node.get("class") == "places"]
    assert len(cells(table)) == LISTED_SUBJECTS
    assert f"{3000 - LISTED_SUBJECTS:,} more subjects" in words(card)
    assert len(text) < len(written(pool_report, "html")) + 100_000


def test_a_broken_rule_is_a_card_with_its_reason_and_nothing_else(pool_report: Report) -> None:
    first = pool_report.findings[0]
    broken = structs.replace(
        first, severity="broken", key=f"{first.rule_id}/*", summary="A view has no column x.", remedy="", depth=0, when="", who=(), look=(), do=(),
        trace="", accept="", subjects=tuple(FindingAt("", "", {**at.row, "state": "broken"}) for at in first.subjects),
    )  # fmt: skip
    tree = Tree(written(dataclasses.replace(pool_report, findings=(broken,), return_code=16), "html"))
    sound(tree)
    (card,) = tree.all("article")
    assert "A view has no column x." in words(card)
    assert not [
        node for node in card.walk() if node.name in ("svg", "figure", "table", "pre") and node.get("class") != "icon"
    ]
    assert f"1 rule failed ({first.rule_id}), so the verdict is incomplete; " in words(tree.by_id("verdict"))


def test_without_history_nothing_is_new_and_nothing_was_earlier(pool_report: Report) -> None:
    assert pool_report.history is None
    tree = Tree(written(pool_report, "html"))
    assert not [node for node in tree.root.walk() if node.get("class") == "history"]
    assert "Earlier" not in [words(node) for node in tree.all("dt")]
    assert not re.search(r"\b\d+ (new|again|gone)\b", words(tree.by_id("verdict")))


# --- which rule has which chart


def test_rules_without_intervals_have_bars_and_rows_only_without_figures(both: Both) -> None:
    kinds: dict[str, str] = {}
    for finding in both.report.findings:
        chart = charts_of(both.report)[finding.key]
        kinds[finding.rule_id] = chart.chart
        if chart.chart == "rows":
            rule = rules()[finding.rule_id]
            drawable = [
                at
                for at in finding.subjects
                if at.row["observed"] is not None and rule.clause(at.row["clause"]).has_limit
            ]
            assert drawable == [], f"{finding.key}: {len(drawable)} subjects have a figure and a limit"
        if chart.chart == "series":
            assert sum(value is not None for value in chart.values) > 1, finding.key
    print(kinds)
    assert set(kinds.values()) <= {"series", "subjects", "rows"}
