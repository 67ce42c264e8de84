"""Explanations without data: every rule, report, view and column has its page, and every column leads to the fields of
the records.
"""

from __future__ import annotations

import re

import pytest

from mqstat.assemble.plan.explained import plan_pages
from mqstat.assemble.plan.model import plan_of
from mqstat.base.errors import UsageError
from mqstat.judge import lineage
from mqstat.judge.explain import explain_any
from mqstat.judge.lineage import Origin, origin, origin_in
from mqstat.judge.model import rules
from mqstat.parsers.tables import tables
from mqstat.sql import sqlfile
from tests.costs import cache
from tests.each import each

VIEWS = sqlfile.views()
REPORTS = sqlfile.reports()

FREE = {
    "finding",
    "site_input",
    "report_class",
    "quality_layout",
    "source",
    "damage",
    "other_record",
    "side",
    "side_figure",
    "side_setting",
    "hour_figure",
    "class_hour",
}
"""Views over tables that the program fills itself."""

FILLED = (
    "numbered_record",
    "site_input.",
    "dropped_class.",
    "finding.",
    "area_state.",
    "report_class.",
    "layout_size.",
    "repeated_record.",
    "side.",
    "side_figure.",
    "side_setting.",
    "hour_figure.",
    "class_hour.",
)
"""Columns of such tables, where other views lead to them."""

CONSTANT = (
    "area_activity",
    "class_hole",
    "measured_class_hour",
    "interval_work",
    "record_class",
    "figure_kind",
    "compare_figure",
    "headroom_limit",
    "headroom",
)
"""Views with constants that are written down in a view, or with columns that become rows (UNPIVOT)."""


@pytest.mark.slow
@each(VIEWS)
def test_a_view_and_its_columns_are_explained(view: str) -> None:
    assert len(explain_any(view).splitlines()) > 5
    check_every_column_has_an_origin(view)
    check_a_column_comes_from_the_structures_below_its_view(view)
    check_formulas_are_whole(view)


def check_every_column_has_an_origin(view: str) -> None:
    lost = [name for name in VIEWS[view].columns if not (origin(view, name).formula or origin(view, name).column_read)]
    assert lost == [] or view in CONSTANT, lost
    for name in VIEWS[view].columns:
        fields = lineage.fields(origin(view, name))
        assert view in FREE or {field for field in fields if not field.startswith(FILLED)} <= decoded_columns()


@cache
def decoded_columns() -> frozenset[str]:
    """Every column of a decoded table, as table.column."""
    return frozenset(f"{table}.{column.name}" for table, (_, columns) in tables().items() for column in columns)


def check_a_column_comes_from_the_structures_below_its_view(view: str) -> None:
    below = lineage.layouts_below(view)
    classes = {f"{kind}.{subtype}" for layout in below for kind, subtype, _ in layout.routes}
    for name in VIEWS[view].columns:
        assert set(lineage.written_in(view, name)) <= classes, name
        structures = {structure for structure, _ in lineage.last_offsets(view, name)}
        assert structures <= {"qwhs", *(layout.name for layout in below)}, name


@pytest.mark.slow
def test_nothing_is_written_since_a_later_level_than_the_latest() -> None:
    columns = [(view, name) for view, unit in VIEWS.items() for name in unit.columns]
    levels = [since for each in columns if (since := lineage.written_since(*each))]
    assert levels
    assert max(levels) <= lineage.latest_level()


def check_formulas_are_whole(view: str) -> None:
    for name in VIEWS[view].columns:
        for formula in lineage.formulas(origin(view, name)):
            outside_texts = re.sub(r"'[^']*'", "''", formula.formula)
            assert outside_texts.count("(") == outside_texts.count(")"), (name, formula)
            assert " AS " not in re.sub(r"(?i)cast\(.*? AS |\(SELECT .*", "", formula.formula), (name, formula)


@each(REPORTS)
def test_a_report_and_its_columns_are_explained(report: str) -> None:
    assert len(explain_any(report).splitlines()) > 5
    unit = REPORTS[report]
    lost = [name for name in unit.columns if origin_in(unit.text, name) == Origin(name)]
    assert lost == [] or report.startswith("overview/"), lost


def test_a_formula_down_to_the_fields() -> None:
    column = origin("buffer_pool", "lowest_free_pct")
    assert [formula.formula for formula in lineage.formulas(column)] == ["100 * lowest_stealable / nullif(buffers, 0)"]
    assert lineage.fields(column) == ["qpst.lowest_stealable", "qpst.buffers"]
    assert origin("buffer_pool", "highest_used").formula == "buffers - lowest_stealable"


@pytest.mark.parametrize(
    ("text", "column", "formula"),
    [
        ("SELECT (a + 1) * (b) AS x FROM t", "x", "(a + 1) * (b)"),
        ("SELECT sum(a)::BIGINT AS x FROM t", "x", "sum(a)::BIGINT"),
        ("SELECT a IS NOT NULL AS x FROM t", "x", "a IS NOT NULL"),
        ("SELECT CASE WHEN a > 1 THEN 'b (' END AS x FROM t", "x", "CASE WHEN a > 1 THEN 'b (' END"),
        ("WITH t AS (SELECT a + 1 AS b FROM u) SELECT * FROM t", "b", "a + 1"),
        ("SELECT q.b FROM (SELECT a -\n -- why\n 1 AS b FROM u) AS q", "b", "a - 1"),
        ("SELECT 1 AS b UNION ALL SELECT 2 AS b", "b", "1"),
        ("SELECT (sum(a) OVER w)::BIGINT AS x, 1 AS y FROM t WINDOW w AS (ORDER BY a)", "x", "(sum(a) OVER w)::BIGINT"),
        ("SELECT sum(a) OVER (PARTITION BY b) AS x, 1 AS y FROM t", "x", "sum(a) OVER (PARTITION BY b)"),
        ("SELECT sum(a) OVER w AS x, 1 AS y FROM t WINDOW w AS (ORDER BY a)", "x", "sum(a) OVER w"),
    ],
)
def test_formulas_of_sql(text: str, column: str, formula: str) -> None:
    assert origin_in(text, column).formula == formula


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("bp004", ["BP004  buffer-pool-low-on-stealable-buffers", "stealable_pct_min = 15"]),
        ("buffer-pool-low-on-stealable-buffers", ["BP004  "]),
        ("lowest_free_pct", ["buffer_pool.lowest_free_pct  [percent", "QPSTCBSL", "BP004", "buffer_pool/usage"]),
        ("buffer_pool.lowest_free_pct", ["Formula", "nullif(buffers, 0)"]),
        ("decoded.qpst.buffers", ["Field       QPSTNBUF"]),
        ("qpst.buffers", ["Field       QPSTNBUF"]),
        ("QPSTCBSL", ["qpst.lowest_stealable"]),
        ("buffer_pool", ["buffer_pool  Buffer pools", "lowest_free_pct"]),
        ("qpst", ["QPST", "lowest_stealable"]),
        ("log/busy", ["log/busy  ", "LOGBUSY", "LG002", "logger_task_busy_pct"]),
        ("logbusy", ["log/busy  "]),
        ("io_share_of_busy_pct", ["log/busy: io_share_of_busy_pct", "logger_io_busy_pct / nullif"]),
        ("active_logs", ["site_input.active_logs"]),
    ],
)
def test_words(term: str, expected: list[str]) -> None:
    text = explain_any(term)
    assert all(part in text for part in expected), text
    assert max(map(len, text.splitlines())) <= 132 or term in ("bp004", "buffer-pool-low-on-stealable-buffers")


@pytest.mark.parametrize(
    ("term", "near"),
    [
        ("BP99", "BP0"),
        ("lowest_fre_pct", "lowest_free_pct"),
        ("log/bussy", "log/busy"),
        ("buffer_pool.lowest_free", "lowest_free_pct"),
        ("x\x1by", "x?y"),
    ],
)
def test_unknown_words_name_the_nearest(term: str, near: str) -> None:
    with pytest.raises(UsageError, match=near.replace("?", r"\?")):
        explain_any(term)


@each(rules())
def test_no_placeholder_of_a_remedy_sticks_to_a_word(rule_id: str) -> None:
    """A piece that may be missing in a finding (`are defined{below_bar}`) appears with its text, not as a name glued to
    a word.
    """
    page = explain_any(rule_id)
    remedy = " ".join(page.partition("\nWhat to do\n")[2].partition("\n\n")[0].split())
    assert remedy
    assert re.findall(r"[A-Za-z]<[a-z]|>[A-Za-z]", remedy) == []
    assert not re.fullmatch(r"<[a-z ]+>\.", remedy)
    assert "  " not in remedy


def test_optional_texts_of_a_remedy_are_shown() -> None:
    remedy = " ".join(explain_any("BP004").split())
    assert "(<buffers> buffers are defined [below the bar])" in remedy
    assert "Transfer it again" in explain_any("DQ002")


@pytest.mark.parametrize("id_", ["CSQJ998E", "csqm999i", "PH99999"])
def test_an_unknown_message_suggests_messages_only(id_: str) -> None:
    with pytest.raises(UsageError) as error:
        explain_any(id_)
    assert str(error.value).startswith(f"{id_.upper()} is not among the ")
    assert "record" not in str(error.value)


@pytest.mark.parametrize(
    ("column", "together"),
    [
        ("buffer_pool.pool_hit_pct", "100 * sum of greatest(0, page_gets_old - pages_read) / sum of page_gets_old"),
        ("queue_statistics.depth", "last value over time; sum across subjects"),
        ("storage_region.available_31_mib", "lowest value"),
    ],
)
def test_a_column_states_how_its_rows_are_put_together(column: str, together: str) -> None:
    assert f"Together    {together}\n" in explain_any(column)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("log_size_and_count", ["(plan)", "Rules       LG010", "retention_wanted [h]: ", "default 24 h (MP16", "logs_needed [count]: "]),
        ("log-size-and-count", ["(plan)"]),
        ("buffer_pool/free", ["(picture)", "stealable_pct_min of BP004", "mqstat report DUMP --report buffer_pool/usage"]),
        ("qpst", ["Found in    SMF type 115 subtype 215, triplet 1", "Bytes       104", "QPSTDMC = synchronous_write_hits"]),
        ("qsrs", ["never set: -0x1"]),
        ("wtid", ["= CICS"]),
        ("wtas_cf", ["Array of    wtas", "Read by     task_cf"]),
        ("decoded.record", ["One row for every SMF record", "input_bytes [BIGINT, bytes, internal]"]),
        ("COMMITCF.TYPE[].CFCOUNT", ["wtas_cf.cf_requests"]),
        ("buffer_pool", ["= 100 * lowest_stealable / nullif(buffers, 0)"]),
        ("log/rate", ["Heading: "]),
    ],
)  # fmt: skip
def test_plans_pictures_and_tables_are_explained(name: str, expected: list[str]) -> None:
    text = explain_any(name, plan_pages())
    assert all(part in text for part in expected), text


def test_all_that_have_a_name_are_explained() -> None:
    """A picture with the name of a report, a view and a plan with the name of a column."""
    for name, first, second in (
        ("log/busy", "log/busy  Logger busy", "log/busy  Log writer busy (picture)"),
        ("log_copy", ".log_copy  [", "log_copy  "),
        ("cf_elements", "cf_structure.cf_elements  [", "\ncf_elements  Entries and elements of a structure (plan)"),
    ):
        text = explain_any(name, plan_pages())
        assert first in text.partition("\n")[0]
        assert f"\n{second}" in text


@each(plan_pages())
def test_a_plan_is_explained_with_its_parameters_and_steps(name: str) -> None:
    plan = plan_of(name)
    text = explain_any(name, plan_pages())
    missing = [word for word in (*plan.parameters, *plan.steps) if f"\n  {word} [" not in text]
    assert missing == []


@each(sqlfile.pictures())
def test_a_picture_is_explained(name: str) -> None:
    assert f"{name}  {sqlfile.pictures()[name].title} (picture)\n" in explain_any(name)
