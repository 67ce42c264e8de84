"""What a dashboard of a monitoring system shows: the key figures and the pictures as metrics of
`mqstat.assemble.series`, with the limits of rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mqstat.assemble.measures import MEASURED, UNITS
from mqstat.assemble.series import measured, picture_metric
from mqstat.base.areas import AREAS
from mqstat.base.formatting import figure
from mqstat.judge import scope
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.site import Site
from mqstat.sql.sqlfile import SqlFile


@dataclass(frozen=True)
class Panel:
    """A metric to draw: `area` is empty for key figures, `legend` its label that names a line, `limits` in the base
    unit with their texts.
    """

    area: str
    title: str
    note: str
    metric: str
    unit: str
    legend: str = ""
    is_low: bool = False
    limits: tuple[tuple[float, str], ...] = ()


def panels(site: Site | None = None) -> list[Panel]:
    """The key figures, then the pictures by area. Limits are those that the site file sets for all queue managers."""
    units = sorted(sqlfile.pictures().values(), key=lambda unit: (AREAS.index(unit.area), unit.id))
    return [*_key_figures(), *(_picture(unit, site or Site()) for unit in units)]


def _key_figures() -> Iterator[Panel]:
    headline = MEASURED[0]
    described = sqlfile.views()[headline.view].columns
    for column, metric in measured(headline):
        doc = described[column].doc.rstrip(".")
        yield Panel("", doc, "", metric.name, metric.unit, is_low=metric.is_low)


def _picture(unit: SqlFile, site: Site) -> Panel:
    metric, factor = picture_metric(unit), UNITS[unit.header["unit"]][1]
    limits = tuple(
        (value * factor, f"Limit of {limit['rule']}: {limit['text']} {figure(value, unit.header['unit'])}.")
        for limit, value in _limits(unit, site)
    )
    return Panel(
        unit.area,
        unit.title,
        unit.header["question"],
        metric.name,
        metric.unit,
        "series",
        metric.is_low,
        limits,
    )


def _limits(unit: SqlFile, site: Site) -> Iterator[tuple[Mapping[str, Any], float]]:
    """The limits of a picture that are thresholds of rules, with their values; others differ between queue managers."""
    for limit in unit.header.get("limits", ()):
        if "column" not in limit:
            rule = rules()[limit["rule"]]
            overrides = site.overrides_of(rule.id)
            under = scope.narrowest(overrides, None, None, None)
            yield limit, float(scope.values(rule, overrides, under)[0][limit["threshold"]])
