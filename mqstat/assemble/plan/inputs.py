"""The values of the parameters of a plan for each subject, with the origin of each: a setting, the site file, the data
or a default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from mqstat.assemble.plan.in_force import measured_rows
from mqstat.assemble.plan.model import KEY_COLUMNS, SUBJECTS, Parameter, Plan, Value
from mqstat.assemble.plan.settings import Setting
from mqstat.base.formatting import natural, number_text
from mqstat.sql.site import FACTS, Site
from mqstat.sql.workspace import Workspace

ORIGINS = ("set", "site file", "measured", "default", "missing")
"""Where a value comes from."""

QMGRS = """
    SELECT lpar, qmgr, min(first_written_local) AS first_written_local, max(last_written_local) AS last_written_local
    FROM record_count
    WHERE lpar IS NOT NULL AND qmgr IS NOT NULL
    GROUP BY lpar, qmgr
    ORDER BY lpar, qmgr
"""
"""The queue managers of the data and the local times that it covers: those of view qmgr, which computes more."""


@dataclass(frozen=True)
class Input:
    """A parameter of one subject with its value: `origin` is one of `ORIGINS`, `origin_text` states where exactly,
    `at_local` when a measured value was.
    """

    parameter: Parameter
    value: Value | None
    origin: str
    origin_text: str
    at_local: datetime | None = None


@dataclass(frozen=True)
class Subject:
    """What a plan answers for, with its inputs; `covered` is the data that it has, in the unit of the least coverage;
    `before` are the inputs without settings.
    """

    lpar: str | None
    qmgr: str | None
    name: str | None
    covered: float | None
    inputs: Mapping[str, Input]
    before: Mapping[str, Input]
    changed: str = ""
    """The last changes of the settings of the plan, as a sentence: the figures are those since then."""

    @property
    def has_settings(self) -> bool:
        """Whether a setting replaces a value that was there."""
        return any(
            each.origin == "set" and self.before[key].value not in (None, each.value)
            for key, each in self.inputs.items()
        )


def subjects(plan: Plan, database: Workspace | None, site: Site, chosen: Sequence[Setting]) -> list[Subject]:
    """The subjects of a plan with their inputs: those of the data, or without data one that has no name."""
    if database is None:
        return [_subject(plan, {}, "", site, chosen)]
    read = [plan.measured_sql, [*plan.setting_views]] if plan.needs else []
    database.keep([QMGRS, *read])  # at once: both read view record_count
    periods = {(row["lpar"], row["qmgr"]): _period(row) for row in database.rows(QMGRS)}
    measured = measured_rows(plan, database) if plan.needs else []
    known = {(row["lpar"], row["qmgr"]) for row in measured}
    # A queue manager without such data is answered too: with what is missing.
    measured += (
        [{"lpar": lpar, "qmgr": qmgr} for lpar, qmgr in periods if (lpar, qmgr) not in known]
        if plan.needs or plan.subject == "qmgr"
        else []
    )
    if not measured:
        return [_subject(plan, {}, "", site, chosen)]
    made = [_subject(plan, row, periods.get((row["lpar"], row["qmgr"]), ""), site, chosen) for row in measured]
    return sorted(made, key=lambda each: (each.lpar or "", each.qmgr or "", natural(each.name or "")))


def _period(row: Mapping[str, Any]) -> str:
    first, last = row["first_written_local"], row["last_written_local"]
    if first is None or last is None:
        return ""
    start, end = (f"{each:%Y-%m-%d %H:%M}" for each in (first, last))
    return start if start == end else f"{start} to {end}"


def _subject(plan: Plan, row: Mapping[str, Any], period: str, site: Site, chosen: Sequence[Setting]) -> Subject:
    lpar, qmgr, name = (row.get(column) for column in KEY_COLUMNS)
    name = None if name is None else str(name)
    before = {key: value_before(plan, each, row, period, name, site) for key, each in plan.parameters.items()}
    own = {each.name: each for each in chosen if each.holds(lpar, qmgr, name)}
    inputs = {
        key: Input(each.parameter, own[key].value, "set", f"--set {own[key].text}") if key in own else each
        for key, each in before.items()
    }
    is_tried = any(each.origin == "set" and each.parameter.setting for each in inputs.values())
    return Subject(lpar, qmgr, name, row.get("covered"), inputs, before, "" if is_tried else row.get("changed", ""))


def value_before(
    plan: Plan, parameter: Parameter, row: Mapping[str, Any], period: str, name: str | None, site: Site
) -> Input:
    """A parameter of a subject without settings: from the records, the site file or its default."""
    lpar, qmgr = row.get("lpar"), row.get("qmgr")
    stated = _fact(parameter, lpar, qmgr, name, site)
    value = row.get(parameter.name) if parameter.measured else None
    remedy = parameter.remedy
    if isinstance(value, (int, float)) and value < 0 and parameter.least is not None and parameter.least >= 0:
        remedy, value = f"the records have {number_text(value)}, which is not possible; {remedy}".rstrip("; "), None
    # A setting that the records have too is that of the time of the figures; the site file may be newer.
    if stated is not None and (value is None or parameter.estimate):
        return Input(parameter, stated, "site file", f"{parameter.fact} in {site.name}")
    rule_id, _, limit = parameter.limit.partition(".")
    subject = f"{SUBJECTS[plan.subject]}{name}" if name else None
    limits = [
        each.thresholds[limit]
        for each in site.overrides_of(rule_id)
        if limit in each.thresholds and each.holds(lpar, qmgr, subject)
    ]
    if limits:  # the last one is the most specific
        return Input(parameter, float(limits[-1]), "site file", f"{parameter.limit} in {site.name}")
    if value is not None:
        at = row.get(f"{parameter.name}_at")
        when = f"{at:%Y-%m-%d %H:%M}" if at is not None else period
        return Input(parameter, _plain(value), "measured", f"{parameter.measured}, {when}".strip(", "), at)
    if parameter.default is not None:
        default = parameter.default if not parameter.is_number else float(parameter.default)
        return Input(parameter, default, "default", f"assumed; {parameter.source}")
    return Input(parameter, None, "missing", remedy)


def _plain(value: Any) -> Value:
    return value if isinstance(value, (bool, str)) else float(value)


def _fact(parameter: Parameter, lpar: str | None, qmgr: str | None, name: str | None, site: Site) -> Value | None:
    """The fact of the site file for a parameter; of a map the one of the subject, by its name or the longest pattern
    that fits.
    """
    if not parameter.fact:
        return None
    fact = FACTS[parameter.fact]
    value = site.facts(lpar or "", qmgr or "")[fact.column]
    if value is None or fact.key is None:
        return None if value is None else _plain(value)
    fitting = [(len(str(key)), each) for key, each in value if name is not None and fnmatchcase(name, str(key))]
    exact = [each for key, each in value if str(key) == name]
    return _plain(exact[0] if exact else max(fitting)[1]) if exact or fitting else None
