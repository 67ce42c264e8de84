"""Dashboards of Grafana: key figures, and all pictures with the limits of rules; what they ask is a source (`prometheus`, `postgresql`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from mqstat.assemble.dashboard import Panel
from mqstat.base.areas import TITLES
from mqstat.base.atomic_write import write_texts
from mqstat.render.grafana.source import Source, provisioned

SCHEMA_VERSION = 39
"""Version of the dashboard schema that Grafana 10 and 11 read without migration."""

SHOWN = {"ratio": "percentunit", "seconds": "s", "bytes": "bytes", "bytes_per_second": "Bps", "per_second": "reqps", "": "short"}  # fmt: skip
"""The unit of Grafana for each base unit."""

WIDTH, HEIGHT, ACROSS = 12, 8, 24
"""Size of a panel, and the width of a dashboard, in its grid."""


def dashboards(panels: Sequence[Panel], source: Source) -> dict[str, dict[str, Any]]:
    """The dashboards by the names of their files."""
    key_figures = [("Key figures", [_panel(panel, source) for panel in panels if not panel.area])]
    drawn = groupby((panel for panel in panels if panel.area), key=lambda panel: panel.area)
    pictures = [(TITLES[area], [_panel(panel, source) for panel in own]) for area, own in drawn]
    contents = {"key figures": key_figures, "pictures": pictures}
    names = {title: f"{source.prefix}-{title.replace(' ', '-')}" for title in contents}
    return {
        f"{names[title]}.json": _dashboard(source, names[title], f"{source.title} {title}", _placed(rows))
        for title, rows in contents.items()
    }


PROVIDER = """apiVersion: 1
providers:
  - name: mqstat
    type: file
    options:
      path: {folder}
"""
"""A file for Grafana's folder provisioning/dashboards."""


def write(folder: Path, panels: Sequence[Panel], source: Source) -> list[Path]:
    """Write the dashboards and both provisioning files below a folder; UsageError if they cannot be written."""
    texts = {
        f"dashboards/{name}": json.dumps(made, indent=1) + "\n" for name, made in dashboards(panels, source).items()
    }
    where = provisioned((folder / "dashboards").resolve().as_posix())
    texts["provisioning/dashboards/mqstat.yaml"] = PROVIDER.format(folder=where)
    texts["provisioning/datasources/mqstat.yaml"] = source.provisioning
    return write_texts(folder, texts)


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


def _panel(panel: Panel, source: Source) -> dict[str, Any]:
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
        "datasource": source.reference,
        "targets": [{"refId": "A", "datasource": source.reference, **source.target(panel)}],
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


def _dashboard(source: Source, uid: str, title: str, panels: list[dict[str, Any]]) -> dict[str, Any]:
    choice = {"type": "datasource", "name": "datasource", "label": "Data source", "query": source.kind}
    findings = {"name": "Findings", "datasource": source.reference, "enable": True, "iconColor": "red"}
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
            "list": [choice, *(_choice(source, *each) for each in source.choices), *map(dict, source.variables)]
        },
        "annotations": {"list": [{**findings, **own} for own in source.annotations]},
        "panels": panels,
    }


def _choice(source: Source, name: str, label: str, query: Any) -> dict[str, Any]:
    return {
        "type": "query",
        "name": name,
        "label": label,
        "datasource": source.reference,
        "query": query,
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        **({"allValue": source.all_value} if source.all_value else {}),
        "current": {"text": ["All"], "value": ["$__all"]},
    }
