"""What a dashboard asks for its figures: the queries of a data source of Grafana."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mqstat.assemble.dashboard import Panel


@dataclass(frozen=True)
class Source:
    """A data source.

    kind: the id of its plugin. prefix: how the names of its dashboards begin. target: the query of a panel, without `refId` and `datasource`. choices: variable, label and query of
    each choice. variables, annotations: further ones. provisioning: a file for Grafana's folder provisioning/datasources.
    """

    kind: str
    prefix: str
    title: str
    target: Callable[[Panel], Mapping[str, Any]]
    choices: tuple[tuple[str, str, Any], ...]
    provisioning: str
    all_value: str | None = None
    variables: tuple[Mapping[str, Any], ...] = ()
    annotations: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def reference(self) -> dict[str, str]:
        """The data source that is chosen in a dashboard."""
        return {"type": self.kind, "uid": "${datasource}"}


def provisioned(value: str) -> str:
    """A text for a provisioning file, in which Grafana replaces $NAME by variables of its environment."""
    return json.dumps(value.replace("$", "$$"))
