"""Prometheus with the series of `mqstat export series`.

A query reads a window that is longer than an interval: MQ writes a value every few minutes, and Prometheus ignores values that are older than five minutes.
"""

from __future__ import annotations

import re
from typing import Any

from mqstat.assemble.dashboard import Panel
from mqstat.base.errors import UsageError
from mqstat.render.grafana.source import Source, provisioned

_PROVISIONING = """apiVersion: 1
datasources:
  - name: Prometheus
    type: prometheus
    access: proxy
    url: {url}
    isDefault: true
"""

_OWN = '__name__=~"mqstat_.+",job=""'
"""All series of `mqstat export series`: no metric is one that every queue manager has, whatever it collects."""


def source(url: str) -> Source:
    """The data source at an address; UsageError for another text, or one with a user or a password."""
    if not re.fullmatch(r"https?://[^\s@]+", url):
        raise UsageError("--prometheus must be an address without user and password, which lists of processes would show, such as http://prometheus:9090; add them to the provisioning file.")  # fmt: skip
    return Source(
        "prometheus",
        "mqstat",
        "MQ",
        target,
        (
            ("lpar", "LPAR", {"query": f"label_values({{{_OWN}}}, lpar)", "refId": "lpar"}),
            ("qmgr", "Queue manager", {"query": f'label_values({{{_OWN},lpar=~"$lpar"}}, qmgr)', "refId": "qmgr"}),
        ),
        _PROVISIONING.format(url=provisioned(url)),
        ".*",
        (
            {
                "type": "custom",
                "name": "window",
                "label": "Interval, at least",
                "query": "30m,1h,2h",
                "current": {"text": "30m", "value": "30m"},
            },
        ),
        (
            {
                "target": {"refId": "Findings", "expr": query("mqstat_rule_breach"), "interval": "5m"},
                "titleFormat": "{{rule}} {{qmgr}}",
                "textFormat": "{{severity}} finding; mqstat explain {{rule}}",
            },
        ),
    )


def query(metric: str) -> str:
    """The newest value of a metric within the window, for the chosen LPARs and queue managers; without those that the server scraped, which have a job and the time of the scrape."""
    return f'last_over_time({metric}{{lpar=~"$lpar",qmgr=~"$qmgr",job=""}}[$window])'


def target(panel: Panel) -> dict[str, Any]:
    """The query of a panel, and the names of its lines."""
    names = " ".join(f"{{{{{name}}}}}" for name in ("qmgr", "lpar", panel.legend) if name)
    return {"expr": query(panel.metric), "legendFormat": names}
