"""Hostile names in every format of feeds: one value or finding in, the same labels and figures out, and no line
more.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import math

import duckdb
import pytest
from google.protobuf import json_format  # type: ignore[import-untyped]
from hypothesis import example, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from mqstat.assemble.series import Course, Metric
from mqstat.base.formatting import clean
from mqstat.render.feeds import EVENTS, FEEDS, FeedFormat, write_events
from tests.test_feeds import READERS

AT = dt.datetime(2026, 3, 29, 1, 30, 0, 125_000)
METRIC = Metric("mqstat_puts_per_second", "ibm.mq.puts", "per_second", "Puts.", ("lpar", "qmgr"), "")
HOSTILE = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("\"'\\\n\r\t,= {}<>#$`|;\u2028\u202eé\x00")),
    min_size=1,
    max_size=12,
).map(clean)
"""Names as the series have them: `mqstat.assemble.series` makes invisible characters visible."""


@pytest.fixture(scope="module")
def sql() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def text_of(known: FeedFormat, course: Course, value: float, sql: duckdb.DuckDBPyConnection) -> str:
    """A file with one value."""
    line = sql.execute(
        f"SELECT {known.row} FROM (SELECT $prefix AS prefix, $value::DOUBLE AS value, $at::TIMESTAMP AS at_utc)",
        {"prefix": known.prefix(course), "value": value, "at": AT},
    ).fetchall()[0][0]
    return f"{known.begin}{known.head(course.metric)}{line}{known.foot}{known.last}{known.end}"


@pytest.mark.slow
@pytest.mark.parametrize("name", tuple(FEEDS))
@settings(deadline=None)
@given(lpar=HOSTILE, qmgr=HOSTILE, value=st.floats(-1e15, 1e15))
@example(lpar="\\", qmgr='"} 1 2\n', value=0.1)
@example(lpar="a\\", qmgr="b\\", value=1)
@example(lpar="<b>", qmgr="${jndi:x}", value=-0.0)
def test_a_value_comes_back(name: str, lpar: str, qmgr: str, value: float, sql: duckdb.DuckDBPyConnection) -> None:
    lpar, qmgr = clean(lpar), clean(qmgr)
    text = text_of(FEEDS[name], Course(METRIC, {"lpar": lpar, "qmgr": qmgr}), value, sql)
    ((key, got),) = READERS[name](text).items()
    assert key == (METRIC.name, (("lpar", lpar), ("qmgr", qmgr)), round(AT.replace(tzinfo=dt.UTC).timestamp() * 1000))
    assert math.isclose(got, value, rel_tol=1e-11)


FINDING = {"rule_id": "BP001", "rule_name": "n", "severity": "critical", "observed": 1.5, "culprits": [], "new": "true"}


@pytest.mark.parametrize("name", EVENTS)
@settings(deadline=None)
@given(qmgr=HOSTILE, advice=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_a_finding_comes_back(name: str, qmgr: str, advice: str) -> None:
    known, stream = FEEDS[name].events, io.StringIO(newline="")
    assert known is not None
    row = {**FINDING, "qmgr": qmgr, "subject": qmgr, "advice": advice}
    write_events([(AT, row)], known, stream)
    text = stream.getvalue()
    assert text.isascii()
    if name == "otlp":
        (record,) = json.loads(text)["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
        own = {
            each["key"].removeprefix("ibm.mq.finding."): each["value"]["stringValue"] for each in record["attributes"]
        }
        assert record["body"] == {"stringValue": advice}
    else:
        (line,) = text.removesuffix("\n").split("\n")
        own = json.loads(line)
    assert (own["qmgr"], own["subject"], own["advice"], own["new"]) == (qmgr, qmgr, advice, "true")


def test_a_finding_of_a_clock_that_is_not_set_has_no_time() -> None:
    """The times of OpenTelemetry are unsigned."""
    known, stream = FEEDS["otlp"].events, io.StringIO()
    assert known is not None
    write_events([(dt.datetime(1950, 1, 1), {**FINDING, "advice": "a"})], known, stream)
    (record,) = (
        json_format.Parse(stream.getvalue(), ExportLogsServiceRequest()).resource_logs[0].scope_logs[0].log_records
    )
    assert record.time_unix_nano == 0
