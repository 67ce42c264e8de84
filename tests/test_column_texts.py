"""Texts of the columns of reports: from the views that the report reads."""

from __future__ import annotations

import re

from mqstat.judge.explain import explain, explain_any
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from tests.house import cure


def test_a_report_describes_its_columns_as_the_views_that_it_reads() -> None:
    views, bad = sqlfile.views(), []
    for report in sqlfile.reports().values():
        stated = report.header.get("columns", {})
        for column in report.columns.values():
            holders = [name for name in report.needs if name in views and column.name in views[name].columns]
            texts = {views[name].columns[column.name].doc for name in holders}
            if holders and "doc" not in stated.get(column.name, {}) and column.doc not in texts:
                bad.append(f"{report.id} {column.name}: {column.doc}")
    assert not bad, cure("reports/: take these texts from a view in needs, or write doc in the report", bad)


def test_the_pool_of_a_buffer_pool_report_is_not_that_of_a_queue() -> None:
    page = explain_any("buffer_pool/usage")
    line = next(line for line in page.splitlines() if re.match(r" +pool_id ", line))
    assert "queue" not in line
    assert "Buffer pool number." in line


def test_explain_shows_a_column_of_each_view_with_its_own_text() -> None:
    page = " ".join(explain_any("pool_id").split())
    holders = [view for view in sqlfile.views().values() if "pool_id" in view.columns]
    assert len(holders) > 1
    for view in holders:
        assert f"{view.id}.pool_id" in page
        assert " ".join(view.columns["pool_id"].doc.split()) in page


def test_explain_prints_no_raw_placeholder() -> None:
    for rule_id in rules():
        text = explain(rule_id).partition("What to do")[2].partition("Needs")[0]
        assert text.strip()
        assert not re.search(r"[{}]", text), rule_id
