"""The dashboards of `mqstat export grafana --source postgresql`: every query runs in a real PostgreSQL with loaded facts, and returns what the picture shows."""

from __future__ import annotations

import datetime as dt
import json
import re
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from mqstat.assemble.dashboard import Panel, panels
from mqstat.assemble.foreign_sql import in_postgresql
from mqstat.assemble.measures import MEASURED
from mqstat.assemble.series import Series, metrics
from mqstat.base.formatting import clean
from mqstat.cli import run
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.facts import write_facts
from mqstat.intake.open_data import open_data
from mqstat.intake.postgresql import load
from mqstat.render import grafana
from mqstat.render.grafana import postgresql, prometheus
from mqstat.sql import sqlfile
from mqstat.sql.plans import rows
from tests.postgresql import asked, needs_server, server_fixture  # noqa: F401 - fixture
from tests.support import file_of, invoke
from tests.test_feeds import of_ndjson, text_of

SCHEMAS = {"rich_estate": "mqstat", "hostile_everywhere": "we\"ird'; --é"}
"""A schema for each scenario; the second has a name that quoting must keep."""

ADDRESS = "postgresql://reader@db.example.com/monitoring"


def interpolated(query: str, owners: dict[str, list[str]], first: str, last: str) -> str:
    """A query as Grafana sends it: its macro, and the values of its variables as `sqlstring`."""
    query = re.sub(r"\$__timeFilter\((\w+)\)", rf"\1 BETWEEN '{first}' AND '{last}'", query)
    for name, values in owners.items():
        texts = ",".join("'" + value.replace("'", "''") + "'" for value in values)
        query = query.replace(f"${{{name}:sqlstring}}", texts)
    assert "$" not in query.replace("'%$'", "")
    return query


@pytest.fixture(scope="module", params=SCHEMAS)
def loaded(
    request: pytest.FixtureRequest, server: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, str, Path]:
    """A server with the facts that the pictures need, the schema, and the dataset."""
    folder = tmp_path_factory.mktemp(request.param)
    dataset, into = folder / "dataset", folder / "facts"
    dump = file_of(SCENARIOS[request.param].build(), folder)
    assert run(["ingest", str(dump), "--into", str(dataset)]) in (0, 4, 8)
    needed = {view for unit in sqlfile.pictures().values() for view in unit.header["needs"]}
    write_facts(dataset, into, sorted({*needed, MEASURED[0].view, "qmgr"}))
    load(into, server, SCHEMAS[request.param])
    return server, SCHEMAS[request.param], dataset


def shown(panel: Panel, values: dict[Any, float]) -> dict[tuple[int, str], float]:
    """What the picture of a panel shows: time and name of the line -> value, of the series."""
    found: dict[tuple[int, str], float] = {}
    for (name, labels, at), value in values.items():
        if name == panel.metric:
            own = dict(labels)
            line = " ".join(own.get(label, "") for label in ("qmgr", "lpar", panel.legend) if label)
            found[at, line] = value
    return found


@needs_server
@pytest.mark.slow
def test_every_query_returns_what_the_picture_shows(loaded: tuple[str, str, Path]) -> None:
    uri, schema, dataset = loaded
    source = postgresql.source(ADDRESS, schema)
    with open_data(dataset=dataset) as db:
        values = of_ndjson(text_of(Series(db, metrics()), "ndjson"))
        raw = rows(db, "SELECT DISTINCT lpar, qmgr FROM qmgr")
    owners: dict[str, list[str]] = {}
    for name, _, query in source.choices:
        owners[name] = [str(row[0]) for row in asked(uri, interpolated(query, owners, "", ""))]
    assert set(owners["qmgr"]) == {row["qmgr"] for row in raw}
    compared = 0
    for panel in panels():
        query = interpolated(postgresql.query(panel, schema), owners, "1990-01-01T00:00:00Z", "2090-01-01T00:00:00Z")
        returned = asked(uri, query)
        got = {
            (round(at.timestamp() * 1000), line): value
            for at, line, value in [(_utc(row[0]), *row[1:]) for row in returned]
        }
        assert len(got) == len(returned), panel.metric
        expected = shown(panel, values)
        cleaned = {(at, clean(line)): value for (at, line), value in got.items()}
        assert cleaned == {key: pytest.approx(value, rel=1e-10) for key, value in expected.items()}, panel.metric
        compared += len(got)
    assert compared > 100
    one = panels()[0]
    few = interpolated(
        postgresql.query(one, schema),
        {**owners, "qmgr": owners["qmgr"][:1]},
        "1990-01-01T00:00:00Z",
        "2090-01-01T00:00:00Z",
    )
    assert {row[1].partition(" ")[0] for row in asked(uri, few)} <= {owners["qmgr"][0].partition(" ")[0]}
    none = interpolated(postgresql.query(one, schema), owners, "1990-01-01T00:00:00Z", "1990-01-02T00:00:00Z")
    assert asked(uri, none) == []


def _utc(moment: dt.datetime) -> dt.datetime:
    return moment.replace(tzinfo=dt.UTC)


def test_all_panels_and_limits_are_those_of_the_series() -> None:
    theirs = grafana.dashboards(panels(), prometheus.source("http://p:1"))
    ours = grafana.dashboards(panels(), postgresql.source(ADDRESS, "mqstat"))
    for name, made in ours.items():
        other = theirs[name.replace("mqstat-sql", "mqstat")]
        assert made["uid"] != other["uid"]
        assert [panel["title"] for panel in made["panels"]] == [panel["title"] for panel in other["panels"]]
        for panel, same in zip(made["panels"], other["panels"], strict=True):
            assert panel.get("fieldConfig") == same.get("fieldConfig")
            for target in panel.get("targets", ()):
                assert target["datasource"]["type"] == "grafana-postgresql-datasource"
                parsed = sqlglot.parse_one(
                    re.sub(r"\$__timeFilter\((\w+)\)", r"\1 > '2026-01-01'", target["rawSql"])
                    .replace("${lpar:sqlstring}", "''")
                    .replace("${qmgr:sqlstring}", "''"),
                    read="postgres",
                )
                assert {table.db for table in parsed.find_all(exp.Table)} == {"mqstat"}


def test_macros_and_functions_become_expressions() -> None:
    made = in_postgresql(
        "SELECT pct(used, total) AS p, at + to_microseconds(n) AS t, a / b AS q, x::DOUBLE FROM page_set", "s"
    )
    assert made == (
        'SELECT (CAST(100 * ("used") AS DOUBLE PRECISION) / NULLIF(("total"), 0)) AS "p", "at" + (("n") * INTERVAL \'1 MICROSECOND\') AS "t", '
        'CAST("a" AS DOUBLE PRECISION) / "b" AS "q", CAST("x" AS DOUBLE PRECISION) FROM "s"."page_set"'
    )


@pytest.mark.parametrize(
    ("address", "url", "mode"),
    [
        ("postgresql://g@db/x", "db:5432", "require"),
        ("postgresql://g@[2001:db8::1]:6432/x", "[2001:db8::1]:6432", "require"),
        ("postgresql://g@db/x?sslmode=verify-full", "db:5432", "verify-full"),
    ],
)
def test_grafana_connects_as_the_address_states(address: str, url: str, mode: str) -> None:
    made = postgresql.source(address, "mqstat").provisioning
    assert f'url: "{url}"' in made
    assert f'sslmode: "{mode}"' in made


def test_the_command(tmp_path: Path) -> None:
    done = invoke(
        "export",
        "grafana",
        "--into",
        tmp_path / "g",
        "--source",
        "postgresql",
        "--database",
        "postgresql://re%24der@db:6432/m%22on",
        "--schema",
        "own",
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "g/provisioning/datasources/mqstat.yaml").read_text()
    assert 'url: "db:6432"' in text
    assert 'user: "re$$der"' in text
    assert 'database: "m\\"on"' in text
    assert "password: $MQSTAT_DATABASE_PASSWORD" in text
    made = json.loads((tmp_path / "g/dashboards/mqstat-sql-pictures.json").read_text())
    assert '"own"."buffer_pool"' in json.dumps(made).replace('\\"', '"')
    for arguments, message in (
        (("--source", "mysql"), "--source mysql: choose prometheus or postgresql."),
        (("--source", "postgresql", "--database", "postgresql://me:geheim@db/x"), "without a password"),
        (("--source", "postgresql", "--database", "postgresql://db/x?password=geheim"), "$MQSTAT_DATABASE_PASSWORD"),
        (("--source", "postgresql", "--database", "mysql://db/x"), "--database must be an address"),
        (("--source", "postgresql", "--database", "postgresql://db:x/y"), "--database must be an address"),
        (("--source", "postgresql", "--database", "postgresql://db1,db2/x"), "one server"),
        (("--source", "postgresql", "--database", "postgresql://db/x?host=/run/postgresql"), "one server"),
        (("--source", "postgresql", "--database", "postgresql://db/x?sslmode=prefer"), "verify-full or disable"),
        (("--source", "postgresql", "--schema", "a$lpar"), "Grafana replaces $"),
        (("--source", "postgresql", "--schema", ""), "1 to 63 bytes"),
        (("--source", "postgresql", "--schema", "\udcff"), "1 to 63 bytes"),
    ):
        refused = invoke("export", "grafana", "--into", tmp_path / "h", *arguments)
        assert refused.returncode == 16
        assert message in refused.stderr
        assert refused.stderr.count("\n") == 1
        assert "geheim" not in refused.stderr
        assert not (tmp_path / "h").exists()
