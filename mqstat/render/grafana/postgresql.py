"""PostgreSQL with the tables that `mqstat export postgresql` loads: the queries of the pictures over the facts of their views."""

# ruff: noqa: S608 - names are quoted; Grafana puts in the values

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

from mqstat.assemble.dashboard import Panel
from mqstat.assemble.foreign_sql import in_postgresql
from mqstat.base.database_address import WANTED, is_address
from mqstat.base.errors import UsageError
from mqstat.base.formatting import clean
from mqstat.render.grafana.source import Source, provisioned

_PROVISIONING = """apiVersion: 1
datasources:
  - name: PostgreSQL
    type: grafana-postgresql-datasource
    access: proxy
    url: {url}
    user: {user}
    jsonData: {{ database: {database}, sslmode: require }}
    secureJsonData: {{ password: $MQSTAT_DATABASE_PASSWORD }}
    isDefault: true
"""


def source(address: str, schema: str) -> Source:
    """The data source at an address (`postgresql://USER@HOST:PORT/DATABASE`); UsageError for another address, one with a password, or a name of a schema that Grafana would change."""
    if "$" in schema or "[[" in schema or clean(schema) != schema:
        raise UsageError(
            f"--schema {schema!r}: Grafana replaces $ and [[ in queries; load the tables into another schema."
        )
    try:
        parts = urlsplit(address)
        host = f"{parts.hostname or 'localhost'}:{parts.port or 5432}"
    except ValueError:
        parts = None
    if parts is None or not is_address(address):
        raise UsageError(f"--database {WANTED}; Grafana reads the password from $MQSTAT_DATABASE_PASSWORD.")
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
        ),
    )


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
