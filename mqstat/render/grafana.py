"""Dashboards of Grafana over Prometheus, with the series of `mqstat export series`: key figures, and all pictures with
the limits of rules.

A query reads a window that is longer than an interval: MQ writes a value every few minutes, and Prometheus ignores
values that are older than five minutes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from mqstat.assemble.dashboard import Panel
from mqstat.base.areas import TITLES
from mqstat.base.atomic_write import write_texts
from mqstat.base.errors import UsageError

SCHEMA_VERSION = 39
"""Version of the dashboard schema that Grafana 10 and 11 read without migration."""

SHOWN = {"ratio": "percentunit", "seconds": "s", "bytes": "bytes", "bytes_per_second": "Bps", "per_second": "reqps", "": "short"}  # fmt: skip
"""The unit of Grafana for each base unit."""

WIDTH, HEIGHT, ACROSS = 12, 8, 24
"""Size of a panel, and the width of a dashboard, in its grid."""

_SERIES = '__name__=~"mqstat_.+",job=""'
"""All series of `mqstat export series`: no metric is one that every queue manager has, whatever it collects."""

CHOICES = (
    ("lpar", "LPAR", f"label_values({{{_SERIES}}}, lpar)"),
    ("qmgr", "Queue manager", f'label_values({{{_SERIES},lpar=~"$lpar"}}, qmgr)'),
)
"""Variable, label and query of each choice."""

_REFERENCE = {"type": "prometheus", "uid": "${datasource}"}
"""The data source that is chosen in a dashboard."""

_PROVIDER = """apiVersion: 1
providers:
  - name: mqstat
    type: file
    options:
      path: {folder}
"""
"""A file for Grafana's folder provisioning/dashboards."""

_DATA_SOURCE = """apiVersion: 1
datasources:
  - name: Prometheus
    type: prometheus
    access: proxy
    url: {url}
    isDefault: true
"""
"""A file for Grafana's folder provisioning/datasources."""


def write(folder: Path, panels: Sequence[Panel], url: str) -> list[Path]:
    """Write the dashboards and both provisioning files below a folder.

    UsageError if they cannot be written, or if the URL of Prometheus is not an address or has a user or a password.
    """
    if not re.fullmatch(r"https?://[^\s@]+", url):
        raise UsageError("--prometheus must be an address without user and password, which lists of processes would show, such as http://prometheus:9090; add them to the provisioning file.")  # fmt: skip
    texts = {f"dashboards/{name}": json.dumps(text, indent=1) + "\n" for name, text in dashboards(panels).items()}
    where = _provisioned((folder / "dashboards").resolve().as_posix())
    texts["provisioning/dashboards/mqstat.yaml"] = _PROVIDER.format(folder=where)
    texts["provisioning/datasources/mqstat.yaml"] = _DATA_SOURCE.format(url=_provisioned(url))
    return write_texts(folder, texts)


def dashboards(panels: Sequence[Panel]) -> dict[str, dict[str, Any]]:
    """The dashboards by the names of their files."""
    key_figures = [("Key figures", [_panel(panel) for panel in panels if not panel.area])]
    drawn = groupby((panel for panel in panels if panel.area), key=lambda panel: panel.area)
    pictures = [(TITLES[area], [_panel(panel) for panel in group]) for area, group in drawn]
    return {
        f"{name}.json": _dashboard(name, title, _placed(rows))
        for name, title, rows in (
            ("mqstat-key-figures", "MQ key figures", key_figures),
            ("mqstat-pictures", "MQ pictures", pictures),
        )
    }


def _provisioned(value: str) -> str:
    """A text for a provisioning file, in which Grafana replaces $NAME by variables of its environment."""
    return json.dumps(value.replace("$", "$$"))


def _query(metric: str) -> str:
    """The newest value of a metric within the window, for the chosen LPARs and queue managers.

    Without those that the server scraped, which have a job and the time of the scrape.
    """
    return f'last_over_time({metric}{{lpar=~"$lpar",qmgr=~"$qmgr",job=""}}[$window])'


def _thresholds(limits: list[float], *, lowest: bool) -> dict[str, Any]:
    """Steps of colour: from each limit on, a worse one; where low values are bad, up to it."""
    colours = ["green", *(["orange", "red"] if len(limits) > 1 else ["red"])]
    chosen = [colours[min(number, len(colours) - 1)] for number in range(len(limits) + 1)]
    if lowest:
        chosen.reverse()
    return {
        "mode": "absolute",
        "steps": [{"color": colour, "value": value} for colour, value in zip(chosen, [None, *limits], strict=True)],
    }


def _panel(panel: Panel) -> dict[str, Any]:
    names = " ".join(f"{{{{{name}}}}}" for name in ("qmgr", "lpar", panel.legend) if name)
    defaults: dict[str, Any] = {
        "unit": SHOWN[panel.unit],
        "custom": {"drawStyle": "line", "lineInterpolation": "stepBefore", "spanNulls": False},
    }
    if panel.limits:
        defaults["thresholds"] = _thresholds(sorted(value for value, _ in panel.limits), lowest=panel.is_low)
        defaults["custom"]["thresholdsStyle"] = {"mode": "dashed"}
    return {
        "type": "timeseries",
        "title": panel.title,
        "description": " ".join(filter(None, [panel.note, *(text for _, text in panel.limits)])),
        "datasource": _REFERENCE,
        "targets": [{"refId": "A", "datasource": _REFERENCE, "expr": _query(panel.metric), "legendFormat": names}],
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": {
            "legend": {"calcs": [], "displayMode": "list", "placement": "bottom", "showLegend": True},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
    }


def _placed(rows: Sequence[tuple[str, list[dict[str, Any]]]]) -> list[dict[str, Any]]:
    """Panels with their places: a row for each heading, two panels across."""
    placed: list[dict[str, Any]] = []
    top = 0
    for title, panels in rows:
        placed.append(
            {"type": "row", "title": title, "collapsed": False, "gridPos": {"x": 0, "y": top, "w": ACROSS, "h": 1}, "panels": []}
        )  # fmt: skip
        top += 1
        for number, panel in enumerate(panels):
            at = {"x": number % 2 * WIDTH, "y": top + number // 2 * HEIGHT, "w": WIDTH, "h": HEIGHT}
            placed.append({**panel, "gridPos": at})
        top += -(-len(panels) // 2) * HEIGHT
    return [{"id": number, **panel} for number, panel in enumerate(placed, 1)]


def _dashboard(uid: str, title: str, panels: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "uid": uid,
        "title": title,
        "tags": ["ibm-mq", "mqstat"],
        "schemaVersion": SCHEMA_VERSION,
        "editable": True,
        "graphTooltip": 1,
        "timezone": "utc",
        "time": {"from": "now-2d", "to": "now"},
        "templating": {
            "list": [
                {"type": "datasource", "name": "datasource", "label": "Data source", "query": "prometheus"},
                *(_choice(name, label, query) for name, label, query in CHOICES),
                {
                    "type": "custom",
                    "name": "window",
                    "label": "Interval, at least",
                    "query": "30m,1h,2h",
                    "current": {"text": "30m", "value": "30m"},
                },
            ]
        },
        "annotations": {
            "list": [
                {
                    "name": "Findings",
                    "datasource": _REFERENCE,
                    "enable": True,
                    "iconColor": "red",
                    "target": {"refId": "Findings", "expr": _query("mqstat_rule_breach"), "interval": "5m"},
                    "titleFormat": "{{rule}} {{qmgr}}",
                    "textFormat": "{{severity}} finding; mqstat explain {{rule}}",
                }
            ]
        },
        "panels": panels,
    }


def _choice(name: str, label: str, query: str) -> dict[str, Any]:
    return {
        "type": "query",
        "name": name,
        "label": label,
        "datasource": _REFERENCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
    }
