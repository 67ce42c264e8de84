"""Findings with hostile names in every format: no name steers a terminal, ends a line or breaks the grammar of a
format.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from mqstat.base.formatting import clean
from mqstat.render.formats import formats, formats_of
from mqstat.sql import sqlfile
from tests.report_checks import findings_of, valid_metrics, written
from tests.support import START

HOSTILE = ('"} 1\n# EOF\n', "back\\slash\\n", "\x1b[2J\x07\x00\u202e", "<script>alert(1)</script>", "", " ", "{},=\u00e4\u4e2d\U0001f600", "x" * 48)  # fmt: skip


def breach(**columns: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(sqlfile.views()["finding"].columns)
    row |= {
        "rule_id": "BP001",
        "state": "breach",
        "severity": "critical",
        "lpar": "SYS1",
        "qmgr": "MQ01",
        "limit_unit": "count",
        "weight": "delay",
        "rule_source": "source",
    }
    return row | {"observed": 1.0, "limit_value": 0.0, "intervals_checked": 2, "intervals_breached": 1} | columns


ATTACKS = ("<b>&]]>", "a|b\n'c'=1;2", "\x1b[2J\x00\u202e\ud800", '"quoted", \\, ```')
"""Names that attack markup, a line of a plugin, a terminal and quoted text."""


def outcomes() -> list[dict[str, Any]]:
    """A row of view finding for each state, and breaches of each severity, of hostile names."""
    at = START.replace(hour=10)
    timed = {"worst_interval_utc": at, "first_seen_utc": at, "last_seen_utc": at}
    same = {
        "lpar": "SYS1", "qmgr": "MQ01", "rule_name": "name", "rule_area": "buffer_pool", "limit_unit": "count", "limit_from": "default", "limit_kind": "documented",
        "intervals_checked": 4, "intervals_breached": 0, "too_few_intervals": False, "within_margin": False, "rule_source": "source", "severity": "warning", "weight": "delay",
    }  # fmt: skip
    worst = timed | {
        "state": "breach",
        "outcome": "breach",
        "intervals_breached": 1,
        "operator": ">",
        "observed": 2.5,
        "limit_value": 0.0,
        "distance": 3.5,
    }
    rows = [
        {
            "rule_id": "BP001",
            "severity": "critical",
            "subject": text,
            "qmgr": text,
            "advice": f"Enlarge {text}.",
            **worst,
        }
        for text in ATTACKS
    ]
    rows += [
        {"rule_id": "BP004", "subject": "buffer pool 1", "caused_by": ["BP001"], "measure": "share", "limit_unit": "percent", **worst},
        {"rule_id": "BP003", "severity": "info", "subject": "buffer pool 2", "measure": "waits", **worst},
        {"rule_id": "BP005", "state": "broken", "outcome": "broken", "lpar": None, "qmgr": None, "error": "a\n<b>|c\x01"},
        {"rule_id": "BP006", "state": "not collected", "outcome": "no-data", "missing_classes": ["115.215"]},
        {"rule_id": "BP007", "state": "needs a site fact", "outcome": "no-data", "missing_facts": ["fact"]},
        {"rule_id": "BP008", "state": "clear", "outcome": "clear", "subject": "buffer pool 3", "observed": 1.0, "limit_value": 2.0},
        {"rule_id": "BP009", "state": "idle", "outcome": "clear"},
        {"rule_id": "BP010", "state": "off", "outcome": "off", "off_reason": "known | <i>"},
    ]  # fmt: skip
    blank: dict[str, Any] = dict.fromkeys(sqlfile.views()["finding"].columns)
    return [{**blank, **same, **row} for row in rows]


@pytest.mark.parametrize("format_name", [name for name in formats_of("check") if formats()[name].is_stream])
def test_findings_of_hostile_names(format_name: str, golden: Callable[[str, str], None]) -> None:
    """The golden of a format has what it writes, and its line for an error; no name steers a terminal or ends a
    line.
    """
    known = formats()[format_name]
    text = written(findings_of(outcomes(), 8), format_name)
    assert text.endswith("\n")
    text.encode()
    if known.endings:
        GRAMMARS.get(known.endings[0], str)(text)
    if known.failure is not None:
        text += known.failure("it fails: a|b\n<c>\x1b") + "\n"
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    golden(f"formats/{format_name}.txt", text)


GRAMMARS: dict[str, Callable[[str], object]] = {
    ".json": json.loads,
    ".csv": lambda text: list(csv.reader(io.StringIO(text), strict=True)),
}
"""What reads a format, by its file extension; it fails if the format is not valid."""


def test_hostile_labels_are_read_back_as_they_are() -> None:
    rows = [breach(subject=text, qmgr=text) for text in HOSTILE]
    samples = valid_metrics(written(findings_of(rows, 8), "openmetrics"))
    subjects = {dict(labels)["subject"] for name, labels in samples if name == "mqstat_finding"}
    assert subjects == {clean(text) for text in HOSTILE}
    assert all(text == clean(text) for text in subjects)


def test_names_that_differ_in_what_cannot_be_shown_are_one_sample() -> None:
    rows = [breach(subject="A\x01"), breach(subject="A\x02"), breach(subject=None)]
    samples = valid_metrics(written(findings_of(rows, 8), "openmetrics"))
    assert len([name for name, _ in samples if name == "mqstat_finding"]) == 2


def test_non_finite_numbers_are_left_out() -> None:
    rows = [breach(observed=float("nan"), limit_value=None)]
    names = {name for name, _ in valid_metrics(written(findings_of(rows, 8), "openmetrics"))}
    assert "mqstat_finding" in names
    assert not names & {"mqstat_finding_observed", "mqstat_finding_limit"}
