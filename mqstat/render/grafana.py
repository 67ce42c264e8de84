"""Dashboards of Grafana for the series of `mqstat export series` in Prometheus: key figures, all pictures with the limits of rules, findings as annotations.

A query reads a window that is longer than an interval: MQ writes a value every few minutes, and Prometheus ignores values that are older than five minutes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from mqstat.assemble.dashboard import Panel
from mqstat.base.areas import TITLES
from mqstat.base.atomic_write import replacing
from mqstat.base.errors import UsageError

SCHEMA_VERSION = 39
"""Version of the dashboard schema that Grafana 10 and 11 read without migration."""

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
SHOWN = {"ratio": "percentunit", "seconds": "s", "bytes": "bytes", "bytes_per_second": "Bps", "per_second": "reqps", "": "short"}  # fmt: skip
"""The unit of Grafana for each base unit."""

WIDTH, HEIGHT, ACROSS = 12, 8, 24
"""Size of a panel, and the width of a dashboard, in its grid."""


def dashboards(panels: Sequence[Panel]) -> dict[str, dict[str, Any]]:
    """The dashboards by the names of their files."""
    key_figures = [("Key figures", [_panel(panel) for panel in panels if not panel.area])]
    drawn = groupby((panel for panel in panels if panel.area), key=lambda panel: panel.area)
    pictures = [(TITLES[area], [_panel(panel) for panel in own]) for area, own in drawn]
    return {
        "mqstat-key-figures.json": _dashboard("mqstat-key-figures", "MQ key figures", _placed(key_figures)),
        "mqstat-pictures.json": _dashboard("mqstat-pictures", "MQ pictures", _placed(pictures)),
    }


PROVIDER = """apiVersion: 1
providers:
  - name: mqstat
    type: file
    options:
      path: {folder}
"""
"""A file for Grafana's folder provisioning/dashboards."""

PROMETHEUS = """apiVersion: 1
datasources:
  - name: Prometheus
    type: prometheus
    access: proxy
    url: {url}
    isDefault: true
"""
"""A file for Grafana's folder provisioning/datasources."""


def write(folder: Path, panels: Sequence[Panel], url: str) -> list[Path]:
    """Write the dashboards and both provisioning files below a folder; UsageError if they cannot be written."""
    texts = {f"dashboards/{name}": json.dumps(made, indent=1) + "\n" for name, made in dashboards(panels).items()}
    where = json.dumps((folder / "dashboards").resolve().as_posix())
    texts["provisioning/dashboards/mqstat.yaml"] = PROVIDER.format(folder=where)
    texts["provisioning/datasources/mqstat.yaml"] = PROMETHEUS.format(url=json.dumps(url))
    for name, text in texts.items():
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{folder} cannot be written: {error.strerror or error}.") from error
        with replacing(folder / name) as stream:
            stream.write(text)
    return [folder / name for name in texts]


def query(metric: str) -> str:
    """The newest value of a metric within the window, for the chosen LPARs and queue managers."""
    return f'last_over_time({metric}{{lpar=~"$lpar",qmgr=~"$qmgr"}}[$window])'


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
    defaults: dict[str, Any] = {
        "unit": SHOWN[panel.unit],
        "custom": {"drawStyle": "line", "lineInterpolation": "stepBefore", "spanNulls": False},
    }
    if panel.limits:
        defaults["thresholds"] = _thresholds(sorted(value for value, _ in panel.limits), lowest=panel.is_low)
        defaults["custom"]["thresholdsStyle"] = {"mode": "dashed"}
    legend = f"{{{{qmgr}}}} {{{{{panel.legend}}}}}" if panel.legend else "{{qmgr}} {{lpar}}"
    return {
        "type": "timeseries",
        "title": panel.title,
        "description": " ".join(filter(None, [panel.note, *(text for _, text in panel.limits)])),
        "datasource": SOURCE,
        "targets": [{"refId": "A", "datasource": SOURCE, "expr": query(panel.metric), "legendFormat": legend}],
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": {
            "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
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
    metric = "mqstat_active_channels_ratio"
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
                _choice("lpar", "LPAR", f"label_values({metric}, lpar)"),
                _choice("qmgr", "Queue manager", f'label_values({metric}{{lpar=~"$lpar"}}, qmgr)'),
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
                    "datasource": SOURCE,
                    "enable": True,
                    "iconColor": "red",
                    "expr": query("mqstat_rule_breach"),
                    "titleFormat": "{{rule}} {{qmgr}}",
                    "textFormat": "{{severity}} finding; mqstat explain {{rule}}",
                    "step": "5m",
                }
            ]
        },
        "panels": panels,
    }


def _choice(name: str, label: str, values: str) -> dict[str, Any]:
    return {
        "type": "query",
        "name": name,
        "label": label,
        "datasource": SOURCE,
        "query": {"query": values, "refId": name},
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
    }
