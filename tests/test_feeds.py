"""Values and findings for systems that keep them: `mqstat export series`, `export findings`, `export grafana`."""

from __future__ import annotations

import configparser
import datetime as dt
import io
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml
from google.protobuf import json_format  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from mqstat.assemble.dashboard import panels
from mqstat.assemble.index_templates import index_templates
from mqstat.assemble.measures import MEASURED, full_name
from mqstat.assemble.series import Series, breaches, events, metrics
from mqstat.cli import run
from mqstat.fixtures.day import worked
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.engine import run_rules
from mqstat.render import grafana
from mqstat.render.feeds import EVENTS, FEEDS, write, write_days, write_events
from mqstat.sql import sqlfile
from mqstat.sql.workspace import Workspace
from tests.installation import DAY, Installation, real_fixture, whole_dump  # noqa: F401 - fixture
from tests.prometheus import asked, needs_prometheus, serving
from tests.support import file_of, invoke, reading

pytestmark = pytest.mark.slow

Values: TypeAlias = dict[tuple[str, tuple[tuple[str, str], ...], int], float]
"""Metric, labels that have a value, time in milliseconds -> value."""

Objects: TypeAlias = Mapping[str, list[dict[str, Any]]]

SUFFIXES = ("_ratio", "_seconds", "_bytes", "_bytes_per_second", "_per_second")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    dump = file_of(SCENARIOS["rich_estate"].build(), tmp_path_factory.mktemp("feeds"))
    with reading(dump) as database:
        run_rules(database, then=[metric.select for metric in metrics(3, 3)])
        yield database


@pytest.fixture(scope="module")
def series(db: Workspace) -> Series:
    own = breaches(db)
    assert own is not None
    return Series(db, (*metrics(3, 3), own))


def text_of(series: Series, name: str) -> str:
    stream = io.StringIO()
    write(series, FEEDS[name], stream)
    return stream.getvalue()


def of_openmetrics(text: str) -> Values:
    assert text.endswith("\n# EOF\n")
    found: Values = {}
    for family in text_string_to_metric_families(text):
        assert family.type == "gauge"
        assert family.unit in family.name
        before: tuple[Any, ...] = ()
        closed = set()
        for sample in family.samples:
            labels = tuple((name, value) for name, value in sample.labels.items() if value)
            at = round(float(sample.timestamp) * 1000)
            if before and before[0] == labels:
                assert before[1] < at, "out of order or twice"
            else:
                assert labels not in closed, "the values of a subject are apart"
                closed.add(labels)
            before = (labels, at)
            found[sample.name, labels, at] = sample.value
    return found


def of_object(known: Mapping[str, Any], at: float) -> tuple[tuple[str, tuple[tuple[str, str], ...], int], float]:
    labels = tuple((k, v) for k, v in known.items() if k not in ("metric", "unit", "value", "@timestamp") and v)
    return (known["metric"], labels, round(at * 1000)), known["value"]


def iso(text: str) -> float:
    return dt.datetime.fromisoformat(text).timestamp()


def of_ndjson(text: str) -> Values:
    objects = map(json.loads, text.removesuffix("\n").split("\n"))
    return dict(of_object(known, iso(known["@timestamp"])) for known in objects)


def of_otlp(text: str) -> Values:
    by_name = {metric.dotted: metric.name for metric in metrics(1, 1)} | {"ibm.mq.rule.breach": "mqstat_rule_breach"}
    found: Values = {}
    for metric in json.loads(text)["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]:
        for point in metric["gauge"]["dataPoints"]:
            labels = tuple(
                (each["key"].removeprefix("ibm.mq."), each["value"]["stringValue"]) for each in point["attributes"]
            )
            found[by_name[metric["name"]], labels, int(point["timeUnixNano"]) // 10**6] = point["asDouble"]
    return found


READERS = {"openmetrics": of_openmetrics, "ndjson": of_ndjson, "otlp": of_otlp}


def test_every_format_is_read_here() -> None:
    assert set(READERS) == set(FEEDS)


def test_requests_are_those_of_opentelemetry(series: Series, db: Workspace) -> None:
    made = json_format.Parse(text_of(series, "otlp"), ExportMetricsServiceRequest())
    points = [len(metric.gauge.data_points) for metric in made.resource_metrics[0].scope_metrics[0].metrics]
    assert sum(points) == series.count()
    known, stream = FEEDS["otlp"].events, io.StringIO()
    assert known is not None
    write_events(events(db), known, stream)
    logs = json_format.Parse(stream.getvalue(), ExportLogsServiceRequest())
    assert len(logs.resource_logs[0].scope_logs[0].log_records) == len(events(db))


def test_names_follow_the_conventions() -> None:
    known = metrics(1, 1)
    assert len({metric.name for metric in known}) == len(known) == len({metric.dotted for metric in known})
    for metric in known:
        assert re.fullmatch(r"mqstat_[a-z0-9_]+", metric.name)
        assert not metric.name.endswith(("_total", "_pct", "_us", "_mib", "_per_s", "_ms"))
        assert metric.name.endswith(f"_{metric.unit}") if metric.unit else not metric.name.endswith(SUFFIXES)
        assert not re.search(r"_(?:s|ms|us)_seconds$|_[kmg]ib_", metric.name), "two units"
        assert metric.doc.endswith(".")
        if metric.unit == "ratio":
            assert not re.search(r"per hundred|[Nn]umber of(?!.* share)", metric.doc), metric.doc
        assert re.fullmatch(r"ibm\.mq(\.[a-z0-9_]+)+", metric.dotted)


def test_the_names_of_a_report_stay(db: Workspace) -> None:
    known = {metric.name for metric in metrics()}
    for measured in MEASURED:
        for column in measured.columns:
            name = full_name(measured.name, column)
            assert any(each == name or each.startswith(name + "_") for each in known)


def test_all_formats_have_the_same_values(series: Series) -> None:
    read = {name: reader(text_of(series, name)) for name, reader in READERS.items()}
    expected = read["ndjson"]
    assert len(expected) == series.count() > 1000
    for name, values in read.items():
        assert values == expected, name


def test_pieces_of_any_size_give_the_same_text(series: Series, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {name: text_of(series, name) for name in FEEDS}
    for size in (1, 997):
        monkeypatch.setattr("mqstat.assemble.series.AT_ONCE", size)
        for name in ("openmetrics", "otlp") if size == 1 else FEEDS:
            assert text_of(series, name) == whole[name], (name, size)


def test_values_are_those_of_the_views(series: Series, db: Workspace) -> None:
    values = of_ndjson(text_of(series, "ndjson"))
    rows = db.rows(
        "SELECT lpar, qmgr, pool_id, epoch_ms(date_trunc('millisecond', interval_end_utc)) AS at, lowest_free_pct FROM buffer_pool WHERE lowest_free_pct IS NOT NULL"
    )
    assert rows
    for row in rows:
        labels = (("lpar", row["lpar"]), ("qmgr", row["qmgr"]), ("pool", str(row["pool_id"])))
        assert values["mqstat_buffer_pool_lowest_free_ratio", labels, row["at"]] == pytest.approx(
            row["lowest_free_pct"] / 100, rel=1e-11
        )


def test_pictures_have_all_their_rows(series: Series, db: Workspace) -> None:
    values = of_ndjson(text_of(series, "ndjson"))
    for unit in sqlfile.pictures().values():
        count = db.rows(
            f"SELECT count(DISTINCT (lpar, qmgr, series, date_trunc('millisecond', interval_start_utc + to_microseconds((interval_seconds * 1e6)::BIGINT)))) AS n FROM ({unit.select}) WHERE value IS NOT NULL AND isfinite(value::DOUBLE) AND interval_start_utc IS NOT NULL AND interval_seconds IS NOT NULL"
        )[0]["n"]
        start = f"mqstat_{unit.id.replace('/', '_')}"
        own = [name for name, labels, _ in values if name.startswith(start) and "series" in dict(labels)]
        assert len(own) == count, unit.id


def test_breaches_are_the_intervals_in_breach(series: Series, db: Workspace) -> None:
    values = of_ndjson(text_of(series, "ndjson"))
    found = {(dict(labels)["rule"], dict(labels)["qmgr"]) for name, labels, _ in values if name == "mqstat_rule_breach"}
    expected = {
        (row["rule_id"], row["qmgr"])
        for row in db.rows("SELECT rule_id, qmgr FROM finding WHERE state = 'breach' AND first_seen_utc IS NOT NULL")
    }
    assert found
    assert found <= expected


def test_two_series_of_a_database_do_not_mix(series: Series, db: Workspace) -> None:
    before = text_of(series, "ndjson")
    other = Series(db, tuple(metric for metric in metrics() if metric.name == "mqstat_puts_per_second"))
    assert 0 < other.count() < series.count()
    assert text_of(series, "ndjson") == before


def test_only_the_busiest_queues_and_applications(db: Workspace) -> None:
    for count in (1, 2):
        made = Series(db, tuple(m for m in metrics(count, count) if m.labels[-1] in ("queue", "application")))
        for label in ("queue", "application"):
            subjects = {tuple(course.labels.values()) for course in made.courses if label in course.labels}
            owners = [(lpar, qmgr) for lpar, qmgr, _ in subjects]
            assert owners
            assert max(map(owners.count, owners)) <= count


def test_hostile_names_are_inert(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["hostile_everywhere"].build(), tmp_path)
    with reading(dump) as db:
        made = Series(db, metrics(50, 50))
        read = {name: reader(text_of(made, name)) for name, reader in READERS.items()}
        sizes = {name: len(values) for name, values in read.items()}
        assert set(sizes.values()) == {made.count()}
        for name in READERS:
            assert read[name] == read["ndjson"], name
        run_rules(db)
        for name in EVENTS:
            stream = io.StringIO()
            known = FEEDS[name].events
            assert known is not None
            write_events(events(db), known, stream)
            for line in stream.getvalue().splitlines() if name != "otlp" else [stream.getvalue()]:
                json.loads(line)


def test_overlapping_intervals_have_one_value_a_time(tmp_path: Path) -> None:
    with reading(file_of(SCENARIOS["overlapping_intervals"].build(), tmp_path)) as db:
        made = Series(db, metrics())
        assert len(of_openmetrics(text_of(made, "openmetrics"))) == made.count()


def test_a_file_for_each_day_is_rewritten_only_if_it_changes(series: Series, tmp_path: Path) -> None:
    known = FEEDS["openmetrics"]
    first = write_days(series, known, tmp_path / "days")
    assert len(first) == len(series.days()) > 1
    assert all(first.values())
    together: Values = {}
    for path in first:
        own = of_openmetrics(path.read_text())
        days = {dt.datetime.fromtimestamp(at / 1000, dt.UTC).date().isoformat() for _, _, at in own}
        assert days == {path.name.removeprefix("mqstat-series-").removesuffix(".prom")}
        together |= own
    assert together == of_openmetrics(text_of(series, "openmetrics"))
    changed = min(first)
    changed.write_text("# EOF\n")
    again = write_days(series, known, tmp_path / "days")
    assert [path for path, new in again.items() if new] == [changed]
    assert not list((tmp_path / "days").glob("*.part"))


@pytest.mark.parametrize("name", EVENTS)
def test_every_subject_in_breach_is_an_event(name: str, db: Workspace) -> None:
    known = FEEDS[name].events
    assert known is not None
    stream = io.StringIO()
    write_events(events(db), known, stream)
    want = db.rows("SELECT rule_id, subject, severity, observed, advice FROM finding WHERE state = 'breach'")
    assert len(want) > 3
    text = stream.getvalue()
    if name == "otlp":
        records = json.loads(text)["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
        assert sorted(each["body"]["stringValue"] for each in records) == sorted(row["advice"] for row in want)
        assert {each["severityNumber"] for each in records} <= {9, 13, 17}
        return
    lines = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
    assert sorted((line["rule_id"], line["subject"] or "", line["severity"]) for line in lines) == sorted(
        (row["rule_id"], row["subject"] or "", row["severity"]) for row in want
    )
    assert all(line["@timestamp"].endswith("Z") for line in lines)


def fits(value: Any, kind: str) -> bool:
    """Whether a JSON value can be a field of a type of Elasticsearch; a list has values of its type."""
    if isinstance(value, list) and kind != "object":
        return all(fits(each, kind) for each in value)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return (
        value is None
        or {
            "keyword": isinstance(value, str),
            "text": isinstance(value, str),
            "long": number and float(value).is_integer(),
            "double": number,
            "boolean": isinstance(value, bool),
            "date": isinstance(value, str)
            and bool(re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z?)?", value)),
            "object": isinstance(value, (dict, list)),
        }[kind]
    )


@pytest.fixture(scope="module")
def objects(series: Series, db: Workspace) -> Objects:
    """The lines of format ndjson as objects: of values (`series`) and of findings."""
    stream = io.StringIO()
    known = FEEDS["ndjson"].events
    assert known is not None
    write_events(events(db), known, stream)
    texts = {"series": text_of(series, "ndjson"), "findings": stream.getvalue()}
    return {kind: list(map(json.loads, text.splitlines())) for kind, text in texts.items()}


def fields_of(lines: Iterable[Mapping[str, Any]]) -> set[str]:
    """All fields that objects have."""
    return set().union(*lines)


def test_every_field_has_its_type_in_elastic(objects: Objects) -> None:
    for name, kind in (("metrics-mqstat", "series"), ("logs-mqstat", "findings")):
        template = index_templates()[name]
        types = template["template"]["mappings"]["properties"]
        assert template["index_patterns"] == [f"{name}-*"]
        assert fields_of(objects[kind]) == set(types)
        for line in objects[kind]:
            for field, value in line.items():
                assert fits(value, types[field]["type"]), (field, value)


# --- the configurations of collectors in docs/examples


EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"
GO_LAYOUT = {"2006": "%Y", "01": "%m", "02": "%d", "15": "%H", "04": "%M", "05.000": "%S.%f", "Z07:00": "%z"}
"""The parts of a layout of Go, by which Telegraf and the OpenTelemetry Collector read times, for `strptime`."""


def check_times(lines: Iterable[Mapping[str, Any]], field: str, layout: str) -> None:
    """The times of objects are in this format of `strptime`, in UTC."""
    for line in lines:
        read = dt.datetime.strptime(line[field], layout)
        assert read.replace(tzinfo=read.tzinfo or dt.UTC) == dt.datetime.fromisoformat(line[field])


def of_go(layout: str) -> str:
    """A layout of Go as a format of `strptime`."""
    for part, code in GO_LAYOUT.items():
        layout = layout.replace(part, code)
    return layout


def kind_of(pattern: str) -> str:
    """Whether a collector reads values or findings from the files that match."""
    written = {kind: f"2026-05-21-{kind}.ndjson" for kind in ("series", "findings")}
    (kind,) = (kind for kind, name in written.items() if fnmatch(name, pattern.rpartition("/")[2]))
    return kind


def test_splunk_finds_fields_and_times(objects: Objects) -> None:
    inputs, props = (configparser.ConfigParser(interpolation=None, delimiters="=") for _ in range(2))
    inputs.read(EXAMPLES / "splunk-inputs.conf")
    props.read(EXAMPLES / "splunk-props.conf")
    assert {inputs[section]["sourcetype"] for section in inputs.sections()} == set(props.sections())
    for section in inputs.sections():
        lines, settings = objects[kind_of(section)], props[inputs[section]["sourcetype"]]
        assert settings["INDEXED_EXTRACTIONS"] == "json"
        assert settings["TZ"] == "UTC"
        check_times(lines, settings["TIMESTAMP_FIELDS"], settings["TIME_FORMAT"].replace("%3N", "%f"))


def test_filebeat_writes_to_the_data_streams_of_the_templates(objects: Objects) -> None:
    made = yaml.safe_load((EXAMPLES / "filebeat.yml").read_text())
    assert {kind_of(each["paths"][0]) for each in made["filebeat.inputs"]} == set(objects)
    for each in made["filebeat.inputs"]:
        stream = {"series": "metrics-mqstat", "findings": "logs-mqstat"}[kind_of(each["paths"][0])]
        assert fnmatch(each["index"], index_templates()[stream]["index_patterns"][0])
        assert each["parsers"] == [{"ndjson": {"target": "", "overwrite_keys": True, "add_error_key": True}}]
        # The only format in which Filebeat takes @timestamp of an object.
        check_times(objects[kind_of(each["paths"][0])], "@timestamp", "%Y-%m-%dT%H:%M:%S.%fZ")


def test_telegraf_has_all_tags(objects: Objects) -> None:
    made = tomllib.loads((EXAMPLES / "telegraf.conf").read_text())
    (given,) = made["inputs"]["directory_monitor"]
    lines = objects["series"]
    values = {given["json_name_key"], given["json_time_key"], "unit", "value"}
    assert set(given["tag_keys"]) | values == fields_of(lines)
    assert not set(given["tag_keys"]) & values
    check_times(lines, given["json_time_key"], of_go(given["json_time_format"]))
    assert re.search(given["files_to_monitor"][0], "2026-05-21-series.ndjson")
    assert not re.search(given["files_to_monitor"][0], "2026-05-21-series.ndjson.part")
    assert given["max_buffered_metrics"] <= made["agent"]["metric_buffer_limit"]


def test_the_opentelemetry_collector_reads_findings(objects: Objects) -> None:
    made = yaml.safe_load((EXAMPLES / "otel-collector.yaml").read_text())
    for pipeline in made["service"]["pipelines"].values():
        for kind in ("receivers", "processors", "exporters"):
            assert set(pipeline[kind]) <= set(made[kind])
    (pattern,) = made["receivers"]["filelog/findings"]["include"]
    (parser,) = made["receivers"]["filelog/findings"]["operators"]
    field = re.fullmatch(r'attributes\["(.+)"\]', parser["timestamp"]["parse_from"])
    assert field
    lines = objects[kind_of(pattern)]
    check_times(lines, field[1], of_go(parser["timestamp"]["layout"]))
    severities = {line[parser["severity"]["parse_from"].removeprefix("attributes.")] for line in lines}
    assert severities <= set(parser["severity"]["mapping"].values())


def expressions(made: Mapping[str, Any]) -> list[str]:
    """All queries of a dashboard, with its variables replaced."""
    found = [target["expr"] for panel in made["panels"] for target in panel.get("targets", ())]
    found += [each["target"]["expr"] for each in made["annotations"]["list"]]
    return [expr.replace("$lpar", ".*").replace("$qmgr", ".*").replace("$window", "30m") for expr in found]


def test_dashboards_have_all_pictures_and_limits() -> None:
    made = grafana.dashboards(panels())
    known = {metric.name for metric in metrics()} | {"mqstat_rule_breach"}
    for dashboard in made.values():
        for expr in expressions(dashboard):
            match = re.fullmatch(r'last_over_time\((\w+)\{lpar=~"\.\*",qmgr=~"\.\*",job=""\}\[30m\]\)', expr)
            assert match, expr
            assert match[1] in known
        assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
        places = [tuple(panel["gridPos"].values()) for panel in dashboard["panels"]]
        assert len(set(places)) == len(places)
    pictures = [panel for panel in made["mqstat-pictures.json"]["panels"] if panel["type"] == "timeseries"]
    assert len(pictures) == len(sqlfile.pictures())
    free = next(panel for panel in pictures if panel["title"] == "Stealable buffers of each pool")
    steps = free["fieldConfig"]["defaults"]["thresholds"]["steps"]
    assert [step["value"] for step in steps] == [None, 0.05, 0.15]
    assert [step["color"] for step in steps] == ["red", "orange", "green"]
    busy = next(panel for panel in pictures if panel["title"] == "Adapter tasks busy")
    assert busy["fieldConfig"]["defaults"]["thresholds"]["steps"][0] == {"color": "green", "value": None}


def test_the_commands(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["pool_exhausted"].build(), tmp_path)
    done = invoke("export", "series", dump, "--into", tmp_path / "days", "--format", "ndjson", "--findings")
    assert done.returncode == 0, done.stderr
    assert "file" in done.stderr
    assert "series" in done.stderr
    assert list((tmp_path / "days").glob("*.ndjson"))
    assert run(["export", "findings", str(dump), "--output", str(tmp_path / "f.ndjson")]) == 0
    assert {json.loads(line)["rule_id"] for line in (tmp_path / "f.ndjson").read_text().splitlines()} >= {"BP002"}
    assert run(["export", "grafana", "--into", str(tmp_path / "g"), "--prometheus", "http://p:1"]) == 0
    assert '"http://p:1"' in (tmp_path / "g/provisioning/datasources/mqstat.yaml").read_text()
    refused = invoke("export", "series", dump, "--into", tmp_path / "days", "--output", tmp_path / "x")
    assert refused.returncode == 16
    assert "remove --output" in refused.stderr
    refused = invoke("export", "series", dump, "--format", "xml")
    assert refused.returncode == 16
    assert "--format xml: choose" in refused.stderr


def test_data_without_statistics_has_no_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Accounting alone has no intervals; standard error states why there are no values."""
    owner = QueueManager("MQ01", "SYS1")
    dump = file_of(smf_file(worked(owner.cut(dt.datetime(2026, 5, 21, 8), 1800), 0)), tmp_path)
    assert run(["export", "series", str(dump), "--applications", "5", "--output", str(tmp_path / "x.prom")]) == 0
    assert (tmp_path / "x.prom").read_text() == "# EOF\n"
    assert "statistics intervals (115)" in capsys.readouterr().err


@needs_prometheus
def test_prometheus_answers_with_the_figures(series: Series, tmp_path: Path) -> None:
    with serving(write_days(series, FEEDS["openmetrics"], tmp_path / "days"), tmp_path) as port:
        values = of_ndjson(text_of(series, "ndjson"))
        times = [at for _, _, at in values]
        for metric in ("mqstat_puts_per_second", "mqstat_buffer_pool_lowest_free_ratio", "mqstat_log_busy_ratio"):
            own = {key: value for key, value in values.items() if key[0] == metric}
            assert len({dict(labels)["qmgr"] for _, labels, _ in own}) > 1, metric
            got: dict[Any, float] = {}
            for found in asked(port, "query", query=f"{metric}[10000d]", time=max(times) / 1000)["result"]:
                labels = tuple((name, value) for name, value in found["metric"].items() if name != "__name__")
                got |= {(tuple(sorted(labels)), round(at * 1000)): float(value) for at, value in found["values"]}
            assert got == {(tuple(sorted(labels)), at): value for (_, labels, at), value in own.items()}, metric
        check_dashboards(values, port)


@needs_prometheus
def test_prometheus_answers_dashboards_over_hostile_names(tmp_path: Path) -> None:
    with reading(file_of(SCENARIOS["hostile_everywhere"].build(), tmp_path)) as db:
        made = Series(db, metrics(5, 5))
        with serving(write_days(made, FEEDS["openmetrics"], tmp_path / "days"), tmp_path) as port:
            values = of_ndjson(text_of(made, "ndjson"))
            check_dashboards(values, port)
            known = {value for _, labels, _ in values for name, value in labels if name == "qmgr"}
            assert set(asked(port, "label/qmgr/values")) == known


def check_dashboards(values: Values, port: int) -> None:
    """Every query of the dashboards returns all series of its metric, with no other values than theirs."""
    first, last = (choose(at for _, _, at in values) / 1000 for choose in (min, max))
    for made in grafana.dashboards(panels()).values():
        for expr in expressions(made):
            metric = expr.partition("(")[2].partition("{")[0]
            result = asked(port, "query_range", query=expr, start=first, end=last, step=(last - first) / 5000)["result"]
            assert len(result) == len({labels for name, labels, _ in values if name == metric}), expr
            got = {float(value) for each in result for _, value in each["values"]}
            assert got <= {value for (name, _, _), value in values.items() if name == metric}, expr
