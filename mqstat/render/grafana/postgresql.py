"""PostgreSQL with the tables that `mqstat export postgresql` loads: the queries of the pictures over the facts of their views."""

# ruff: noqa: S608 - names are quoted; Grafana puts in the values

from __future__ import annotations

from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from mqstat.assemble.dashboard import Panel
from mqstat.assemble.foreign_sql import in_postgresql
from mqstat.base.database_address import WANTED, check_schema, is_address
from mqstat.base.errors import UsageError
from mqstat.base.formats import choice
from mqstat.render.grafana.source import Source, provisioned

_PROVISIONING = """apiVersion: 1
datasources:
  - name: PostgreSQL
    type: grafana-postgresql-datasource
    access: proxy
    url: {url}
    user: {user}
    jsonData: {{ database: {database}, sslmode: {encryption} }}
    secureJsonData: {{ password: $MQSTAT_DATABASE_PASSWORD }}
    isDefault: true
"""


MODES = ("require", "verify-ca", "verify-full", "disable")
"""The modes of TLS that the data source has."""


def source(address: str, schema: str) -> Source:
    """The data source at an address (`postgresql://USER@HOST:PORT/DATABASE`); UsageError for another address, one with a password or for more than one server, or a name of a schema that Grafana or PostgreSQL would change."""
    check_schema(schema)
    if "$" in schema or "[[" in schema:
        raise UsageError(
            f"--schema {schema!r}: Grafana replaces $ and [[ in queries; load the tables into another schema."
        )
    parts, host, encryption = _server(address)
    table = in_postgresql("SELECT lpar, qmgr FROM qmgr", schema)
    lpar = f"SELECT DISTINCT coalesce(lpar, '') FROM ({table}) AS known ORDER BY 1"
    qmgr = f"SELECT DISTINCT qmgr FROM ({table}) AS known WHERE {_chosen('lpar')} ORDER BY 1"
    return Source(
        "grafana-postgresql-datasource",
        "mqstat-sql",
        "MQ (SQL)",
        lambda panel: _target(panel, schema),
        (("lpar", "LPAR", lpar), ("qmgr", "Queue manager", qmgr)),
        _PROVISIONING.format(
            url=provisioned(host),
            user=provisioned(unquote(parts.username or "")),
            database=provisioned(unquote(parts.path.removeprefix("/"))),
            encryption=provisioned(encryption),
        ),
    )


def _server(address: str) -> tuple[SplitResult, str, str]:
    """The parts of an address, host and port, and the mode of TLS; UsageError if Grafana cannot connect to it."""
    try:
        parts = urlsplit(address)
        name, port = parts.hostname or "localhost", parts.port or 5432
    except ValueError:
        parts = None
    if parts is None or not is_address(address):
        raise UsageError(f"--database {WANTED}; Grafana reads the password from $MQSTAT_DATABASE_PASSWORD.")
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    mode = given.pop("sslmode", "require")
    if given or "," in name or mode not in MODES:
        raise UsageError(
            f"--database: Grafana needs the address of one server, without parameters other than sslmode ({choice(MODES)}): postgresql://USER@HOST:PORT/DATABASE."
        )
    return parts, f"[{name}]:{port}" if ":" in name else f"{name}:{port}", mode


def _chosen(column: str) -> str:
    return f"coalesce({column}, '') IN (${{{column}:sqlstring}})"


def _target(panel: Panel, schema: str) -> dict[str, Any]:
    return {"format": "time_series", "rawQuery": True, "editorMode": "code", "rawSql": query(panel, schema)}


def query(panel: Panel, schema: str) -> str:
    """The values of a panel in the chosen period, for the chosen LPARs and queue managers; of several at one time the worse one, as in the series."""
    names = " || ' ' || ".join(f"coalesce({name}::text, '')" for name in ("qmgr", "lpar", panel.legend) if name)
    rows = in_postgresql(panel.select, schema)
    return f"""SELECT date_trunc('milliseconds', at_utc) AS "time", {names} AS metric, {"min" if panel.is_low else "max"}(value::float8) AS value
FROM ({rows}) AS figure
WHERE $__timeFilter(at_utc) AND {_chosen("lpar")} AND {_chosen("qmgr")} AND value::float8 BETWEEN '-1e308' AND '1e308'
GROUP BY 1, 2
ORDER BY 1"""
